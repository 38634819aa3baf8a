"""What MONEY, QUANTITY and NUMBER share: a number on a grid, inside a pattern."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.kinds.figures import figure_of, written_figure
from sfumato.kinds.grid import MOST_DECIMALS, MOST_DIGITS, Grid
from sfumato.language.patterns import filled, pattern_of


def grids_up_to(most: int | None = None, above: int = 0) -> tuple[Grid, ...]:
    """Return the grids of one range, the finest first.

    Without ``most``, numbers go up to 10^12, and those of four digits, whose grids are the largest, up to a billion.
    Whole numbers of one or two digits lie above ``above``, which is at most 100.
    """
    grids = (
        Grid(digits, decimals, most or (10**9 if digits == 4 else 10**12), above * (decimals == 0 and digits < 3))
        for digits in range(MOST_DIGITS, 0, -1)
        for decimals in range(MOST_DECIMALS, -1, -1)
    )
    return tuple(grid for grid in grids if 10 ** (grid.digits - 1) + 2 <= grid.most * 10**grid.decimals)


class FigureKind(Kind):
    """A kind whose values are numbers on grids and whose distance is the absolute log ratio.

    The grid and everything around the number are part of the form: a currency or a unit stays. A number keeps its
    significant digits, its decimals, and whether it is in figures or words (see :mod:`sfumato.kinds.grid` and
    :mod:`sfumato.kinds.figures`). Zero and negative numbers have no logarithm, and are not readable.
    """

    unit: ClassVar[str] = "e-fold"
    cuts: ClassVar[str] = (
        "one for each unit, number of significant digits and of decimals, and range: up to 20, up to 100, above"
    )

    @property
    @abstractmethod
    def grids(self) -> Sequence[Grid]:
        """Return the grids of the domains, the finest first."""

    @property
    def grains(self) -> Sequence[str]:
        """Return the names of the domains, the finest first."""
        return tuple(grid.name for grid in self.grids)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the numbers of ``grain``."""
        return _domain(next(grid for grid in self.grids if grid.name == grain))

    def write(self, value: str, form: Form) -> str:
        """Return the number ``value`` as it is written in ``form``."""
        pattern, notation = form.style
        return filled(pattern, {"number": written_figure(value, notation)}, is_one=value == "1")

    def public_notation(self, grain: str) -> str:
        """Return the notation "1,234.5", or "1,234" for a grain of whole numbers."""
        return "1,234.5" if "decimal" in grain else "1,234"


def reading_of(match: re.Match[str], grids: Sequence[Grid], fields: Mapping[str, str | None]) -> Reading | None:
    """Return what a match with the group "number" says, on one of the ``grids``; None where a field is None."""
    figure = figure_of(match["number"], lambda digits, decimals: chosen(tuple(grids), digits, decimals))
    if figure is None or None in fields.values():
        return None
    pattern = pattern_of(match, {"number": "number"} | {group: str(field) for group, field in fields.items()})
    return Reading(figure.value, Form(figure.grid.name, (pattern, figure.notation)))


@lru_cache(maxsize=1024)
def chosen(grids: tuple[Grid, ...], digits: int, decimals: int) -> Grid | None:
    """Return the grid for so many significant digits and decimals, or None."""
    return next((grid for grid in grids if (grid.digits, grid.decimals) == (digits, decimals)), None)


@lru_cache(maxsize=256)  # more than there are: a grid takes a tenth of a second
def _domain(grid: Grid) -> Vocabulary:
    return grid.vocabulary()
