"""OCCUPATION: what people do for a living."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import regex

from sfumato.kinds.embedded import Phrases, clean
from sfumato.kinds.occupations import occupations
from sfumato.kinds.phrase import Phrase

_BEHIND = regex.compile(r" (?:of|in|to|at|for|with) ")
_TOO_LONG = regex.compile(r"\d|(?: \S+){6}")
_NO_PEOPLE = frozenset(["crew", "public", "model", "hand", "chief", "body", "emeritus"])
_DOES = regex.compile(
    r"(?i)\p{L}{2,}(?:ologist|iatrist|grapher|keeper|maker|worker|wright|smith|monger|master|mistress|driver|dresser"
    r"|practitioner|player|seller|dealer|repairer|trainer|helper|carer)$"
)
"""Endings of words for workers. "-man" is not among them: "German", "Norman"."""


@dataclass(frozen=True)
class Occupation(Phrase):
    """Occupations, in the singular and in small letters."""

    name: ClassVar[str] = "OCCUPATION"
    packages: ClassVar[tuple[str, ...]] = ("faker",)
    plurals: ClassVar[bool] = True
    default: ClassVar[str] = "office clerk"

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the only domain."""
        return ("occupation",)

    def listed(self, grain: str) -> Phrases:
        """Return occupations."""
        return _listed()

    def grain_of(self, phrase: str) -> str:
        """Return the only grain."""
        return "occupation"

    def recognises(self, text: str) -> bool:
        """Return whether a list holds ``text``, or its noun is one for a worker: "retired tram driver"."""
        if super().recognises(text):
            return True
        reading = self.read(text)
        noun = "" if reading is None or _TOO_LONG.search(reading.value) else _noun(reading.value)
        return noun in _nouns() or _DOES.match(noun) is not None


def _noun(phrase: str) -> str:
    """Return the last word, or the one before "of" and the like, in small letters: "Minister of Defence"."""
    return str(_BEHIND.split(phrase, maxsplit=1)[0]).rpartition(" ")[2].lower()


@lru_cache(maxsize=1)
def _nouns() -> frozenset[str]:
    return frozenset(_noun(phrase) for phrase in _listed().tokens) - _NO_PEOPLE


@lru_cache(maxsize=1)
def _listed() -> Phrases:
    return clean((Occupation.default, *occupations()))
