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
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError
from sfumato.kinds.dates.ranges import read_range, write_range
from sfumato.kinds.dates.time import around
from sfumato.kinds.dates.written import (
    FIRST_MONDAY,
    LEAP_YEAR,
    agreeing_fields,
    filled_agreeing,
    is_turned,
    written_date,
    written_fields,
)
from sfumato.language.dates import Dates, NamedDays
from sfumato.language.languages import language_of
from sfumato.language.letter_case import cased, in_case_of
from sfumato.language.patterns import filled, matched, pattern_of
from sfumato.options.option import Option, Part
from sfumato.types import FloatArray

_ROUND = {"day-of-year": 366, "month-of-year": 366, "season-of-year": 366, "day-of-month": 31, "weekday": 7}
_HOLIDAY = "holiday"
_PART = "part of a day"
_DAYS = frozenset({"past day", "present day", "coming day", _HOLIDAY, _PART})
_PERIODS = frozenset({"past period", "present period", "coming period"})
_WITH_TIME = frozenset(("day", "day-yy", "day-of-year", "day-of-month", "weekday")) | _DAYS
"""The grains beside which a time of day may be written."""


def token_of(moment: date, grain: str, dates: Dates) -> str:
    """Return the token that ``moment`` is in the domain of ``grain``: "2019-01-11", "2019-01", "1980s", "Monday"."""
    day = moment.isoformat()
    if grain == "weekday":
        return dates.weekdays.full[moment.weekday()].capitalize()
    if grain.startswith("season"):
        season = dates.seasons.full[moment.month // 3 - 1]
        return season if grain == "season-of-year" else f"{season} {day[:4]}"
    return {
        **{"day": day, "day-yy": day, "month": day[:7], "year": day[:4], "decade": f"{day[:3]}0s"},
        **{"day-of-year": day[5:], "month-of-year": day[5:7], "day-of-month": day[8:]},
    }[grain]


def moment_of(token: str, grain: str, dates: Dates) -> date:
    """Return the date of ``token``, which :func:`token_of` made; the parts that it lacks are public."""
    if grain == "weekday":
        return FIRST_MONDAY + timedelta(days=dates.weekdays.number(token))
    if grain.startswith("season"):
        season, _, year = token.partition(" ")
        return date(int(year or LEAP_YEAR), dates.first_month_of(season), 1)
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

    Words that depend on the day of writing ("yesterday", "next month") have grains of their own, with a closed list
    each, and so have days with a name.

    Reading is the inverse of writing only if a form can hold every date of its grain.
    :mod:`sfumato.kinds.dates.written` says what is therefore not kept. A time of day after a date is not kept either:
    a public one replaces it.

    One order of day and month holds for all texts. It is a public option, and nothing of a file decides it: an order
    that followed from the dates of a file would be a value that is common to all records, which a guarantee for one
    record says nothing about. A text that is impossible in it cannot be read, and becomes what every such text
    becomes. A record that was refused for it would be missing beside one whose date has the same written form.
    ``both_orders`` reads such a text in the other order instead.

    Attributes:
        first: The first year of the domains.
        last: The last year of the domains. Years of two digits are the 100 years up to it.
        day_first: Whether "01/02/2020" is the 1st of February.
        both_orders: Whether a text that is impossible in this order is read in the other one, and written in this
            one. Otherwise it cannot be read.
        language: The code of the language that dates are written in.
    """

    name: ClassVar[str] = "DATE"
    unit: ClassVar[str] = "day"
    undated: ClassVar[frozenset[str]] = _DAYS | _PERIODS | {"day-of-month"}

    first: Annotated[int, Option("the first year of the domains")] = 1900
    last: Annotated[int, Option("the last year of the domains")] = 2049
    day_first: Annotated[bool, Option("whether 01/02/2020 is the 1st of February")] = True
    both_orders: Annotated[
        bool, Option("a date that is impossible in this order is read in the other; else it cannot be read")
    ] = False
    language: Annotated[str, Part("the code of the language that dates are written in")] = "en"

    def __post_init__(self) -> None:
        if not 1000 <= self.first <= self.last - 19 <= 9980:
            raise ConfigurationError("The years of dates need four digits and must span at least 20 years.")

    @property
    def _dates(self) -> Dates:
        return language_of(self.language).dates

    @property
    def grains(self) -> Sequence[str]:
        """Return the names of the domains, the finest first."""
        return tuple(self._dates.public)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return every date of ``grain`` within the years of this kind."""
        return _domain(self, grain)

    def years(self, grain: str) -> range:
        """Return the years that dates of ``grain`` may have; a decade counts with the years that it begins with."""
        first = max(self.first, self.last - 99) if grain == "day-yy" else self.first
        return range(first // 10 * 10 if grain == "decade" else first, self.last + 1)

    def read(self, text: str) -> Reading | None:
        """Return the date that ``text`` is, or None."""
        clock = self._dates.parted(text)
        if clock is None:
            return _named_day(text, self._dates) or self._read_date(text) or self._read_range(text)
        before, day, after = clock
        reading = _named_day(day, self._dates) or self._read_date(day)
        if reading is None or reading.form.grain not in _WITH_TIME:
            return None
        return Reading(reading.value, Form(reading.form.grain, (f"{before}{reading.form.style[0]}{after}",)))

    def _read_date(self, text: str, is_bounded: bool = True) -> Reading | None:
        written = written_date(text, self._dates, self.day_first, self.last, self.both_orders)
        if written is None:
            return None
        if is_bounded and written.grain not in _ROUND and written.moment.year not in self.years(written.grain):
            return None
        return Reading(token_of(written.moment, written.grain, self._dates), Form(written.grain, (written.pattern,)))

    def _read_range(self, text: str) -> Reading | None:
        return read_range(text, self._dates, self._read_date)

    @property
    def visible(self) -> Sequence[str]:
        """Return that the order of day and month is visible, and which dates cannot be read in it."""
        first = "day" if self.day_first else "month"
        order = f"that dates in figures have the {first} first, an option that a look at the input may have decided"
        turned = "which dates in figures are impossible in this order, because these count as texts that are no date"
        return (order,) if self.both_orders else (order, turned)

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` is a date even if no label says so: "3rd" is a number, and "spring" a word."""
        reading = self.read(text)
        if reading is None:  # no other kind may take a date that the order cannot read
            clock = self._dates.parted(text)
            return is_turned(text if clock is None else clock[1], self._dates, self.day_first)
        return reading.form.grain not in ("day-of-month", "season-of-year", _PART)

    def write(self, value: str, form: Form) -> str:
        """Return the date ``value`` as it is written in ``form``."""
        pattern, *span = form.style
        if form.grain in _DAYS | _PERIODS:
            return _written_named_day(value, pattern, form.grain, self._dates)
        moment = moment_of(value, form.grain, self._dates)
        written = filled(pattern, written_fields(moment, pattern, self._dates))
        return write_range(moment, written, tuple(span), form.grain == "day", self._dates) if span else written

    @property
    def surrogate(self) -> Reading:
        """Return 1 January of 2000, or of the year of the domain nearest to it."""
        return Reading(f"{max(self.first, min(2000, self.last))}-01-01", self.public_form("day"))

    def public_form(self, grain: str) -> Form:
        """Return the form of "11 January 2019", "11/01/19", "January 2019", "the 1980s", "Monday" or "the 17th"."""
        pattern = self._dates.public[grain]
        return Form(grain, (pattern if self.day_first else pattern.replace("{dd}/{mm}", "{mm}/{dd}"),))


def _named_day(text: str, dates: Dates) -> Reading | None:
    """Return the word that ``text`` is, with or without a preposition before it, or None."""
    return next(filter(None, (_read_named(text, named) for named in dates.named)), None)


def _read_named(text: str, named: NamedDays) -> Reading | None:
    match = matched(text, (named.shape,))
    if match is None:
        return None
    value, grain = named.word_of(match["name"])
    if named.is_proper:
        field = "NAME" if match["name"].isupper() else "Name"
    else:
        field = in_case_of("word", match["name"]) or ""
    groups = {group: match[group] for group in named.agreeing if match[group] is not None}
    agreeing = agreeing_fields(text, groups)
    if named.is_proper and field == "Name":  # "La" would show that the word has an article
        agreeing = {group: group for group in agreeing}
    fields = {"name": field, **agreeing}
    return Reading(value, Form(grain, (pattern_of(match, fields),))) if field else None


def _written_named_day(value: str, pattern: str, grain: str, dates: Dates) -> str:
    """Return ``pattern`` with the word ``value`` in it."""
    fields = {field: cased(value, field) for field in ("word", "Word", "WORD")}
    agreeing = next(named.agreeing for named in dates.named if grain in named.grains)
    fields |= filled_agreeing(value, pattern, agreeing)
    return filled(pattern, {**fields, "Name": value, "NAME": value.upper()})


def _named_day_domain(grain: str, dates: Dates) -> Vocabulary:
    """Return the words of ``grain`` as a domain, in days."""
    words = next(named.grains[grain] for named in dates.named if grain in named.grains)
    if grain == _HOLIDAY:
        about = "days with a name of their own, in days around a year of 366 (sfumato)"
        return Vocabulary(tuple(words), around(list(words.values()), 366), about)
    about = f"words for a {grain}, in days from the day of writing (sfumato)"
    return Vocabulary(tuple(words), np.array(list(words.values()))[:, None], about)


def _days(kind: Date, grain: str, dates: Dates) -> Iterator[date]:
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
                yield from (date(year, dates.first_month_of(season), 1) for season in dates.seasons.full)
            elif grain.startswith("month"):
                yield from (date(year, month, 1) for month in range(1, 13))
            else:
                start = date(year, 1, 1).toordinal()
                yield from map(date.fromordinal, range(start, date(year, 12, 31).toordinal() + 1))


@lru_cache(maxsize=64)
def _domain(kind: Date, grain: str) -> Vocabulary:
    dates = language_of(kind.language).dates
    if grain in _DAYS | _PERIODS:
        return _named_day_domain(grain, dates)
    days = tuple(_days(kind, grain, dates))
    positions = np.array([day.toordinal() for day in days], dtype=np.float64) - days[0].toordinal()
    vectors: FloatArray = around(positions.tolist(), _ROUND[grain]) if grain in _ROUND else positions[:, None]
    years = "without a year" if grain in _ROUND else f"from {days[0].year} to {days[-1].year}"
    about = f"dates of the grain {grain} {years}, in days (sfumato)"
    return Vocabulary(tuple(token_of(day, grain, dates) for day in days), vectors, about)
