"""The shapes of dates in a text, and what the parts of each mean.

A form can hold every date of its grain, and shows no more of a date than its grain. Four things are therefore not
kept, because only some dates show them:

* A zero before the day. It is written between signs ("05/01/2019") and never beside a name ("5 January 2019").
* Whether a month is short. "May" is short and in full, and some styles shorten seven of the twelve names. So a name
  is written in full: "11 Jan. 2019" becomes "11 January 2019". Between signs each month is short ("11-Jan-2019").
* An order of day and month other than the public one. "01/25/2020" can only be the 25th of January. It is read so,
  and written in the public order.
* A weekday beside a day without a year. "Friday 5 April" would show which years it can be. It is the 5th of April,
  and is written with the weekday of that day in a public year.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from sfumato.kinds._date_fields import FIRST_MONDAY, LEAP_YEAR, field_of
from sfumato.kinds.hedges import one_of
from sfumato.kinds.months import AFTER_WEEKDAY, MONTH, SEASON, WEEKDAY, first_month_of, month_of, weekday_of
from sfumato.kinds.number_words import number_of_ordinal, spelled_ordinal
from sfumato.kinds.patterns import FLAGS, GAP, matched, pattern_of

_BEFORE = one_of("on|in|of|since|until|till|by|from|before|after|around|about|circa|dated|during|early|late|mid")
_PART = one_of(
    "early in|early|late in|late|mid|the end of|the beginning of|the start of|the middle of|end of|end|start of"
)
_LEAD = rf"(?:{_BEFORE}{GAP})?(?:the{GAP})?"
_WHEN = rf"(?:(?:{_BEFORE}|last|next|this|that|each|every|every other|alternate){GAP}|{_PART}[ -])?"
_SPELLED = "|".join(sorted(map(spelled_ordinal, range(1, 32)), key=len, reverse=True)).replace("-", f"(?:-|{GAP})")
_DAY = rf"(?:(?P<ordinal>[0-9]{{1,2}}(?:st|nd|rd|th))|(?P<day>[0-9]{{1,2}})|(?P<spelled>{_SPELLED}))"
_NAMED_DAY = rf"(?:(?P<weekday>{WEEKDAY}){AFTER_WEEKDAY})?"
_YEAR = r"(?P<year>[0-9]{4})"
_ANY_YEAR = rf"(?:{_YEAR}|(?P<two>[0-9]{{2}}))"
_IN_MONTH = rf"(?:{GAP}of{GAP}(?:this|that|last|next|the|each|every){GAP}month)?"
_OF_DAY = r"(?:mornings?|lunchtimes?|afternoons?|teatimes?|evenings?|nights?|week)"
_QUOTED_YEAR = rf"(?:{_YEAR}|['’](?P<two>[0-9]{{2}}))"

_SHAPES = tuple(
    re.compile(shape, FLAGS)
    for shape in (
        rf"{_LEAD}{_NAMED_DAY}(?:the{GAP})?{_DAY}(?:{GAP}of)?{GAP}(?P<month>{MONTH})(?:,?{GAP}{_QUOTED_YEAR})?",
        rf"{_LEAD}{_NAMED_DAY}(?P<month>{MONTH}){GAP}(?:the{GAP})?{_DAY}(?:,?{GAP}{_QUOTED_YEAR})?",
        rf"{_YEAR}([-/.])(?P<mm>[0-9]{{1,2}})\2(?P<dd>[0-9]{{1,2}})",
        rf"{_NAMED_DAY}(?P<first>[0-9]{{1,2}})([-/.])(?P<second>[0-9]{{1,2}})\3{_ANY_YEAR}",
        rf"(?P<dd>[0-9]{{1,2}})([-/])(?P<mon>{MONTH})\2{_ANY_YEAR}",
        rf"(?:{_LEAD}|{_PART}[ -])(?P<month>{MONTH})(?:,?{GAP}|{GAP}of{GAP}){_YEAR}",
        rf"(?P<mon>{MONTH})[-/]{_YEAR}",
        rf"(?P<mm>[0-9]{{1,2}})[-/]{_YEAR}",
        rf"{_YEAR}[-/](?P<mm>[0-9]{{2}})",
        rf"(?:(?:{_BEFORE}{GAP})?(?:the{GAP}year{GAP}|year{GAP})?|{_PART}[ -]){_YEAR}",
        rf"(?:{_LEAD}|(?:the{GAP})?{_PART}[ -](?:the{GAP})?)(?P<decade>[0-9]{{3}}0)['’]?s",
        rf"{_WHEN}(?P<lone_month>{MONTH})",
        rf"{_WHEN}(?P<lone_weekday>{WEEKDAY})(?:(?<=day)s|{GAP}{_OF_DAY})?",
        rf"{_LEAD}{_NAMED_DAY}(?P<first>[0-9]{{1,2}})/(?P<second>[0-9]{{1,2}})",
        rf"{_LEAD}{_NAMED_DAY}(?:the{GAP})?(?P<ordinal>[0-9]{{1,2}}(?:st|nd|rd|th)){_IN_MONTH}",
        rf"(?:{_WHEN}|{_PART}[ -])(?:the{GAP})?(?P<season>{SEASON})(?:(?:,?{GAP}|{GAP}of{GAP}){_YEAR})?",
    )
)
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
        ("weekday", "weekday"),
    )
}
"""The parts that a text gives, and its grain."""


@dataclass(frozen=True)
class WrittenDate:
    """What a text says: the ``moment`` (the parts that it lacks are public), its grain and its pattern."""

    moment: date
    grain: str
    pattern: str


def written_date(text: str, day_first: bool, last_year: int) -> WrittenDate | None:
    """Return what ``text``, a date without a time of day, says, or None.

    ``day_first`` is the public order of day and month in "01/02/2020". A year of two digits is one of the 100 years
    up to ``last_year``.
    """
    match = matched(text, _SHAPES)
    if match is None:
        return None
    groups = {group: part for group, part in match.groupdict().items() if part is not None}
    fields = {group: field_of(group, part, day_first) for group, part in groups.items()}
    parts = _parts(groups, day_first)
    grain = _GRAINS.get(frozenset(parts))
    moment = _moment(parts, last_year)
    if grain is None or moment is None or None in fields.values():
        return None
    return WrittenDate(moment, grain, pattern_of(match, {group: field for group, field in fields.items() if field}))


def _parts(groups: Mapping[str, str], day_first: bool) -> dict[str, int]:
    """Return the numbers that the groups of a match hold: year, month, day, weekday."""
    parts = {}
    for group, text in groups.items():
        if group in ("year", "two", "decade"):
            parts[group] = int(text)
        elif group in ("month", "mon", "lone_month"):
            parts["month"] = month_of(text)
        elif group in ("weekday", "lone_weekday"):
            parts["weekday"] = weekday_of(text)
        elif group == "season":
            parts["season"] = first_month_of(text)
        elif group == "mm":
            parts["month"] = int(text)
        elif group in ("day", "dd", "ordinal"):
            parts["day"] = int(text[:2] if text[:2].isdecimal() else text[0])
        elif group == "spelled":
            parts["day"] = number_of_ordinal(text) or 0
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
    if "two" in parts:
        year = last_year - (last_year - parts["two"]) % 100
    try:
        moment = date(year, parts.get("month", parts.get("season", 1)), parts.get("day", 1))
    except ValueError:
        return None
    has_year = not {"year", "two"}.isdisjoint(parts)
    return moment if not has_year or parts.get("weekday", moment.weekday()) == moment.weekday() else None
