"""QUANTITY: numbers with a unit. The distance is the absolute log ratio, and the unit is part of the form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from sfumato.abstract.kind import Form, Reading
from sfumato.kinds.numbers.figures import FigureKind, grids_up_to, reading_of
from sfumato.kinds.numbers.grid import Grid
from sfumato.language.languages import language_of
from sfumato.language.numbers import BESIDE, FIGURE
from sfumato.language.patterns import FLAGS, GAP, matched
from sfumato.language.units import SYMBOL

_PLAIN, _SCALED, _SHARES = grids_up_to(), grids_up_to(999), grids_up_to(100)


@lru_cache(maxsize=8)
def shapes(code: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns for quantities in the language ``code``."""
    language = language_of(code)
    numbers, units = language.numbers, language.units
    figure = rf"(?P<number>{FIGURE}|{numbers.spelling.pattern})"
    number = rf"{figure}(?:{GAP}(?P<scale>{numbers.scale}){numbers.scale_of})?"
    return tuple(
        re.compile(rf"{numbers.hedges}{shape}", FLAGS)
        for shape in (
            rf"{figure}(?:{GAP})?(?P<share>{units.share})",
            rf"{number}(?:{GAP}|-)?{SYMBOL}",
            rf"{number}{BESIDE}{units.before}(?P<unit>{units.nouns.pattern})",
            rf"{number}-{units.nouns.singular_pattern}",
        )
    )


@dataclass(frozen=True)
class Quantity(FigureKind):
    """Read and write quantities.

    Percentages have grids of their own, up to 100. A name agrees with the drawn figure ("1 mile", "2 miles"). Two
    figures ("120/80 mmHg", "5-10 mg") are not readable.
    """

    name: ClassVar[str] = "QUANTITY"

    @property
    def grids(self) -> Sequence[Grid]:
        """Return the grids of the domains, the finest first."""
        return _PLAIN + _SCALED + _SHARES

    def read(self, text: str) -> Reading | None:
        """Return the quantity that ``text`` is, or None."""
        match = matched(text, shapes(self.language))
        if match is None:
            return None
        groups, numbers = match.groupdict(), self._numbers
        if groups.get("share"):
            return reading_of(match, _SHARES, {}, numbers)
        if groups.get("scale"):
            return reading_of(match, _SCALED, {"scale": numbers.scale_field(groups["scale"])}, numbers)
        nouns, unit = language_of(self.language).units.nouns, groups.get("unit")
        fields = {"number": nouns.number_field(unit), "unit": nouns.agreeing(unit)} if unit else {}
        return reading_of(match, _PLAIN, fields, numbers)

    @property
    def surrogate(self) -> Reading:
        """Return 10 units."""
        return Reading("10", self.public_form(_PLAIN[-1].name))

    def public_form(self, grain: str) -> Form:
        """Return the form of "10 units", of "1.2 million units", or of "80 %"."""
        units = language_of(self.language).units
        pattern = units.public
        if grain in {grid.name for grid in _SCALED}:
            pattern = units.public_scaled
        elif grain in {grid.name for grid in _SHARES}:
            pattern = units.public_share
        return Form(grain, (pattern, self.public_notation(grain)))
