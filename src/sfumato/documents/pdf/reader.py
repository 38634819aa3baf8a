"""The reader of content streams: it follows the state of the graphics, and notes what is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.documents.pdf.clips import CURVED, ENDING, PATH, Box, Path
from sfumato.documents.pdf.fonts import Font
from sfumato.documents.pdf.glyphs import Drawn, Glyph, Marked, Matrix, Run, outside
from sfumato.documents.pdf.operators import INLINE
from sfumato.documents.pdf.streams import isa

UNIT: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_INVISIBLE = frozenset((3, 7))
_STROKING = frozenset((1, 2, 5, 6))
FILLS, STROKES = frozenset(("g", "rg", "k", "cs", "sc", "scn")), frozenset(("G", "RG", "K", "CS", "SC", "SCN"))


@dataclass(slots=True)
class _State:
    matrix: Matrix = UNIT
    font: Font | None = None
    name: str = ""
    size: float = 0.0
    scale: float = 1.0
    spacing: float = 0.0
    wording: float = 0.0
    leading: float = 0.0
    rise: float = 0.0
    mode: int = 0
    fill: tuple[str, ...] = ()
    stroke: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    clip: int = 0
    box: Box | None = None


_LOOKS = FILLS | STROKES | {"W", "W*", "gs"}
_FIELDS = tuple(_State.__slots__)


class Reader:
    """Reads the instructions of a content stream."""

    def __init__(
        self,
        resource: Callable[[str, str], Any],
        font: Callable[[Any], Font],
        hidden: Callable[[Any], bool],
        window: tuple[float, float, float, float] | None = None,
        off: bool = False,
    ) -> None:
        """Keep what finds a resource by category and name, loads a font, and knows hidden layers."""
        self._resource, self._font, self._is_hidden, self._window = resource, font, hidden, window
        self._off = off
        self.drawn = Drawn()
        self._state, self._stack = _State(), list[_State]()
        self._text, self._line = UNIT, UNIT
        self._block = 0
        self._path = Path()
        self._open = list[Marked]()

    def read(self, instructions: Sequence[Any]) -> Drawn:
        """Return what ``instructions`` draw."""
        steps: dict[str, Callable[[int, Any], None]] = {
            "q": self._save, "Q": self._restore, "cm": self._move, "BT": self._begin, "Tf": self._set_font,
            "gs": self._set_state, "Td": self._next, "TD": self._next_leading, "Tm": self._place, "T*": self._newline,
            "Tj": self._show, "TJ": self._show, "'": self._show_line, '"': self._show_spaced, "BMC": self._mark,
            "BDC": self._mark, "EMC": self._unmark, "MP": self._point, "DP": self._point, "Do": self._draw,
            "INLINE IMAGE": self._inline, "sh": self._shade, "cs": self._colour, "CS": self._colour,
            "scn": self._pattern, "SCN": self._pattern,
        }  # fmt: skip
        plain = {"Tc": "spacing", "Tw": "wording", "TL": "leading", "Ts": "rise"}
        for at, instruction in enumerate(instructions):
            operator = str(instruction.operator)
            if operator in _LOOKS:
                self._look(at, operator, instruction)
            if (step := steps.get(operator)) is not None:
                step(at, instruction)
            elif operator in plain:
                setattr(self._state, plain[operator], float(instruction.operands[0]))
            elif operator == "Tz":
                self._state.scale = float(instruction.operands[0]) / 100
            elif operator == "Tr":
                self._state.mode = int(instruction.operands[0])
            elif operator in PATH:
                self.drawn.curves += operator in CURVED
                self._path.add(operator, instruction.operands, self._state.matrix)
            elif operator in ENDING:
                self._state.box = self._path.end(self._state.box)
        return self.drawn

    def _look(self, at: int, operator: str, instruction: Any) -> None:
        """Note what changes how text looks."""
        said = " ".join([*map(str, instruction.operands), operator])
        if operator in ("W", "W*"):
            self._state.clip = at
        elif operator == "gs":
            self._state.other = (said,)
        else:
            name = "fill" if operator in FILLS else "stroke"
            space = getattr(self._state, name)[:1] if operator.lower() in ("sc", "scn") else ()
            setattr(self._state, name, (*space, said))

    def _save(self, at: int, instruction: Any) -> None:
        self._stack.append(_State(*(getattr(self._state, name) for name in _FIELDS)))

    def _restore(self, at: int, instruction: Any) -> None:
        if self._stack:
            self._state = self._stack.pop()

    def _move(self, at: int, instruction: Any) -> None:
        self._state.matrix = product(matrix_of(instruction.operands), self._state.matrix)

    def _begin(self, at: int, instruction: Any) -> None:
        self._text = self._line = UNIT
        self._block += 1

    def _set_font(self, at: int, instruction: Any) -> None:
        name, size = instruction.operands
        self._state.name, self._state.size = str(name), float(size)
        self.drawn.used.add(("/Font", str(name)))
        spec = self._resource("/Font", str(name))
        self._state.font = self._font(spec) if spec is not None else None

    def _set_state(self, at: int, instruction: Any) -> None:
        name = str(instruction.operands[0])
        self.drawn.used.add(("/ExtGState", name))
        found = self._resource("/ExtGState", name)
        font = found.get("/Font") if isa(found, "Dictionary") else None
        if isa(font, "Array") and len(font) == 2:
            self._state.font, self._state.size, self._state.name = self._font(font[0]), float(font[1]), ""

    def _next(self, at: int, instruction: Any) -> None:
        x, y = instruction.operands
        self._step(float(x), float(y))

    def _next_leading(self, at: int, instruction: Any) -> None:
        x, y = instruction.operands
        self._state.leading = -float(y)
        self._step(float(x), float(y))

    def _newline(self, at: int, instruction: Any) -> None:
        self._step(0.0, -self._state.leading)

    def _step(self, x: float, y: float) -> None:
        self._text = self._line = product((1.0, 0.0, 0.0, 1.0, x, y), self._line)

    def _place(self, at: int, instruction: Any) -> None:
        self._text = self._line = matrix_of(instruction.operands)

    def _show_line(self, at: int, instruction: Any) -> None:
        self._newline(at, instruction)
        self._show(at, instruction)

    def _show_spaced(self, at: int, instruction: Any) -> None:
        self._state.wording, self._state.spacing = float(instruction.operands[0]), float(instruction.operands[1])
        self._show_line(at, instruction)

    def _show(self, at: int, instruction: Any) -> None:
        state, shown = self._state, instruction.operands[-1]
        if state.font is None:
            raise ValueError("text without a font")
        run = self._run(at, state.font)
        x, (moves, lowers) = 0.0, (not state.font.vertical, state.font.vertical)
        stretch = state.scale if moves else 1.0
        for part in shown if isa(shown, "Array") else (shown,):
            if isa(part, "String"):
                x = self._add(run, bytes(part), x, stretch)
            else:
                x -= float(part) / 1000 * state.size * stretch
                run.parts.append(float(part))
        self._text = product((1.0, 0.0, 0.0, 1.0, x if moves else 0.0, x if lowers else 0.0), self._text)
        self._keep(run)

    def _add(self, run: Run, string: bytes, x: float, stretch: float) -> float:
        """Add the glyphs of a ``string`` from ``x`` on. Return where the next one starts."""
        size, spacing, wording = self._state.size, self._state.spacing, self._state.wording
        origin, unit, lowers, added = run.origin, run.unit, run.font.vertical, list[Glyph]()
        end, solid = origin + x * unit, not run.parts
        for raw, text, wide, lowered in run.font.codes(string):
            word = wording if raw == b" " else 0.0
            one, before = end, x
            x += ((lowered if lowers else wide) * size + spacing + word) * stretch
            end = origin + x * unit
            if one <= end:
                added.append(Glyph(run, raw, text, before, one, end))
            else:
                added.append(Glyph(run, raw, text, before, end, one))
                solid = False
        run.parts += added
        run.glyphs += added
        run.solid = solid
        if added:
            run.start = min(run.start, added[0].start if solid else min([glyph.start for glyph in added]))
            run.end = max(run.end, added[-1].end if solid else max([glyph.end for glyph in added]))
        return x

    def _keep(self, run: Run) -> None:
        if not run.glyphs:
            return
        for mark in self._open:
            mark.runs.append(run)
        if self._window is not None and not run.hidden:
            run.hidden = outside(run, self._window)
        self.drawn.runs.append(run)

    def _run(self, at: int, font: Font) -> Run:
        state = self._state
        a, b, c, d, e, f = product((1.0, 0.0, 0.0, 1.0, 0.0, state.rise), product(self._text, state.matrix))
        if font.vertical:
            a, b, c, d = c, d, a, b
        long, sign = math.hypot(a, b), -1.0 if (state.size * state.scale < 0) != font.vertical else 1.0
        along = (sign * a / long, sign * b / long) if long else (1.0, 0.0)
        across = (along[1], -along[0])
        up = -1.0 if state.size < 0 else 1.0
        if not font.vertical and up * (c * across[0] + d * across[1]) > 0:
            across = (-across[0], -across[1])
        high = abs(a * d - b * c) / long if long else 0.0
        return Run(
            at, font, state.name, state.size, state.scale, state.spacing, state.wording, sign * long, along, across,
            e * along[0] + f * along[1], e * across[0] + f * across[1], abs(state.size) * high * font.rise,
            self._block, self._off or state.mode in _INVISIBLE or any(mark.hidden for mark in self._open),
            state.mode in _INVISIBLE, tuple(mark.at for mark in self._open),
            bool(self._open) and self._open[-1].inline, (a, b, c, d, e, f), state.rise, state.mode,
            (state.fill, state.stroke if state.mode in _STROKING else (), state.other, state.clip), state.box,
        )  # fmt: skip

    def _mark(self, at: int, instruction: Any) -> None:
        operands = list(instruction.operands)
        properties = operands[1] if len(operands) > 1 else None
        if isa(properties, "Name"):
            self.drawn.used.add(("/Properties", str(properties)))
            properties = self._resource("/Properties", str(properties))
        hidden = str(operands[0]) == "/OC" and properties is not None and self._is_hidden(properties)
        mark = self.drawn.marked[at] = Marked(at, properties, hidden, str(operands[0]) in INLINE)
        self._open.append(mark)

    def _unmark(self, at: int, instruction: Any) -> None:
        if self._open:
            self._open.pop().ends = at

    def _point(self, at: int, instruction: Any) -> None:
        operands = list(instruction.operands)
        if len(operands) > 1 and isa(operands[1], "Name"):
            self.drawn.used.add(("/Properties", str(operands[1])))

    def _draw(self, at: int, instruction: Any) -> None:
        name = str(instruction.operands[0])
        hidden = any(mark.hidden for mark in self._open)
        (self.drawn.used_hidden if hidden else self.drawn.used).add(("/XObject", name))
        found = self._resource("/XObject", name)
        if isa(found, "Stream") and found.get("/Subtype") == "/Image":
            self.drawn.pictures += 1
        elif isa(found, "Stream"):
            self.drawn.forms.append((found, self._state.matrix))
        if hidden:
            self.drawn.hidden.append(at)

    def _inline(self, at: int, instruction: Any) -> None:
        self.drawn.pictures += 1
        if any(mark.hidden for mark in self._open):
            self.drawn.hidden.append(at)

    def _shade(self, at: int, instruction: Any) -> None:
        self.drawn.used.add(("/Shading", str(instruction.operands[0])))

    def _colour(self, at: int, instruction: Any) -> None:
        self.drawn.used.add(("/ColorSpace", str(instruction.operands[0])))

    def _pattern(self, at: int, instruction: Any) -> None:
        operands = list(instruction.operands)
        if operands and isa(operands[-1], "Name"):
            self.drawn.used.add(("/Pattern", str(operands[-1])))


def product(left: Matrix, right: Matrix) -> Matrix:
    """Return the matrix that does what ``left`` does and then what ``right`` does."""
    a, b, c, d, e, f = left
    g, h, i, j, k, m = right
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def matrix_of(operands: Sequence[Any]) -> Matrix:
    """Return the matrix of six operands."""
    a, b, c, d, e, f = (float(each) for each in operands)
    return a, b, c, d, e, f
