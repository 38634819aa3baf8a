"""CluSanT that never leaves a cluster (k = ∞): the laws inside clusters, in whole numbers.

Only step 2 is left, P₂(y|x) ∝ exp(-s₂ r_C d(x, y)) for x and y in one cluster, and ε is LDP inside it. An optimal law
takes its place in each cluster on its own (:mod:`sfumato.privacy.optimal_law`). A cluster that is left to "exact"
then has a scale of its own as well, where exact calibration has one s₂ for all clusters.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.privacy.cluster_loss import TwoSteps
from sfumato.privacy.optimal_sets import OptimalSets, optimal_sets
from sfumato.privacy.set_law import SetLaw
from sfumato.privacy.set_scales import exponential_weights, largest_scales, penalties_of, within
from sfumato.types import FloatArray, IntArray, Progress

Members = tuple[IntArray, IntArray, IntArray]
"""The tokens by cluster, where each cluster begins, and the cluster of each token."""


def distances_inside(steps: TwoSteps) -> Iterator[FloatArray]:
    """Yield r_C d(x, y) between the tokens of each cluster, shape (K, K)."""
    for rate, vectors in zip(steps.rates, np.split(steps.vectors, steps.starts[1:-1]), strict=True):
        yield rate * steps.metric.block(vectors, vectors)


def calibrated(steps: TwoSteps, members: Members, scale: float, epsilon: float) -> tuple[float, SetLaw]:
    """Return the law at s₂ = ``scale``, with s₂ lowered where whole numbers lose more than ``epsilon``."""
    lowered, weights = within(list(distances_inside(steps)), scale, epsilon)
    return lowered, SetLaw(*members, weights)


def at_scale(steps: TwoSteps, members: Members, scale: float) -> SetLaw:
    """Return the law at s₂ = ``scale``."""
    return SetLaw(*members, tuple(exponential_weights(distances, scale) for distances in distances_inside(steps)))


def optimal_laws(
    steps: TwoSteps, members: Members, weights: FloatArray, epsilon: float, progress: Progress | None
) -> tuple[SetLaw, OptimalSets]:
    """Return the law with the least expected distance under the public ``weights`` (V,) of tokens."""
    distances = list(distances_inside(steps))

    def exact(number: int) -> IntArray:
        penalties = [penalties_of(distances[number])]
        return within(penalties, float(largest_scales(penalties, epsilon)[0]), epsilon)[1][0]

    priors = np.split(weights[members[0]], members[1][1:-1])
    sets = optimal_sets(distances, priors, epsilon, exact, progress)
    return SetLaw(*members, sets.weights), sets
