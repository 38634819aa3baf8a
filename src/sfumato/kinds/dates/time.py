"""TIME: the time of day, to the minute or to the hour, or as people say it.

Distances are in minutes around the clock: 23:50 and 00:10 are 20 minutes apart. The times lie on a circle of 1440
minutes, and those that say nothing of morning and evening ("half past nine") on one of 720. The distance of two of
them is the chord, which is at most the minutes between them, so a guarantee per minute of chord holds per minute of
the clock. Days of a year without a year, and weekdays, lie on circles of their own (:func:`around`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.language.en.clock import SPOKEN, TIMES, spoken_time, written_spoken
from sfumato.language.patterns import FLAGS, GAP, filled, matched, one_of, pattern_of
from sfumato.types import FloatArray

_BEFORE = one_of(
    "at|around|about|by|until|till|from|before|after|since|at about|at around|at approximately|approx.|circa"
)
_ZONE = one_of("UTC|GMT|BST|CET|CEST|EST|EDT|CST|CDT|MST|MDT|PST|PDT|Z|local time")
_HALF = r"(?P<half>[ap]\.m\.?|[ap]m)"
_SPACE = rf"(?:{GAP})?"
_SHAPES = tuple(
    re.compile(rf"(?:{_BEFORE}{GAP})?{shape}(?:{_SPACE}{_ZONE})?", FLAGS)
    for shape in (
        rf"(?P<twelve>[0-9]{{1,2}})(?:[:.](?P<minute>[0-9]{{2}}))?{_SPACE}{_HALF}",
        rf"(?P<hour>[0-9]{{1,2}})(?::|{_SPACE}h{_SPACE})(?P<minute>[0-9]{{2}})(?:{_SPACE}(?:hours|hrs|h))?",
        rf"(?P<hour>[0-9]{{1,2}})\.(?P<minute>[0-9]{{2}})(?:{_SPACE}(?:hours|hrs|h))?",
        rf"(?P<hour>[0-9]{{2}})(?P<minute>[0-9]{{2}}){_SPACE}(?:hours|hrs|hr|h)",
        r"(?P<hour>[0-9]{1,2})h",
        *SPOKEN,
        r"(?P<hour>[01][0-9]|2[0-3])(?P<minute>[0-5][0-9])",
        r"(?P<hour>[0-9]{1,2})",
        r"(?P<word>(?:12{GAP})?(?:noon|midnight|midday))".replace("{GAP}", GAP),
    )
)
_BARE = re.compile(r"(?:[A-Za-z.]+\s+)*[0-9]+", FLAGS)
_HALVES = {"am": ("am", "pm"), "AM": ("AM", "PM"), "a.m.": ("a.m.", "p.m."), "A.M.": ("A.M.", "P.M.")}
_PUBLIC = {"minute": "{HH}:{MM}", "hour": "{h} {a.m.}", "five minutes": "{words}"}
_WORDS = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}


@dataclass(frozen=True)
class Time(Kind):
    """Read and write times of day.

    A form can hold every time, so what only some times show is not kept: a zero before the hour. It is written in
    "04:30" and "04h30", and never in "4:30 a.m.". Noon and midnight become hours ("12 p.m."), and "half past 9" is
    written in words. Seconds are not readable.
    """

    name: ClassVar[str] = "TIME"
    unit: ClassVar[str] = "minute"

    @property
    def grains(self) -> Sequence[str]:
        """Return "minute", "hour", and "five minutes" of a clock of twelve hours."""
        return tuple(_PUBLIC)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the 1440 minutes or the 24 hours of a day, or every five minutes of twelve hours."""
        return _domain(grain)

    def read(self, text: str) -> Reading | None:
        """Return the time that ``text`` is, or None."""
        match = matched(text, _SHAPES)
        if match is None:
            return None
        groups = {group: part for group, part in match.groupdict().items() if part is not None}
        if "said" in groups:
            return _said(match)
        if "word" in groups:
            word = groups["word"].lower().split()[-1]
            return Reading(_WORDS[word], Form("hour", (pattern_of(match, {"word": _PUBLIC["hour"].strip("{}")}),)))
        hour, minute = _hour(groups), int(groups.get("minute", "0"))
        fields = {group: _field(group, part) for group, part in groups.items()}
        if hour is None or minute > 59 or None in fields.values():
            return None
        pattern = pattern_of(match, {group: str(field) for group, field in fields.items()})
        grain = "minute" if "minute" in groups else "hour"
        return Reading(f"{hour:02d}:{minute:02d}", Form(grain, (pattern,)))

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` is a time even if no label says so: figures without a sign may be anything."""
        return _BARE.fullmatch(text.strip()) is None and self.read(text) is not None

    def write(self, value: str, form: Form) -> str:
        """Return the time ``value`` as it is written in ``form``."""
        if form.grain == "five minutes":
            return filled(form.style[0], {name: written_spoken(value, name) for name in ("words", "Words", "WORDS")})
        hour = int(value[:2])
        halves = {name: names[hour >= 12] for name, names in _HALVES.items()}
        return filled(form.style[0], {"HH": value[:2], "MM": value[3:], "h": str((hour - 1) % 12 + 1)} | halves)

    @property
    def surrogate(self) -> Reading:
        """Return 12:00."""
        return Reading("12:00", self.public_form("minute"))

    def public_form(self, grain: str) -> Form:
        """Return the form of "04:30", "4 a.m." or "half past four"."""
        return Form(grain, (_PUBLIC[grain],))


def _said(match: re.Match[str]) -> Reading | None:
    """Return the time of "half past nine"; the ``said`` words are one field."""
    spoken = spoken_time(match)
    return (
        None
        if spoken is None
        else Reading(spoken[0], Form("five minutes", (pattern_of(match, {"said": spoken[1]}),)))
    )


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


@lru_cache(maxsize=3)
def _domain(grain: str) -> Vocabulary:
    if grain == "five minutes":
        about = "every five minutes of twelve hours, in minutes around the clock (sfumato)"
        return Vocabulary(TIMES, around(range(0, 720, 5), 720), about)
    minutes = range(0, 1440, 60 if grain == "hour" else 1)
    tokens = tuple(f"{minute // 60:02d}:{minute % 60:02d}" for minute in minutes)
    return Vocabulary(tokens, around(minutes, 1440), f"each {grain} of a day, in minutes around the clock (sfumato)")


def around(positions: Sequence[float], circumference: float) -> FloatArray:
    """Return points on a circle of ``circumference``, one for each of the ``positions`` along it, shape (n, 2).

    The Euclidean distance of two points is the chord. It is at most the way around the circle between them, so a
    guarantee per unit of chord holds per unit on the circle too. Near points keep their distance; points opposite to
    each other are 2/π of half the circumference apart.
    """
    angles = np.asarray(positions, dtype=np.float64) * (2.0 * np.pi / circumference)
    radius = circumference / (2.0 * np.pi)
    return np.column_stack((radius * np.cos(angles), radius * np.sin(angles)))
