"""How a language writes durations and ages: counts of units of time, with nouns that agree.

A language reads a text into a :class:`Counted`, and writes another number by its pattern. Kinds decide which numbers
there are. A pattern can hold every number, so it shows nothing of the one that was read.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

DECADE_OF_LIFE = "decade of life"
"""The unit of "in her 60s"."""


class Counted(NamedTuple):
    """What a text says: so many of a ``unit`` of time (in English), and the pattern and notation that it has."""

    unit: str
    number: int
    pattern: str
    notation: str


class AgesInText(NamedTuple):
    """What shows inside a text that a count is an age. The patterns are of the package ``regex``.

    Attributes:
        nouns: The nouns of the units of ages in small letters, in each way that an accent is written: "jahre".
        behind: What stands behind an age alone: " alt".
        before: The end of the text before an age: "im Alter von ".
        of: The end of the text before an age behind a word for a person: "mujer de ".
    """

    nouns: frozenset[str]
    behind: Any
    before: Any
    of: Any


class Counts(ABC):
    """Reads and writes counts of units of time."""

    ages_in_text: AgesInText | None = None
    """What shows an age inside a text; None where rules of a language's own find them."""

    @property
    @abstractmethod
    def units(self) -> Sequence[str]:
        """Return the units of durations, by their English names, the shortest first."""

    @abstractmethod
    def duration(self, text: str) -> Counted | None:
        """Return the duration that ``text`` is, or None."""

    @abstractmethod
    def age(self, text: str) -> Counted | None:
        """Return the age that ``text`` is, or None; of a decade of life the year that it begins with."""

    @abstractmethod
    def written(self, counted: Counted) -> str:
        """Return its number as it is written in its pattern and notation."""

    @abstractmethod
    def public_duration(self, unit: str) -> str:
        """Return the pattern of the public form of durations in ``unit``."""

    @abstractmethod
    def public_age(self, unit: str) -> tuple[str, str]:
        """Return the pattern and the notation of the public form of ages in ``unit``."""

    @property
    @abstractmethod
    def below_a_year(self) -> re.Pattern[str]:
        """Return a pattern for a unit of the ages of small children."""

    @abstractmethod
    def at_least(self, years: int) -> str:
        """Return "90 or older" for 90 years."""

    def placed(self, pattern: str, before: str, after: str) -> str:
        """Return ``pattern`` as it is between the texts ``before`` and ``after`` it, which are in the release."""
        return pattern
