"""The one name of a person, however it is spelled: over every character there is."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from sfumato.text.document import name_of_person

SPELLINGS = [
    "Zoë Li",
    "zoë li",
    "ZOË LI",
    "Zoe\u0308 Li",
    " Zoë\u00a0 Li\t",
    "Zoë\u3000Li",
    "\ufeffZo\u200bë L\u00adi\u200e",
    "Ｚｏë Ｌｉ",
    "Zo\u034fë L\ufe0fi",
]


def test_spellings_of_a_name_are_one() -> None:
    assert {name_of_person(text) for text in SPELLINGS} == {"zoë li"}
    assert name_of_person(" ﬁ-17 ") == name_of_person("FI-17")
    assert name_of_person(17) == name_of_person("17") == name_of_person("１７")


@pytest.mark.parametrize(("one", "other"), [("Zoë", "Zoe"), ("Ann Li", "AnnLi"), ("p1", "p2"), ("a-b", "a b")])
def test_other_names_are_other_people(one: str, other: str) -> None:
    assert name_of_person(one) != name_of_person(other)


@pytest.mark.parametrize("value", ["", " \t\n", "\u200b", "\ufeff \u2060", "\u3164"])
def test_what_cannot_be_seen_names_nobody(value: str) -> None:
    assert name_of_person(value) == ""


def test_no_character_gives_one_person_two_names() -> None:
    """Every character, alone and inside a word: its capitals, its compatible and its composed forms are one name.

    Of the million numbers that are no character, or are nobody's, which are all read alike, some are tried.
    """
    for number in range(sys.maxunicode + 1):
        if number % 61 and unicodedata.category(chr(number)) in ("Cn", "Co", "Cs"):
            continue
        for text in (chr(number), f"a{chr(number)}b"):
            same = {text, text.upper(), text.lower(), text.title(), text.casefold()}
            same |= {unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC", "NFKD")}
            if len(same) > 1 or number < 0x3000:
                names = {name_of_person(other) for other in (*same, f"{text}\u200d")}
                assert names == set(map(name_of_person, names)), hex(number)
                assert len(names) == 1, hex(number)
