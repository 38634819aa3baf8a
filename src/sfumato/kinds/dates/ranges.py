"""Two days of one month or so in one text: "11 to 19 February", "5 and 19 February 2020", "28 April - 4 May".

The value is the later day, whose month and year hold for both. The days between the two are part of the form, as
everything around a value is: the form of a range is shared by all ranges of as many days. Where the later day moves
to another month, the earlier one is written with its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from sfumato.abstract.kind import Form, Reading
from sfumato.kinds.dates.written import LEAP_YEAR, agreeing_fields, filled_agreeing, written_fields
from sfumato.language.dates import Dates
from sfumato.language.patterns import filled, matched

_MOST_DAYS, _DAYS_OF_A_YEAR = 60, 366
_LASTS = ("day", "day-of-year")
_LAST = re.compile(r"(?:[^\W\d_]+\s|\{\w+\}){0,2}\{(?:d|dth|nth|NTH)\}")


def read_range(text: str, dates: Dates, read: Callable[[str, bool], Reading | None]) -> Reading | None:
    """Return the later day of a range, with the range in its form; ``read`` reads a day.

    The earlier day may be beyond the domain, which ``read`` is told.
    """
    match = matched(text, dates.ranges)
    last = None if match is None else read(match["last"], True)
    if match is None or last is None or last.form.grain not in _LASTS or not _LAST.match(last.form.style[0]):
        return None
    has_year, end = last.form.grain == "day", _day_of(last)
    if match["rest"] is None:
        days = end.day - int(match["day"])
    else:
        first = read(match["first"], False)
        if first is None or first.form.grain not in (last.form.grain, "day-of-year"):
            return None
        start = _day_of(first)
        if has_year and first.form.grain != "day":
            start = _in_year(start, end.year)
            start = _in_year(start, end.year - 1) if start > end else start
        days = (end - start).days if has_year else (end - start).days % _DAYS_OF_A_YEAR
    if not 0 < days <= _MOST_DAYS:
        return None
    nth = "th" if match["nth"] and "nth" not in dates.agreeing else ""
    span = (_lead(match, dates), nth, match["joint"], str(days))
    return Reading(last.value, Form(last.form.grain, (last.form.style[0], *span)))


def _lead(match: re.Match[str], dates: Dates) -> str:
    """Return what is before the days, with fields for what agrees with the earlier one."""
    lead: str = match["lead"]
    groups = {group: part for group, part in match.groupdict().items() if part and group in dates.agreeing}
    for group, field in agreeing_fields(
        match.string, {group: groups[group] for group in groups if group != "nth"}
    ).items():
        lead = lead.replace(groups[group], f"{{{field}}}")
    return lead


def _day_of(reading: Reading) -> date:
    return date.fromisoformat(reading.value if reading.form.grain == "day" else f"{LEAP_YEAR}-{reading.value}")


def _in_year(day: date, year: int) -> date:
    """Return ``day`` in ``year``; the 29th of February is the day before the 1st of March where there is none."""
    return date(year, day.month, day.day) if (day.month, day.day) != (2, 29) else date(year, 3, 1) - timedelta(1)


def write_range(end: date, written: str, style: tuple[str, ...], has_year: bool, dates: Dates) -> str:
    """Return the range whose later day ``end`` is ``written``."""
    lead, nth, joint, days = style
    first = end - timedelta(days=int(days))
    pattern = "{nth}" if "nth" in dates.agreeing else "{dth}" if nth else "{d}"
    if (first.year, first.month) != (end.year, end.month):
        whole = dates.public["day" if has_year and first.year != end.year else "day-of-year"]
        pattern = whole.replace("{d}", pattern)
    lead = filled(lead, filled_agreeing(first, lead, dates.agreeing))
    return f"{lead}{filled(pattern, written_fields(first, pattern, dates))}{joint}{written}"
