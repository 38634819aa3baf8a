"""Articles, plurals, possessives and cases: by hand-picked words, and inverse to one another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kinds.cases import CASES, case_of, cased, uncased
from sfumato.kinds.grammar import article, plural, possessive, singulars

AN = "engineer hour honest heir umbrella urgent uninsured unidentified MRI NHS x-ray e-mail oncologist Indian FBI"
A = "nurse university European one-off unit user Ukrainian urologist UK historian uniform TEFL U-turn Ugandan once"
PLURALS = {
    "nurse": "nurses",
    "postwoman": "postwomen",
    "postman": "postmen",
    "German": "Germans",
    "British": "British",
    "Chinese": "Chinese",
    "Swiss": "Swiss",
    "salesperson": "salespeople",
    "ambulance person": "ambulance people",
    "coach": "coaches",
    "secretary": "secretaries",
    "attorney": "attorneys",
    "boss": "bosses",
    "chief of staff": "chiefs of staff",
    "member of parliament": "members of parliament",
    "cabin crew": "cabin crew",
    "housewife": "housewives",
    "midwife": "midwives",
    "Norman": "Normans",
    "child": "children",
}


@pytest.mark.parametrize("phrase", AN.split())
def test_an_comes_before_a_vowel_that_is_spoken(phrase: str) -> None:
    assert article(phrase) == "an"


@pytest.mark.parametrize("phrase", A.split())
def test_a_comes_before_a_consonant_that_is_spoken(phrase: str) -> None:
    assert article(phrase) == "a"


@pytest.mark.parametrize("phrase", PLURALS)
def test_plurals_and_back(phrase: str) -> None:
    many = PLURALS[phrase]
    assert plural(phrase) == many
    assert phrase in singulars(many) or phrase == many


@given(st.text(max_size=40))
def test_the_plural_of_every_singular_is_the_phrase(text: str) -> None:
    assert all(plural(single) == text != single for single in singulars(text))


def test_a_plural_in_s_has_the_apostrophe_alone() -> None:
    assert possessive("nurses", "'s", True) == "nurses'"
    assert possessive("men", "’s", True) == "men’s"
    assert possessive("boss", "'s", False) == "boss's"
    assert possessive("NURSES", "'S", True) == "NURSES'"


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        (
            "chief of staff",
            ["chief of staff", "Chief of staff", "Chief of Staff", "CHIEF OF STAFF", "chief of staff"],
        ),
        ("IT consultant", ["IT consultant", "IT consultant", "IT Consultant", "IT CONSULTANT", "it consultant"]),
        (
            "ship's captain",
            ["ship's captain", "Ship's captain", "Ship's Captain", "SHIP'S CAPTAIN", "ship's captain"],
        ),
    ],
)
def test_cases(phrase: str, expected: list[str]) -> None:
    assert [cased(phrase, case) for case in CASES] == expected
    assert [cased(phrase, case_of(phrase, text)) for text in expected] == expected


@given(st.text(max_size=40), st.booleans())
def test_what_no_list_holds_is_written_as_it_was(text: str, proper: bool) -> None:
    listed, case = uncased(text, proper)
    assert cased(listed, case) == text


def test_abbreviations_keep_their_capitals() -> None:
    assert uncased("NATO", proper=True) == ("NATO", "listed")
    assert uncased("CEO", proper=False) == ("CEO", "listed")
    assert uncased("ACME CORP", proper=True) == ("Acme Corp", "CAPITALS")
    assert uncased("Sous Chef", proper=False) == ("sous chef", "Title Case")
