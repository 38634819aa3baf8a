"""TIME reads what a text says, keeps its form, and lies in minutes around the clock."""

from __future__ import annotations

import pytest

from kind_contract import distance, domains, forms_of
from sfumato.kinds.dates.time import Time
from sfumato.language.en import clock

TIME = Time()
KEPT = [
    ("04:30", "minute", "04:30"),
    ("16:30", "minute", "16:30"),
    ("00:00", "minute", "00:00"),
    ("4:30 a.m.", "minute", "04:30"),
    ("4:30 p.m.", "minute", "16:30"),
    ("12:05 a.m.", "minute", "00:05"),
    ("12:05 p.m.", "minute", "12:05"),
    ("4.30pm", "minute", "16:30"),
    ("4:30 AM", "minute", "04:30"),
    ("4:30 A.M.", "minute", "04:30"),
    ("16h30", "minute", "16:30"),
    ("16.30", "minute", "16:30"),
    ("1630 hrs", "minute", "16:30"),
    ("0430h", "minute", "04:30"),
    ("16:30 hours", "minute", "16:30"),
    ("16:30 GMT", "minute", "16:30"),
    ("at 16:30", "minute", "16:30"),
    ("about 4:30 pm EST", "minute", "16:30"),
    ("4 a.m.", "hour", "04:00"),
    ("4pm", "hour", "16:00"),
    ("12 am", "hour", "00:00"),
    ("16h", "hour", "16:00"),
    ("11 h 25", "minute", "11:25"),
    ("half past nine", "five minutes", "9:30"),
    ("ten o'clock", "five minutes", "10:00"),
    ("twelve o'clock", "five minutes", "12:00"),
    ("at a quarter to one", "five minutes", "12:45"),
    ("five to one", "five minutes", "12:55"),
    ("TWENTY-FIVE PAST TWELVE", "five minutes", "12:25"),
    ("Twenty to five", "five minutes", "4:40"),
]
CHANGED = {"4": "04", "4 a.m": "4 a.m.", "4:30": "04:30", "04:30 am": "4:30 am", "4h30": "04h30", "4h": "04h"} | {
    **{"5.30": "05.30", "noon": "12 p.m.", "at midnight": "at 12 a.m.", "12 noon": "12 p.m."},
    **{"4 o'clock": "four o'clock", "quarter past 4": "a quarter past four", "ten before four": "ten to four"},
}
UNREADABLE = [
    *(
        "24:00",
        "12:60",
        "99:99",
        "0:30 a.m.",
        "13 pm",
        "13:00 pm",
        "0 am",
        "4:3",
        "4.60",
        "24",
        "2430",
        "1660",
        "24.30",
    ),
    *(
        "half to five",
        "13 o'clock",
        "ten past",
        "seven past nine",
        "04:30:15",
        "4:30 aM",
        "4:30 am.",
        "16:30-17:00",
        "-4:30",
        "٠٤:٣٠",
        "2019-01-11 04:30",
    ),
]

SHAPES = clock.SHAPES
FORMS = forms_of(TIME, [text for text, _, _ in KEPT] + list(CHANGED))


@pytest.mark.parametrize(("text", "grain", "value"), KEPT)
def test_a_text_is_read_and_written_again(text: str, grain: str, value: str) -> None:
    reading = TIME.read(text)
    assert reading is not None
    assert (reading.form.grain, reading.value) == (grain, value)
    assert TIME.write(reading.value, reading.form) == text


@pytest.mark.parametrize(("text", "written"), CHANGED.items())
def test_what_only_some_values_show_is_not_kept(text: str, written: str) -> None:
    reading = TIME.read(text)
    assert reading is not None
    assert TIME.write(reading.value, reading.form) == written
    assert TIME.read(written) == reading


@pytest.mark.parametrize("text", UNREADABLE)
def test_other_texts_are_not_readable(text: str) -> None:
    assert TIME.read(text) is None


def test_the_domains() -> None:
    assert dict(domains(TIME)) == {"minute": 1440, "hour": 24, "five minutes": 144}


@pytest.mark.parametrize(
    ("grain", "first", "second", "minutes"),
    [
        ("minute", "23:50", "00:10", 20),
        ("minute", "04:30", "04:31", 1),
        ("hour", "23:00", "01:00", 120),
        ("five minutes", "12:55", "1:10", 15),
        ("five minutes", "11:55", "12:05", 10),
    ],
)
def test_near_times_are_their_minutes_apart(grain: str, first: str, second: str, minutes: int) -> None:
    assert 0.98 * minutes < distance(TIME, grain, first, second) <= minutes


def test_a_chord_is_at_most_the_minutes() -> None:
    for minute in range(1440):
        apart = min(minute, 1440 - minute)
        chord = distance(TIME, "minute", "00:00", f"{minute // 60:02d}:{minute % 60:02d}")
        assert 2 / 3.1416 * apart <= chord <= apart + 1e-9


@pytest.mark.parametrize("text", ["0200", "22", "at 10", "1630"])
def test_bare_figures_are_a_time_only_where_a_label_says_so(text: str) -> None:
    assert TIME.read(text) is not None
    assert not TIME.recognises(text)
    assert TIME.recognises("16:30")
