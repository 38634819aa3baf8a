"""Where an edited line starts, and how much smaller it is: by its new width and by what is not edited alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from sfumato.documents.pdf.blocks import ALIGNED, Block
from sfumato.documents.pdf.composed import Composed
from sfumato.documents.pdf.lines import Line, leftward, level, parallel

Window = tuple[float, float, float, float]
_LEFT, _MIDDLE, _RIGHT = 0.0, 0.5, 1.0
_MARGIN = 0.03
_BEHIND = 1.25
"""How many times the size of the letters lies between an edited line and the next text: enough that it is not one."""
_INSET = 6.0
"""A text of a form's field that ends so near its right end, and starts farther from the left, is aligned right."""
_LEAST = 0.05
_SMALLEST = 0.83
"""A line gets letters so much smaller that a reader still finds it in its paragraph, and narrower ones beyond."""
_NEAR, _BY_CHANCE = 3.07, 1
"""So many lines of a page end by chance where an old text did, which would tell how wide it was. One that is nearer
than so many sizes of the letters says that both are aligned."""
_COARSE = 6.0
"""The start of a line that is aligned by nothing known is rounded: a middle or a right end may have given it."""
_STEP, _SHIFT = 0.5, 0.19
"""A place that other lines do not give is rounded. It may be off by the rounding of an old width."""


class Placed(NamedTuple):
    """Where a line starts on the page, how much smaller its letters are, and how much narrower beyond that."""

    start: float
    smaller: float
    narrower: float

    @property
    def factor(self) -> float:
        """How much narrower it is."""
        return self.smaller * self.narrower


@dataclass(frozen=True)
class _Anchor:
    """What stays: the left end of a line (share 0), its middle, or its right end (share 1), ``at`` a place."""

    at: float
    share: float


class Aligner:
    """Places the edited lines of one content stream."""

    def __init__(
        self,
        lines: Sequence[Line],
        edited: Collection[Line],
        blocks: Sequence[Block],
        window: Window | None,
        page: bool,
    ) -> None:
        """Keep all lines, those that are edited, the blocks, and what the page or the form shows."""
        self._lines, self._edited, self._window, self._page = lines, edited, window, page
        self._blocks = {line: block for block in blocks for line in block.lines}
        self._anchors = dict[Line, _Anchor]()

    def place(self, composed: Composed) -> Placed:
        """Return where a line is set."""
        line, anchor = composed.edited.line, self.anchor(composed.edited.line)
        low, high = self._limits(line, anchor)
        behind, before = (high - anchor.at), (anchor.at - low)
        room = behind if anchor.share == _LEFT else before if anchor.share == _RIGHT else 2 * min(behind, before)
        begins = 0.0 if anchor.share == _LEFT else composed.first
        width = composed.last - begins
        factor = min(1.0, max(room / width, _LEAST)) if width > 0 else 1.0
        smaller = max(factor, _SMALLEST)
        start = anchor.at - (anchor.share * width + begins) * factor
        return Placed(start, smaller, factor / smaller)

    def anchor(self, line: Line) -> _Anchor:
        """Return what of a line stays in its place."""
        if line not in self._anchors:
            self._anchors[line] = self._found(line)
        return self._anchors[line]

    def _found(self, line: Line) -> _Anchor:
        start, end = line.visible
        along = [each for each in self._lines if each is not line and parallel(each, line)]
        block = [each for each in self._blocks[line].lines if each is not line]
        alike = {share: [each for each in block or along if _alike(each, line, share)] for share in _SHARES}
        counts = {share: float(len(rows)) for share, rows in alike.items()}
        for share in (_MIDDLE, _RIGHT) if not block else ():
            near = any(_near(each, line) for each in alike[share])
            counts[share] *= near or len([each for each in alike[share] if each not in self._edited]) > _BY_CHANCE
        starts = [each.start for each in block]
        if len(block) > 1 and any(
            2 * sum(abs(one - other) < ALIGNED for other in starts) > len(starts) for one in starts
        ):
            counts = {_LEFT: 1.0, _MIDDLE: 0.0, _RIGHT: 0.0}
        low, high = self._extent(line)
        middle = (low + high) / 2
        if abs((start + end) / 2 - middle) < ALIGNED:
            counts[_MIDDLE] += 1
        if not block and not counts[_LEFT] and self._in_margin(line, along, low, high):
            counts[_RIGHT] += 1
        share = max((_LEFT, _RIGHT, _MIDDLE), key=counts.__getitem__)
        if not counts[share] and line.turned and _backward(line):
            share = _RIGHT
        if share == _LEFT:
            start = self._left(line, along)
            return _Anchor(start if counts[share] else round(start / _COARSE) * _COARSE, share)
        if share == _MIDDLE and abs((start + end) / 2 - middle) < ALIGNED:
            return _Anchor(middle, share)
        known = [_at(each, share) for each in alike[share] if each not in self._edited]
        return _Anchor(known[0] if known else rounded(_at(line, share)), share)

    def _left(self, line: Line, along: Sequence[Line]) -> float:
        """Return where a line starts; rounded, if it is drawn from where the old text before it ended."""
        before = [each for each in along if each in self._edited and each.run.block == line.run.block]
        relative = any(each.end <= line.start and level(each, line) for each in before)
        return rounded(line.start) if relative else line.start

    def _in_margin(self, line: Line, along: Sequence[Line], low: float, high: float) -> bool:
        """Say whether a lone line lies at the right: as far from it as other lines from the left, or in a field."""
        start, end = line.visible
        if not self._page:
            return math.isfinite(high) and 0 <= high - end <= _INSET < start - low
        starts = sorted(each.start for each in along)
        margins = [one for one, other in pairwise(starts) if other - one < ALIGNED]
        return any(margin > low and abs(high - end - margin + low) < ALIGNED for margin in starts[:1] + margins)

    def _limits(self, line: Line, anchor: _Anchor) -> tuple[float, float]:
        """Return between which places a line may be set: the edges of the page, and other texts beside it."""
        low, high = self._extent(line)
        margin = _MARGIN * (high - low) if math.isfinite(high - low) else 0.0
        low, high = low + margin, high - margin
        for each in self._lines:
            over = abs(each.start - line.start) < line.run.em  # such as a shadow
            if each is line or over or not level(each, line):
                continue
            other = self.anchor(each) if each in self._edited else None
            gap, (start, end) = _BEHIND * line.run.em, each.visible
            behind = each.start >= line.start
            if other is not None and other.share != (_LEFT if behind else _RIGHT):
                edge = (anchor.at + other.at) / 2
                low, high = (low, min(high, edge - gap / 2)) if behind else (max(low, edge + gap / 2), high)
            elif behind:
                high = min(high, (other.at if other else start) - gap)
            else:
                low = max(low, (other.at if other else end) + gap)
        return low, high

    def _extent(self, line: Line) -> tuple[float, float]:
        """Return where the page starts and ends along a line."""
        if self._window is None:
            return -math.inf, math.inf
        left, bottom, right, top = self._window
        x, y = line.run.along
        places = [x * one + y * other for one in (left, right) for other in (bottom, top)]
        return min(places), max(places)


_SHARES = (_LEFT, _MIDDLE, _RIGHT)


def _at(line: Line, share: float) -> float:
    start, end = line.visible
    return start + share * (end - start)


def _alike(one: Line, other: Line, share: float) -> bool:
    if share == _LEFT:
        return abs(one.start - other.start) < ALIGNED
    return abs(_at(one, share) - _at(other, share)) < ALIGNED


def _near(one: Line, other: Line) -> bool:
    return abs(one.run.base - other.run.base) < _NEAR * max(one.run.em, other.run.em)


def _backward(line: Line) -> bool:
    return 2 * sum(leftward(glyph.text) for glyph in line.glyphs) > len(line.glyphs)


def rounded(place: float) -> float:
    """Return a ``place`` so rounded that what was added up to it, such as old widths, decides nothing."""
    return round((place - _SHIFT) / _STEP) * _STEP + _SHIFT
