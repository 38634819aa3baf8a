"""OCCUPATION: what people do for a living, by words for workers, everyday jobs, and the cleaned list of faker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import regex

from sfumato.kinds.phrases.embedded import Phrases, clean
from sfumato.kinds.phrases.phrase import Meaning, Phrase
from sfumato.language.en.people import EVERYDAY_JOBS, WORKERS
from sfumato.language.languages import ENGLISH, language_of
from sfumato.language.sexed import Sexed

_BEHIND = regex.compile(r" (?:of|in|to|at|for|with) ")
_TOO_LONG = regex.compile(r"\d|(?: \S+){6}")
_NO_PEOPLE = frozenset(["crew", "public", "model", "hand", "chief", "body", "emeritus"])
_CUT_SHORT = frozenset(
    ["copy", "land", "make", "sub", "best boy", "press sub", "publishing copy", "gaffer", "dealer"]
)
_NAMES = ("IT ", "TEFL ", "English ", "Civil Service ", "Diplomatic Services ")
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
        """Return the domains: one of all occupations, and one of words for women alone where there are many."""
        return tuple(_listed(self.language))

    def listed(self, grain: str) -> Phrases:
        """Return occupations."""
        return _listed(self.language)[grain]

    def grain_of(self, phrase: str) -> str:
        """Return the domain of a ``phrase`` that is on no list: that of women if its word ends as theirs alone do."""
        return WOMEN if language_of(self.language).work.is_womans(phrase) else ALL

    def gender_of(self, value: str, grain: str) -> str:
        """Return "f" for a word for women, or "m"."""
        return "f" if grain == WOMEN else "m"

    def _listed_meaning(self, phrase: str) -> Meaning | None:
        meaning = super()._listed_meaning(phrase)
        other = None if meaning or self.language == ENGLISH.code else _pairs(self.language).others.get(phrase.lower())
        return meaning if other is None else Meaning(other, ALL, "")

    def recognises(self, text: str) -> bool:
        """Return whether a list holds ``text``, or its noun is one for a worker: "retired tram driver"."""
        if super().recognises(text):
            return True
        if self.language != ENGLISH.code:
            return language_of(self.language).works(text)
        reading = self.read(text)
        noun = "" if reading is None or _TOO_LONG.search(reading.value) else _noun(reading.value)
        return noun in _nouns() or _DOES.match(noun) is not None


ALL, WOMEN = "occupation", "occupation of a woman"


def _noun(phrase: str) -> str:
    """Return the last word, or the one before "of" and the like, in small letters: "Minister of Defence"."""
    return str(_BEHIND.split(phrase, maxsplit=1)[0]).rpartition(" ")[2].lower()


@lru_cache(maxsize=1)
def _nouns() -> frozenset[str]:
    return frozenset(_noun(phrase) for phrase in _listed(ENGLISH.code)[ALL].tokens) - _NO_PEOPLE


@lru_cache(maxsize=16)
def _listed(language: str) -> dict[str, Phrases]:
    if language == ENGLISH.code:
        return {ALL: clean((Occupation.default, *_occupations()))}
    own = _pairs(language)
    return {ALL: clean(own.all)} | ({WOMEN: clean(own.women)} if own.women else {})


def _pairs(language: str) -> Sexed:
    return language_of(language).occupations


def _occupations() -> Iterator[str]:
    """Yield occupations in small letters, except for names in them."""
    yield from EVERYDAY_JOBS
    yield from (word.replace("-", " ") for word in WORKERS)
    yield from _listed_by_faker()


def _listed_by_faker() -> Iterator[str]:
    """Yield faker's jobs; "Engineer, civil (consulting)" and what a slash parts are listed in another way as well."""
    from faker.providers.job import Provider

    for job in Provider.jobs:
        last, comma, first = job.partition(", ")
        plain = job if not comma else f"{first} {last[:1].lower()}{last[1:]}"
        if any(sign in plain for sign in ",/()") or (comma and not _is_adjective(first)):
            continue
        plain = plain if plain.startswith(_NAMES) else plain[:1].lower() + plain[1:]
        plain = plain.lower() if plain.startswith(("chief ", "associate ", "professor ")) else plain
        if plain not in _CUT_SHORT:
            yield plain


def _is_adjective(text: str) -> bool:
    return text.islower() and " " not in text and text not in ("nature", "local", "land")
