"""How a language writes times of day."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Said(NamedTuple):
    """What a text says: a time ("09:30", or "9:30" on a clock of twelve hours), its grain and its pattern."""

    time: str
    grain: str
    pattern: str


class Clock(ABC):
    """Reads and writes times of day.

    The grains are "minute", "hour", and "five minutes" of a clock of twelve hours.
    """

    @property
    @abstractmethod
    def public(self) -> Mapping[str, str]:
        """Return the pattern of the public form of each grain that the language has."""

    @abstractmethod
    def read(self, text: str) -> Said | None:
        """Return the time that ``text`` is, or None."""

    @abstractmethod
    def written(self, time: str, pattern: str, grain: str) -> str:
        """Return ``time`` as it is written in ``pattern``."""

    def is_bare(self, text: str) -> bool:
        """Return whether ``text`` is figures without a sign, which may be anything."""
        return text.strip().isdecimal()

    in_text: Any = None
    """A pattern, of the package ``regex``, for a time that the words of a language show inside a text."""
    words: Sequence[str] = ()
    """Phrases of times of day, beside their figures: "Uhr", "am Morgen"."""
    first_words: frozenset[str] = frozenset()
    """The words in small letters that such a time begins with, if no figure does."""
    spoken_in_text: re.Pattern[str] | None = None
    """A pattern for a time as people say it inside a text."""


TIMES = tuple(f"{minute // 60 or 12}:{minute % 60:02d}" for minute in range(0, 720, 5))
"""The times that people say, in their order, from twelve o'clock."""
