"""DATE: days, months, seasons, years and decades, the same without a year, and words such as "yesterday".

Distances are in days, so a person can say what they mean: two dates 30 days apart are at a distance of 30. A month, a
season, a year and a decade lie at their first day.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.options import Option
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError
from sfumato.kinds._date_clock import parted
from sfumato.kinds._date_fields import FIRST_MONDAY, LEAP_YEAR, written_fields
from sfumato.kinds._date_shapes import written_date
from sfumato.kinds.circle import around
from sfumato.kinds.holidays import GRAIN, holiday, holiday_domain, written_holiday
from sfumato.kinds.months import SEASONS, WEEKDAYS, first_month_of
from sfumato.kinds.patterns import filled
from sfumato.kinds.relative_days import DAYS, RELATIVE, relative_day, relative_domain, written_relative
from sfumato.types import FloatArray

_PUBLIC = {
    **{"day": "{d} {Month} {yyyy}", "day-yy": "{dd}/{mm}/{yy}", "day-of-year": "{d} {Month}"},
    **{"month": "{Month} {yyyy}", "month-of-year": "{Month}", "year": "{yyyy}", "decade": "the {yyyy}s"},
    **{
        "weekday": "{Weekday}",
        "day-of-month": "the {dth}",
        "season": "{season} {yyyy}",
        "season-of-year": "{season}",
    },
    **{GRAIN: "{Name}", **dict.fromkeys(RELATIVE, "{word}")},
}
_ROUND = {"day-of-year": 366, "month-of-year": 366, "season-of-year": 366, "day-of-month": 31, "weekday": 7}
_WITH_TIME = frozenset(("day", "day-yy", "day-of-year", "day-of-month", "weekday")) | {GRAIN} | DAYS
"""The grains beside which a time of day may be written."""


def token_of(moment: date, grain: str) -> str:
    """Return the token that ``moment`` is in the domain of ``grain``: "2019-01-11", "2019-01", "1980s", "Monday"."""
    day = moment.isoformat()
    if grain == "weekday":
        return WEEKDAYS[moment.weekday()].capitalize()
    if grain.startswith("season"):
        season = SEASONS[moment.month // 3 - 1]
        return season if grain == "season-of-year" else f"{season} {day[:4]}"
    return {
        **{"day": day, "day-yy": day, "month": day[:7], "year": day[:4], "decade": f"{day[:3]}0s"},
        **{"day-of-year": day[5:], "month-of-year": day[5:7], "day-of-month": day[8:]},
    }[grain]


def moment_of(token: str, grain: str) -> date:
    """Return the date of ``token``, which :func:`token_of` made; the parts that it lacks are public."""
    if grain == "weekday":
        return FIRST_MONDAY + timedelta(days=WEEKDAYS.index(token.lower()))
    if grain.startswith("season"):
        season, _, year = token.partition(" ")
        return date(int(year or LEAP_YEAR), first_month_of(season), 1)
    before, after = {
        **{"day": ("", ""), "day-yy": ("", ""), "month": ("", "-01"), "year": ("", "-01-01")},
        **{"decade": ("", "-01-01"), "day-of-year": (f"{LEAP_YEAR}-", ""), "month-of-year": (f"{LEAP_YEAR}-", "-01")},
        "day-of-month": (f"{LEAP_YEAR}-01-", ""),
    }[grain]
    return date.fromisoformat(before + token.removesuffix("s") + after)


@dataclass(frozen=True)
class Date(Kind):
    """Read and write dates.

    The grains are "day"; "day-yy", a day whose year has two digits; "month", "season", "year" and "decade"; and,
    without a year, "day-of-year", "month-of-year", "season-of-year", "day-of-month" ("the 17th") and "weekday". These
    last come round again. They lie on a circle, whose chord is at most the days between two dates, so a guarantee per
    day of chord holds per day of the calendar.

    Words that hang on the day of writing ("yesterday", "next month") have grains of their own, with a closed list
    each (:mod:`sfumato.kinds.relative_days`), and so have days with a name (:mod:`sfumato.kinds.holidays`).

    Reading is the inverse of writing only if a form can hold every date of its grain.
    :mod:`sfumato.kinds._date_shapes` says what is therefore not kept. A time of day after a date is not kept
    either (:mod:`sfumato.kinds._date_clock`).

    Attributes:
        first: The first year of the domains.
        last: The last year of the domains. Years of two digits are the 100 years up to it.
        day_first: Whether "01/02/2020" is the 1st of February. A text that is impossible in this order is read in the
            other one, and is written in this one.
    """

    name: ClassVar[str] = "DATE"
    unit: ClassVar[str] = "day"
    undated: ClassVar[frozenset[str]] = frozenset((*RELATIVE, GRAIN, "day-of-month"))

    first: Annotated[int, Option("the first year of the domains")] = 1900
    last: Annotated[int, Option("the last year of the domains")] = 2049
    day_first: Annotated[bool, Option("whether 01/02/2020 is the 1st of February")] = True

    def __post_init__(self) -> None:
        if not 1000 <= self.first <= self.last - 19 <= 9980:
            raise ConfigurationError("The years of dates need four digits and must span at least 20 years.")

    @property
    def grains(self) -> Sequence[str]:
        """Return the names of the domains, the finest first."""
        return tuple(_PUBLIC)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return every date of ``grain`` within the years of this kind."""
        return _domain(self, grain)

    def years(self, grain: str) -> range:
        """Return the years that dates of ``grain`` may have; a decade counts with the years that it begins with."""
        first = max(self.first, self.last - 99) if grain == "day-yy" else self.first
        return range(first // 10 * 10 if grain == "decade" else first, self.last + 1)

    def read(self, text: str) -> Reading | None:
        """Return the date that ``text`` is, or None."""
        clock = parted(text)
        if clock is None:
            return relative_day(text) or holiday(text) or self._read_date(text)
        before, day, after = clock
        reading = relative_day(day) or holiday(day) or self._read_date(day)
        if reading is None or reading.form.grain not in _WITH_TIME:
            return None
        return Reading(reading.value, Form(reading.form.grain, (f"{before}{reading.form.style[0]}{after}",)))

    def _read_date(self, text: str) -> Reading | None:
        written = written_date(text, self.day_first, self.last)
        if written is None or (written.grain not in _ROUND and written.moment.year not in self.years(written.grain)):
            return None
        return Reading(token_of(written.moment, written.grain), Form(written.grain, (written.pattern,)))

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` is a date even if no label says so: "3rd" is a number, and "spring" a word."""
        reading = self.read(text)
        return reading is not None and reading.form.grain not in ("day-of-month", "season-of-year")

    def write(self, value: str, form: Form) -> str:
        """Return the date ``value`` as it is written in ``form``."""
        (pattern,) = form.style
        if form.grain in RELATIVE:
            return written_relative(value, pattern)
        if form.grain == GRAIN:
            return written_holiday(value, pattern)
        return filled(pattern, written_fields(moment_of(value, form.grain), pattern))

    @property
    def surrogate(self) -> Reading:
        """Return 1 January of 2000, or of the year of the domain nearest to it."""
        return Reading(f"{max(self.first, min(2000, self.last))}-01-01", self.public_form("day"))

    def public_form(self, grain: str) -> Form:
        """Return the form of "11 January 2019", "11/01/19", "January 2019", "the 1980s", "Monday" or "the 17th"."""
        pattern = _PUBLIC[grain]
        return Form(grain, (pattern if self.day_first else pattern.replace("{dd}/{mm}", "{mm}/{dd}"),))


def _days(kind: Date, grain: str) -> Iterator[date]:
    """Yield the dates of a domain in their order."""
    if grain == "weekday":
        yield from (FIRST_MONDAY + timedelta(days=number) for number in range(7))
    elif grain == "day-of-month":
        yield from (date(LEAP_YEAR, 1, number) for number in range(1, 32))
    elif grain in ("year", "decade"):
        yield from (date(year, 1, 1) for year in kind.years(grain) if grain == "year" or year % 10 == 0)
    else:
        years = (LEAP_YEAR,) if grain in _ROUND else kind.years(grain)
        for year in years:
            if grain.startswith("season"):
                yield from (date(year, first_month_of(season), 1) for season in SEASONS)
            elif grain.startswith("month"):
                yield from (date(year, month, 1) for month in range(1, 13))
            else:
                start = date(year, 1, 1).toordinal()
                yield from map(date.fromordinal, range(start, date(year, 12, 31).toordinal() + 1))


@lru_cache(maxsize=64)
def _domain(kind: Date, grain: str) -> Vocabulary:
    if grain in RELATIVE or grain == GRAIN:
        return holiday_domain() if grain == GRAIN else relative_domain(grain)
    days = tuple(_days(kind, grain))
    positions = np.array([day.toordinal() for day in days], dtype=np.float64) - days[0].toordinal()
    vectors: FloatArray = around(positions.tolist(), _ROUND[grain]) if grain in _ROUND else positions[:, None]
    years = "without a year" if grain in _ROUND else f"from {days[0].year} to {days[-1].year}"
    return Vocabulary(
        tuple(token_of(day, grain) for day in days), vectors, f"dates of the grain {grain} {years}, in days (sfumato)"
    )
