"""Times of day in English: as people say them, and beside a date.

The time of day beside a date is not kept, and a public one is written in its place.
No domain holds both a day and a time of day, and a time that was kept would say more than the day. So "2019-01-11
04:30:15" and "4.30 p.m. on Tuesday" are the days, in a form with the public time 12:00. A fraction of a second is
left out, an offset from UTC becomes +00:00, and noon and midnight become 12 p.m.

Times as people say them, "half past nine", "ten o'clock", name five minutes of an hour, and say nothing of morning
and evening. One spelling is written: hours in words, "a quarter past" and not "quarter past", and "past" and "to",
not "after" and "before".
"""

from __future__ import annotations

import re

from sfumato.language.en.numbers import number_of, spelled
from sfumato.language.letter_case import cased, in_case_of
from sfumato.language.patterns import FLAGS, GAP, LONGEST, choice

_HALF = rf"(?P<half>(?:{GAP})?(?:[ap]\.m\.|[ap]m))"
_WORD = r"(?P<word>noon|midnight)"
_TIME = rf"(?P<hour>[0-9]{{1,2}})(?:(?P<sign>:|\.|(?:{GAP})?h(?:{GAP})?)(?P<minute>[0-9]{{2}}))?"
_ZONE = rf"(?P<zone>(?:{GAP})?(?:Z|UTC|GMT|(?P<offset>[+-][0-9]{{2}}:?[0-9]{{2}})))"
_AFTER = re.compile(
    rf"(?P<date>.{{3,60}}?)(?P<joint>T|,?{GAP}(?:(?P<at>at){GAP})?)"
    rf"(?:{_TIME}(?::(?P<second>[0-9]{{2}})(?:[.,][0-9]{{1,9}})?)?{_HALF}?{_ZONE}?|{_WORD})",
    FLAGS | re.DOTALL,
)
_BEFORE = re.compile(
    rf"(?P<lead>(?:at{GAP})?)(?:{_TIME}{_HALF}?|{_WORD})(?P<joint>,?{GAP}(?:on{GAP})?)(?P<date>.{{3,60}})",
    FLAGS | re.DOTALL,
)


def parted(text: str) -> tuple[str, str, str] | None:
    """Return what is written before the date in ``text``, the date, and what is after it; None without a time.

    What is before and after holds the public time in the place of the one that was there.
    """
    if len(text) > LONGEST:
        return None
    after = _AFTER.fullmatch(text)
    if after is not None and _is_time(after, after["at"] is not None):
        second, offset = ":00" if after["second"] else "", after["offset"] or "+00:00"
        zone = (after["zone"] or "").replace(offset, "+00:00")
        return "", after["date"], f"{after['joint']}{_public(after, second)}{zone}"
    before = _BEFORE.fullmatch(text)
    if before is not None and _is_time(before, False):
        return f"{before['lead']}{_public(before)}{before['joint']}", before["date"], ""
    return None


def _is_time(match: re.Match[str], is_sure: bool) -> bool:
    """Return whether there is such a time; a bare hour, or one with a stop, is one only if it ``is_sure``."""
    if match["word"]:
        return True
    if int(match["hour"]) > 23 or int(match["minute"] or 0) > 59 or int(match.groupdict().get("second") or 0) > 59:
        return False
    return is_sure or match["half"] is not None or match["sign"] not in (None, ".")


def _public(match: re.Match[str], second: str = "") -> str:
    """Return the public time in the way of the one that ``match`` has."""
    if match["word"]:  # a word would say that the time was one of the two that have one
        return "12 p.m."
    half = (match["half"] or "").replace("a", "p").replace("A", "P")
    return f"12{match['sign']}00{second}{half}" if match["minute"] else f"12{half}"


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
SPOKEN_IN_TEXT = re.compile(
    rf"(?<![A-Za-z0-9])(?:{'|'.join(re.sub('[?]P<[a-z]+>', '?:', way) for way in SPOKEN)})", FLAGS
)
"""A pattern for such a time inside a text."""
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
