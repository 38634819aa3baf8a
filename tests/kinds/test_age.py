"""AGE reads what a text says, keeps its form, and lies in years."""

from __future__ import annotations

import pytest

from kind_contract import distance, domains, forms_of
from sfumato.kinds.dates.age import Age
from sfumato.language.en.counts import AGES, DECADE

AGE = Age()
KEPT = [
    ("62", "year", "62"),
    ("1", "year", "1"),
    ("110", "year", "110"),
    ("62 years old", "year", "62"),
    ("1 year old", "year", "1"),
    ("62-year-old", "year", "62"),
    ("a 62-year-old", "year", "62"),
    ("an 8-year-old", "year", "8"),
    ("An 80-year-old", "year", "80"),
    ("62-year-olds", "year", "62"),
    ("an eleven-year-old", "year", "11"),
    ("sixty-two-year-old", "year", "62"),
    ("aged 62", "year", "62"),
    ("Aged 62", "year", "62"),
    ("age: 62", "year", "62"),
    ("at the age of 62", "year", "62"),
    ("62 years of age", "year", "62"),
    ("twenty-two", "year", "22"),
    ("Twenty-two", "year", "22"),
    ("TWENTY-TWO", "year", "22"),
    ("then twenty-two", "year", "22"),
    ("now 62", "year", "62"),
    ("almost 62 years old", "year", "62"),
    ("62 y/o", "year", "62"),
    ("62yo", "year", "62"),
    ("62 y.o.", "year", "62"),
    ("62 yrs old", "year", "62"),
    ("62 years", "year", "62"),
    ("62M", "year", "62"),
    ("101F", "year", "101"),
    ("30 months", "month", "30"),
    ("18 months", "month", "18"),
    ("18 months old", "month", "18"),
    ("18-month-old", "month", "18"),
    ("six weeks old", "week", "6"),
    ("3-day-old", "day", "3"),
    ("in her 60s", "decade", "60"),
    ("in his late sixties", "decade", "60"),
    ("mid-40s", "decade", "40"),
    ("in the Thirties", "decade", "30"),
]
CHANGED = {
    "62 year old": "62 years old",
    "62 year-old": "62-year-old",
    "62 year olds": "62-year-olds",
    "a 62 year old": "a 62-year-old",
    "a 1 year old": "a 1-year-old",
    "62-year old": "62-year-old",
    "1 years old": "1 year old",
    "an 62-year-old": "a 62-year-old",
    "a year old": "one year old",
    "twenty two": "twenty-two",
    "Twenty-Two": "Twenty-two",
    "0": "1",
    "a zero-year-old": "a one-year-old",
    "0 months old": "1 month old",
}
UNREADABLE = [
    *("111", "111 years old", "-1", "007", "1000", "61 months", "70 months old", "61 weeks old", "61 days old"),
    *("two hours old", "3 decades", "62.5", "62-63", "62 and 64", "twenty-twelve", "tWenty", "twenty and two"),
    *(
        "in her 10s",
        "in her 100s",
        "in her 65s",
        "sixty-twos",
        "62 m",
        "62m",
        "62MF",
        "a Spanish",
        "٦٢",
        "aged",
        "years old",
    ),
]

FORMS = forms_of(AGE, [text for text, _, _ in KEPT] + list(CHANGED))
SHAPES = (DECADE, *AGES)


@pytest.mark.parametrize(("text", "grain", "value"), KEPT)
def test_a_text_is_read_and_written_again(text: str, grain: str, value: str) -> None:
    reading = AGE.read(text)
    assert reading is not None
    assert (reading.form.grain, reading.value) == (grain, value)
    assert AGE.write(reading.value, reading.form) == text


@pytest.mark.parametrize(("text", "written"), CHANGED.items())
def test_what_only_some_values_show_is_not_kept(text: str, written: str) -> None:
    reading = AGE.read(text)
    assert reading is not None
    assert AGE.write(reading.value, reading.form) == written
    assert AGE.read(written) == reading


@pytest.mark.parametrize("text", UNREADABLE)
def test_other_texts_are_not_readable(text: str) -> None:
    assert AGE.read(text) is None


def test_the_domains() -> None:
    assert dict(domains(AGE)) == {"day": 60, "week": 60, "month": 60, "year": 110, "decade": 8}


@pytest.mark.parametrize(
    ("grain", "first", "second", "years"),
    [
        ("year", "62", "40", 22),
        ("month", "6", "18", 1),
        ("week", "1", "25", 0.460),
        ("day", "1", "60", 0.162),
        ("decade", "60", "40", 20),
    ],
)
def test_distances_are_years(grain: str, first: str, second: str, years: float) -> None:
    assert distance(AGE, grain, first, second) == pytest.approx(years, abs=0.001)


def test_the_article_is_that_of_the_drawn_age() -> None:
    reading = AGE.read("an 8-year-old")
    assert reading is not None
    written = [AGE.write(str(age), reading.form) for age in range(1, 111)]
    assert {age for age, text in enumerate(written, 1) if text.startswith("an ")} == {8, 11, 18, *range(80, 90)}
    assert AGE.read("a 9-year-old").form == reading.form  # type: ignore[union-attr]


def test_nobody_is_zero_years_old() -> None:
    form = AGE.public_form("year")
    for grain in AGE.grains:
        assert "0" not in AGE.vocabulary(grain).tokens
    assert AGE.read("zero-year-old") == AGE.read("one-year-old")
    assert AGE.write(AGE.vocabulary("year").tokens[0], form) == "1 year old"


@pytest.mark.parametrize(
    ("before", "text", "after", "expected"),
    [
        ("a ", "37 year old", " bus driver", "43-year-old"),
        ("A retired ", "37 year old", " ", "43-year-old"),
        ("", "37 year old", " man with cough", "43-year-old"),
        ("", "37 year old", " right-handed woman", "43-year-old"),
        ("the ", "8 month old", " girl", "43-month-old"),
        ("He is ", "37 years old", " and tired", "43 years old"),
        ("He is ", "37 year old", ". A man", "43 years old"),
        ("the ", "37 years old", ".", "43 years old"),
        ("a ", "in her 40s", " woman", "in her 60s"),
    ],
)
def test_an_age_before_a_noun_has_hyphens(before: str, text: str, after: str, expected: str) -> None:
    reading = AGE.read(text)
    assert reading is not None
    placed = AGE.placed(reading, before, after)
    assert placed.value == reading.value
    assert AGE.write("60" if "her" in text else "43", placed.form) == expected
