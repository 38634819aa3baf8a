"""The conditions of CluSanT's Theorem 5, checked on an actual vocabulary.

(1) d_c(x, x') ≥ 1 or d_c(x, x') ≥ d(x, x') for all x, x'; (2) d_c(C, C') + 1 ≤ 2·d_c(x, x') across clusters.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from sfumato.privacy.certificates import ANALYSIS
from sfumato.privacy.cluster_loss import TwoSteps
from sfumato.privacy.distances import Distance
from sfumato.privacy.kernels import compiled
from sfumato.privacy.threads import in_threads, slices
from sfumato.storage import cache
from sfumato.types import FloatArray, IntArray

_EDGE = 1024
_LARGEST_K = 1 << 16
_TRIED = 256
"""So many tokens are checked again, each with each, before what was kept is believed."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Conditions:
    """Whether (1) and (2) hold, and the largest distances under d (vectors) and d_c (moved vectors)."""

    first: bool
    second: bool
    largest_distance: float
    largest_moved: float

    def as_dict(self, certified: float, geometry: TwoSteps) -> dict[str, Any]:
        """Return what a certificate of the loss ``certified`` says of them."""
        return {
            "largest_distance": self.largest_moved,
            "ldp_epsilon_at_most": certified * self.largest_moved,
            "theorem5_condition_1": self.first,
            "theorem5_condition_2": self.second,
            "smallest_admissible_k": smallest_k(geometry.vectors, geometry.starts, geometry.metric),
        }


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
    """Check both conditions over all pairs of tokens, or return what an earlier run found for exactly these.

    What was kept is believed if some pairs, which are checked again, do not contradict it.
    """
    arrays = (steps.vectors, steps.moved, steps.centres, steps.cluster_of)
    digests = [hashlib.sha256(np.ascontiguousarray(array).data).hexdigest() for array in arrays]
    key = cache.content_key("conditions of clusant", ANALYSIS, repr(steps.metric), *digests)
    kept = cache.load_json(key)
    if isinstance(kept, dict) and kept.keys() == {field.name for field in fields(Conditions)}:
        found = Conditions(**kept)
        if _is_whole(found) and not _contradicted(found, steps):
            return found
    checked = _checked(steps)
    cache.save_json(key, asdict(checked))
    return checked


def _is_whole(kept: Conditions) -> bool:
    answers, distances = (kept.first, kept.second), (kept.largest_distance, kept.largest_moved)
    return all(type(each) is bool for each in answers) and all(type(each) is float for each in distances)


def _contradicted(kept: Conditions, steps: TwoSteps) -> bool:
    """Return whether pairs of tokens that are spread over all clusters show that ``kept`` does not hold.

    Conditions that hold for all pairs hold for these, and no distance of theirs is larger than the largest one.
    """
    tried = np.unique(np.linspace(0, len(steps.vectors) - 1, _TRIED).astype(np.int64))
    apart = steps.metric.block(steps.vectors[tried], steps.vectors[tried])
    moved = steps.metric.block(steps.moved[tried], steps.moved[tried])
    clusters = steps.cluster_of[tried]
    first, second, largest, largest_moved = _check(apart, moved, steps.centres, clusters, clusters)
    most = (1.0 + _ROUNDING) * np.array([kept.largest_distance, kept.largest_moved])
    larger = not (np.array([largest, largest_moved]) <= most).all()  # also for what is not a number
    return larger or (kept.first and not first) or (kept.second and not second)


def _checked(steps: TwoSteps) -> Conditions:
    def block(pair: tuple[slice, slice]) -> tuple[bool, bool, float, float]:
        rows, columns = pair
        apart = steps.metric.block(steps.vectors[rows], steps.vectors[columns])
        moved = steps.metric.block(steps.moved[rows], steps.moved[columns])
        return _check(apart, moved, steps.centres, steps.cluster_of[rows], steps.cluster_of[columns])

    results = list(in_threads(block, _blocks(len(steps.vectors))))
    return Conditions(
        all(first for first, *_ in results),
        all(second for _, second, *_ in results),
        max(largest for _, _, largest, _ in results),
        max(largest for *_, largest in results),
    )


def _blocks(count: int) -> list[tuple[slice, slice]]:
    parts = slices(count, _EDGE)
    return [(a, b) for number, a in enumerate(parts) for b in parts[number:]]


@compiled
def _largest_root(
    squares: FloatArray, residuals: FloatArray, centres: FloatArray, clusters: IntArray, other: IntArray
) -> float:
    """Return the largest k at which (1) or (2) just holds for a pair of a block; infinity if a pair never obeys."""
    largest = 0.0
    for i in range(len(clusters)):
        for j in range(len(other)):
            if clusters[i] == other[j]:
                continue
            between, c = centres[clusters[i], other[j]], residuals[i, j]
            twice_b = squares[i, j] - between * between - c  # 2 (C - C')·(e - e')
            first = _upper_root(between * between, twice_b, c - min(1.0, squares[i, j]))
            second = _upper_root(3.0 * between * between, 4.0 * twice_b - 2.0 * between, 4.0 * c - 1.0)
            largest = max(largest, first, second)
    return largest


@compiled
def _upper_root(a: float, b: float, c: float) -> float:
    """Return from which k on a k² + b k + c ≥ 0 (a ≥ 0); infinity if a = 0 and c < 0."""
    if a <= 1e-18:
        return 0.0 if c >= 0.0 else np.inf
    inside = b * b - 4.0 * a * c
    return 0.0 if inside <= 0.0 else (-b + np.sqrt(inside)) / (2.0 * a)


def smallest_k(vectors: FloatArray, starts: IntArray, metric: Distance) -> int | None:
    """Return the smallest whole k from which on both conditions hold (Euclidean).

    Return None if no k does, or for another p.

    ``vectors`` (V, D) are sorted by cluster, ``starts`` (m + 1). With residuals e = f(x) - C, D = |C - C'|,
    c = |e - e'|² and b = (C - C')·(e - e'), d_c(x, x')² = k²D² + 2kb + c, so condition (1) reads
    k²D² + 2kb + c ≥ min(1, d²) and condition (2), squared, 3k²D² + (8b - 2D)k + 4c - 1 ≥ 0: quadratics in k with
    rising branches. The answer is the largest upper root over all pairs.
    """
    if metric.p != 2.0:
        return None
    centroids = np.add.reduceat(vectors, starts[:-1], axis=0) / np.diff(starts)[:, None]
    clusters = np.repeat(np.arange(len(centroids)), np.diff(starts))
    centres, residuals = metric.block(centroids, centroids), vectors - centroids[clusters]

    def block(pair: tuple[slice, slice]) -> float:
        rows, columns = pair
        squares = metric.block(vectors[rows], vectors[columns]) ** 2
        apart = metric.block(residuals[rows], residuals[columns]) ** 2
        return _largest_root(squares, apart, centres, clusters[rows], clusters[columns])

    largest = max(in_threads(block, _blocks(len(vectors))))
    return None if largest > _LARGEST_K else max(1, math.ceil(largest - 1e-9))
