"""Times of day in English: "4.30 p.m.", "16:30", and as people say them, "half past nine".

Times as people say them, "half past nine", "ten o'clock", name five minutes of an hour, and say nothing of morning
and evening. One spelling is written: hours in words, "a quarter past" and not "quarter past", and "past" and "to",
not "after" and "before".
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sfumato.language.clock import TIMES, Clock, Said
from sfumato.language.en.numbers import number_of, spelled
from sfumato.language.letter_case import cased, in_case_of
from sfumato.language.patterns import FLAGS, GAP, choice, filled, matched, one_of, pattern_of

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


_BEFORE = one_of(
    "at|around|about|by|until|till|from|before|after|since|at about|at around|at approximately|approx.|circa"
)
_ZONE = one_of("UTC|GMT|BST|CET|CEST|EST|EDT|CST|CDT|MST|MDT|PST|PDT|Z|local time")
_HALF = r"(?P<half>[ap]\.m\.?|[ap]m)"
_SPACE = rf"(?:{GAP})?"
SHAPES = tuple(
    re.compile(rf"(?:{_BEFORE}{GAP})?{shape}(?:{_SPACE}{_ZONE})?", FLAGS)
    for shape in (
        rf"(?P<twelve>[0-9]{{1,2}})(?:[:.](?P<minute>[0-9]{{2}}))?{_SPACE}{_HALF}",
        rf"(?P<hour>[0-9]{{1,2}})(?::|{_SPACE}h{_SPACE})(?P<minute>[0-9]{{2}})(?:{_SPACE}(?:hours|hrs|h))?",
        rf"(?P<hour>[0-9]{{1,2}})\.(?P<minute>[0-9]{{2}})(?:{_SPACE}(?:hours|hrs|h))?",
        rf"(?P<hour>[0-9]{{2}})(?P<minute>[0-9]{{2}}){_SPACE}(?:hours|hrs|hr|h)",
        r"(?P<hour>[0-9]{1,2})h",
        *(rf"{way}(?![a-z])" for way in SPOKEN),
        r"(?P<hour>[01][0-9]|2[0-3])(?P<minute>[0-5][0-9])",
        r"(?P<hour>[0-9]{1,2})",
        r"(?P<word>(?:12{GAP})?(?:noon|midnight|midday))".replace("{GAP}", GAP),
    )
)
_BARE = re.compile(r"(?:[A-Za-z.]+\s+)*[0-9]+", FLAGS)
_HALVES = {"am": ("am", "pm"), "AM": ("AM", "PM"), "a.m.": ("a.m.", "p.m."), "A.M.": ("A.M.", "P.M.")}
_PUBLIC = {"minute": "{HH}:{MM}", "hour": "{h} {a.m.}", "five minutes": "{words}"}
_WORDS = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}


class EnglishClock(Clock):
    """Reads and writes times of day in English."""

    public = _PUBLIC
    spoken_in_text = SPOKEN_IN_TEXT

    def read(self, text: str) -> Said | None:
        """Return the time that ``text`` is, or None."""
        match = matched(text, SHAPES)
        if match is None:
            return None
        groups = {group: part for group, part in match.groupdict().items() if part is not None}
        if "said" in groups:
            spoken = spoken_time(match)
            return spoken and Said(spoken[0], "five minutes", pattern_of(match, {"said": spoken[1]}))
        if "word" in groups:
            word = groups["word"].lower().split()[-1]
            return Said(_WORDS[word], "hour", pattern_of(match, {"word": _PUBLIC["hour"].strip("{}")}))
        hour, minute = _hour(groups), int(groups.get("minute", "0"))
        fields = {group: _field(group, part) for group, part in groups.items()}
        if hour is None or minute > 59 or None in fields.values():
            return None
        pattern = pattern_of(match, {group: str(field) for group, field in fields.items()})
        return Said(f"{hour:02d}:{minute:02d}", "minute" if "minute" in groups else "hour", pattern)

    def written(self, time: str, pattern: str, grain: str) -> str:
        """Return ``time`` as it is written in ``pattern``."""
        if grain == "five minutes":
            return filled(pattern, {name: written_spoken(time, name) for name in ("words", "Words", "WORDS")})
        hour = int(time[:2])
        halves = {name: names[hour >= 12] for name, names in _HALVES.items()}
        return filled(pattern, {"HH": time[:2], "MM": time[3:], "h": str((hour - 1) % 12 + 1)} | halves)

    def is_bare(self, text: str) -> bool:
        """Return whether ``text`` is figures without a sign, which may be anything."""
        return _BARE.fullmatch(text.strip()) is not None


def _hour(groups: Mapping[str, str]) -> int | None:
    """Return the hour from 0 to 23 of the groups of a match, or None where there is no such hour."""
    if "hour" in groups:
        hour = int(groups["hour"])
        return hour if hour < 24 else None
    hour = int(groups["twelve"])
    return hour % 12 + 12 * (groups["half"][0].lower() == "p") if 1 <= hour <= 12 else None


def _field(group: str, text: str) -> str | None:
    if group == "half":
        text = f"{text}." if "." in text[:-1] and not text.endswith(".") else text
        return next((name for name, halves in _HALVES.items() if text in halves), None)
    return {"hour": "HH", "minute": "MM", "twelve": "h"}[group]
