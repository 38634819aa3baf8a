"""NUMBER: numbers without a unit, in figures and words, and ordinals. The distance is the absolute log ratio.

Small counts (0 to 20) and ranks (1st to 20th) have grains of their own. On the grid of one digit, "five children"
could become "three hundred children" and never "eleven". The distance of small counts is the log ratio too, so that
one ε means the same for every NUMBER. Zero has no logarithm; it counts as one half.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from sfumato.abstract.kind import Form, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.kinds.numbers.counts import COUNT, DIGITS, count_of
from sfumato.kinds.numbers.figures import (
    FIGURE,
    NUMBER,
    FigureKind,
    chosen,
    figure_of,
    grids_up_to,
    reading_of,
    written_figure,
)
from sfumato.kinds.numbers.grid import Grid
from sfumato.language.en.numbers import (
    HEDGES,
    ORDINAL_WORDS,
    SCALE,
    number_of_ordinal,
    spelled,
    spelled_ordinal,
    suffix_of,
)
from sfumato.language.letter_case import cased, in_case_of
from sfumato.language.patterns import FLAGS, GAP, filled, matched, pattern_of

_SMALL = 20
_SMALL_GRAINS = {"count": range(_SMALL + 1), "rank": range(1, _SMALL + 1)}
_PLAIN, _SCALED = grids_up_to(above=_SMALL), grids_up_to(999)
_SCALE = rf"(?P<scale>(?:{GAP})?(?:{SCALE}|bn|mn))"
_NUMBER = re.compile(rf"{HEDGES}(?P<number>{NUMBER})(?:{_SCALE})?", FLAGS)
_COUNT = re.compile(COUNT, FLAGS)
_ORDINAL = re.compile(rf"{HEDGES}(?P<ordinal>(?P<number>{FIGURE})(?P<suffix>st|nd|rd|th)|{ORDINAL_WORDS})", FLAGS)


@dataclass(frozen=True)
class Number(FigureKind):
    """Read and write numbers.

    The "million" of "1.2 million" is part of the form, and its figures go up to 999. "Two million" is the number in
    words. An ordinal keeps agreeing with the drawn number: "21st", "third".
    """

    name: ClassVar[str] = "NUMBER"

    @property
    def grids(self) -> Sequence[Grid]:
        """Return the grids of the larger numbers, the finest first."""
        return _PLAIN + _SCALED

    @property
    def grains(self) -> Sequence[str]:
        """Return the names of the domains, the finest first."""
        return (*super().grains, *_SMALL_GRAINS)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the numbers of ``grain``."""
        return _small(grain) if grain in _SMALL_GRAINS else super().vocabulary(grain)

    def read(self, text: str) -> Reading | None:
        """Return the number that ``text`` is, or None."""
        match = matched(text, (_ORDINAL,))
        if match is not None:
            return _ordinal(match)
        match = matched(text, (_NUMBER,))
        if match is None or match["scale"]:
            return None if match is None else reading_of(match, _SCALED, {})
        small = count_of(match["number"]) if _COUNT.fullmatch(match["number"]) else None
        if small is None or small[0] > _SMALL:
            return reading_of(match, _PLAIN, {})
        return Reading(str(small[0]), Form("count", (pattern_of(match, {"number": "number"}), small[1])))

    def write(self, value: str, form: Form) -> str:
        """Return the number ``value`` as it is written in ``form``."""
        pattern, notation = form.style
        figure = value if notation == DIGITS else written_figure(value, notation)
        fields = {"number": figure}
        if "{number}" not in pattern:
            number = int(value)
            suffix = suffix_of(number)
            fields = {"ordinal": figure + suffix, "ORDINAL": figure + suffix.upper()}
            if notation.lower() == "words":
                fields["ordinal"] = cased(spelled_ordinal(number), notation)
        return filled(pattern, fields)

    @property
    def surrogate(self) -> Reading:
        """Return 10."""
        return Reading("10", self.public_form("count"))

    def public_form(self, grain: str) -> Form:
        """Return the form of "22", "1,234.5", "1.2 million", "8" or "3rd"."""
        if grain in _SMALL_GRAINS:
            return Form(grain, ("{ordinal}" if grain == "rank" else "{number}", DIGITS))
        scale = " million" if grain in {grid.name for grid in _SCALED} else ""
        return Form(grain, (f"{{number}}{scale}", self.public_notation(grain)))


def _ordinal(match: re.Match[str]) -> Reading | None:
    """Return the number of an ordinal in figures or words, or None."""
    cardinal = _cardinal_in_words(match["ordinal"]) if match["suffix"] is None else _cardinal_in_figures(match)
    if cardinal is None:
        return None
    field = "ORDINAL" if match["suffix"] and match["suffix"].isupper() else "ordinal"
    pattern = pattern_of(match, {"ordinal": field})
    small = count_of(cardinal) if _COUNT.fullmatch(cardinal) else None
    if small is not None and small[0] in _SMALL_GRAINS["rank"]:
        return Reading(str(small[0]), Form("rank", (pattern, small[1])))
    figure = figure_of(cardinal, lambda digits, decimals: None if decimals else chosen(_PLAIN, digits, 0))
    return None if figure is None else Reading(figure.value, Form(figure.grid.name, (pattern, figure.notation)))


def _cardinal_in_words(words: str) -> str | None:
    """Return "Three" for "Third"; None for words that are the ordinal of nothing."""
    number, notation = number_of_ordinal(words), in_case_of("words", words)
    return None if number is None or notation is None else cased(spelled(number), notation)


def _cardinal_in_figures(match: re.Match[str]) -> str | None:
    """Return "3" for "3rd"; None where the letters are not those of the number."""
    suffix = suffix_of(int(re.sub("[^0-9]", "", match["number"])[-2:]))
    return match["number"] if match["suffix"] in (suffix, suffix.upper()) else None


@lru_cache(maxsize=2)
def _small(grain: str) -> Vocabulary:
    numbers = _SMALL_GRAINS[grain]
    vectors = np.log(np.maximum(np.array(numbers, dtype=np.float64), 0.5))[:, None]
    return Vocabulary(
        tuple(map(str, numbers)), vectors, f"the {grain}s up to {_SMALL}, by their logarithms (sfumato)"
    )
