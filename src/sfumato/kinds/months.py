"""The names of months and of weekdays, in full and short, and of seasons, in the order of the calendar."""

from __future__ import annotations

from sfumato.kinds.patterns import GAP, listed

MONTHS = listed("january february march april may june july august september october november december")
WEEKDAYS = listed("monday tuesday wednesday thursday friday saturday sunday")
SEASONS = listed("spring summer autumn winter")
"""In the order in which a year has their first days (of the northern meteorological seasons)."""

_SHORT_MONTHS = {name[:3]: number for number, name in enumerate(MONTHS, 1)} | {"sept": 9}
_SHORT_WEEKDAYS = {name[:3]: number for number, name in enumerate(WEEKDAYS)} | {
    **{"tues": 1, "weds": 2, "thur": 3, "thurs": 3}
}


def month_of(name: str) -> int:
    """Return the number of the month, from 1, of a name that :data:`MONTH` matches."""
    return _SHORT_MONTHS[name.lower().removesuffix(".")[:3]]


def weekday_of(name: str) -> int:
    """Return the number of the weekday, from 0 for Monday, of a name that :data:`WEEKDAY` matches."""
    return _SHORT_WEEKDAYS[name.lower()[:3]]


def first_month_of(season: str) -> int:
    """Return the number of the first month of a season that :data:`SEASON` matches: 3 for spring, 12 for winter."""
    name = season.lower()
    return 3 * SEASONS.index("autumn" if name == "fall" else name) + 3


def _choice(full: tuple[str, ...], short: dict[str, int]) -> str:
    return "|".join(sorted({*full, *short}, key=len, reverse=True))


MONTH = rf"(?:{'|'.join(MONTHS)}|(?:{'|'.join(sorted(_SHORT_MONTHS, key=len, reverse=True))})\.?)(?![a-z])"
"""A pattern for the name of a month; only a short one has a dot."""

WEEKDAY = rf"(?:{_choice(WEEKDAYS, _SHORT_WEEKDAYS)})"
"""A pattern for the name of a weekday, without a dot."""

AFTER_WEEKDAY = rf"\.?,?{GAP}"
"""A pattern for what lies between a weekday and the date after it."""

SEASON = rf"(?:{'|'.join(SEASONS)}|fall)"
"""A pattern for the name of a season."""
