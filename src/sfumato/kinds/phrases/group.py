"""GROUP: nationalities and peoples, beliefs, and languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import regex

from sfumato.abstract.kind import Form, Reading
from sfumato.kinds.phrases.embedded import Phrases, clean
from sfumato.kinds.phrases.phrase import Meaning, Phrase
from sfumato.language.en.people import CONVICTIONS, MORE_BELIEFS, MORE_NATIONS, NATIONS, PEOPLES, RELIGIONS
from sfumato.language.languages import ENGLISH, language_of
from sfumato.language.letter_case import case_key

NATIONS_GRAIN, BELIEFS, LANGUAGES_GRAIN, ADJECTIVES = "nationality", "belief", "language", "adjective"
_LONGEST = 200
_WOMEN = " of a woman"
_OTHER_WORDS = frozenset((*CONVICTIONS, "Polish", "Secular", "Orthodox", "Pagan", "Ewe", "Roma", "Lao"))
_BESIDE = regex.compile(
    r"(?:(?<=\S) (?:nationals?|citizens?|nationality|citizenship|origin|descent|man|men|woman|women|people|speakers?)"
    r"|-(?:born|speaking))$"
)
"""Words behind the name of a group, which stay."""


@dataclass(frozen=True)
class Group(Phrase):
    """What people belong to: a nation or people, a religion or conviction, or those who speak a language.

    A word that names a nation and its language ("French") is a nationality. A form holds the word behind the group as
    well ("Polish national", "Jamaican-born"). It holds no plural, because "Swiss" and "Chinese" have none of their
    own: "the Germans" becomes "the Swiss" or "the Polish".
    """

    name: ClassVar[str] = "GROUP"
    packages: ClassVar[tuple[str, ...]] = ("pycountry",)
    proper: ClassVar[bool] = True
    plurals: ClassVar[bool] = True
    keeps_number: ClassVar[bool] = False
    default: ClassVar[str] = "European"

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the domains; a language may have words for women, and adjectives, in domains of their own."""
        return tuple(_listed(self.language))

    def listed(self, grain: str) -> Phrases:
        """Return the names of ``grain``, each in one domain only."""
        return _listed(self.language)[grain]

    def gender_of(self, value: str, grain: str) -> str:
        """Return "f" for a word for women, or "m"."""
        return "f" if grain.endswith(_WOMEN) else "m"

    def grain_of(self, phrase: str) -> str:
        """Return "belief" if ``phrase`` ends as an English word for believers does, or "nationality"."""
        if self.language != ENGLISH.code:
            return NATIONS_GRAIN
        return "belief" if phrase.lower().endswith(("ist", "ism", "ity", "witness", "believer")) else "nationality"

    def read(self, text: str) -> Reading | None:
        """Return the group and the word behind it, or the ending of an adjective."""
        if self.language != ENGLISH.code:
            plain = " ".join(text[:_LONGEST].split())
            noun = (
                None if plain.islower() else self._listed_meaning(plain)
            )  # "Deutsche" is a noun, "deutsche" is none
            adjective = None if noun or len(text) > _LONGEST else self._adjective(plain)
            return adjective or _with(super().read(text), "")
        beside = _BESIDE.search(text[-20:])
        if beside is not None and len(text) < 200 and super().recognises(text[: -len(beside.group())]):
            return _with(super().read(text[: -len(beside.group())]), beside.group())
        return _with(super().read(text), "")

    def _adjective(self, text: str) -> Reading | None:
        """Return the adjective that ``text`` consists of, with its ending in the form."""
        own = language_of(self.language).peoples
        for ending in ("", *own.endings) if ADJECTIVES in self.grains else ():
            value = text.lower().removesuffix(ending)
            if len(value) + len(ending) == len(text) and value in _adjectives(self.language):
                return Reading(value, Form(ADJECTIVES, ("", "", ending, "")))
        return None

    def _listed_meaning(self, phrase: str) -> Meaning | None:
        meaning = super()._listed_meaning(phrase)
        if meaning or self.language == ENGLISH.code:
            return meaning
        own, key = language_of(self.language).peoples, phrase.casefold()
        other = own.nations.others.get(key) or own.beliefs.others.get(key)
        return None if other is None else super()._listed_meaning(other)

    def write(self, value: str, form: Form) -> str:
        """Return the group, and the word behind it or the ending of an adjective."""
        if form.grain == ADJECTIVES:
            return value + form.style[2]
        return super().write(value, Form(form.grain, form.style[:-1])) + form.style[-1]

    def public_form(self, grain: str) -> Form:
        """Return the form without an article and without a word behind the group."""
        return Form(grain, (*super().public_form(grain).style, ""))

    def recognises(self, text: str) -> bool:
        """Return whether a list holds ``text``; "polish" and "green" in small letters are other words."""
        reading = self.read(text)
        if reading is None or (text.islower() and self.language == ENGLISH.code and reading.value in _OTHER_WORDS):
            return False
        if reading.form.grain == ADJECTIVES:
            return True
        return reading.form.style[-1] != "" or super().recognises(text)


def _with(reading: Reading | None, beside: str) -> Reading | None:
    if reading is None:
        return None
    return Reading(reading.value, Form(reading.form.grain, (*reading.form.style, beside)))


@lru_cache(maxsize=16)
def _listed(language: str) -> dict[str, Phrases]:
    rows = _english() if language == ENGLISH.code else _rows(language)
    made: dict[str, Phrases] = {}
    taken: set[str] = set()
    for grain, names in rows.items():
        own = clean(name for name in names if case_key(name) not in taken)
        taken.update(map(case_key, own.tokens))
        made |= {grain: own} if own.tokens else {}
    return made


def _english() -> dict[str, Iterable[str]]:
    peoples = [name for name in PEOPLES if name not in CONVICTIONS]
    nations, beliefs = (*MORE_NATIONS, *NATIONS, *peoples), (*RELIGIONS, *CONVICTIONS, *MORE_BELIEFS)
    return {NATIONS_GRAIN: (Group.default, *nations), BELIEFS: beliefs, LANGUAGES_GRAIN: languages()}


def _rows(language: str) -> dict[str, Iterable[str]]:
    own = language_of(language).peoples
    first = (own.default,) if own.default else ()
    return {
        NATIONS_GRAIN: (*first, *own.nations.all), f"{NATIONS_GRAIN}{_WOMEN}": own.nations.women,
        BELIEFS: own.beliefs.all, f"{BELIEFS}{_WOMEN}": own.beliefs.women,
        ADJECTIVES: own.adjectives, LANGUAGES_GRAIN: languages(language),
    }  # fmt: skip


@lru_cache(maxsize=16)
def _adjectives(language: str) -> frozenset[str]:
    return frozenset(_listed(language)[ADJECTIVES].tokens)


def languages(language: str = ENGLISH.code) -> Iterator[str]:
    """Yield what a ``language`` calls the living languages with a code of two letters (pycountry), by alphabet."""
    import pycountry

    listed = [own for own in pycountry.languages if hasattr(own, "alpha_2") and own.type == "L"]
    if language == ENGLISH.code:
        names = [str(own.name) for own in listed]
    else:
        from babel import Locale

        called = Locale(language).languages
        names = [str(called[own.alpha_2]) for own in listed if own.alpha_2 in called]
    yield from sorted(re.sub(r" \(.*", "", name) for name in names)
