"""Annotations over lines that are set again: they lie over the whole new line, or are left out if they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.glyphs import Matrix
from sfumato.documents.pdf.lines import Line
from sfumato.documents.pdf.streams import isa

if TYPE_CHECKING:
    from sfumato.documents.pdf.aligned import Placed
    from sfumato.documents.pdf.composed import Composed

_BOXED = entries("Link Highlight Underline Squiggly StrikeOut Square Circle Caret Redact")
_MARKUP = entries("Highlight Underline Squiggly StrikeOut")
_DRAWN = entries("Line Ink Polygon PolyLine")
_ABOVE, _BELOW = 0.9, 0.25
_OVER = 0.2
Box = tuple[float, float, float, float]


class Relined(NamedTuple):
    """A line of a page: its box as it was, its box as it is, and whether it is set again."""

    old: Box
    new: Box
    edited: bool

    @classmethod
    def of(cls, line: Line, done: tuple[Composed, Placed] | None) -> Self:
        """Return where a line was and is."""
        old = _box(line, *line.visible)
        if done is None:
            return cls(old, old, False)
        composed, placed = done
        start = placed.start + composed.first * placed.factor
        return cls(old, _box(line, start, placed.start + composed.last * placed.factor), True)

    def by(self, matrix: Matrix) -> Self:
        """Return where the line of a form is on what draws it by ``matrix``."""
        return self._replace(old=_moved(self.old, matrix), new=_moved(self.new, matrix))


def rebox(note: Any, rows: Sequence[Relined]) -> bool:
    """Fit an annotation to lines that are set again. Return False if it is drawn over them, and is left out."""
    kind, rect = str(note.get("/Subtype")), _rect(note.get("/Rect"))
    if rect is None or kind not in _BOXED | _DRAWN:
        return True
    if not any(row.edited and _over(rect, row.old) for row in rows):
        return True
    if kind in _DRAWN:
        return False
    boxes = list[Box]()
    for quad in _quads(note) or [rect]:
        hit = [row for row in rows if _over(quad, row.old)]
        if any(row.edited for row in hit):
            boxes.extend(row.new for row in hit if row.edited or len(hit) > 1)
        else:
            boxes.append(quad)
    _set(note, list(dict.fromkeys(boxes)), kind)
    return True


def _set(note: Any, boxes: Sequence[Box], kind: str) -> None:
    import pikepdf

    from sfumato.documents.pdf.relaid import decimal

    lefts, lows, rights, highs = zip(*boxes, strict=True)
    rect = (min(lefts), min(lows), max(rights), max(highs))
    note.Rect = pikepdf.Array([decimal(each, 2) for each in rect])
    if "/QuadPoints" in note or kind in _MARKUP:
        corners = [each for a, b, c, d in boxes for each in (a, d, c, d, a, b, c, b)]
        note.QuadPoints = pikepdf.Array([decimal(each, 2) for each in corners])
    for key in ("/AP", "/RD"):
        if key in note:
            del note[key]


def _box(line: Line, start: float, end: float) -> Box:
    run, (ax, ay), (bx, by) = line.run, line.run.along, line.run.across
    corners = [
        (s * ax + t * bx, s * ay + t * by)
        for s in (start, end)
        for t in (run.base - _ABOVE * run.em, run.base + _BELOW * run.em)
    ]
    xs, ys = zip(*corners, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _moved(box: Box, matrix: Matrix) -> Box:
    a, b, c, d, e, f = matrix
    xs, ys = zip(*[(a * x + c * y + e, b * x + d * y + f) for x in box[::2] for y in box[1::2]], strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _over(one: Box, other: Box) -> bool:
    """Say whether a box lies over a line: over a part of its height, and over or at a part of its length."""
    height = min(one[3], other[3]) - max(one[1], other[1])
    thin = one[3] - one[1] < _OVER * (other[3] - other[1])
    near = one[0] < other[2] + 1 and other[0] < one[2] + 1
    return near and height >= (0 if thin else _OVER * (other[3] - other[1]))


def _quads(note: Any) -> list[Box]:
    numbers = note.get("/QuadPoints")
    values = [float(each) for each in numbers] if isa(numbers, "Array") and _numeric(numbers) else []
    rows = [values[at : at + 8] for at in range(0, len(values) - 7, 8)]
    return [(min(row[::2]), min(row[1::2]), max(row[::2]), max(row[1::2])) for row in rows]


def _rect(value: Any) -> Box | None:
    if not isa(value, "Array") or len(value) != 4 or not _numeric(value):
        return None
    a, b, c, d = (float(each) for each in value)
    return min(a, c), min(b, d), max(a, c), max(b, d)


def _numeric(values: Any) -> bool:
    return all(hasattr(each, "__float__") and not hasattr(each, "objgen") for each in values)
