"""MONEY: amounts with a currency. The distance is the absolute log ratio, and the currency is part of the form."""

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
from sfumato.language.patterns import FLAGS, GAP, SIGN, matched
from sfumato.language.units import code_pattern

_PLAIN, _SCALED = grids_up_to(), grids_up_to(999)


@lru_cache(maxsize=8)
def shapes(code: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns for amounts in the language ``code``; the last one is for figures alone."""
    language = language_of(code)
    numbers, money = language.numbers, language.money
    codes, names = code_pattern(), money.names().pattern
    sign, hedges = rf"(?:{SIGN}|{codes}(?![a-z\u00c0-\u024f]))", numbers.hedges
    scale = rf"(?:{GAP})?(?P<scale>{numbers.scale}|{money.short_scale})(?![a-z]){numbers.scale_of}"
    number = rf"(?P<number>{FIGURE}|{numbers.spelling.pattern}){money.even}(?:{scale})?"
    return tuple(
        re.compile(shape, FLAGS)
        for shape in (
            rf"{hedges}{sign}(?:{GAP})?{number}(?:(?:{GAP})?{codes})?{money.rate}",
            rf"{hedges}{number}(?:{GAP})?{sign}{money.rate}",
            rf"{hedges}{number}{BESIDE}{money.before}(?P<name>{names}){money.after}(?:{GAP}\({codes}\))?{money.rate}",
            rf"{hedges}(?P<number>{FIGURE}){money.even}(?:(?P<scale>(?!)))?",
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
        match = matched(text, shapes(self.language))
        if match is None:
            return None
        names, name = language_of(self.language).money.names(), match.groupdict().get("name")
        fields = {"number": names.number_field(name), "name": names.agreeing(name)} if name else {}
        if match["scale"]:
            kept = {"scale": self._numbers.scale_field(match["scale"])}
            return reading_of(match, _SCALED, kept, self._numbers)
        return reading_of(match, _PLAIN, fields, self._numbers)

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` is money even if no label says so: a figure alone may be anything."""
        return matched(text, shapes(self.language)[:-1]) is not None and self.read(text) is not None

    @property
    def surrogate(self) -> Reading:
        """Return €100."""
        return Reading("100", self.public_form(_PLAIN[-1].name))

    def public_form(self, grain: str) -> Form:
        """Return the form of "€6,412", or of "€1.2 million" for a grain of such figures."""
        money = language_of(self.language).money
        pattern = money.public_scaled if grain in {grid.name for grid in _SCALED} else money.public
        return Form(grain, (pattern, self.public_notation(grain)))
