"""ORGANIZATION: courts, ministries, hospitals, schools, firms, clubs and other institutions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, Literal

from sfumato.errors import ConfigurationError
from sfumato.kinds.phrases.embedded import Phrases, clean
from sfumato.kinds.phrases.institutions import genders, institutions, sector_of, sectors
from sfumato.kinds.phrases.phrase import Meaning, Phrase
from sfumato.kinds.places.geonames import NAME as GEONAMES
from sfumato.language.languages import ENGLISH, language_of
from sfumato.options.option import Option

_WANTED, _TURNS = 6_500, 145


@dataclass(frozen=True)
class Organization(Phrase):
    """Institutions. The values are made of kinds of institution and places by rule; none needs to exist.

    With ``sectors`` "apart", hospitals, other care, courts, police and law, schools, culture, authorities, inns and
    firms are domains of their own: the sector of each stays visible, and a hospital becomes a hospital.
    """

    sectors: Annotated[
        Literal["one", "apart"], Option("apart: a hospital becomes a hospital and a court a court, which shows")
    ] = "one"
    name: ClassVar[str] = "ORGANIZATION"
    packages: ClassVar[tuple[str, ...]] = (GEONAMES,)
    proper: ClassVar[bool] = True
    default: ClassVar[str] = "London General Hospital"

    def __post_init__(self) -> None:
        if self.sectors not in ("one", "apart"):
            raise ConfigurationError("The sectors of organizations are one or apart.")

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the domains: one of all institutions, or one of each sector."""
        return ("organization",) if self.sectors == "one" else sectors(self.language)

    def listed(self, grain: str) -> Phrases:
        """Return institutions, without those whose names begin with an article."""
        names = _listed(self.language)
        if self.sectors == "one":
            return names if grain == "organization" else names._replace(tokens=())
        return names._replace(tokens=_by_sector(self.language).get(grain, ()))

    def grain_of(self, phrase: str) -> str:
        """Return the only grain, or the sector of ``phrase``."""
        return "organization" if self.sectors == "one" else sector_of(phrase, self.language)

    def _listed_meaning(self, phrase: str) -> Meaning | None:
        meaning = super()._listed_meaning(phrase)
        return None if meaning is None else meaning._replace(grain=self.grain_of(meaning.value))

    def gender_of(self, value: str, grain: str) -> str:
        """Return the grammatical gender of ``value``, which its kind of institution gives."""
        return "" if self.language == ENGLISH.code else genders(self.language).get(value, "")

    def recognises(self, text: str) -> bool:
        """Return whether a list holds ``text``, or it ends in a word for an institution: "Halloway Park Hotel".

        In other languages than English the word may also begin it: "Klinikum am Halmberg".
        """
        if super().recognises(text):
            return True
        plain = text.strip()
        first, last = plain[:40].partition(" ")[0].lower(), plain[-40:].rstrip(". ").rpartition(" ")[2].lower()
        words = (last,) if self.language == ENGLISH.code else (first, last)
        names = language_of(self.language).institutions.names(words)
        return names and " " in plain and plain[0].isupper()


@lru_cache(maxsize=16)
def _listed(language: str) -> Phrases:
    further = language_of(language).institutions.of_people
    names = (name for name in institutions(_TURNS, further, language) if not name.startswith(("The ", "A ")))
    first = (Organization.default,) if language == ENGLISH.code else ()
    return clean((*first, *names), _WANTED)


@lru_cache(maxsize=16)
def _by_sector(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the institutions of each sector."""
    names: dict[str, list[str]] = {}
    for name in _listed(language).tokens:
        names.setdefault(sector_of(name, language), []).append(name)
    return {sector: tuple(own) for sector, own in names.items()}
