"""Nouns that a number counts, with their plurals: they agree with the number that is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sfumato.language.letter_case import in_case_of
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

    def singular(self, text: str) -> str:
        """Return the singular of the noun ``text``, which may be possessive, in lower case."""
        noun = text.lower()
        for quote in _QUOTES:
            noun = noun.partition(quote)[0]
        return self.singulars[noun]
