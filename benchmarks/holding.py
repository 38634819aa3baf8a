"""Whether a release holds together: faults that can be computed, in made letters with given marks.

Usage: holding.py [--letters 50] [--draws 10] [--record]

Letters are made by a seed; nobody looks at those of the second half. Every letter has a man or a woman with an age, a
birth date, relatives, two dates, two times, a holiday and doses, of which one is the age. The policy is `clinical`.
"before" is the same policy with everything off that makes a record hold together: measures are replaced, an age is
drawn for each mention, dates of both orders are read one by one, no text beside a name says whose it is, a name
behind a title is a last name only if no list has it as a first name, no short name is known, and nothing follows from
the released values.

The columns are faults for 1,000 words of releases.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import date, timedelta
from unittest import mock

import holding_checks
from recording import table, written

from sfumato.building.policies import build_policy
from sfumato.engines.engine import Engine
from sfumato.kinds.dates.age import Age
from sfumato.kinds.dates.date import Date
from sfumato.kinds.people import mentions
from sfumato.kinds.people.names import first_names, first_names_of
from sfumato.kinds.people.person import Person
from sfumato.kinds.places.place import Place
from sfumato.language.en.articles import indefinite_article
from sfumato.language.en.calendar import HOLIDAYS
from sfumato.language.language import READ
from sfumato.language.letter_case import case_key
from sfumato.policy import Policy
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document

FAULTS = {
    "doses or values changed": "meaning", "two ages of one person": "contradiction",
    "age and birth date differ": "contradiction", "interval of dates changed": "contradiction",
    "times turned": "contradiction", "holiday far from its date": "implausible",
    "name of the other sex": "implausible", "relatives of other last names": "contradiction",
    "title before a first name": "implausible", "infant of the other sex": "implausible",
    "short name of somebody else": "contradiction", "a or an wrong": "grammar",
}  # fmt: skip
"""What is counted, and what sort of fault it is."""
_MEN = {"Robert Hall": "Bob", "William Price": "Bill", "Thomas Yilmaz": "Tom"}
_WOMEN = {"Elizabeth O'Hara": "Liz", "Katherine Moss": "Kate", "Susan Taylor": "Sue"}
"""Names, and the short names that their people go by."""
_DOSES = ("clopidogrel {age} mg", "GTN patch 10 mg/24 h", "BP 182/110", "Hb 9.1 g", "INR 2.5", "MMSE 24/30")
_INDEFINITE = re.compile(r"\b([Aa]n?) (?=(\w+))")
_SAID = re.compile(
    r"(?P<age>\d+)-year-old.*?born (?P<born>\S+)\).*?seen (?:on|at) (?P<holiday>.+?), (?P<first>\S+), at "
    r"(?P<early>\d\d:\d\d), operated at (?P<late>\d\d:\d\d).*?again on (?P<second>\S+?)\..*?now (?P<again>\d+),.*?"
    r"(?P<who>wife|husband) (?P<name>\S+)",
    re.DOTALL,
)
_SAID_OF_FAMILY = re.compile(
    r"\A\w+ (?P<given>\S+) (?P<own>.+?), .*?baby (?P<sex>boy|girl) (?P<baby>\S+) was born\. "
    r"Mrs? (?P<lone>[^.]+) says that (?P<short>\S+) sleeps badly\. (?:His|Her) son \S+ (?P<son>.+) and (?:his|her) "
    r"daughter, \S+ (?P<daughter>.+), live with Mrs (?P<other>.+?)\.\Z",
    re.DOTALL,
)


@dataclass(frozen=True)
class Letter:
    """A made letter: its text, its marks, and whether the month comes first in its dates."""

    document: Document
    month_first: bool
    doses: Sequence[str]
    days: int


def letter(seed: int) -> Letter:
    """Return the letter of ``seed``."""
    rng = random.Random(seed)
    man, month_first, age = rng.random() < 0.5, seed % 5 == 0, rng.randint(25, 85)
    form = "%m/%d/%Y" if month_first else "%d/%m/%Y"
    seen = date(rng.randint(2012, 2022), 12, rng.randint(21, 28))
    again = seen + timedelta(rng.randint(2, 40))
    born = date(seen.year - age, rng.randint(1, 11), rng.randint(1, 28))
    early = rng.randint(8 * 60, 14 * 60)
    late = early + rng.randint(15, 90)
    doses = [dose.format(age=age) for dose in rng.sample(_DOSES[1:], 3)] + [_DOSES[0].format(age=age)]
    name = rng.choice(list(_MEN if man else _WOMEN))
    parts: list[str | tuple[str, str]] = [
        (f"{'Mr' if man else 'Ms'} {name}", "PERSON"),
        ", ",
        (f"a {age}-year-old", "AGE"), " (born ",
        (born.strftime(form), "DATE"), "), was seen on ", ("Christmas Eve", "DATE"), ", ",
        (seen.strftime(form), "DATE"), ", at ", (f"{early // 60:02d}:{early % 60:02d}", "TIME"), ", operated at ",
        (f"{late // 60:02d}:{late % 60:02d}", "TIME"), f", and given {doses[3]} with {doses[0]}. ",
        f"{doses[1]}; {doses[2]}. Reviewed again on ", (again.strftime(form), "DATE"), ". ",
        "He" if man else "She", " is now ", (str(age), "AGE"), ", works as ", ("an electrician", "OCCUPATION"),
        " and lives with ", "his wife " if man else "her husband ",
        (rng.choice(list(_WOMEN if man else _MEN)).split()[0], "PERSON"), " in ",
        (rng.choice(("Leeds", "Vietnam")), "PLACE"), ".", *holding_checks.PART, *family(rng, man, name),
    ]  # fmt: skip
    text, spans = "", []
    for part in parts:
        words, label = part if isinstance(part, tuple) else (part, "")
        if label:
            spans.append({"start": len(text), "end": len(text) + len(words), "label": label})
        text += words
    return Letter(Document(text, str(seed), {"spans": spans}), month_first, doses, (again - seen).days)


def family(rng: random.Random, man: bool, name: str) -> list[str | tuple[str, str]]:
    """Return the end of a letter about a man or a woman of a ``name``: the relatives."""
    boy, last = rng.random() < 0.5, name.split()[1]
    return [
        " Their baby ", "boy " if boy else "girl ", ("Robin", "PERSON"), " was born. ",
        (f"{'Mrs' if man else 'Mr'} {last}", "PERSON"), " says that ", ((_MEN | _WOMEN)[name], "PERSON"),
        " sleeps badly. ", "His" if man else "Her", " son ", (f"Ben {last}", "PERSON"), " and ",
        "his" if man else "her", " daughter, ", (f"Ida {last}", "PERSON"), ", live with ",
        (f"Mrs {rng.choice(('Dean', 'May', 'Scott'))}", "PERSON"), ".",
    ]  # fmt: skip


def faults_of_family(text: str) -> Counter[str]:
    """Return the faults of the relatives in one release."""
    said = _SAID_OF_FAMILY.search(text)
    if said is None:
        return Counter({"not read": 1})
    other = first_names_of("woman" if said["sex"] == "boy" else "man")
    return Counter({
        "relatives of other last names": sum(said[who] != said["own"] for who in ("lone", "son", "daughter")),
        "title before a first name": case_key(said["other"]) in first_names(),
        "infant of the other sex": case_key(said["baby"]) in other,
        "short name of somebody else": said["short"] != said["given"],
    })  # fmt: skip


@contextmanager
def names_by_themselves(really: bool) -> Iterator[None]:
    """Let names be read without the text beside them, titles and short names, if ``really``."""
    rule = staticmethod(lambda word, title: bool(title) and case_key(word) not in first_names())
    with ExitStack() as stack:
        if really:
            stack.enter_context(mock.patch.object(Person, "reads_around", False))
            stack.enter_context(mock.patch.object(Person, "_is_last_name", rule))
            stack.enter_context(mock.patch.object(mentions, "NICKNAMES", {}))
        yield


def faults(text: str, made: Letter, day_first: bool) -> Counter[str]:
    """Return the faults of one release."""
    found = Counter({"doses or values changed": sum(dose not in text for dose in made.doses)}) + faults_of_family(
        text
    )
    found["a or an wrong"] = sum(
        right is not None and right != match[1].lower()
        for match in _INDEFINITE.finditer(text)
        for right in [indefinite_article(text[match.start(2) : match.start(2) + READ])]
    )
    found.update(holding_checks.faults(text))
    said = _SAID.search(text)
    if said is None:
        found["not read"] += 1
        return found
    dates = Date(day_first=day_first, both_orders=True)
    read = {name: dates.read(said[name].strip(".,")) for name in ("born", "first", "second")}
    days = {name: date.fromisoformat(own.value) for name, own in read.items() if own is not None}
    found["two ages of one person"] = said["age"] != said["again"]
    found["times turned"] = said["early"] > said["late"]
    if len(days) == 3:
        last = days["second"]
        age = last.year - days["born"].year - ((days["born"].month, days["born"].day) > (last.month, last.day))
        found["age and birth date differ"] = abs(age - int(said["age"])) > 1
        found["interval of dates changed"] = (days["second"] - days["first"]).days != made.days
        holiday = dates.read(said["holiday"])
        found["holiday far from its date"] = holiday is None or _apart(holiday.value, days["first"]) > 31
    other = first_names_of("man" if said["who"] == "wife" else "woman")
    found["name of the other sex"] = case_key(said["name"].strip(".,")) in other
    return found


def _apart(holiday: str, day: date) -> float:
    days = abs(HOLIDAYS.grains["holiday"].get(holiday, 366 / 2) - day.timetuple().tm_yday) % 366
    return min(days, 366 - days)


def sanitizers() -> dict[str, Callable[[bool], tuple[Engine, bool]]]:
    """Return what sanitizes a letter before and after, with whether the day comes first in its releases."""
    policy = Policy.load("clinical").with_changes({"find.detect": '["given"]'})
    plain = policy.with_changes({
        "find.keep_measures": "false", "treat.AGE.consistency": "mention", "kinds.DATE.both_orders": "true",
    })  # fmt: skip
    before = replace(build_policy(plain), held=None, families=None)
    after = {
        first: build_policy(policy.with_changes({"kinds.DATE.day_first": str(first).lower()}))
        for first in (True, False)
    }
    return {
        "before": lambda _: (before, True),
        "after": lambda month_first: (after[not month_first], not month_first),
    }


def measured(letters: Sequence[Letter], draws: int, way: Callable[[bool], tuple[Engine, bool]]) -> dict[str, float]:
    """Return the faults for 1,000 words."""
    counts, words = Counter[str](), 0
    for number in range(draws):
        for made in letters:
            engine, day_first = way(made.month_first)
            [release] = engine.sanitize_batch([made.document], SeededRandomness(number))
            counts += faults(release.text, made, day_first)
            words += len(release.text.split())
    return {fault: 1000 * count / words for fault, count in counts.items()}


def main() -> None:
    """Show the table, or record it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--letters", type=int, default=50)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    middle = given.letters // 2
    halves = {"looked at": range(middle), "never looked at": range(middle, given.letters)}
    figures: dict[str, dict[str, float]] = {}
    for name, way in sanitizers().items():
        Place.reads_around = Age.reads_around = name == "after"
        with names_by_themselves(name == "before"):
            for half, seeds in halves.items():
                figures[f"{name}, {half}"] = measured([letter(seed) for seed in seeds], given.draws, way)
    rows: list[list[object]] = [
        [f"{fault} ({sort})", *(f"{own.get(fault, 0.0):.2f}" for own in figures.values())]
        for fault, sort in {**FAULTS, **holding_checks.FAULTS, "not read": "by this script"}.items()
    ]
    text = (
        f"{table(['faults for 1,000 words', *figures], rows)}\n\n{given.letters} letters, {given.draws} draws each."
    )
    written("holding", text, given.record)


if __name__ == "__main__":
    main()
