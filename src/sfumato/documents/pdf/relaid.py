"""A content stream with edits, written in one form: each text has its own place and state, whatever was there.

The operators of the old stream that place text, or set how it looks, are left out. What is written sets them again
where they matter. So neither their number nor their operands show what was removed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from sfumato.documents.pdf.aligned import Placed, rounded
from sfumato.documents.pdf.composed import Composed, Segment
from sfumato.documents.pdf.glyphs import SHOWING, Glyph, Matrix, Run
from sfumato.documents.pdf.operators import PAINTING
from sfumato.documents.pdf.reader import FILLS, STROKES, UNIT, matrix_of, product

_PLACING = frozenset(("Td", "TD", "Tm", "T*", "TL", "Tf", "Tc", "Tw", "Tz", "Ts", "Tr"))
_BEGINNING = frozenset(("m", "re", "sh", "Do", "INLINE IMAGE"))
_DRAWING = PAINTING | SHOWING | {"sh", "Do", "INLINE IMAGE"}
_ROOTED = _BEGINNING | {"W", "W*"}
_MARKING = frozenset(("BDC", "BMC", "EMC", "MP", "DP"))
_MOST_NUMBERS = 1024
_BOUNDS = {"Q": "q", "ET": "BT"}
Text = tuple[str, float, float, float, float, float, int]
"""The font and its size; what widens letters and spaces; the scale, the lift and the mode."""


class Step(NamedTuple):
    """An instruction that is new: its operator and its operands, which are known to be right."""

    operator: str
    operands: list[Any]


@dataclass(frozen=True)
class _State:
    """What the written stream has set: the matrix, the state of text, and the colours to fill and to stroke.

    ``wanted`` are the instructions that set the colours of the old stream, and ``said`` is how they are spelled.
    """

    matrix: Matrix = UNIT
    inverse: Matrix = UNIT
    text: Text = ("", 0.0, 0.0, 0.0, 1.0, 0.0, 0)
    colours: tuple[str, str] = ("", "")
    wanted: tuple[tuple[Any, ...], tuple[Any, ...]] = ((), ())
    said: tuple[str, str] = ("", "")


@dataclass
class Relaid:
    """Writes a content stream.

    Attributes:
        runs: The operators that show text, by their indexes.
        moved: The glyphs that are not written where they were.
        lines: The lines that are set again, with their places.
    """

    runs: Mapping[int, Run]
    moved: set[Glyph]
    lines: Sequence[tuple[Composed, Placed]]
    out: list[Any] = field(default_factory=list)
    _state: _State = field(default_factory=_State)
    _stack: list[_State] = field(default_factory=list)
    _behind: tuple[int, int] = (0, 0)

    def written(self, instructions: Sequence[tuple[int, Any]]) -> list[Any]:
        """Return the operators, given those of the old stream with their indexes."""
        starts = dict[Glyph, list[tuple[Segment, Composed, Placed]]]()
        for composed, placed in self.lines:
            for segment in composed.segments:
                starts.setdefault(segment.at, []).append((segment, composed, placed))
        folded = _folded([str(each.operator) for _, each in instructions])
        for number, (at, instruction) in enumerate(instructions):
            operator = str(instruction.operator)
            if operator in SHOWING:
                if at in self.runs:
                    self._shows(self.runs[at], starts)
            elif number not in folded:
                self._other(operator, instruction)
        return pruned(self.out)

    def _other(self, operator: str, instruction: Any) -> None:
        state = self._state
        if operator in _PLACING:
            return
        if operator in FILLS | STROKES:
            at = 0 if operator in FILLS else 1
            kept = state.wanted[at][:1] if operator.lower() in ("sc", "scn") else ()
            new = (*kept, instruction)
            wanted = (new, state.wanted[1]) if at == 0 else (state.wanted[0], new)
            said = tuple(" ".join(map(_said, each)) for each in wanted)
            self._state = replace(state, wanted=wanted, said=(said[0], said[1]))
            return
        if operator == "q":
            self._stack.append(state)
        elif operator == "Q" and self._stack:
            self._state = self._stack.pop()
        elif operator == "cm":
            matrix = product(matrix_of(instruction.operands), state.matrix)
            self._state = replace(state, matrix=matrix, inverse=_inverse(matrix))
        elif operator in _BEGINNING:
            self._colour()
        self.out.append(instruction)

    def _colour(self) -> None:
        """Set the colours that what follows has."""
        state = self._state
        if state.said == state.colours:
            return
        for at in (0, 1):
            if state.said[at] != state.colours[at]:
                self.out.extend(state.wanted[at])
        self._state = replace(state, colours=state.said)

    def _shows(self, run: Run, starts: Mapping[Glyph, list[tuple[Segment, Composed, Placed]]]) -> None:
        """Write what remains of an operator where it was, and the parts of edited lines that start at its glyphs."""
        kept, first = list[bytes | float](), None
        moved, behind = self.moved, (run.block, round(run.base))
        for part in run.parts:
            if isinstance(part, Glyph) and part in moved:
                if first is not None:
                    self._kept(run, first, kept)
                    kept, first = [], None
                self._behind = behind
                for segment, composed, placed in starts.get(part, ()):
                    self._segment(segment, composed, placed)
            elif isinstance(part, Glyph):
                first = first or part
                kept.append(part.raw)
            elif first is not None:
                kept.append(part)
        if first is not None:
            self._kept(run, first, kept)

    def _kept(self, run: Run, first: Glyph, parts: list[bytes | float]) -> None:
        while isinstance(parts[-1], float):
            parts.pop()
        x, y = (0.0, first.x) if run.font.vertical else (first.x, 0.0)
        a, b, c, d, e, f = run.matrix if not run.font.vertical else _turned(run.matrix)
        a, b, c, d, e, f = product((1.0, 0.0, 0.0, 1.0, x, y - run.lift), (a, b, c, d, e, f))
        if self._behind == (run.block, round(run.base)):  # it may be moved from where an old text ended
            along, (ax, ay) = e * run.along[0] + f * run.along[1], run.along
            e, f = e + (rounded(along) - along) * ax, f + (rounded(along) - along) * ay
        place = (a, b, c, d, e, f)
        self._show(place, (run.name, run.size, run.spacing, run.wording, run.scale, run.lift, run.mode), parts)

    def _segment(self, segment: Segment, composed: Composed, placed: Placed) -> None:
        style, run, line = segment.style, segment.run, composed.edited.line.run
        along, across = placed.start + segment.start * placed.factor, line.base + style.lift
        x = along * line.along[0] + across * line.across[0]
        y = along * line.along[1] + across * line.across[1]
        size = style.size if placed.smaller == 1 else math.floor(style.size * placed.smaller * 1000) / 1000
        self._show((*style.shape, x, y), (style.name, size, 0.0, 0.0, placed.narrower, 0.0, run.mode), segment.parts)

    def _show(self, place: Matrix, text: Text, parts: Sequence[bytes | float]) -> None:
        import pikepdf

        self._colour()
        old, put = self._state.text, self._put
        if text[:2] != old[:2]:
            put("Tf", pikepdf.Name(text[0]), decimal(text[1]))
        for at, operator in enumerate(("Tc", "Tw", "Tz", "Ts", "Tr"), 2):
            if text[at] != old[at]:
                put(operator, decimal(text[at] * (100 if operator == "Tz" else 1)))
        if text != old:
            self._state = replace(self._state, text=text)
        a, b, c, d, e, f = product(place, self._state.inverse)
        finer = 4 if max(map(abs, self._state.matrix[:4])) <= 10 else 6
        put("Tm", *(decimal(each, 6) for each in (a, b, c, d)), decimal(e, finer), decimal(f, finer))
        joined = list[bytes | float]()
        for part in parts:
            if isinstance(part, bytes) and joined and isinstance(joined[-1], bytes):
                joined[-1] += part
            else:
                joined.append(part)
        if len(joined) == 1 and isinstance(joined[0], bytes):
            put("Tj", pikepdf.String(joined[0]))
        else:
            rows = [pikepdf.String(each) if isinstance(each, bytes) else decimal(each, 2) for each in joined]
            put("TJ", pikepdf.Array(rows))

    def _put(self, name: str, *operands: Any) -> None:
        self.out.append(Step(name, list(operands)))


def _folded(operators: Sequence[str]) -> set[int]:
    """Return which matrices move text alone: each text gets them with its place."""
    found, open_, levels = set[int](), list[tuple[int, int]](), 0
    for number, operator in enumerate(operators):
        if operator == "q":
            levels += 1
        elif operator == "Q":
            found.update(at for at, level in open_ if level >= levels > 0)
            open_ = [row for row in open_ if row[1] < levels or levels <= 0]
            levels = max(levels - 1, 0)
        elif operator == "cm":
            open_.append((number, levels))
        elif operator in _ROOTED:
            open_ = []
    return found | {at for at, _ in open_}


def pruned(instructions: Sequence[Any]) -> list[Any]:
    """Return ``instructions`` without text objects that show nothing, and states in which nothing is drawn."""
    rows: list[tuple[str, list[Any], bool]] = [("", [], False)]
    for instruction in instructions:
        operator = str(instruction.operator)
        if operator in _BOUNDS.values():
            rows.append((operator, [instruction], False))
        elif operator in _BOUNDS:
            kind, inside, draws = rows.pop()
            if kind != _BOUNDS[operator]:
                return list(instructions)
            above, whole, also = rows.pop()
            if draws:
                whole += [*inside, instruction]
            else:
                whole += [each for each in inside[1:] if operator == "ET" or str(each.operator) in _MARKING]
            rows.append((above, whole, also or draws))
        else:
            kind, inside, draws = rows[-1]
            inside.append(instruction)
            rows[-1] = (kind, inside, draws or operator in _DRAWING)
    return [each for _, inside, _ in rows for each in inside]


@lru_cache(_MOST_NUMBERS)
def decimal(number: Any, digits: int = 4) -> Any:
    """Return ``number`` as a file holds it."""
    rounded = round(number, digits)
    return int(rounded) if rounded == int(rounded) else Decimal(f"{rounded:.{digits}f}".rstrip("0"))


def _said(instruction: Any) -> str:
    return " ".join([*map(str, instruction.operands), str(instruction.operator)])


def _turned(matrix: Matrix) -> Matrix:
    """Return the matrix of vertical text, of which the reader exchanges the axes."""
    a, b, c, d, e, f = matrix
    return c, d, a, b, e, f


def _inverse(matrix: Matrix) -> Matrix:
    a, b, c, d, e, f = matrix
    whole = a * d - b * c
    if not whole:
        return UNIT
    a, b, c, d = d / whole, -b / whole, -c / whole, a / whole
    return a, b, c, d, -(e * a + f * c), -(e * b + f * d)
