"""MONEY: amounts with a currency. The distance is the absolute log ratio, and the currency is part of the form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from sfumato.abstract.kind import Form, Reading
from sfumato.kinds.numbers.figures import FIGURE, NUMBER, FigureKind, grids_up_to, reading_of
from sfumato.kinds.numbers.grid import Grid
from sfumato.language.en.numbers import HEDGES, SCALE
from sfumato.language.en.units import COUNTRY, code_pattern, currency_names
from sfumato.language.patterns import FLAGS, GAP, SIGN, matched, one_of

_PLAIN, _SCALED = grids_up_to(), grids_up_to(999)
_SCALE = rf"(?:{GAP})?(?P<scale>{SCALE}|mln|mn|bn|tn|[kmb])(?![a-z])"
_PERIOD = one_of("hour|day|night|week|month|quarter|year|annum|person|head|share|unit|item")
_RATE = rf"(?:{GAP}(?:a|an|per|each|every){GAP}{_PERIOD}|/{_PERIOD})?"


@lru_cache(maxsize=1)
def _shapes() -> tuple[re.Pattern[str], ...]:
    code, names = code_pattern(), currency_names().pattern
    sign = rf"(?:{SIGN}|{code})"
    number = rf"(?P<number>{NUMBER})(?:{_SCALE})?"
    return tuple(
        re.compile(shape, FLAGS)
        for shape in (
            rf"{HEDGES}{sign}(?:{GAP})?{number}(?:(?:{GAP})?{code})?{_RATE}",
            rf"{HEDGES}{number}(?:{GAP})?{sign}{_RATE}",
            rf"{HEDGES}{number}{GAP}{COUNTRY}(?P<name>{names})(?:{GAP}sterling)?(?:{GAP}\({code}\))?{_RATE}",
            rf"{HEDGES}(?P<number>{FIGURE})(?:(?P<scale>(?!)))?",
        )
    )


@dataclass(frozen=True)
class Money(FigureKind):
    """Read and write amounts of money.

    The value is the figure that is written: the "million" of "$1.2 million" is part of the form, and its figures go
    up to 999. A name agrees with the drawn figure ("1 euro", "2 euros"), so "500 euro" becomes "500 euros".
    """

    name: ClassVar[str] = "MONEY"

    @property
    def grids(self) -> Sequence[Grid]:
        """Return the grids of the domains, the finest first."""
        return _PLAIN + _SCALED

    def read(self, text: str) -> Reading | None:
        """Return the amount that ``text`` is, or None."""
        match = matched(text, _shapes())
        if match is None:
            return None
        if match["scale"]:
            return reading_of(match, _SCALED, {})
        name = match.groupdict().get("name")
        return reading_of(match, _PLAIN, {"name": currency_names().agreeing(name)} if name else {})

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` is money even if no label says so: a figure alone may be anything."""
        return matched(text, _shapes()[:-1]) is not None and self.read(text) is not None

    @property
    def surrogate(self) -> Reading:
        """Return €100."""
        return Reading("100", self.public_form(_PLAIN[-1].name))

    def public_form(self, grain: str) -> Form:
        """Return the form of "€6,412", or of "€1.2 million" for a grain of such figures."""
        scale = " million" if grain in {grid.name for grid in _SCALED} else ""
        return Form(grain, (f"€{{number}}{scale}", self.public_notation(grain)))
