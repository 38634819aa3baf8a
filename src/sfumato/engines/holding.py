"""Dates, times and ages of a record hold together: a birth date fits the age, a holiday the date, times an order.

A birth date that is shifted with all dates says the true age, and contradicts the age that was drawn: a man of 38 who
is released as "aged 37" had a birth date 38 years before the letter. "Christmas Eve, 3 January" became "Halloween, 19
December", because a holiday is drawn without looking at it.

Analysis. The only input is the releases of a record, which are public: the drawn values, and the text between them.
Whatever is computed from them is as private as they are, so no ε grows, and nothing new is visible. The true age, the
true birth date and the true holiday do not enter: a birth date is moved to the year in which the drawn age is right,
and a holiday becomes the one nearest to the released date beside it.

Times of one day are drawn one by one, so that "seen at 9:30, operated at 10:15" can be turned. A text mostly tells a
day in its order, and a law that moves a time by an hour or two turns only times that are near. So two times in a row
whose drawn values are turned by at most four hours change places. Times farther apart stay as drawn, because there
the text itself probably goes back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from sfumato.abstract.kind import Form, Reading
from sfumato.engines.held_places import HeldPlaces
from sfumato.kinds.dates.age import Age
from sfumato.kinds.dates.date import Date
from sfumato.kinds.dates.time import Time
from sfumato.language.languages import language_of
from sfumato.text.document import Release, labels_of

_DAYS = ("day", "day-yy")
_BESIDE = 120
"""So many characters from a holiday a date is beside it."""
_NEAR = 240
"""Times that are turned by so many minutes at most change places."""
_BEFORE = 40
"""So many characters before a value say whom it is about."""


class _Value(NamedTuple):
    """A released value: the number of its release and of its part, where it starts, what it says."""

    release: int
    part: int
    start: int
    reading: Reading


@dataclass(frozen=True)
class Holding:
    """Makes the released dates and ages of one record fit each other.

    Attributes:
        dates: The kind that reads and writes dates.
        ages: The kind that reads ages.
        moves_births: Whether birth dates follow ages. They do not where dates move together in all records of a
            person, whose birth date is then one.
        times: The kind that reads and writes times of day.
        places: Makes places and institutions fit; None leaves them as drawn.
    """

    dates: Date
    ages: Age
    moves_births: bool = True
    times: Time = field(default_factory=Time)
    places: HeldPlaces | None = None

    def held(self, releases: Sequence[Release]) -> list[Release]:
        """Return the ``releases`` of one record with birth dates, holidays and places that fit."""
        releases = releases if self.places is None else self.places.held(releases)
        own = {label for release in releases for label in labels_of(release)}
        if own.isdisjoint((self.dates.name, self.times.name)):
            return list(releases)
        parts = [list(release.parts) for release in releases]
        days = list(self._values(releases, parts, self.dates))
        changed = self._births(releases, parts, days) | self._holidays(days)
        changed |= self._ordered(list(self._values(releases, parts, self.times)), days)
        for value, text in changed.items():
            parts[value.release][value.part] = text
        touched = {value.release for value in changed}
        return [
            release.of_parts(parts[number]) if number in touched else release
            for number, release in enumerate(releases)
        ]

    def _values(
        self, releases: Sequence[Release], parts: list[list[str]], kind: Date | Age | Time
    ) -> Iterator[_Value]:
        """Yield the outputs of ``kind`` that can be read."""
        for number, release in enumerate(releases):
            for index, label in enumerate(labels_of(release)):
                reading = kind.read(parts[number][2 * index + 1]) if label == kind.name else None
                if reading is not None:
                    yield _Value(number, 2 * index + 1, release.bounds[2 * index], reading)

    def _births(
        self, releases: Sequence[Release], parts: list[list[str]], days: Sequence[_Value]
    ) -> dict[_Value, str]:
        """Return birth dates in the year in which the drawn age is right on the last date of the record."""
        exact = [value for value in days if value.reading.form.grain in _DAYS]
        if not (self.moves_births and exact):
            return {}
        cues = language_of(self.dates.language).cues
        births = dict.fromkeys(value for value in exact if _says(cues.birth, parts, value))
        others = [date.fromisoformat(value.reading.value) for value in exact if value not in births]
        if not (births and others):
            return {}
        ages = (value for value in self._values(releases, parts, self.ages) if value.reading.form.grain == "year")
        own = next((value for value in ages if not _says(cues.relative, parts, value)), None)
        if own is None:
            return {}
        moved = {}
        for value in births:
            year = _year_of_birth(date.fromisoformat(value.reading.value), max(others), int(own.reading.value))
            if year in self.dates.years(value.reading.form.grain):
                token = _in_year(date.fromisoformat(value.reading.value), year).isoformat()
                moved[value] = self.dates.write(token, value.reading.form)
        return moved

    def _holidays(self, days: Sequence[_Value]) -> dict[_Value, str]:
        """Return holidays as the one nearest to the date beside each, if there is a date."""
        exact = _by_release(value for value in days if value.reading.form.grain in _DAYS)
        moved = {}
        for value in days:
            if value.reading.form.grain != "holiday":
                continue
            near = exact.get(value.release, ())
            beside = min(near, key=lambda other: abs(other.start - value.start), default=None)
            if beside and abs(beside.start - value.start) <= _BESIDE:
                token = self._nearest_holiday(date.fromisoformat(beside.reading.value))
                moved[value] = self.dates.write(token, Form("holiday", value.reading.form.style))
        return moved

    def _ordered(self, times: Sequence[_Value], days: Sequence[_Value]) -> dict[_Value, str]:
        """Return times of one day in the order of the text, where near ones are turned; a date begins a day."""
        said, of_release = [value.reading.value for value in times], _by_release(days)
        pairs = [
            pair
            for pair in range(len(times) - 1)
            if _of_one_day(times[pair], times[pair + 1], of_release.get(times[pair].release, ()))
        ]
        for _ in pairs:  # as often as a time can move
            before = said[:]
            for pair in pairs:
                if 0 < _minutes(said[pair]) - _minutes(said[pair + 1]) <= _NEAR:
                    said[pair], said[pair + 1] = said[pair + 1], said[pair]
            if said == before:
                break
        rows = zip(times, said, strict=True)
        return {value: self.times.write(new, value.reading.form) for value, new in rows if new != value.reading.value}

    def _nearest_holiday(self, day: date) -> str:
        """Return the holiday nearest to ``day`` around the year."""
        named = next(own for own in language_of(self.dates.language).dates.named if "holiday" in own.grains)
        holidays = named.grains["holiday"]
        own = day.replace(year=2000).timetuple().tm_yday

        def apart(name: str) -> float:
            days = abs(holidays[name] - own) % 366
            return min(days, 366 - days)

        return min(holidays, key=apart)


def _by_release(values: Iterable[_Value]) -> dict[int, list[_Value]]:
    """Return ``values`` by the number of their release: a record may have a hundred thousand."""
    found: dict[int, list[_Value]] = {}
    for value in values:
        found.setdefault(value.release, []).append(value)
    return found


def _minutes(time: str) -> int:
    return 60 * int(time[:2]) + int(time[3:])


def _of_one_day(first: _Value, second: _Value, days: Sequence[_Value]) -> bool:
    """Return whether two times in a row have one grain, and none of the ``days`` of their release between them."""
    alike = (first.release, first.reading.form.grain) == (second.release, second.reading.form.grain)
    between = (day for day in days if first.start < day.start < second.start)
    return alike and next(between, None) is None


def _says(cue: re.Pattern[str], parts: list[list[str]], value: _Value) -> bool:
    """Return whether the text between marks directly before ``value`` ends with ``cue``."""
    return bool(cue.search(parts[value.release][value.part - 1][-_BEFORE:]))


def _year_of_birth(born: date, last: date, age: int) -> int:
    """Return the year of a birth on the day of ``born`` of somebody of ``age`` years on the day ``last``."""
    return last.year - age - ((born.month, born.day) > (last.month, last.day))


def _in_year(day: date, year: int) -> date:
    """Return ``day`` in another ``year``; the 29th of February is the 28th where there is none."""
    try:
        return day.replace(year=year)
    except ValueError:
        return day.replace(year=year, day=28)
