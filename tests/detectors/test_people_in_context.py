"""Months that are people, firms that are no people, couples, and institutions that are named after somebody."""

from __future__ import annotations

from functools import cache

import pytest

from sfumato import build
from sfumato.abstract.detector import Detector
from sfumato.detectors.english.people_in_context import corrected, people
from sfumato.language.en.calendar import MONTHS
from sfumato.text.document import Document
from sfumato.text.marks import Finding

NAMES = [name.capitalize() for name in MONTHS.full]


def marked(text: str, *marks: tuple[str, str], labels: set[str] | None = None) -> list[tuple[str, str]]:
    """Return what is marked after ``marks``, words with their labels in reading order, are corrected."""
    findings, end = [], 0
    for words, label in marks:
        start = text.index(words, end)
        end = start + len(words)
        findings.append(Finding(start, end, label))
    return [(text[each.start : each.end], each.label) for each in corrected(text, findings, labels)]


@pytest.mark.parametrize("month", NAMES)
@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("{} said that she was tired.", "PERSON"),
        ("{} quickly replied.", "PERSON"),
        ("We told {} so.", "PERSON"),
        ("Dear {}, thanks", "PERSON"),
        ("her daughter {} is well", "PERSON"),
        ("{}'s mother came", "PERSON"),
        ("In {} said the nurse", "DATE"),
        ("{} was cold.", "DATE"),
        ("since {}.", "DATE"),
    ],
)
def test_the_words_beside_a_month_say_whether_it_is_a_person_whichever_month_it_is(
    month: str, text: str, label: str
) -> None:
    """A rule that asked for the month would show which months it can be: "May" is a name, and "March" is none."""
    written = text.format(month)
    assert marked(written, (month, "DATE")) == [(month, label)]
    assert [each.label for each in people(written)] == ["PERSON"] * (label == "PERSON")


def test_a_month_that_is_a_person_once_is_one_where_no_word_leads_to_a_date() -> None:
    text = "May said no. May left in May."
    assert marked(text, *[("May", "DATE")] * 3) == [("May", "PERSON"), ("May", "PERSON"), ("May", "DATE")]
    assert marked(text, *[("May", "DATE")] * 3, labels={"DATE"}) == [("May", "DATE")] * 3
    assert marked("3 May said nothing.", ("3 May", "DATE")) == [("3 May", "DATE")]


def test_a_firm_of_two_names_is_one_wherever_it_stands() -> None:
    text = "They met Slaughter and May. At Slaughter and May it was May."
    found = marked(text, ("Slaughter", "ORGANIZATION"), ("May", "DATE"), ("May", "DATE"), ("May", "DATE"))
    assert found == [("Slaughter and May", "ORGANIZATION")] * 2 + [("May", "DATE")]
    assert marked("Marks and Spencer", ("Marks and", "ORGANIZATION"), ("Spencer", "PERSON")) == [
        ("Marks and Spencer", "ORGANIZATION")
    ]
    for apart in ("Acme in May", "Acme, and May"):
        assert len(marked(apart, ("Acme", "ORGANIZATION"), ("May", "DATE"))) == 2
    assert len(marked("Acme and Ann", ("Acme", "ORGANIZATION"), ("Ann", "PERSON"))) == 2


def test_a_couple_and_a_bare_title_are_marked_with_their_name() -> None:
    assert marked("Mr and Mrs Moss came", ("Mr", "PERSON"), ("Mrs Moss", "PERSON")) == [("Mr and Mrs Moss", "PERSON")]
    assert marked("Dr. & Mrs. Moss came", ("Mrs. Moss", "PERSON")) == [("Dr. & Mrs. Moss", "PERSON")]
    assert marked("Master Tom Hall", ("Master", "PERSON"), ("Tom Hall", "PERSON")) == [("Master Tom Hall", "PERSON")]
    for text, *marks in (("Tom and Mrs Moss", "Tom", "Mrs Moss"), ("Mr Hall and Mrs Moss", "Mr Hall", "Mrs Moss")):
        assert [words for words, _ in marked(text, *((words, "PERSON") for words in marks))] == marks


def test_a_name_with_a_short_name_in_brackets_is_one() -> None:
    for text in ("Sam (Samantha) Lowe", 'Sam "Samantha" Lowe'):
        assert marked(text, ("Sam", "PERSON"), ("Samantha", "PERSON"), ("Lowe", "PERSON")) == [(text, "PERSON")]
    for text, *names in (
        ("Sam, Samantha, Lowe", "Sam", "Samantha", "Lowe"),
        ("Ann Hall (Samantha) Lowe", "Ann Hall"),
    ):
        assert [words for words, _ in marked(text, *((name, "PERSON") for name in names))] == names


def test_a_name_that_ends_with_a_word_for_an_institution_is_its_name() -> None:
    pavilion = "Ruth K. Broad Cancer Pavilion"
    assert marked(f"at the {pavilion}.", (pavilion, "PERSON")) == [(pavilion, "ORGANIZATION")]
    firm = "Holm & Daughters Funeral Directors"
    assert marked(firm, (firm, "PERSON")) == [(firm, "ORGANIZATION")]
    assert marked(pavilion, (pavilion, "PERSON"), labels={"PERSON"}) == [(pavilion, "PERSON")]
    for name in ("Mary Church", "Tom Hall", "Ann Bank", "Pavilion"):
        assert marked(name, (name, "PERSON")) == [(name, "PERSON")]


def test_the_name_of_a_family_is_found() -> None:
    text = "The Hall family met the royal family and the Zqx family. In May May said so, and June came."
    assert [text[each.start : each.end] for each in people(text)] == ["Hall", "May"]


@cache
def _detector() -> Detector:
    return build("redaction", detect="identifiers").detector


@pytest.mark.models
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("His grandmother Ruth was treated at the Ruth K. Broad Cancer Pavilion.",
         [("Ruth", "PERSON"), ("Ruth K. Broad Cancer Pavilion", "ORGANIZATION")]),
        ("They hired Slaughter and May in London. The firm Slaughter and May advised the buyer.",
         [("Slaughter and May", "ORGANIZATION"), ("London", "LOCATION"), ("Slaughter and May", "ORGANIZATION")]),
        ("May said she was tired. In March he left.", [("May", "PERSON"), ("March", "DATE")]),
        ("Robin, a 3-month-old boy, was seen.", [("Robin", "PERSON"), ("3-month-old", "AGE")]),
        ("Mr and Mrs Moss live next to the Hall family.", [("Mr and Mrs Moss", "PERSON"), ("Hall", "PERSON")]),
        ("Robert Hall met Ann Lowe. JS spoke to J. Smith.",
         [("Robert Hall", "PERSON"), ("Ann Lowe", "PERSON"), ("JS", "PERSON"), ("J. Smith", "PERSON")]),
    ],
)  # fmt: skip
def test_names_in_context_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    [spans] = _detector().detect([Document(text)])
    assert [(text[each.start : each.end], each.label) for each in spans] == expected
