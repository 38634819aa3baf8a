"""The conditions of CluSanT's Theorem 5, checked on an actual vocabulary.

(1) d_c(x, x') ≥ 1 or d_c(x, x') ≥ d(x, x') for all x, x'; (2) d_c(C, C') + 1 ≤ 2·d_c(x, x') across clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.cluster_loss import TwoSteps
from sfumato.kernels import compiled, in_threads, slices

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_EDGE = 1024
_LARGEST_K = 1 << 16


@dataclass(frozen=True, slots=True)
class Conditions:
    """Whether (1) and (2) hold, and the largest distances under d (vectors) and d_c (moved vectors)."""

    first: bool
    second: bool
    largest_distance: float
    largest_moved: float


@compiled
def _check(
    apart: FloatArray, moved: FloatArray, centres: FloatArray, clusters: IntArray, other: IntArray
) -> tuple[bool, bool, float, float]:
    first, second, largest, largest_moved = True, True, 0.0, 0.0
    for i in range(len(clusters)):
        for j in range(len(other)):
            d, d_c = apart[i, j], moved[i, j]
            largest, largest_moved = max(largest, d), max(largest_moved, d_c)
            if clusters[i] != other[j]:  # inside a cluster d_c equals d, and condition (2) does not apply
                first = first and (d_c >= 1.0 or d_c >= d)
                second = second and centres[clusters[i], other[j]] + 1.0 <= 2.0 * d_c
    return first, second, largest, largest_moved


def check_conditions(steps: TwoSteps) -> Conditions:
    """Both conditions over all pairs of tokens."""
    parts = slices(len(steps.vectors), _EDGE)
    blocks = [(a, b) for number, a in enumerate(parts) for b in parts[number:]]

    def block(places: tuple[slice, slice]) -> tuple[bool, bool, float, float]:
        rows, columns = places
        apart = steps.metric.block(steps.vectors[rows], steps.vectors[columns])
        moved = steps.metric.block(steps.moved[rows], steps.moved[columns])
        return _check(apart, moved, steps.centres, steps.cluster_of[rows], steps.cluster_of[columns])

    found = list(in_threads(block, blocks))
    return Conditions(
        all(first for first, *_ in found),
        all(second for _, second, *_ in found),
        max(largest for _, _, largest, _ in found),
        max(largest for *_, largest in found),
    )


def smallest_k(geometry: Callable[[float], TwoSteps]) -> int | None:
    """The smallest whole k for which both conditions hold, by doubling and halving; None where none up to 65,536.

    The answer is checked; that no smaller k holds relies on the conditions staying true once they are.
    """

    def holds(k: int) -> bool:
        found = check_conditions(geometry(float(k)))
        return found.first and found.second

    high = 1
    while not holds(high):
        high *= 2
        if high > _LARGEST_K:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
