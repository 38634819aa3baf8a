"""Numbers as they are written: in figures, with a decimal point or comma and groups of three, or in words.

MONEY, QUANTITY and NUMBER share this: a number on a grid, inside a pattern.

The decimal sign is that of the language; what follows is said of English, and is turned round where it is a comma.
A form can hold every number of its grid, so what only some numbers show is not kept:

* Groups of three show from 1,000 on. They are kept where every number of the grid has four digits before the point.
  Elsewhere there is a comma between them, or a blank if the decimals follow a comma: "2200" becomes "2,200", and
  "6412" stays.
* "1,234" is a whole number, and so three decimals always follow a point. "0,125" becomes "0.125".
* Figures begin with a digit: ".5" becomes "0.5".
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.kinds.numbers.grid import MOST_DECIMALS, MOST_DIGITS, Grid, significant_digits, token_of
from sfumato.language.languages import language_of
from sfumato.language.numbers import Numbers, number_fields
from sfumato.language.patterns import filled, matched, pattern_of
from sfumato.options.option import Part


@dataclass(frozen=True)
class Figure:
    """A number of a grid, as a token, and the notation that it is written in.

    The notation of figures is a sample, "1,234.5" or "1 234". Of words it is the field "words" in their case.
    """

    value: str
    grid: Grid
    notation: str


GridOf = Callable[[int, int], Grid | None]
"""The grid of a kind for so many significant digits and decimals, or None where it has none."""


def figure_of(text: str, grid_of: GridOf, numbers: Numbers) -> Figure | None:
    """Return the number that ``text`` is, on one of the grids, or None."""
    if not any(sign in "0123456789" for sign in text):
        said = numbers.spelling.read(text)
        placed = None if said is None else _placed(said[0], 0, grid_of)
        return None if placed is None or said is None else Figure(*placed, said[1])
    match = matched(text, numbers.figures)
    parts = {} if match is None else match.groupdict("")
    part, whole = parts.get("part", ""), re.sub("[^0-9]", "", parts.get("whole", ""))
    if match is None or len(part) > MOST_DECIMALS or (whole.startswith("0") and len(whole) > 1):
        return None
    placed = _placed(int(whole + part), len(part), grid_of)
    if placed is None:
        return None
    group = parts.get("group") or next((sign for sign in ",." if sign in parts["whole"]), "")
    return Figure(*placed, _notation(placed[1], group, numbers.point if len(part) == 3 else parts["point"], numbers))


def _placed(number: int, decimals: int, grid_of: GridOf) -> tuple[str, Grid] | None:
    """Return ``number``, in units of its last decimal, as a token of its grid; None where no grid reaches it."""
    grid = grid_of(significant_digits(number), decimals) if number else None
    if grid is None or not grid.above * 10**decimals < number <= grid.most * 10**decimals:
        return None
    return token_of(grid.nearest(number), decimals), grid


def _notation(grid: Grid, group: str, point: str, numbers: Numbers) -> str:
    """Return the notation of figures with ``group`` between thousands, where every number of ``grid`` shows it."""
    if not grid.shows_thousands or group == (point or numbers.point):
        group = numbers.group if point in ("", numbers.point) else " "
    return f"1{group}234{point}{'5' if point else ''}"


def written_figure(value: str, notation: str, numbers: Numbers, agrees_with: str = "") -> str:
    """Return the token ``value`` in ``notation``."""
    if notation.lower() == "words":
        return numbers.spelling.write(int(value), notation, agrees_with)
    group, point = notation[1 : notation.index("234")], notation.partition("234")[2][:1]
    whole, _, part = value.partition(".")
    return f"{int(whole):,}".replace(",", group) + point + part


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


@dataclass(frozen=True)
class FigureKind(Kind):
    """A kind whose values are numbers on grids and whose distance is the absolute log ratio.

    The grid and everything around the number are part of the form: a currency or a unit stays. A number keeps its
    significant digits, its decimals, and whether it is in figures or words (see :mod:`sfumato.kinds.numbers.grid`).
    Zero and negative numbers have no logarithm, and are not readable.

    Attributes:
        language: The code of the language that numbers are written in.
    """

    unit: ClassVar[str] = "e-fold"
    cuts: ClassVar[str] = (
        "one for each unit, number of significant digits and of decimals, and range: up to 20, up to 100, above"
    )

    language: Annotated[str, Part("the code of the language that numbers are written in")] = "en"

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

    @property
    def _numbers(self) -> Numbers:
        return language_of(self.language).numbers

    def write(self, value: str, form: Form) -> str:
        """Return the number ``value`` as it is written in ``form``."""
        pattern, notation = form.style
        numbers = self._numbers
        fields = {
            name: written_figure(value, notation, numbers, noun) for name, noun in number_fields(pattern).items()
        }
        return numbers.joined(filled(pattern, fields, is_one=numbers.is_one(value)))

    def public_notation(self, grain: str) -> str:
        """Return the notation "1,234.5", or "1,234" for a grain of whole numbers."""
        numbers = self._numbers
        return f"1{numbers.group}234{numbers.point}5" if "decimal" in grain else f"1{numbers.group}234"


def reading_of(
    match: re.Match[str], grids: Sequence[Grid], fields: Mapping[str, str | None], numbers: Numbers
) -> Reading | None:
    """Return what a match with the group "number" says, on one of the ``grids``; None where a field is None.

    A field that is "" stays as it is.
    """
    figure = figure_of(match["number"], lambda digits, decimals: chosen(tuple(grids), digits, decimals), numbers)
    if figure is None or None in fields.values() or (match["number"][-1] in "'’" and "number" not in fields):
        return None
    of_words = fields if figure.notation.lower() == "words" else {}
    kept = {group: field for group, field in fields.items() if field and group != "number"}
    pattern = numbers.apart(pattern_of(match, {"number": of_words.get("number") or "number", **kept}))
    return Reading(figure.value, Form(figure.grid.name, (pattern, figure.notation)))


@lru_cache(maxsize=1024)
def chosen(grids: tuple[Grid, ...], digits: int, decimals: int) -> Grid | None:
    """Return the grid for so many significant digits and decimals, or None."""
    return next((grid for grid in grids if (grid.digits, grid.decimals) == (digits, decimals)), None)


@lru_cache(maxsize=256)  # more than there are: a grid takes a tenth of a second
def _domain(grid: Grid) -> Vocabulary:
    return grid.vocabulary()
