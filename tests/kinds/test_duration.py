"""DURATION reads what a text says, keeps its form and unit, and lies in e-folds."""

from __future__ import annotations

import pytest

from kind_contract import distance, domains, forms_of
from sfumato.kinds.dates.duration import Duration
from sfumato.language.en.counts import DURATIONS

DURATION = Duration()
KEPT = [
    ("3 weeks", "week", "3"),
    ("three weeks", "week", "3"),
    ("Three weeks", "week", "3"),
    ("Three Weeks", "week", "3"),
    ("THREE WEEKS", "week", "3"),
    ("1 week", "week", "1"),
    ("one week", "week", "1"),
    ("two-week", "week", "2"),
    ("a two-week", "week", "2"),
    ("an eight-hour", "hour", "8"),
    ("6-month", "month", "6"),
    ("10 years", "year", "10"),
    ("sixty-five days", "day", "65"),
    ("365 days", "day, 3 digits", "365"),
    ("990 days", "day", "990"),
    ("999 days", "day, 3 digits", "999"),
    ("120 hours", "hour", "120"),
    ("two nights", "night", "2"),
    ("two decades", "decade", "2"),
    ("two centuries", "century", "2"),
    ("24h", "hour", "24"),
    ("24 h", "hour", "24"),
    ("5 mins", "minute", "5"),
    ("3 yrs", "year", "3"),
    ("about three weeks", "week", "3"),
    ("for about three weeks", "week", "3"),
    ("three weeks ago", "week", "3"),
    ("the last 10 years", "year", "10"),
]
CHANGED = {
    "a week": "one week",
    "an hour": "one hour",
    "An hour": "One hour",
    "about a week ago": "about one week ago",
    "5 min": "5 mins",
    "5min": "5mins",
    "1 weeks": "1 week",
    "a hundred days": "one hundred days",
}
UNREADABLE = [
    *("0 weeks", "zero days", "1000 days", "100 years", "25 decades", "-3 weeks", "3.5 weeks", "03 weeks", "week"),
    *(
        "weeks",
        "several weeks",
        "6-month-old",
        "two-weeks",
        "3 WeEks",
        "three",
        "3",
        "3 fortnightly",
        "3 weeks 2 days",
    ),
    *("five h", "a", "2 to 3 weeks", "٣ weeks"),
]

FORMS = forms_of(DURATION, [text for text, _, _ in KEPT] + list(CHANGED))
SHAPES = DURATIONS


@pytest.mark.parametrize(("text", "grain", "value"), KEPT)
def test_a_text_is_read_and_written_again(text: str, grain: str, value: str) -> None:
    reading = DURATION.read(text)
    assert reading is not None
    assert (reading.form.grain, reading.value) == (grain, value)
    assert DURATION.write(reading.value, reading.form) == text


@pytest.mark.parametrize(("text", "written"), CHANGED.items())
def test_what_only_some_values_show_is_not_kept(text: str, written: str) -> None:
    reading = DURATION.read(text)
    assert reading is not None
    assert DURATION.write(reading.value, reading.form) == written
    assert DURATION.read(written) == reading


@pytest.mark.parametrize("text", UNREADABLE)
def test_other_texts_are_not_readable(text: str) -> None:
    assert DURATION.read(text) is None


def test_the_domains() -> None:
    sizes = dict(domains(DURATION))
    assert (sizes["week"], sizes["week, 3 digits"], sizes["year"], sizes["century"]) == (189, 810, 99, 20)


def test_distances_are_log_ratios() -> None:
    assert distance(DURATION, "week", "2", "4") == pytest.approx(0.6931, abs=1e-4)
    assert distance(DURATION, "day, 3 digits", "365", "731") == pytest.approx(0.6945, abs=1e-4)


def test_the_unit_agrees_with_the_drawn_number() -> None:
    for text, one, two in (("3 weeks", "1 week", "2 weeks"), ("FIVE CENTURIES", "ONE CENTURY", "TWO CENTURIES")):
        reading = DURATION.read(text)
        assert reading is not None
        assert [DURATION.write(value, reading.form) for value in "12"] == [one, two]
