"""Articles, plurals, possessives and capitals, by hand-picked words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kinds.phrases.institutions import takes_the
from sfumato.language.en.articles import article
from sfumato.language.en.grammar import (
    article_before,
    is_before_noun,
    plural,
    possessive,
    singulars,
    titled,
    uncased,
)
from sfumato.language.letter_case import case_key

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
    "cabin crew": "cabin crews",
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


def test_small_words_have_no_capital_within_a_title() -> None:
    titles = [titled(phrase) for phrase in ("chief of staff", "IT consultant", "ship's captain", "of mice")]
    assert titles == ["Chief of Staff", "IT Consultant", "Ship's Captain", "Of Mice"]


@given(st.text(max_size=40), st.booleans())
def test_what_no_list_holds_differs_in_capitals_alone(text: str, proper: bool) -> None:
    assert case_key(uncased(text, proper)) == case_key(text)


def test_abbreviations_keep_their_capitals() -> None:
    assert uncased("NATO", proper=True) == "NATO"
    assert uncased("CEO", proper=False) == "CEO"
    assert uncased("ACME CORP", proper=True) == "Acme Corp"
    assert uncased("Sous Chef", proper=False) == uncased("SOUS CHEF", proper=False) == "sous chef"


@pytest.mark.parametrize(
    ("before", "name", "after", "definite", "expected"),
    [
        ("from the ", "Switzerland", ", and", False, "from Switzerland"),
        ("The ", "Switzerland", " is", False, "Switzerland"),
        ("from the ", "the Netherlands", ".", True, "from the the Netherlands"),  # the repair drops one
        ("in the ", "Leeds", " office", False, "in the Leeds"),
        ("at an ", "Oslo Hospital", ".", None, "at the Oslo Hospital"),
        ("at ", "Oslo Hospital", ".", None, "at Oslo Hospital"),
        ("at ", "University of Oslo", ".", True, "at the University of Oslo"),
        ("Hospital: ", "University of Oslo", ".", True, "Hospital: University of Oslo"),
        ("works for an ", "Oslo Foods", ",", False, "works for Oslo Foods"),
        ("at ", "the Oslo Foods", ",", False, "at Oslo Foods"),
        ("of hepatitis A ", "Oslo Hospital", ".", None, "of hepatitis A Oslo Hospital"),
    ],
)
def test_a_name_has_the_article_that_it_takes(
    before: str, name: str, after: str, definite: bool | None, expected: str
) -> None:
    assert "".join(article_before(before, after, name, definite)) == expected


def test_firms_take_no_article_and_institutions_of_something_do() -> None:
    assert [takes_the(name) for name in ("Oslo Foods", "Oslo College", "University of Oslo", "Oslo Hospital")] == [
        *(False, False, True, None)
    ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a ", " driver", True),
        ("his ", " brother", True),
        ("a retired ", " driver", True),
        ("", " man", True),
        ("is ", " and", False),
        ("a ", ".", False),
        ("banana ", " driver", False),
    ],
)
def test_what_stands_before_a_noun(before: str, after: str, expected: bool) -> None:
    assert is_before_noun(before, after) is expected
