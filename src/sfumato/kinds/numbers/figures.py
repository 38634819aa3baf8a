"""Numbers as they are written: in figures, with a decimal point or comma and groups of three, or in words.

A form can hold every number of its grid, so what only some numbers show is not kept:

* Groups of three show from 1,000 on. They are kept where every number of the grid has four digits before the point.
  Elsewhere there is a comma between them, or a blank if the decimals follow a comma: "2200" becomes "2,200", and
  "6412" stays.
* "1,234" is a whole number, and so three decimals always follow a point. "0,125" becomes "0.125".
* Figures begin with a digit: ".5" becomes "0.5".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sfumato.kinds.grid import MOST_DECIMALS, Grid, significant_digits, token_of
from sfumato.language.en.numbers import WORDS, number_of, spelled
from sfumato.language.letter_case import cased, in_case_of
from sfumato.language.patterns import matched

_GROUP = r"[,.'’ \u00a0\u202f]"
_INNER = r"[0-9.,'’ \u00a0\u202f]"
FIGURE = rf"(?:[0-9]{_INNER}{{0,40}}[0-9]|\.?[0-9])"
"""A pattern for what may be figures."""

NUMBER = rf"(?:{FIGURE}|{WORDS})"
"""A pattern for what may be a number in figures or words."""

_WRITTEN = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<whole>[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]*)(?:(?P<point>\.)(?P<part>[0-9]+))?",
        rf"(?P<whole>[1-9][0-9]{{0,2}}(?P<group>(?!,){_GROUP})[0-9]{{3}}(?:(?P=group)[0-9]{{3}})*)(?:(?P<point>,)(?P<part>[0-9]+))?",
        r"(?P<whole>[1-9][0-9]{0,2}(?P<group>(?![,.])[^0-9])[0-9]{3}(?:(?P=group)[0-9]{3})*)(?P<point>\.)(?P<part>[0-9]+)",
        r"(?P<whole>[0-9]+)(?P<point>,)(?P<part>[0-9]+)",
    )
)
"""Figures in English, and on the continent of Europe, the first that fits; a single group after a dot is decimals."""


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


def figure_of(text: str, grid_of: GridOf) -> Figure | None:
    """Return the number that ``text`` is, on one of the grids, or None."""
    if not any(sign in "0123456789" for sign in text):
        number, words = number_of(text), in_case_of("words", text)
        placed = _placed(number or 0, 0, grid_of)
        return None if placed is None or words is None else Figure(*placed, words)
    match = matched(text, _WRITTEN)
    parts = {} if match is None else match.groupdict("")
    part, whole = parts.get("part", ""), re.sub("[^0-9]", "", parts.get("whole", ""))
    if match is None or len(part) > MOST_DECIMALS or (whole.startswith("0") and len(whole) > 1):
        return None
    placed = _placed(int(whole + part), len(part), grid_of)
    if placed is None:
        return None
    group = parts.get("group") or ("," if "," in parts["whole"] else "")
    return Figure(*placed, _notation(placed[1], group, "." if len(part) == 3 else parts["point"]))


def _placed(number: int, decimals: int, grid_of: GridOf) -> tuple[str, Grid] | None:
    """Return ``number``, in units of its last decimal, as a token of its grid; None where no grid reaches it."""
    grid = grid_of(significant_digits(number), decimals) if number else None
    if grid is None or not grid.above * 10**decimals < number <= grid.most * 10**decimals:
        return None
    return token_of(grid.nearest(number), decimals), grid


def _notation(grid: Grid, group: str, point: str) -> str:
    """Return the notation of figures with ``group`` between thousands, where every number of ``grid`` shows it."""
    if not grid.shows_thousands or group == (point or "."):
        group = " " if point == "," else ","
    return f"1{group}234{point}{'5' if point else ''}"


def written_figure(value: str, notation: str) -> str:
    """Return the token ``value`` in ``notation``."""
    if notation.lower() == "words":
        return cased(spelled(int(value)), notation)
    group, point = notation[1 : notation.index("234")], notation.partition("234")[2][:1]
    whole, _, part = value.partition(".")
    return f"{int(whole):,}".replace(",", group) + point + part
