"""GROUP: nationalities and peoples, beliefs, and languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import regex

from sfumato.abstract.kind import Form, Reading
from sfumato.kinds.phrases.embedded import Phrases, clean
from sfumato.kinds.phrases.phrase import Phrase
from sfumato.language.en.people import CONVICTIONS, MORE_BELIEFS, MORE_NATIONS, NATIONS, PEOPLES, RELIGIONS

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
        """Return the domains."""
        return ("nationality", "belief", "language")

    def listed(self, grain: str) -> Phrases:
        """Return the names of ``grain``, each in one domain only."""
        return _listed()[grain]

    def grain_of(self, phrase: str) -> str:
        """Return "belief" if ``phrase`` ends as a word for believers does, or "nationality"."""
        return "belief" if phrase.lower().endswith(("ist", "ism", "ity", "witness", "believer")) else "nationality"

    def read(self, text: str) -> Reading | None:
        """Return the group and the word behind it."""
        beside = _BESIDE.search(text[-20:])
        if beside is not None and len(text) < 200 and super().recognises(text[: -len(beside.group())]):
            return _with(super().read(text[: -len(beside.group())]), beside.group())
        return _with(super().read(text), "")

    def write(self, value: str, form: Form) -> str:
        """Return the group, and the word behind it."""
        return super().write(value, Form(form.grain, form.style[:-1])) + form.style[-1]

    def public_form(self, grain: str) -> Form:
        """Return the form without an article and without a word behind the group."""
        return Form(grain, (*super().public_form(grain).style, ""))

    def recognises(self, text: str) -> bool:
        """Return whether a list holds ``text``; "polish" and "green" in small letters are other words."""
        reading = self.read(text)
        if reading is None or (text.islower() and reading.value in _OTHER_WORDS):
            return False
        return reading.form.style[-1] != "" or super().recognises(text)


def _with(reading: Reading | None, beside: str) -> Reading | None:
    if reading is None:
        return None
    return Reading(reading.value, Form(reading.form.grain, (*reading.form.style, beside)))


@lru_cache(maxsize=1)
def _listed() -> dict[str, Phrases]:
    peoples = [name for name in PEOPLES if name not in CONVICTIONS]
    nations = clean((Group.default, *MORE_NATIONS, *NATIONS, *peoples))
    beliefs = clean((*RELIGIONS, *CONVICTIONS, *MORE_BELIEFS))
    taken = {*nations.tokens, *beliefs.tokens}
    return {
        "nationality": nations,
        "belief": beliefs,
        "language": clean(name for name in languages() if name not in taken),
    }


def languages() -> Iterator[str]:
    """Yield the living languages with a code of two letters (pycountry), by alphabet."""
    import pycountry

    listed = [language for language in pycountry.languages if hasattr(language, "alpha_2")]
    yield from sorted(re.sub(r" \(.*", "", language.name) for language in listed if language.type == "L")
