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
from sfumato.kinds.numbers.figures import FigureKind, chosen, figure_of, grids_up_to, reading_of, written_figure
from sfumato.kinds.numbers.grid import Grid
from sfumato.language.languages import language_of
from sfumato.language.numbers import DIGITS, FIGURE, Numbers
from sfumato.language.patterns import FLAGS, GAP, filled, matched, pattern_of

_SMALL = 20
_SMALL_GRAINS = {"count": range(_SMALL + 1), "rank": range(1, _SMALL + 1)}
_PLAIN, _SCALED = grids_up_to(above=_SMALL), grids_up_to(999)


@lru_cache(maxsize=8)
def shapes(code: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for ordinals and for numbers in the language ``code``."""
    numbers = language_of(code).numbers
    figure = rf"(?P<number>{FIGURE}|{numbers.spelling.pattern})"
    number = rf"{figure}(?:(?:{GAP})?(?P<scale>{numbers.scale}|{numbers.short_scale}))?"
    ordinal = numbers.hedges + numbers.ordinals.pattern
    return re.compile(ordinal, FLAGS), re.compile(numbers.hedges + number, FLAGS)


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
        ordinal, number = shapes(self.language)
        match = matched(text, (ordinal,))
        if match is not None:
            return self._ordinal(match)
        match, numbers = matched(text, (number,)), self._numbers
        if match is None:
            return None
        if match["scale"]:
            return reading_of(match, _SCALED, {"scale": numbers.scale_field(match["scale"])}, numbers)
        small = _small_count(match["number"], numbers)
        if small is None or small[0] > _SMALL:
            return reading_of(match, _PLAIN, {}, numbers)
        return Reading(
            str(small[0]), Form("count", (numbers.apart(pattern_of(match, {"number": "number"})), small[1]))
        )

    def _ordinal(self, match: re.Match[str]) -> Reading | None:
        """Return the number of an ordinal in figures or words, or None."""
        numbers = self._numbers
        said = numbers.ordinals.read(match)
        if said is None:
            return None
        cardinal, pattern = said[0], numbers.apart(said[1])
        small = _small_count(cardinal, numbers)
        if small is not None and small[0] in _SMALL_GRAINS["rank"]:
            return Reading(str(small[0]), Form("rank", (pattern, small[1])))
        figure = figure_of(
            cardinal, lambda digits, decimals: None if decimals else chosen(_PLAIN, digits, 0), numbers
        )
        return None if figure is None else Reading(figure.value, Form(figure.grid.name, (pattern, figure.notation)))

    def write(self, value: str, form: Form) -> str:
        """Return the number ``value`` as it is written in ``form``."""
        pattern, notation = form.style
        numbers = self._numbers
        figure = value if notation == DIGITS else written_figure(value, notation, numbers)
        fields = {"number": figure}
        if "{number}" not in pattern:
            fields |= numbers.ordinals.fields(int(value), figure, notation)
        return numbers.joined(filled(pattern, fields, is_one=numbers.is_one(value)))

    @property
    def surrogate(self) -> Reading:
        """Return 10."""
        return Reading("10", self.public_form("count"))

    def public_form(self, grain: str) -> Form:
        """Return the form of "22", "1,234.5", "1.2 million", "8" or "3rd"."""
        if grain in _SMALL_GRAINS:
            return Form(grain, (self._numbers.ordinals.public if grain == "rank" else "{number}", DIGITS))
        scale = self._numbers.million if grain in {grid.name for grid in _SCALED} else ""
        return Form(grain, (f"{{number}}{scale}", self.public_notation(grain)))


def _small_count(text: str, numbers: Numbers) -> tuple[int, str] | None:
    return numbers.count_of(text) if numbers.counts.fullmatch(text) else None


@lru_cache(maxsize=2)
def _small(grain: str) -> Vocabulary:
    numbers = _SMALL_GRAINS[grain]
    vectors = np.log(np.maximum(np.array(numbers, dtype=np.float64), 0.5))[:, None]
    return Vocabulary(
        tuple(map(str, numbers)), vectors, f"the {grain}s up to {_SMALL}, by their logarithms (sfumato)"
    )
