"""TIME: the time of day, to the minute or to the hour, or as people say it.

Distances are in minutes around the clock: 23:50 and 00:10 are 20 minutes apart. The times lie on a circle of 1440
minutes, and those that say nothing of morning and evening ("half past nine") on one of 720. The distance of two of
them is the chord, which is at most the minutes between them, so a guarantee per minute of chord holds per minute of
the clock. Days of a year without a year, and weekdays, lie on circles of their own (:func:`around`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.language.clock import TIMES, Clock
from sfumato.language.languages import language_of
from sfumato.options.option import Part
from sfumato.types import FloatArray


@dataclass(frozen=True)
class Time(Kind):
    """Read and write times of day.

    A form can hold every time, so what only some times show is not kept: a zero before the hour. It is written in
    "04:30" and "04h30", and never in "4:30 a.m.". Noon and midnight become hours ("12 p.m."), and "half past 9" is
    written in words. Seconds are not readable.

    Attributes:
        language: The code of the language that times are written in.
    """

    name: ClassVar[str] = "TIME"
    unit: ClassVar[str] = "minute"

    language: Annotated[str, Part("the code of the language that times are written in")] = "en"

    @property
    def _clock(self) -> Clock:
        return language_of(self.language).clock

    @property
    def grains(self) -> Sequence[str]:
        """Return "minute", "hour", and "five minutes" of a clock of twelve hours, if the language has such words."""
        return tuple(self._clock.public)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the 1440 minutes or the 24 hours of a day, or every five minutes of twelve hours."""
        return _domain(grain)

    def read(self, text: str) -> Reading | None:
        """Return the time that ``text`` is, or None."""
        said = self._clock.read(text)
        return None if said is None else Reading(said.time, Form(said.grain, (said.pattern,)))

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` is a time even if no label says so: figures without a sign may be anything."""
        return not self._clock.is_bare(text) and self.read(text) is not None

    def write(self, value: str, form: Form) -> str:
        """Return the time ``value`` as it is written in ``form``."""
        return self._clock.written(value, form.style[0], form.grain)

    @property
    def surrogate(self) -> Reading:
        """Return 12:00."""
        return Reading("12:00", self.public_form("minute"))

    def public_form(self, grain: str) -> Form:
        """Return the form of "04:30", "4 a.m." or "half past four"."""
        return Form(grain, (self._clock.public[grain],))


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
