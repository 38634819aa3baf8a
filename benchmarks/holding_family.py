"""Faults of the names of relatives in a released text, which benchmarks/holding.py counts."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest import mock

from sfumato.kinds.people import mentions
from sfumato.kinds.people.names import first_names, first_names_of
from sfumato.kinds.people.person import Person
from sfumato.language.letter_case import case_key

MEN = {"Robert Hall": "Bob", "William Price": "Bill", "Thomas Yilmaz": "Tom"}
WOMEN = {"Elizabeth O'Hara": "Liz", "Katherine Moss": "Kate", "Susan Taylor": "Sue"}
"""Names, and the short names that their people go by."""
FAULTS = {
    "relatives of other last names": "contradiction", "title before a first name": "implausible",
    "infant of the other sex": "implausible", "short name of somebody else": "contradiction",
}  # fmt: skip
_SAID = re.compile(
    r"\A\w+ (?P<given>\S+) (?P<own>.+?), .*?baby (?P<sex>boy|girl) (?P<baby>\S+) was born\. "
    r"Mrs? (?P<lone>[^.]+) says that (?P<short>\S+) sleeps badly\. (?:His|Her) son \S+ (?P<son>.+) and (?:his|her) "
    r"daughter, \S+ (?P<daughter>.+), live with Mrs (?P<other>.+?)\.",
    re.DOTALL,
)


def part(rng: random.Random, man: bool, name: str) -> list[str | tuple[str, str]]:
    """Return a part of a letter about a man or a woman of a ``name``: the relatives."""
    boy, last = rng.random() < 0.5, name.split()[1]
    return [
        " Their baby ", "boy " if boy else "girl ", ("Robin", "PERSON"), " was born. ",
        (f"{'Mrs' if man else 'Mr'} {last}", "PERSON"), " says that ", ((MEN | WOMEN)[name], "PERSON"),
        " sleeps badly. ", "His" if man else "Her", " son ", (f"Ben {last}", "PERSON"), " and ",
        "his" if man else "her", " daughter, ", (f"Ida {last}", "PERSON"), ", live with ",
        (f"Mrs {rng.choice(('Dean', 'May', 'Scott'))}", "PERSON"), ".",
    ]  # fmt: skip


def faults(text: str) -> Counter[str]:
    """Return the faults of the relatives in one release."""
    said = _SAID.search(text)
    if said is None:
        return Counter({"not read": 1})
    other = first_names_of("woman" if said["sex"] == "boy" else "man")
    return Counter({
        "relatives of other last names": sum(said[who] != said["own"] for who in ("lone", "son", "daughter")),
        "title before a first name": case_key(said["other"]) in first_names(),
        "infant of the other sex": case_key(said["baby"]) in other,
        "short name of somebody else": said["short"] != said["given"],
    })  # fmt: skip


def _by_letters(word: str, other: str, _: object) -> bool:
    short, long = sorted((word, other), key=len)
    return short == long or (len(short) == 1 and long.startswith(short))


@contextmanager
def names_by_themselves(really: bool) -> Iterator[None]:
    """Let names be read without the text beside them, titles and short names, if ``really``."""
    rule = staticmethod(lambda word, title: bool(title) and case_key(word) not in first_names())
    with ExitStack() as stack:
        if really:
            stack.enter_context(mock.patch.object(Person, "reads_around", False))
            stack.enter_context(mock.patch.object(Person, "_is_last_name", rule))
            stack.enter_context(mock.patch.object(mentions, "_can_be", _by_letters))
        yield
