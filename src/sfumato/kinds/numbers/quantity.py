"""QUANTITY: numbers with a unit. The distance is the absolute log ratio, and the unit is part of the form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.abstract.kind import Form, Reading
from sfumato.kinds.numbers.figures import NUMBER, FigureKind, grids_up_to, reading_of
from sfumato.kinds.numbers.grid import Grid
from sfumato.language.en.numbers import HEDGES, SCALE
from sfumato.language.en.units import BEFORE_UNIT, SYMBOL, UNITS
from sfumato.language.patterns import FLAGS, GAP, matched

_PLAIN, _SCALED, _SHARES = grids_up_to(), grids_up_to(999), grids_up_to(100)
_NUMBER = rf"(?P<number>{NUMBER})(?P<scale>{GAP}{SCALE})?"
_SHARE = rf"(?:%|per{GAP}cent|percent|percentage{GAP}points)"
_SHAPES = tuple(
    re.compile(rf"{HEDGES}{shape}", FLAGS)
    for shape in (
        rf"(?P<number>{NUMBER})(?:{GAP})?(?P<share>{_SHARE})",
        rf"{_NUMBER}(?:{GAP}|-)?{SYMBOL}",
        rf"{_NUMBER}{GAP}(?:{BEFORE_UNIT}{GAP})?(?P<unit>{UNITS.pattern})",
        rf"{_NUMBER}-{UNITS.singular_pattern}",
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
        match = matched(text, _SHAPES)
        if match is None:
            return None
        groups = match.groupdict()
        if groups.get("share"):
            return reading_of(match, _SHARES, {})
        if groups.get("scale"):
            return reading_of(match, _SCALED, {})
        return reading_of(match, _PLAIN, {"unit": UNITS.agreeing(groups["unit"])} if groups.get("unit") else {})

    @property
    def surrogate(self) -> Reading:
        """Return 10 units."""
        return Reading("10", self.public_form(_PLAIN[-1].name))

    def public_form(self, grain: str) -> Form:
        """Return the form of "10 units", of "1.2 million units", or of "80 %"."""
        pattern = "{number} {unit|units}"
        if grain in {grid.name for grid in _SCALED}:
            pattern = "{number} million units"
        elif grain in {grid.name for grid in _SHARES}:
            pattern = "{number} %"
        return Form(grain, (pattern, self.public_notation(grain)))
