"""What is drawn under or behind a line of text: lines under it, strokes through it, marks behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.pdf.glyphs import Matrix
from sfumato.documents.pdf.lines import Line
from sfumato.documents.pdf.operators import PAINTING
from sfumato.documents.pdf.reader import UNIT, matrix_of, product

_POINTS = frozenset(("m", "l", "c", "v", "y"))
_BELOW, _ABOVE, _ASIDE, _HIGHEST = 0.36, 1.15, 1.0, 1.6
"""How far a shape reaches below and above the base of the line that it belongs to, how far beyond its ends, and how
high it is at most, in sizes of its letters."""
Point = tuple[float, float]


@dataclass
class _Path:
    """The parts of one path: the indexes of their operators, and their corners on the page."""

    parts: list[tuple[list[int], list[Point]]] = field(default_factory=list)
    clips: bool = False


def drawn_with(lines: Sequence[Line], instructions: Sequence[Any]) -> set[int]:
    """Return the indexes of operators that draw what belongs to one of ``lines``, and nothing else."""
    gone = set[int]()
    for path, at in _paths(instructions):
        own = [indexes for indexes, corners in path.parts if any(_belongs(corners, line) for line in lines)]
        if path.clips or not own:
            continue
        gone.update(index for indexes in own for index in indexes)
        if len(own) == len(path.parts):
            gone.add(at)
    return gone


def _paths(instructions: Sequence[Any]) -> Iterator[tuple[_Path, int]]:
    """Yield each path that is painted, with the index of what paints it."""
    matrix, stack, path = UNIT, list[Matrix](), _Path()
    for at, instruction in enumerate(instructions):
        operator = str(instruction.operator)
        if operator == "q":
            stack.append(matrix)
        elif operator == "Q":
            matrix = stack.pop() if stack else matrix
        elif operator == "cm":
            matrix = product(matrix_of(instruction.operands), matrix)
        elif operator == "re":
            x, y, width, height = map(float, instruction.operands)
            corners = [(x, y), (x + width, y), (x, y + height), (x + width, y + height)]
            path.parts.append(([at], _moved(corners, matrix)))
        elif operator in _POINTS:
            numbers = [float(each) for each in instruction.operands]
            if operator == "m" or not path.parts:
                path.parts.append(([], []))
            indexes, points = path.parts[-1]
            indexes.append(at)
            points.extend(_moved(zip(numbers[::2], numbers[1::2], strict=True), matrix))
        elif operator == "h" and path.parts:
            path.parts[-1][0].append(at)
        elif operator in ("W", "W*"):
            path.clips = True
        elif operator in PAINTING or operator == "n":
            if operator != "n":
                yield path, at
            path = _Path()


def _moved(points: Iterable[Point], matrix: Matrix) -> list[Point]:
    a, b, c, d, e, f = matrix
    return [(a * x + c * y + e, b * x + d * y + f) for x, y in points]


def _belongs(points: Sequence[Point], line: Line) -> bool:
    run, (start, end) = line.run, line.visible
    places = [x * run.along[0] + y * run.along[1] for x, y in points]
    heights = [x * run.across[0] + y * run.across[1] - run.base for x, y in points]
    low, high = min(heights, default=0.0), max(heights, default=0.0)
    return (
        bool(points)
        and high - low <= _HIGHEST * run.em
        and -_ABOVE * run.em <= low
        and high <= _BELOW * run.em
        and start - _ASIDE * run.em <= min(places)
        and (max(places) <= end + _ASIDE * run.em or abs(min(places) - end) <= _ASIDE * run.em)
    )
