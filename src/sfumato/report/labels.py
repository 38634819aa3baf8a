"""Labels beside the points of a plot: none covers another, a point or a ring, and none leaves the plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.types import FloatArray

_POINT, _RING = 3.5, 8.0  # half the width of a mark and of the ring around it, in points
_GAP = 1.5  # between a label and anything else
_BESIDE = 16.0  # a label that is further away gets a line to its point
_STEPS, _STEP, _ANGLES = 22, 9.0, 24
_COVERED, _CROSSED = 1e4, 0.4  # what it costs to cover something, and to lie on a point's length of a line
_LED_OVER = 15.0  # how much worse it is if the line to a point crosses another label or point
_EXACT = 1e-9
_TALLER = 1.25
_TIMES = 6


class Label(NamedTuple):
    """A label: its ``text``, where its point is in the data, its colour, and whether the point is ringed."""

    text: str
    x: float
    y: float
    color: str
    ringed: bool = False


Segments = Sequence[tuple[tuple[float, float], tuple[float, float]]]
"""Lines in the data that a label should rather not lie on."""


def write_labels(axes: Any, labels: Sequence[Label], lines: Segments = ()) -> None:
    """Write every label where it covers nothing; make the plot taller while there is no such place."""
    labels = [label for label in labels if label.text]
    figure = axes.figure
    for attempt in range(_TIMES):
        figure.draw_without_rendering()  # lays the plot out, so that places are known
        layout = _Layout(axes, labels, lines)
        if layout.clear or attempt + 1 == _TIMES:
            break
        figure.set_size_inches(figure.get_figwidth(), figure.get_figheight() * _TALLER)
    for label, center in zip(labels, layout.centers, strict=True):
        _write(axes, label, center)


def _write(axes: Any, label: Label, away: tuple[float, float]) -> None:
    thin = {"arrowstyle": "-", "color": label.color, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3}
    far = float(np.hypot(*away)) > _BESIDE + (_RING if label.ringed else 0.0)
    axes.annotate(
        label.text, (label.x, label.y), away, textcoords="offset points", ha="center", va="center", fontsize=8,
        color=label.color, arrowprops=thin if far else None, annotation_clip=False,
    ).set_in_layout(False)  # fmt: skip


class _Layout:
    """The places of labels in a plot of this size, in points; ``clear`` tells whether each covers nothing."""

    def __init__(self, axes: Any, labels: Sequence[Label], lines: Segments) -> None:
        self._scale = float(72.0 / axes.figure.dpi)
        self._inside: FloatArray = axes.get_window_extent().extents * self._scale
        points = self._placed(axes, [(label.x, label.y) for label in labels])
        halves = [_RING if label.ringed else _POINT for label in labels]
        self._marks = np.array([[x - h, y - h, x + h, y + h] for (x, y), h in zip(points, halves, strict=True)])
        self._taken = self._marks.reshape(-1, 4)
        self._lines = np.array([self._placed(axes, segment) for segment in lines]).reshape(-1, 2, 2)
        self.clear, self.centers = True, list[tuple[float, float]]()
        for label, point, half in zip(labels, points, halves, strict=True):
            self.centers.append(self._put(point, half, self._size(axes, label.text)))

    def _placed(self, axes: Any, values: Sequence[tuple[float, float]]) -> FloatArray:
        pixels = axes.transData.transform(np.reshape(values, (-1, 2)))
        return np.asarray(pixels * self._scale, dtype=np.float64)

    def _size(self, axes: Any, text: str) -> FloatArray:
        """Return half the width and half the height of ``text``, with the gap around it."""
        written = axes.text(0, 0, text, fontsize=8)
        extent = written.get_window_extent()
        written.remove()
        return np.asarray([extent.width, extent.height], dtype=np.float64) * self._scale / 2 + _GAP

    def _put(self, point: FloatArray, mark: float, half: FloatArray) -> tuple[float, float]:
        """Return how far from ``point`` the label is best written; its box is taken from then on."""
        others = self._taken[~(self._taken == [*(point - mark), *(point + mark)]).all(axis=1)]
        least, chosen, clear = np.inf, np.zeros(2), False
        for offsets in _rings(half + mark):
            if float(np.hypot(*offsets.T).min()) >= least:
                break  # nothing further away can cost less
            costs, covered = self._costs(point, half, offsets, others)
            cheapest = int(np.argmin(costs))
            if costs[cheapest] < least:
                least, chosen, clear = float(costs[cheapest]), offsets[cheapest], not covered[cheapest]
        self.clear &= clear
        self._taken = np.vstack([self._taken, [*(point + chosen - half), *(point + chosen + half)]])
        self._lines = np.concatenate([self._lines, [[point, point + chosen]]])
        return float(chosen[0]), float(chosen[1])

    def _costs(
        self, point: FloatArray, half: FloatArray, offsets: FloatArray, others: FloatArray
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Return what a label costs at each of ``offsets``, and whether it covers something there."""
        boxes = np.hstack([point + offsets - half, point + offsets + half])
        outside = _area(boxes) - _shared(boxes, self._inside[None])[:, 0]
        covered = _shared(boxes, self._taken).sum(axis=1) + np.where(outside < _EXACT, 0.0, outside)
        leads = np.stack([np.broadcast_to(point, offsets.shape), point + offsets], axis=1)
        crossed = _lengths(self._lines, boxes).sum(axis=1) + _LED_OVER * _lengths(leads, others).sum(axis=0)
        return _COVERED * (covered > 0) + 9 * covered + _CROSSED * crossed + np.hypot(*offsets.T), covered > 0


def _rings(reach: FloatArray) -> Iterator[FloatArray]:
    """Yield places around a point, in growing distance, from just beside it on."""
    angles = np.linspace(0.0, 2 * np.pi, _ANGLES, endpoint=False) + np.pi / 2  # above it first
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    touching = 1.0 / np.max(np.abs(ways) / reach, axis=1)  # where the box just leaves the mark
    for step in range(_STEPS):
        yield ways * (touching + _STEP * step)[:, None]


def _area(boxes: FloatArray) -> FloatArray:
    return np.asarray((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]))


def _shared(boxes: FloatArray, others: FloatArray) -> FloatArray:
    """Return the area that each box shares with each other, shape (boxes, others)."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    width, height = np.moveaxis(np.maximum(0.0, high - low), 2, 0)
    return np.asarray(width * height)


def _lengths(lines: FloatArray, boxes: FloatArray) -> FloatArray:
    """Return how much of each line lies in each box, shape (boxes, lines).

    Two arrays are compared as wholes, because a reduction over an axis of two takes ten times as long.
    """
    ways = lines[:, 1] - lines[:, 0]
    steps = np.where(np.abs(ways) < _EXACT, _EXACT, ways)
    ends = (boxes.reshape(-1, 1, 2, 2) - lines[None, :, None, 0]) / steps[None, :, None]
    enters, leaves = np.minimum(ends[:, :, 0], ends[:, :, 1]), np.maximum(ends[:, :, 0], ends[:, :, 1])
    first = np.maximum(0.0, np.maximum(enters[:, :, 0], enters[:, :, 1]))
    last = np.minimum(1.0, np.minimum(leaves[:, :, 0], leaves[:, :, 1]))
    return np.asarray(np.maximum(0.0, last - first) * np.hypot(*ways.T))
