"""WORD: any word, and any phrase that no other kind reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from sfumato.kinds.common_words import words
from sfumato.kinds.embedded import Phrases, clean
from sfumato.kinds.phrase import Phrase

_WANTED = 13_000


@dataclass(frozen=True)
class Word(Phrase):
    """Common English words and whole numbers, in small letters.

    Words that end in "'s" are no values: the form holds this ending, for names and for "it's" alike. An article is a
    word of its own.
    """

    name: ClassVar[str] = "WORD"
    packages: ClassVar[tuple[str, ...]] = ("wordfreq",)
    articles: ClassVar[bool] = False
    default: ClassVar[str] = "thing"

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the only domain."""
        return ("word",)

    def listed(self, grain: str) -> Phrases:
        """Return the most common words, without the offensive ones."""
        return _listed()

    def grain_of(self, phrase: str) -> str:
        """Return the only grain."""
        return "word"


@lru_cache(maxsize=1)
def _listed() -> Phrases:
    return clean((word for word in words() if not word.endswith("'s")), _WANTED)
