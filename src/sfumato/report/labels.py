"""Labels beside the points of a plot: none covers another, a point or a ring, and none leaves the plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sfumato.types import FloatArray

_POINT, _RING = 3.5, 8.0  # half the width of a mark and of the ring around it, in points
_GAP = 1.5  # between a label and anything else
_BESIDE = 16.0  # a label that is further away gets a line to its point
_STEPS, _ANGLES = 22, 24
_COVERED, _CROSSED = 1e4, 12.0  # what it costs to cover something, and to lie on a line
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
        self._scale = 72.0 / axes.figure.dpi
        self._inside = axes.get_window_extent().extents * self._scale
        points = self._placed(axes, [(label.x, label.y) for label in labels])
        halves = [_RING if label.ringed else _POINT for label in labels]
        self._marks = np.array([[x - h, y - h, x + h, y + h] for (x, y), h in zip(points, halves, strict=True)])
        self._taken = self._marks.reshape(-1, 4)
        self._lines = np.array([self._placed(axes, segment) for segment in lines]).reshape(-1, 2, 2)
        self.clear, self.centers = True, list[tuple[float, float]]()
        for label, point, half in zip(labels, points, halves, strict=True):
            self.centers.append(self._put(point, half, self._size(axes, label.text)))

    def _placed(self, axes: Any, values: Sequence[tuple[float, float]]) -> FloatArray:
        return np.asarray(axes.transData.transform(np.reshape(values, (-1, 2))), dtype=np.float64) * self._scale

    def _size(self, axes: Any, text: str) -> FloatArray:
        """Return half the width and half the height of ``text``, with the gap around it."""
        written = axes.text(0, 0, text, fontsize=8)
        extent = written.get_window_extent()
        written.remove()
        return np.array([extent.width, extent.height]) * self._scale / 2 + _GAP

    def _put(self, point: FloatArray, mark: float, half: FloatArray) -> tuple[float, float]:
        """Return how far from ``point`` the label is best written; its box is taken from then on."""
        offsets = _offsets(half + mark)
        boxes = np.hstack([point + offsets - half, point + offsets + half])
        outside = _area(boxes) - _shared(boxes, self._inside[None])[:, 0]
        covered = _shared(boxes, self._taken).sum(axis=1) + outside
        on_lines = _on(self._lines, boxes).sum(axis=1)
        leads = np.stack([np.broadcast_to(point, offsets.shape), point + offsets], axis=1)
        others = self._taken[~(self._taken == [*(point - mark), *(point + mark)]).all(axis=1)]
        led_over = _on(leads, others).sum(axis=0) if len(others) else 0.0
        costs = _COVERED * (covered > 0) + 9 * covered + _CROSSED * (on_lines + 3 * led_over) + _far(offsets)
        cheapest = int(np.argmin(costs))
        self.clear &= bool(covered[cheapest] <= 0)
        self._taken = np.vstack([self._taken, boxes[cheapest]])
        self._lines = np.concatenate([self._lines, leads[cheapest][None]])
        return float(offsets[cheapest][0]), float(offsets[cheapest][1])


def _offsets(reach: FloatArray) -> FloatArray:
    """Return places around a point, in growing distance, from just beside it on."""
    angles = np.linspace(0.0, 2 * np.pi, _ANGLES, endpoint=False) + np.pi / 2  # above it first
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    touching = 1.0 / np.max(np.abs(ways) / reach, axis=1)  # where the box just leaves the mark
    steps = 9.0 * np.arange(_STEPS)
    return np.asarray((ways[None] * (touching[None, :, None] + steps[:, None, None])).reshape(-1, 2))


def _far(offsets: FloatArray) -> FloatArray:
    return np.asarray(np.hypot(offsets[:, 0], offsets[:, 1]))


def _area(boxes: FloatArray) -> FloatArray:
    return np.asarray((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]))


def _shared(boxes: FloatArray, others: FloatArray) -> FloatArray:
    """Return the area that each box shares with each other, shape (boxes, others)."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.asarray(np.prod(np.maximum(0.0, high - low), axis=2))


def _on(lines: FloatArray, boxes: FloatArray) -> FloatArray:
    """Return the share of each line that lies in each box, shape (boxes, lines)."""
    along = np.linspace(0.0, 1.0, 24)[:, None, None]
    dots = lines[None, :, 0] + along * (lines[:, 1] - lines[:, 0])[None]  # (24, lines, 2)
    inside = (dots[:, None] >= boxes[None, :, None, :2]) & (dots[:, None] <= boxes[None, :, None, 2:])
    return np.asarray(inside.all(axis=3).mean(axis=0))
