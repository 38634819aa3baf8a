"""A second language of three forms goes through kinds and a detector, so the interface holds more than English."""

from __future__ import annotations

import re

import pytest
import regex

from by_rule import ByRule
from sfumato.abstract.kind import Form, Reading
from sfumato.detectors.any_date import PublicDates
from sfumato.detectors.english.codes import codes
from sfumato.errors import ConfigurationError
from sfumato.kinds.dates.date import Date
from sfumato.kinds.people.person import Person
from sfumato.language.dates import DateForm, Dates, DatesInText, Names
from sfumato.language.language import Language
from sfumato.language.languages import LANGUAGES
from sfumato.language.lists import words_of
from sfumato.language.patterns import GAP
from sfumato.language.people import Titles
from sfumato.text.document import Document

MONTHS = Names(
    words_of("januar februar märz april mai juni juli august september oktober november dezember"),
    {"jan": 0, "jänner": 0, "sept": 8},
)
WEEKDAYS = Names(words_of("montag dienstag mittwoch donnerstag freitag samstag sonntag"), {"sonnabend": 5})
SEASONS = Names(words_of("frühling sommer herbst winter"))
IN_TEXT = rf"\b\d{{1,2}}\. {MONTHS.capitalised} \d{{4}}\b"


class Ordinals:
    """A day with a full stop behind it."""

    def spelled_ordinal(self, number: int) -> str:
        raise NotImplementedError

    def number_of_ordinal(self, text: str) -> int | None:
        raise NotImplementedError

    def suffix_of(self, number: int) -> str:
        return "."


class German(Language):
    """German: one form of dates, and one title."""

    code = "de"
    dates = Dates(
        MONTHS,
        WEEKDAYS,
        SEASONS,
        (
            re.compile(
                rf"(?:am{GAP})?(?P<day>[0-9]{{1,2}})\.{GAP}(?P<month>{MONTHS.pattern}){GAP}(?P<year>[0-9]{{4}})",
                re.IGNORECASE,
            ),
        ),
        {"day": "{d}. {Month} {yyyy}"},
        Ordinals(),
    )
    dates_in_text = DatesInText((DateForm(regex.compile(IN_TEXT), lambda _: "17. Oktober 2019"),), ((0.9, IN_TEXT),))
    titles = Titles(("frau",), women=frozenset({"frau"}))


@pytest.fixture(autouse=True)
def german(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the program know German."""
    monkeypatch.setitem(LANGUAGES, "de", German())


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("3. Oktober 1990", "3. Oktober 1990"),
        ("am 11. märz 2019", "am 11. märz 2019"),
        ("24. DEZEMBER 2001", "24. DEZEMBER 2001"),
        ("1. Jänner 2020", "1. Januar 2020"),
    ],
)
def test_a_date_is_read_and_written_again(text: str, written: str) -> None:
    kind = Date(language="de")
    reading = kind.read(text)
    assert reading is not None
    assert kind.write(reading.value, reading.form) == written
    assert kind.read(written) == reading


def test_every_value_can_be_written_in_every_form() -> None:
    kind = Date(language="de")
    assert kind.grains == ("day",)
    forms = [kind.public_form("day"), Form("day", ("am {d}. {MONTH} {yyyy}",))]
    for value in kind.vocabulary("day").tokens[::97]:
        for form in forms:
            assert kind.read(kind.write(value, form)) == Reading(value, form)


@pytest.mark.parametrize("text", ["31. Februar 2019", "3 October 1990", "gestern", "3. Oktober 90"])
def test_what_the_language_does_not_write_is_not_read(text: str) -> None:
    assert Date(language="de").read(text) is None


def test_english_reads_no_german() -> None:
    assert Date().read("3. Oktober 1990") is None


def test_its_title_says_whose_it_is() -> None:
    reading = Person(language="de").read("Frau Berg")
    assert reading is not None
    assert (reading.form.grain, reading.form.style[0]) == ("woman", "Frau")
    untitled = Person(language="de").read("Mrs Berg")
    assert untitled is not None
    assert untitled.form.style[0] == ""


def test_a_detector_marks_its_dates_whichever_they_are() -> None:
    texts = [f"Sie kam am {day} wieder." for day in ("3. Oktober 1990", "17. Mai 2019", "1. Dezember 1900")]
    found = ByRule(language="de").findings([Document(text) for text in texts])
    marks = [
        [(text[each.start : each.end], each.label) for each in row] for text, row in zip(texts, found, strict=True)
    ]
    assert marks == [[("3. Oktober 1990", "DATE")], [("17. Mai 2019", "DATE")], [("1. Dezember 1900", "DATE")]]


def test_a_detector_reads_public_dates_of_the_language() -> None:
    public = PublicDates.of("Sie kam am 3. Mai 1990.", LANGUAGES["de"])
    assert public.text == "Sie kam am 17. Oktober 2019."


def test_a_rule_for_dates_is_that_of_the_language() -> None:
    text = "Sie kam am 3. Oktober 1990."
    found = {code: [text[each.start : each.end] for each in codes(text, LANGUAGES[code])] for code in ("en", "de")}
    assert found == {"en": [], "de": ["3. Oktober 1990"]}


def test_a_language_without_rules_has_those_for_dates_in_figures() -> None:
    [row] = ByRule(language="sv").findings([Document("Hon kom den 3-10-1990 igen, den 3 oktober.")])
    assert [each.label for each in row] == ["DATE"]


def test_a_kind_refuses_a_language_that_is_not_known() -> None:
    with pytest.raises(ConfigurationError, match="'xx' is not known; the languages are en"):
        Date(language="xx").read("3 May 2019")
