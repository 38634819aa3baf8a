"""A detector reads the same text whichever date of a written form is in it: over all values of every form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta

import pytest

from sfumato.detectors.any_date import PublicDates
from sfumato.language.en.calendar import MONTHS as _MONTHS
from sfumato.language.en.calendar import WEEKDAYS as _WEEKDAYS

MONTHS, WEEKDAYS = _MONTHS.full, _WEEKDAYS.full

DAYS = [date(2000, 1, 1) + timedelta(days=number) for number in range(366)]
CASES: Mapping[str, Callable[[str], str]] = {"Capital": str.capitalize, "small": str.lower, "LARGE": str.upper}


def _full(day: date) -> str:
    return MONTHS[day.month - 1]


def _short(day: date) -> str:
    return MONTHS[day.month - 1][:3]


def _weekday(day: date) -> str:
    return WEEKDAYS[day.weekday()]


def _nth(day: date) -> str:
    return f"{day.day}{'th' if day.day in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(day.day % 10, 'th')}"


NUMBERED: Mapping[str, Callable[[date], str]] = {
    "3/12": lambda day: f"{day.day}/{day.month}",
    "03/12": lambda day: f"{day:%d/%m}",
    "3/02": lambda day: f"{day.day}/{day:%m}",
    "12/3": lambda day: f"{day.month}/{day.day}",
    "12/03": lambda day: f"{day:%m/%d}",
    **{
        f"{sign}{year}{order}": lambda day, sign=sign, year=year, order=order: sign.join(
            [str(part) for part in ((day.day, day.month) if order else (day.month, day.day))] + [year]
        )  # type: ignore[misc]
        for sign in "/.-"
        for year in ("1987", "19")
        for order in (True, False)
    },
    "2000-12-03": lambda day: f"{day:%Y-%m-%d}",
    "2000/12/03": lambda day: f"{day:%Y/%m/%d}",
    "12/2000": lambda day: f"{day:%m/%Y}",
    "2000-12": lambda day: f"{day:%Y-%m}",
}
NAMED: Mapping[str, Callable[[date], str]] = {
    **{
        f"{about}{kind}": lambda day, written=written, name=name: written(day, name(day))  # type: ignore[misc]
        for kind, name in (("", _full), (", short", _short))
        for about, written in (
            ("3 March", lambda day, name: f"{day.day} {name}"),
            ("3rd of March", lambda day, name: f"{_nth(day)} of {name}"),
            ("March 3", lambda day, name: f"{name} {day.day}"),
            ("March 3rd", lambda day, name: f"{name} {_nth(day)}"),
            ("3 March 1987", lambda day, name: f"{day.day} {name} 1987"),
            ("March 3, 1987", lambda day, name: f"{name} {day.day}, 1987"),
            ("March 1987", lambda day, name: f"{name} 1987"),
            ("Friday 3 March", lambda day, name: f"{_weekday(day)} {day.day} {name}"),
            ("Fri, March 3", lambda day, name: f"{_weekday(day)[:3]}, {name} {day.day}"),
        )
    },
    "03-Mar-1987": lambda day: f"{day:%d}-{_short(day)}-1987",
    "03-Mar-87": lambda day: f"{day:%d}-{_short(day)}-87",
    "weekday": _weekday,
}
CONTEXTS = (
    *(("Seen ", " by her."), ("", " again."), ("Born (", ")"), ("seen in ", ". Again"), ("Power ", " today")),
    ("Took ", " tablets"),
)


def _written() -> Iterator[tuple[str, list[str]]]:
    for form, write in NUMBERED.items():
        yield form, [write(day) for day in DAYS]
    for form, write in NAMED.items():
        for case, cased in CASES.items():
            yield f"{form}, {case}", [" ".join(map(cased, write(day).split(" "))) for day in DAYS]


FORMS = dict(_written())


@pytest.mark.parametrize("form", FORMS)
def test_all_values_of_a_form_are_read_as_one(form: str) -> None:
    """ "3/12" and all dates of two small numbers were read as they are, and so was "3 march"."""
    read = {PublicDates.of("\n".join(value.join(context) for context in CONTEXTS)).text for value in set(FORMS[form])}
    assert len(read) == 1, sorted(read)[:2]


@pytest.mark.parametrize("before", ["Please call ", "Fell in ", "it was dark, ", "with "])
def test_a_month_behind_a_word_in_small_letters_is_read_as_one(before: str) -> None:
    """ "Please call May. She left." marked nobody, and "Please call June." a date."""
    assert len({PublicDates.of(f"{before}{name.capitalize()}. She left.").text for name in MONTHS}) == 1


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Seen 3/12.", "Seen 17/10."),
        ("Seen 4/5, better", "Seen 17/10, better"),
        ("Review in 4/12.", "Review in 3/12."),
        ("LBP x 9/7", "LBP x 3/12"),
        ("Pain 7/10", "Pain 3/4"),
        ("Power 4/5 on the left", "Power 3/4 on the left"),
        ("a 7/12 history of", "a 3/4 history of"),
        ("Took 1/2 tablet", "Took 3/4 tablet"),
        ("seen 3 march, well", "seen 17 October, well"),
        ("Please call May. She left.", "Please call October. She left."),
        ("SEEN FRIDAY 3RD OF MARCH", "SEEN Wednesday 17th OF October"),
    ],
)
def test_the_words_beside_it_say_whether_it_is_a_date(text: str, read: str) -> None:
    assert PublicDates.of(text).text == read


@pytest.mark.parametrize(
    "text", ["120/80", "GCS 15/15", "20/40", "3/52", "1/2/3/4", "type 3 may be worse", "She may come in march"]
)
def test_what_is_no_day_of_a_year_is_read_as_it_is(text: str) -> None:
    assert not PublicDates.of(text).bounds
