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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import holding_checks
import holding_family
from holding_family import MEN, WOMEN
from recording import table, written

from sfumato.building.policies import build_policy
from sfumato.engines.engine import Engine
from sfumato.kinds.dates.age import Age
from sfumato.kinds.dates.date import Date
from sfumato.kinds.people.names import first_names_of
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
    "name of the other sex": "implausible", "a or an wrong": "grammar",
}  # fmt: skip
"""What is counted, and what sort of fault it is."""
_DOSES = ("clopidogrel {age} mg", "GTN patch 10 mg/24 h", "BP 182/110", "Hb 9.1 g", "INR 2.5", "MMSE 24/30")
_INDEFINITE = re.compile(r"\b([Aa]n?) (?=(\w+))")
_SAID = re.compile(
    r"(?P<age>\d+)-year-old.*?born (?P<born>\S+)\).*?seen (?:on|at) (?P<holiday>.+?), (?P<first>\S+), at "
    r"(?P<early>\d\d:\d\d), operated at (?P<late>\d\d:\d\d).*?again on (?P<second>\S+?)\..*?now (?P<again>\d+),.*?"
    r"(?P<who>wife|husband) (?P<name>\S+)",
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
    name = rng.choice(list(MEN if man else WOMEN))
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
        (rng.choice(list(WOMEN if man else MEN)).split()[0], "PERSON"), " in ",
        (rng.choice(("Leeds", "Vietnam")), "PLACE"), ".", *holding_family.part(rng, man, name), *holding_checks.PART,
    ]  # fmt: skip
    text, spans = "", []
    for part in parts:
        words, label = part if isinstance(part, tuple) else (part, "")
        if label:
            spans.append({"start": len(text), "end": len(text) + len(words), "label": label})
        text += words
    return Letter(Document(text, str(seed), {"spans": spans}), month_first, doses, (again - seen).days)


def faults(text: str, made: Letter, day_first: bool) -> Counter[str]:
    """Return the faults of one release."""
    found = Counter({"doses or values changed": sum(dose not in text for dose in made.doses)})
    found.update(holding_family.faults(text))
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
        for kind in (Place, Age):
            kind.reads_around = name == "after"
        with holding_family.names_by_themselves(name == "before"):
            for half, seeds in halves.items():
                figures[f"{name}, {half}"] = measured([letter(seed) for seed in seeds], given.draws, way)
    rows: list[list[object]] = [
        [f"{fault} ({sort})", *(f"{own.get(fault, 0.0):.2f}" for own in figures.values())]
        for fault, sort in {
            **FAULTS,
            **holding_family.FAULTS,
            **holding_checks.FAULTS,
            "not read": "by this script",
        }.items()
    ]
    text = (
        f"{table(['faults for 1,000 words', *figures], rows)}\n\n{given.letters} letters, {given.draws} draws each."
    )
    written("holding", text, given.record)


if __name__ == "__main__":
    main()
