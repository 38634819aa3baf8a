"""The fields of the pattern of a date: which field a part of a text is, and how a date fills each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

from sfumato.kinds.letter_case import cased, in_case_of
from sfumato.kinds.months import MONTHS, SEASONS, WEEKDAYS
from sfumato.kinds.number_words import spelled_ordinal, suffix_of

LEAP_YEAR = 2000
"""The year of a date that has none: it has all 366 days."""

FIRST_MONDAY = date(2001, 1, 1)
"""The Monday among the dates that have only a weekday."""

_NAMED: Mapping[str, Callable[[date], str]] = {
    "month": lambda day: MONTHS[day.month - 1],
    "mon": lambda day: MONTHS[day.month - 1][:3],
    "weekday": lambda day: WEEKDAYS[day.weekday()],
    "wkd": lambda day: WEEKDAYS[day.weekday()][:3],
    "season": lambda day: SEASONS[day.month // 3 - 1],
    "third": lambda day: spelled_ordinal(day.day),
}
_WRITERS: Mapping[str, Callable[[date], str]] = {
    "yyyy": lambda day: f"{day.year:04d}",
    "yy": lambda day: f"{day.year % 100:02d}",
    "mm": lambda day: f"{day.month:02d}",
    "dd": lambda day: f"{day.day:02d}",
    "d": lambda day: str(day.day),
    "dth": lambda day: f"{day.day}{suffix_of(day.day)}",
    "dTH": lambda day: f"{day.day}{suffix_of(day.day).upper()}",
}
_PLAIN = {"year": "yyyy", "decade": "yyyy", "two": "yy", "mm": "mm", "dd": "dd", "day": "d"}


def field_of(group: str, text: str, day_first: bool) -> str | None:
    """Return the field that the ``group`` of a shape with this ``text`` is, or None where it is misspelled."""
    if group in _PLAIN:
        return _PLAIN[group]
    if group in ("first", "second"):
        return "dd" if (group == "first") == day_first else "mm"
    if group == "ordinal":
        return _ordinal(text)
    if group == "spelled":
        return in_case_of("third", text)
    if group == "season":
        return in_case_of("season", text)
    if group == "mon":
        return in_case_of("mon", text.removesuffix("."))
    if group in ("month", "lone_month"):
        field = in_case_of("month", text)
    else:
        field = in_case_of("weekday" if text.lower() in WEEKDAYS else "wkd", text)
    # "may", "march" and "sun" alone are other words
    return None if group.startswith("lone") and field in ("month", "wkd") else field


def _ordinal(text: str) -> str | None:
    number, suffix = int(text[:-2]), text[-2:]
    if suffix.lower() != suffix_of(number) or suffix not in (suffix.lower(), suffix.upper()):
        return None
    return "dth" if suffix == suffix.lower() else "dTH"


def written_fields(moment: date, pattern: str) -> dict[str, str]:
    """Return what ``moment`` puts into the fields of ``pattern``."""
    fields = {name: write(moment) for name, write in _WRITERS.items() if f"{{{name}}}" in pattern}
    for name, write in _NAMED.items():
        for spelling in (name, name.capitalize(), name.upper()):
            if f"{{{spelling}}}" in pattern:
                fields[spelling] = cased(write(moment), spelling)
    return fields
