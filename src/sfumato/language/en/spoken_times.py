"""Times of day as people say them, on a clock of twelve hours: "half past nine", "ten o'clock", "twenty to five".

They name five minutes of an hour, and say nothing of morning and evening. One spelling is written: hours in words,
"a quarter past" and not "quarter past", and "past" and "to", not "after" and "before".
"""

from __future__ import annotations

import re

from sfumato.language.en.numbers import number_of, spelled
from sfumato.language.letter_case import cased, in_case_of
from sfumato.language.patterns import FLAGS, GAP, choice

TIMES = tuple(f"{minute // 60 or 12}:{minute % 60:02d}" for minute in range(0, 720, 5))
"""The times in their order, from twelve o'clock."""

_PARTS = {15: "a quarter", 30: "half", **{minutes: spelled(minutes) for minutes in (5, 10, 20, 25)}}
_MINUTES_OF = {name.removeprefix("a "): minutes for minutes, name in _PARTS.items()}
_BACK = ("to", "before")
_HOUR = rf"(?P<hour>{choice(map(spelled, range(1, 13)))}(?![a-z])|1[0-2]|[1-9])"
_PART = choice(_MINUTES_OF).replace("-", f"(?:-|{GAP})")
_CLOCK = rf"(?:{GAP})?o['’]clock"
SPOKEN = (
    rf"(?P<said>(?:a{GAP})?(?P<part>{_PART})(?:{GAP}minutes)?{GAP}(?P<side>past|to|after|before){GAP}{_HOUR}(?:{_CLOCK})?)",
    rf"(?P<said>{_HOUR}{_CLOCK})",
)
"""Patterns for such a time."""
_SPLIT = re.compile(rf"-|{GAP}", FLAGS)


def spoken_time(match: re.Match[str]) -> tuple[str, str] | None:
    """Return the time that a ``match`` of :data:`SPOKEN` says ("9:30"), and its notation; None if misspelled."""
    groups = match.groupdict()
    hour = int(groups["hour"]) if groups["hour"].isdecimal() else number_of(groups["hour"])
    notation = in_case_of("words", groups["said"])
    if hour is None or notation is None:
        return None
    minutes = _MINUTES_OF["-".join(_SPLIT.split(groups["part"].lower()))] if groups.get("part") else 0
    if minutes and groups["side"].lower() in _BACK:
        if minutes == 30:
            return None
        minutes = -minutes
    return TIMES[(60 * hour + minutes) % 720 // 5], notation


def written_spoken(time: str, notation: str) -> str:
    """Return ``time``, one of :data:`TIMES`, in words, in a notation that :func:`spoken_time` gave."""
    hour, minute = map(int, time.split(":"))
    if minute == 0:
        return cased(f"{spelled(hour)} o'clock", notation)
    if minute <= 30:
        return cased(f"{_PARTS[minute]} past {spelled(hour)}", notation)
    return cased(f"{_PARTS[60 - minute]} to {spelled(hour % 12 + 1)}", notation)
