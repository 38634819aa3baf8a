"""Lines: glyphs as a reader puts them together, by their places alone.

How glyphs are put together depends on what an edit leaves as it is: the order of operators, how large letters are,
and where a line starts, or its middle or end if it is aligned by that. So the new file has each text at the same
place.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from sfumato.documents.pdf.glyphs import Glyph, Run, outside

_COLUMN, _COLUMN_OF_OTHER, _COLUMN_IF_MARKED = 1.183, 0.683, 0.353
"""A wider gap ends a text: in one text object, before another one, and before one that is marked as another part."""
_JUSTIFIED, _JUSTIFIED_IN_OBJECT, _JUSTIFIED_IN_ONE = 2.517, 6.03, 30.03
"""A wider gap at a space ends a text: before another text object, in one, and in one operator."""
_BACK, _OVER = 0.513, 1.093
"""So far back the next glyph may start: from right to left, and over the one before."""
_SAME_LINE = 0.413
_CUT = 0.077
"""A text is cut off where more than so much of it, times its size, is outside its box; a box of ink is smaller."""
_SMALL, _LOW, _RAISED, _TOUCHING = 0.857, 0.053, 0.633, 0.233
"""The mark of a note is so small beside its word, so far off its line at least and at most, and so near."""


@dataclass(eq=False)
class Line:
    """Glyphs of one line, in the order in which they are read.

    Attributes:
        glyphs: Its glyphs.
        start: Where it starts.
        end: Where it ends.
        turned: Whether some of it is written, or drawn, from right to left.
        cell: Whether another text lies before it in the same line.
    """

    glyphs: list[Glyph]
    start: float
    end: float
    cell: bool = False
    turned: bool = False

    def add(self, glyph: Glyph) -> None:
        """Add a glyph."""
        self.glyphs.append(glyph)
        if glyph.start < self.start:
            self.start = glyph.start
        if glyph.end > self.end:
            self.end = glyph.end

    def extend(self, glyphs: Sequence[Glyph]) -> None:
        """Add glyphs that follow one another without a gap, in the direction of the line."""
        self.glyphs.extend(glyphs)
        self.start = min(self.start, glyphs[0].start)
        self.end = max(self.end, glyphs[-1].end)

    @cached_property
    def visible(self) -> tuple[float, float]:
        """Where what is no space starts and ends. It is asked for when all glyphs are there."""
        glyphs = [glyph for glyph in self.glyphs if not blank(glyph)] or self.glyphs
        return min(glyph.start for glyph in glyphs), max(glyph.end for glyph in glyphs)

    @property
    def run(self) -> Run:
        """The operator of its first glyph, which says where and how large it is."""
        return self.glyphs[0].run


def lines_of(runs: Iterable[Run]) -> Iterator[Line]:
    """Yield the lines of ``runs``, in the order in which they are drawn."""
    return map(_ordered, _lines(runs))


def _lines(runs: Iterable[Run]) -> Iterator[Line]:
    line: Line | None = None
    for run in runs:
        for at, glyph in enumerate(run.glyphs):
            if at and line is not None and run.solid and not line.turned:
                line.extend(run.glyphs[at:])
                break
            gap = None if line is None else _gap(line, glyph)
            if line is not None and gap is not None and gap <= _widest(line.glyphs[-1], glyph):
                line.add(glyph)
                continue
            if line is not None:
                yield line
            line = Line([glyph], glyph.start, glyph.end, cell=gap is not None)
    if line is not None:
        yield line


def _widest(last: Glyph, glyph: Glyph) -> float:
    run = glyph.run
    near = last.run.marks == run.marks or (last.run.inline and run.inline)
    if near and (blank(last) or blank(glyph)):  # a space that justification made wide
        same = last.run.block == run.block
        return (_JUSTIFIED_IN_ONE if last.run is run else _JUSTIFIED_IN_OBJECT if same else _JUSTIFIED) * last.run.em
    if last.run.block == run.block:
        return _COLUMN * last.run.em
    return (_COLUMN_OF_OTHER if last.run.marks == run.marks else _COLUMN_IF_MARKED) * last.run.em


def _gap(line: Line, glyph: Glyph) -> float | None:
    """Return how far ``glyph`` is from the end of the ``line``, or None if it does not continue it.

    What is written from right to left may be drawn in either direction, and then has a line on both sides.
    """
    first, last, run = line.glyphs[0].run, line.glyphs[-1], glyph.run
    start, end = glyph.start, glyph.end
    if run is not last.run:
        ahead = first.along[0] * run.along[0] + first.along[1] * run.along[1] > 0.999
        close = abs(run.base - first.base) <= _SAME_LINE * max(run.em, first.em) or _beside(first, last, glyph)
        if not ahead or not close or run.hidden != first.hidden or not 0.4 <= ratio(run.em, first.em) <= 2.5:
            return None
        if _apart(last.run, run):
            return math.inf
        start, end = run.start, run.end
    if line.turned:
        gap = max(start - line.end, line.start - end)
        return gap if gap >= -_BACK * first.em or line.start <= glyph.start <= line.end else None
    if glyph.start - last.end >= -_OVER * first.em:
        return glyph.start - last.end
    back = line.start - end
    if not -_BACK * first.em <= back <= _COLUMN_OF_OTHER * first.em:
        return None
    line.turned = True
    return back


def _beside(first: Run, last: Glyph, glyph: Glyph) -> bool:
    """Say whether a glyph is small, set high or low, and touches the last one, as does the mark of a note."""
    small, large = sorted((glyph.run.em, first.em))
    near = abs(glyph.start - last.end) <= _TOUCHING * large
    return near and small <= _SMALL * large and abs(glyph.run.base - first.base) <= _RAISED * large


def raised(before: Run, run: Run) -> bool:
    """Say whether what an operator draws is small, and set high or low beside another one."""
    return run.em <= _SMALL * before.em and abs(run.base - before.base) > _LOW * before.em


def _apart(one: Run, other: Run) -> bool:
    """Say whether one text is cut off before the other one, as are the cells of a printed sheet."""
    if one.box == other.box:
        return False
    beside = any(box is not None and outside(run, box) for run, box in ((one, other.box), (other, one.box)))
    return beside and (_is_cut(one) or _is_cut(other))


def _is_cut(run: Run) -> bool:
    """Say whether a part of what an operator draws is outside its box: boxes of pieces of a word part no word."""
    seen = [glyph for glyph in run.glyphs if not blank(glyph)]
    if run.box is None or not seen:
        return False
    (left, low, right, high), (ax, ay), (bx, by) = run.box, run.along, run.across
    most = _CUT * run.em
    for at in (min(glyph.start for glyph in seen), max(glyph.end for glyph in seen)):
        x, y = at * ax + run.base * bx, at * ay + run.base * by
        if not (left - most <= x <= right + most and low - most <= y <= high + most):
            return True
    return False


def ratio(one: float, other: float) -> float:
    """Return how many times ``other`` is in ``one``."""
    return one / other if other else 1.0


@cache
def leftward(text: str | None) -> bool:
    """Say whether ``text`` is written from right to left."""
    return bool(text) and unicodedata.bidirectional(text[0]) in ("R", "AL")  # type: ignore[index]


def _ordered(line: Line) -> Line:
    """Return a ``line`` with what is written from right to left in the order in which it is read."""
    glyphs = line.glyphs
    if any(leftward(glyph.text) for glyph in glyphs):
        line.turned = True
    if not line.turned:
        return line
    placed = sorted(glyphs, key=lambda glyph: glyph.start)
    backward = sum(leftward(glyph.text) for glyph in glyphs) * 2 > sum(not blank(glyph) for glyph in glyphs)
    spans, at = list[list[Glyph]](), 0
    while at < len(placed):
        last, turned = at, leftward(placed[at].text)
        for to in range(at + 1, len(placed)):
            if blank(placed[to]):
                continue
            if leftward(placed[to].text) != turned:
                break
            last = to
        spans.append(placed[at : last + 1][:: -1 if turned else 1])
        at = last + 1
    line.glyphs = [glyph for span in (reversed(spans) if backward else spans) for glyph in span]
    return line


def level(one: Line, other: Line) -> bool:
    """Say whether two lines are at one height, and run in one direction."""
    return parallel(one, other) and abs(one.run.base - other.run.base) < 0.9 * max(one.run.em, other.run.em)


def parallel(one: Line, other: Line) -> bool:
    """Say whether two lines run in one direction."""
    return one.run.along[0] * other.run.along[0] + one.run.along[1] * other.run.along[1] > 0.999


def blank(glyph: Glyph) -> bool:
    """Say whether a ``glyph`` is a space."""
    return glyph.text is not None and glyph.text.isspace()
