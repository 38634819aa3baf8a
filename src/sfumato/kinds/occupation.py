"""OCCUPATION: what people do for a living."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import regex

from sfumato.kinds.embedded import Phrases, clean
from sfumato.kinds.occupations import occupations
from sfumato.kinds.phrase import Phrase
from sfumato.kinds.workers import WORKERS

_DOES = regex.compile(
    r"(?i)\p{L}{2,}(?:ologist|iatrist|grapher|keeper|maker|worker|wright|smith|monger|master|mistress|driver|dresser)$"
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
        """Return whether a list holds ``text``, or its last word is one for a worker: "retired tram driver"."""
        if super().recognises(text):
            return True
        reading = self.read(text)
        last = "" if reading is None else reading.value.rpartition(" ")[2]
        return last.lower() in WORKERS or _DOES.match(last) is not None


@lru_cache(maxsize=1)
def _listed() -> Phrases:
    return clean((Occupation.default, *occupations()))
