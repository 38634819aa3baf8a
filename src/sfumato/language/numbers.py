"""How a language writes numbers: in figures and words, with "million" behind them, and as ordinals."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from sfumato.language.nouns import Nouns
from sfumato.language.patterns import FLAGS, GAP

DIGITS = "digits"
"""The notation of a count in figures. A count in words has the notation "words", "Words" or "WORDS"."""

FIGURE = r"(?:[0-9][0-9.,'’ \u00a0\u202f]{0,40}[0-9]|\.?[0-9])"
"""A pattern for what may be figures."""

BESIDE = rf"(?:{GAP}|(?<=['’]))"
"""A pattern for the gap between a number and its noun; none is behind an apostrophe."""

_FIGURES = re.compile(r"[0-9]+")
_BLANKS = r"'’ \u00a0\u202f"
_FIELD = re.compile(r"\{(number(?: ([a-z]+))?)\}")


class Spelling(Protocol):
    """Whole numbers in words."""

    @property
    def pattern(self) -> str:
        """Return a pattern for what may be a number in words."""

    def read(self, text: str) -> tuple[int, str] | None:
        """Return the number that ``text`` spells, and its notation, or None."""

    def write(self, number: int, notation: str, agrees_with: str = "") -> str:
        """Return ``number`` in words. ``agrees_with`` is what a field of a noun says."""


class OrdinalForms(Protocol):
    """Ordinals: "3rd", "third"."""

    @property
    def pattern(self) -> str:
        """Return a pattern for an ordinal: the group ``ordinal``, and in it the figures as the group ``number``."""

    def read(self, match: re.Match[str]) -> tuple[str, str] | None:
        """Return the cardinal of a match ("3", "Three") and the pattern of its text, or None if it is misspelled."""

    def fields(self, number: int, figure: str, notation: str) -> Mapping[str, str]:
        """Return the fields that such a pattern may have; ``figure`` is the number in its notation."""

    @property
    def public(self) -> str:
        """Return the pattern of the public form."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """How numbers are written.

    Attributes:
        spelling: Whole numbers in words.
        ordinals: Ordinals.
        point: The decimal sign: a point or a comma. The other one may be between groups of three.
        group: What is written between groups of three if a text shows none.
        hedges: A pattern for words that leave the number behind them as it is and the gap after them, or for nothing.
        scale: A pattern for a word behind figures that makes them larger: "million".
        short_scale: The same in short.
        scale_of: A pattern for what may be between such a word and a noun, with the gap before it: "of".
        scales: Those of these words that agree with their figures.
        million: What the public form has behind such figures.
        is_one: Whether a noun behind this figure, with a decimal point, is in the singular.
        joined: Joins a written number and the word behind it, where one of them loses a vowel: "un'ora".
        apart: Parts them again in a pattern, because another number loses none: "d'un an", "de deux ans".
    """

    spelling: Spelling
    ordinals: OrdinalForms
    point: str = "."
    group: str = ","
    hedges: str = ""
    scale: str = "(?!)"
    short_scale: str = "(?!)"
    scale_of: str = ""
    scales: Nouns | None = None
    million: str = " million"
    is_one: Callable[[str], bool] = lambda value: value == "1"
    joined: Callable[[str], str] = str
    apart: Callable[[str], str] = str

    @cached_property
    def figures(self) -> Sequence[re.Pattern[str]]:
        """Return patterns for figures, the first that fits: a single group behind the other sign is not decimals.

        Groups ``whole``, ``group`` (the sign between groups of three, if it is not the usual one), ``point``,
        ``part``.
        """
        point, usual = self.point, "," if self.point == "." else "."
        shapes = (
            rf"(?P<whole>[1-9][0-9]{{0,2}}(?:\{usual}[0-9]{{3}})+|[0-9]*)(?:(?P<point>\{point})(?P<part>[0-9]+))?",
            rf"(?P<whole>[1-9][0-9]{{0,2}}(?P<group>[{point}{_BLANKS}])[0-9]{{3}}(?:(?P=group)[0-9]{{3}})*)"
            rf"(?:(?P<point>{usual})(?P<part>[0-9]+))?",
            rf"(?P<whole>[1-9][0-9]{{0,2}}(?P<group>[{_BLANKS}])[0-9]{{3}}(?:(?P=group)[0-9]{{3}})*)"
            rf"(?P<point>\{point})(?P<part>[0-9]+)",
            rf"(?P<whole>[0-9]+)(?P<point>\{usual})(?P<part>[0-9]+)",
        )
        return tuple(map(re.compile, shapes))

    @cached_property
    def count(self) -> str:
        """Return a pattern for what may be a count: up to three figures without a zero before them, or words."""
        return rf"(?:(?:0|[1-9][0-9]{{0,2}})(?![0-9])|{self.spelling.pattern})"

    @cached_property
    def counts(self) -> re.Pattern[str]:
        """Return the same, compiled."""
        return re.compile(self.count, FLAGS)

    def count_of(self, text: str) -> tuple[int, str] | None:
        """Return the number and the notation of a ``text`` that :attr:`count` matches, or None."""
        return (int(text), DIGITS) if _FIGURES.fullmatch(text) else self.spelling.read(text)

    def counted(self, number: int, notation: str, agrees_with: str = "") -> str:
        """Return the count ``number`` in ``notation``."""
        return str(number) if notation == DIGITS else self.spelling.write(number, notation, agrees_with)

    def scale_field(self, text: str) -> str | None:
        """Return the field of a word that makes figures larger: "" if it stays, None if it is in no single case."""
        return "" if self.scales is None or self.scales.find(text) is None else self.scales.agreeing(text)


def number_fields(pattern: str) -> Mapping[str, str]:
    """Return the names of the fields of a number in ``pattern``, each with what the number agrees with."""
    return dict(_FIELD.findall(pattern))
