"""Nouns that agree with a number: "1 week", "2 weeks"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from sfumato.language.accents import any_accents, plain
from sfumato.language.letter_case import capitalised, in_case_of
from sfumato.language.patterns import choice

_QUOTES = ("'", "’")


@dataclass(frozen=True, eq=False)
class Nouns:
    """A closed list of nouns.

    Attributes:
        plurals: Singulars and their plurals, in lower case.
        others: Further plurals and their singulars. They are read, and the plural of ``plurals`` is written.
    """

    plurals: Mapping[str, str]
    others: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def singulars(self) -> Mapping[str, str]:
        """Return the singular of each noun, singular or plural."""
        return {
            **self.others,
            **{plural: noun for noun, plural in self.plurals.items()},
            **{n: n for n in self.plurals},
        }

    @cached_property
    def pattern(self) -> str:
        """Return a pattern for a noun, singular or plural."""
        return rf"{choice(self.singulars)}(?![a-z])"

    @cached_property
    def singular_pattern(self) -> str:
        """Return a pattern for a noun in the singular, as in "two-week"."""
        return rf"{choice(self.plurals)}(?![a-z])"

    def agreeing(self, text: str) -> str | None:
        """Return the field "week|weeks" of a noun in the case of ``text``; None where that has no single case.

        "Weeks'" is the possessive "week's|weeks'".
        """
        quote = next((quote for quote in _QUOTES if quote in text), "")
        singular = self.singular(text)
        forms = (singular + (f"{quote}s" if quote else ""), self.plurals[singular] + quote)
        cased = [in_case_of(form, text) for form in forms]
        return None if None in cased else "|".join(map(str, cased))

    def number_field(self, text: str) -> str:
        """Return the field of a number in words before the noun ``text``, which says what it agrees with."""
        return "number"

    def find(self, text: str) -> str | None:
        """Return the singular of the noun ``text``, or None."""
        return self.singulars.get(text.lower())

    def singular(self, text: str) -> str:
        """Return the singular of the noun ``text``, which may be possessive, in lower case."""
        noun = text.lower()
        for quote in _QUOTES:
            noun = noun.partition(quote)[0]
        return self.singulars[noun]


class Noun(NamedTuple):
    """A noun: what a number in words agrees with before it, its forms, and its plural in the dative."""

    gender: str
    singular: str
    plural: str
    dative: str


@dataclass(frozen=True, eq=False)
class AgreeingNouns(Nouns):
    """Nouns of several genders, which are found in any case, and without their accents.

    Attributes:
        nouns: The nouns. Of two with one form the first counts.
    """

    nouns: tuple[Noun, ...] = ()

    @cached_property
    def _by_form(self) -> Mapping[str, Noun]:
        return {plain(form): noun for noun in reversed(self.nouns) for form in noun[1:]}

    @cached_property
    def pattern(self) -> str:
        """Return a pattern for a noun, singular or plural."""
        return any_accents(choice(form for noun in self.nouns for form in noun[1:])) + _NO_LETTER

    @cached_property
    def singular_pattern(self) -> str:
        """Return a pattern for a noun in the singular."""
        return any_accents(choice(noun.singular for noun in self.nouns)) + _NO_LETTER

    def noun(self, text: str) -> Noun | None:
        """Return the noun that ``text`` is, in any case, or None."""
        return self._by_form.get(plain(text))

    def find(self, text: str) -> str | None:
        """Return the singular of the noun ``text``, or None."""
        noun = self.noun(text)
        return None if noun is None else noun.singular

    def agreeing(self, text: str, is_dative: bool = False) -> str | None:
        """Return the field "Woche|Wochen" of a noun, in the case of ``text``; "" for a noun of one form, or None."""
        noun = self.noun(text)
        if noun is None:
            return None
        forms = (noun.singular, noun.dative if is_dative else noun.plural)
        if forms[0] == forms[1]:
            return ""
        if text == text.lower():
            return "|".join(map(str.lower, forms))
        return "|".join(map(str.upper if text == text.upper() else capitalised, forms))

    def number_field(self, text: str) -> str:
        """Return the field of a number in words before the noun ``text``, which says what it agrees with."""
        noun = self.noun(text)
        return f"number {noun.gender}" if noun is not None and noun.gender else "number"


_NO_LETTER = "(?![a-z\u00e0-\u00f6\u00f8-\u00ff])"


def nouns_of(genders: Mapping[str, str]) -> AgreeingNouns:
    """Return the nouns of lists by gender, "Woche:Wochen Meter", parted by blanks or semicolons.

    A noun without a colon is alike in the plural. A third form is the plural in the dative.
    """
    nouns = []
    for gender, words in genders.items():
        for word in re.split(r"[;\s]+", words.strip()):
            singular, *rest = word.split(":")
            plural = rest[0] if rest else singular
            nouns.append(Noun(gender, singular, plural, rest[1] if rest[1:] else plural))
    return AgreeingNouns({noun.singular: noun.plural for noun in nouns}, nouns=tuple(nouns))
