"""Written dates: what the parts of a text mean, and how a date fills them. A language gives the shapes.

A form can hold every date of its grain, and shows no more of a date than its grain. Four things are therefore not
kept, because only some dates show them:

* A zero before the day. It is written between signs ("05/01/2019") and never beside a name ("5 January 2019").
* Whether a month is short. "May" is short and in full, and some styles shorten seven of the twelve names. So a name
  is written in full: "11 Jan. 2019" becomes "11 January 2019". Between signs each month is short ("11-Jan-2019").
* An order of day and month other than the public one. "01/25/2020" can only be the 25th of January. It is read so,
  and written in the public order, where a policy lets both orders in; otherwise it cannot be read.
* A weekday beside a day without a year. "Friday 5 April" would show which years it can be. It is the 5th of April,
  and is written with the weekday of that day in a public year.

The groups of a shape are ``year``, ``two`` (digits of a year), ``decade``; ``month`` and ``mon`` (a short name),
``lone_month``, ``mm``; ``day``, ``dd``, ``ordinal``, ``spelled``; ``first`` and ``second`` (day and month in either
order); ``weekday``, ``lone_weekday``; ``season``; ``tens`` (a decade of a century, in figures or words, which is
written as a year); ``sign`` (kept as it is). Further groups are those that agree with the date, of which ``nth`` is
the number of the day.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

from sfumato.language.accents import plain
from sfumato.language.dates import Dates
from sfumato.language.letter_case import cased, in_case_of
from sfumato.language.patterns import matched, pattern_of

LEAP_YEAR = 2000
"""The year of a date that has none: it has all 366 days."""

FIRST_MONDAY = date(2001, 1, 1)
"""The Monday among the dates that have only a weekday."""

_GRAINS = {
    frozenset(parts.split()): grain
    for parts, grain in (
        ("year month day", "day"),
        ("year month day weekday", "day"),
        ("two month day", "day-yy"),
        ("two month day weekday", "day-yy"),
        ("month day", "day-of-year"),
        ("month day weekday", "day-of-year"),
        ("day", "day-of-month"),
        ("day weekday", "day-of-month"),
        ("season year", "season"),
        ("season", "season-of-year"),
        ("year month", "month"),
        ("month", "month-of-year"),
        ("year", "year"),
        ("decade", "decade"),
        ("tens", "decade"),
        ("weekday", "weekday"),
    )
}
"""The parts that a text gives, and its grain."""


_PLAIN = {"year": "yyyy", "decade": "yyyy", "tens": "yyyy", "two": "yy", "mm": "mm", "dd": "dd", "day": "d"}
"""The fields of groups whose text has one spelling."""


@dataclass(frozen=True)
class WrittenDate:
    """What a text says: the ``moment`` (the parts that it lacks are public), its grain and its pattern."""

    moment: date
    grain: str
    pattern: str


def written_date(
    text: str, dates: Dates, day_first: bool, last_year: int, both_orders: bool = False
) -> WrittenDate | None:
    """Return what ``text``, a date without a time of day, says, or None.

    ``day_first`` is the public order of day and month in "01/02/2020"; a text that is impossible in it is read in the
    other one if ``both_orders``. A year of two digits is one of the 100 years up to ``last_year``.
    """
    match = matched(text, dates.shapes)
    if match is None or (not both_orders and _is_turned(match, day_first)):
        return None
    groups = {group: part for group, part in match.groupdict().items() if part is not None and group != "sign"}
    agreeing = {group: part for group, part in groups.items() if group in dates.agreeing}
    fields = {
        group: _field_of(group, part, dates, day_first) for group, part in groups.items() if group not in agreeing
    }
    fields |= agreeing_fields(text, agreeing)
    parts = _parts(groups, dates, day_first)
    grain = _GRAINS.get(frozenset(parts))
    moment = _moment(parts, last_year)
    if grain is None or moment is None or None in fields.values():
        return None
    return WrittenDate(moment, grain, pattern_of(match, {group: field for group, field in fields.items() if field}))


def is_turned(text: str, dates: Dates, day_first: bool) -> bool:
    """Return whether ``text`` is a date that is possible in the other order of day and month alone."""
    match = matched(text, dates.shapes)
    return match is not None and _is_turned(match, day_first)


def _is_turned(match: re.Match[str], day_first: bool) -> bool:
    if match.groupdict().get("first") is None:
        return False
    first, second = int(match["first"]), int(match["second"])
    day, month = (first, second) if day_first else (second, first)
    return 12 < month <= 31 and 1 <= day <= 12


def _field_of(group: str, text: str, dates: Dates, day_first: bool) -> str | None:
    """Return the field that the ``group`` of a shape with this ``text`` is, or None where it is misspelled."""
    if group in _PLAIN:
        return _PLAIN[group]
    if group in ("first", "second"):
        return "dd" if (group == "first") == day_first else "mm"
    if group == "ordinal":
        return _ordinal(text, dates)
    if group in ("spelled", "season"):
        return in_case_of("third" if group == "spelled" else "season", text)
    if group == "mon":
        return in_case_of("mon", text.removesuffix("."))
    if group in ("month", "lone_month"):
        field = in_case_of("month", text)
    else:
        field = in_case_of("weekday" if dates.weekdays.is_full(text) else "wkd", text)
    # "may", "march" and "sun" alone are other words
    return None if group.startswith("lone") and field in _other_words(dates) else field


def _other_words(dates: Dates) -> tuple[str, ...]:
    return ("wkd",) if dates.are_small else ("month", "wkd")


def agreeing_fields(text: str, agreeing: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of the groups that agree with a date, in capitals if all other words of ``text`` are.

    A short one says nothing of its case by itself: "L'" is a capital letter, and all capitals.
    """
    others = text
    for part in agreeing.values():
        others = others.replace(part, " ", 1)
    is_upper = others.isupper()

    def cased_field(group: str, part: str) -> str:
        if is_upper:
            return group.upper()
        return group.capitalize() if part[:1].isupper() and not group.startswith("nth") else group

    return {group: cased_field(group, part) for group, part in agreeing.items()}


def _ordinal(text: str, dates: Dates) -> str | None:
    number, suffix = int(text[:-2]), text[-2:]
    if suffix.lower() != dates.ordinals.suffix_of(number):
        return None
    return {suffix.lower(): "dth", suffix.upper(): "dTH"}.get(suffix)


def _parts(groups: Mapping[str, str], dates: Dates, day_first: bool) -> dict[str, int]:
    """Return the numbers that the groups of a match hold: year, month, day, weekday."""
    parts = {}
    for group, text in groups.items():
        if group in ("year", "two", "decade"):
            parts[group] = int(text)
        elif group == "tens":
            parts[group] = int(text[-2:]) if text[-2:].isdecimal() else dates.tens[plain(text)]
        elif group.startswith("nth"):
            parts["day"] = int("".join(re.findall("[0-9]", text)) or 1)
        elif group in ("month", "mon", "lone_month"):
            parts["month"] = dates.months.number(text) + 1
        elif group in ("weekday", "lone_weekday"):
            parts["weekday"] = dates.weekdays.number(text)
        elif group == "season":
            parts["season"] = dates.first_month_of(text)
        elif group == "mm":
            parts["month"] = int(text)
        elif group in ("day", "dd", "ordinal"):
            parts["day"] = int(text[:2] if text[:2].isdecimal() else text[0])
        elif group == "spelled":
            parts["day"] = dates.ordinals.number_of_ordinal(text) or 0
    if "first" in groups:
        order = ("first", "second") if day_first else ("second", "first")
        day, month = (int(groups[group]) for group in order)
        if month > 12:
            day, month = month, day
        parts |= {"day": day, "month": month}
    return parts


def _moment(parts: Mapping[str, int], last_year: int) -> date | None:
    """Return the date of ``parts``, or None where there is no such date or it has another weekday."""
    if parts.keys() == {"weekday"}:
        return FIRST_MONDAY + timedelta(days=parts["weekday"])
    year = parts.get("year", parts.get("decade", LEAP_YEAR))
    for short in ("two", "tens"):
        if short in parts:
            year = last_year - (last_year - parts[short]) % 100
    try:
        moment = date(year, parts.get("month", parts.get("season", 1)), parts.get("day", 1))
    except ValueError:
        return None
    has_year = not {"year", "two"}.isdisjoint(parts)
    return moment if not has_year or parts.get("weekday", moment.weekday()) == moment.weekday() else None


_NAMED: Mapping[str, Callable[[date, Dates], str]] = {
    "month": lambda day, dates: dates.months.full[day.month - 1],
    "mon": lambda day, dates: dates.months.brief[day.month - 1],
    "weekday": lambda day, dates: dates.weekdays.full[day.weekday()],
    "wkd": lambda day, dates: dates.weekdays.brief[day.weekday()],
    "season": lambda day, dates: dates.seasons.full[day.month // 3 - 1],
    "third": lambda day, dates: dates.ordinals.spelled_ordinal(day.day),
}
_WRITERS: Mapping[str, Callable[[date, Dates], str]] = {
    "yyyy": lambda day, _: f"{day.year:04d}",
    "yy": lambda day, _: f"{day.year % 100:02d}",
    "mm": lambda day, _: f"{day.month:02d}",
    "dd": lambda day, _: f"{day.day:02d}",
    "d": lambda day, _: str(day.day),
    "dth": lambda day, dates: f"{day.day}{dates.ordinals.suffix_of(day.day)}",
    "dTH": lambda day, dates: f"{day.day}{dates.ordinals.suffix_of(day.day).upper()}",
}


_Value = TypeVar("_Value")


def filled_agreeing(value: _Value, pattern: str, agreeing: Mapping[str, Callable[[_Value], str]]) -> dict[str, str]:
    """Return what ``value`` puts into those fields of ``pattern`` that agree with it."""
    fields = {}
    for name in re.findall(r"\{(\w+)\}", pattern):
        if name.lower() in agreeing:
            fields[name] = cased(agreeing[name.lower()](value), name)
    return fields


def written_fields(moment: date, pattern: str, dates: Dates) -> dict[str, str]:
    """Return what ``moment`` puts into the fields of ``pattern``."""
    fields = {name: write(moment, dates) for name, write in _WRITERS.items() if f"{{{name}}}" in pattern}
    fields |= filled_agreeing(moment, pattern, dates.agreeing)
    for name, write in _NAMED.items():
        for spelling in (name, name.capitalize(), name.upper()):
            if f"{{{spelling}}}" in pattern:
                fields[spelling] = cased(write(moment, dates), spelling)
    return fields
