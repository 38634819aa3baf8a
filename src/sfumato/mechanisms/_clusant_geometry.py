"""The clusters of CluSanT, and the embedding that pushes them apart: f'(C) = k·C and f'(x) = k·C_x + f(x) - C_x."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import GuaranteeError
from sfumato.privacy.cluster_loss import TwoSteps
from sfumato.privacy.distances import Distance
from sfumato.storage import cache
from sfumato.storage.digests import digest_of_sources
from sfumato.types import FloatArray, IntArray
from sfumato.vocabularies import partition

Clusters = int | Literal["vocabulary"] | Sequence[Sequence[int]]


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
    sets = partition.greedy(vocabulary.vectors, sizes)
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
    normalised: bool,
) -> TwoSteps:
    """Return the ``vectors`` (V, D) of a vocabulary sorted by cluster, and pushed apart by ``k``.

    ``members`` (V,) are the tokens cluster by cluster, ``starts`` (C + 1,) where those of each cluster begin, and
    ``cluster_of`` (V,) the cluster of each token. If ``normalised``, distances inside a cluster are divided by their
    spread, as CusText does. Raises GuaranteeError if ``k`` is too large to compute distances.
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
    rates = _rates(vectors, starts, metric) if normalised else np.ones(len(starts) - 1)
    return TwoSteps(vectors, moved, starts, sorted_clusters, centres, rates, metric)


def _rates(vectors: FloatArray, starts: IntArray, metric: Distance) -> FloatArray:
    """Return r_C: one over the spread of distances inside each cluster, shape (C,)."""
    rates = np.ones(len(starts) - 1)
    for cluster in range(len(rates)):
        inside = vectors[starts[cluster] : starts[cluster + 1]]
        distances = metric.block(inside, inside)
        spread = float(distances.max() - distances.min())
        rates[cluster] = 1.0 / spread if spread > 0.0 else 1.0
    return rates


def widest_cluster(geometry: TwoSteps) -> float:
    """Return the largest distance between two tokens of one cluster."""
    return max(
        float(geometry.metric.block(inside, inside).max())
        for inside in np.split(geometry.vectors, geometry.starts[1:-1])
    )
