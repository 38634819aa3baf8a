"""The clusters of CluSanT, and the embedding that pushes them apart: f'(C) = k·C and f'(x) = k·C_x + f(x) - C_x.

The conditions of Theorem 5 are checked on the actual vocabulary: (1) d_c(x, x') ≥ 1 or d_c(x, x') ≥ d(x, x') for all
x, x'; (2) d_c(C, C') + 1 ≤ 2·d_c(x, x') across clusters.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

import numpy as np

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import GuaranteeError
from sfumato.privacy.certificates import ANALYSIS
from sfumato.privacy.distances import Distance
from sfumato.privacy.kernels import compiled
from sfumato.privacy.two_steps import TwoSteps
from sfumato.runtime import in_threads, slices
from sfumato.storage import cache
from sfumato.storage.digests import digest_of_sources
from sfumato.types import FloatArray, IntArray
from sfumato.vocabularies import partition

Clusters = int | Literal["vocabulary"] | Sequence[Sequence[int]]
TokenDistance = Literal["plain", "normalised", "stretched"]
_EDGE = 1024
_LARGEST_K = 1 << 16
_TRIED = 256
"""So many tokens are checked again, each with each, before what was kept is believed."""
_ROUNDING = 1e-9


def sets_of(vocabulary: Vocabulary, clusters: Clusters | None, set_size: int) -> list[IntArray]:
    """Return the indices of the tokens of each cluster.

    ``clusters`` is their number, "vocabulary" for those that the vocabulary came with, or lists of indices; without
    it ``set_size`` tokens make a cluster.
    """
    count = len(vocabulary)
    if clusters is None or isinstance(clusters, int):
        sizes = partition.sizes_of(count, set_size) if clusters is None else partition.sizes_for(count, clusters)
        return _greedy(vocabulary, sizes)
    return partition.checked((vocabulary.clusters if clusters == "vocabulary" else clusters) or (), count)


def _greedy(vocabulary: Vocabulary, sizes: Sequence[int]) -> list[IntArray]:
    """Return greedy clusters of these ``sizes``, kept for the next run."""
    made_by = digest_of_sources("vocabularies/partition.py")
    key = cache.content_key("greedy clusters", made_by, vocabulary.hash, json.dumps([int(size) for size in sizes]))
    cuts = np.cumsum(sizes)[:-1]
    members = cache.load_array(key)
    if members is not None and np.array_equal(np.sort(members), np.arange(len(vocabulary))):
        return np.split(members, cuts)
    sets = partition.greedy(partition.by_vectors(vocabulary.vectors), sizes)
    cache.save_array(key, np.concatenate(sets))
    return sets


def pushed_apart(
    vectors: FloatArray,
    members: IntArray,
    starts: IntArray,
    cluster_of: IntArray,
    *,
    k: float,
    metric: Distance,
    token_distance: TokenDistance,
) -> TwoSteps:
    """Return the ``vectors`` (V, D) of a vocabulary sorted by cluster, and pushed apart by ``k``.

    ``members`` (V,) are the tokens cluster by cluster, ``starts`` (C + 1,) where those of each cluster begin, and
    ``cluster_of`` (V,) the cluster of each token. "normalised" distances inside a cluster are divided by their
    spread, as CusText does. "stretched" ones run from 0 to 1 for each input, and are divided by the diameter of the
    cluster. Raises GuaranteeError if ``k`` is too large to compute distances.
    """
    vectors, sorted_clusters = vectors[members], cluster_of[members]
    centroids = np.add.reduceat(vectors, starts[:-1], axis=0) / np.diff(starts)[:, None]
    if math.isinf(k):
        centres = np.where(np.eye(len(centroids), dtype=bool), 0.0, np.inf)
        moved = vectors
    else:
        moved = (k - 1.0) * centroids[sorted_clusters] + vectors
        if not max(float(np.abs(k * centroids).max()), float(np.abs(moved).max())) <= 1e120:
            raise GuaranteeError(
                f"clusant: k = {k:g} pushes clusters too far apart to compute distances; use a smaller k."
            )
        centres = metric.block(k * centroids, k * centroids)
        np.fill_diagonal(centres, 0.0)
    stretched = token_distance == "stretched"
    alone = 0.0 if stretched else 1.0
    rates = np.ones(len(starts) - 1) if token_distance == "plain" else _rates(vectors, starts, metric, alone)
    return TwoSteps(vectors, moved, starts, sorted_clusters, centres, rates, metric, stretched)


def _rates(vectors: FloatArray, starts: IntArray, metric: Distance, alone: float) -> FloatArray:
    """Return r_C: one over the spread of distances inside each cluster, shape (C,); ``alone`` where there is none."""
    rates = np.ones(len(starts) - 1)
    for cluster in range(len(rates)):
        inside = vectors[starts[cluster] : starts[cluster + 1]]
        distances = metric.block(inside, inside)
        spread = float(distances.max() - distances.min())
        rates[cluster] = 1.0 / spread if spread > 0.0 else alone
    return rates


def widest_cluster(geometry: TwoSteps) -> float:
    """Return the largest distance between two tokens of one cluster."""
    return max(
        float(geometry.metric.block(inside, inside).max())
        for inside in np.split(geometry.vectors, geometry.starts[1:-1])
    )


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
