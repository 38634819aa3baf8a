"""Which tokens a guarantee keeps apart, at what distance, and which pair its certificate is about.

An audit needs the unit of the claim: the distance that the guarantee names, 1 for LDP, and infinity between tokens of
which it promises nothing (CusText across its sets). Everything here is public: mechanism, vocabulary, parameters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from sfumato.abstract.mechanism import Mechanism
from sfumato.errors import ConfigurationError
from sfumato.mechanisms._exponential import DistanceExponential
from sfumato.mechanisms._noise import NoiseMechanism
from sfumato.mechanisms.clusant import CluSanT
from sfumato.mechanisms.custext import CusText
from sfumato.mechanisms.custext_plus import CusTextPlus
from sfumato.mechanisms.mahalanobis import Mahalanobis
from sfumato.mechanisms.santext_plus import SanTextPlus
from sfumato.privacy.distances import Distance
from sfumato.types import FloatArray, IntArray, Progress

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Adjacency:
    """``covered`` are the tokens that a guarantee is about. For metric guarantees ``points`` (V, D) carry the
    distance ``metric``; for LDP ``groups`` (V,) says which tokens are indistinguishable (None: all).
    """

    covered: IntArray
    points: FloatArray | None = None
    metric: Distance = field(default_factory=Distance)
    groups: IntArray | None = None

    def distances(self, tokens: IntArray, others: IntArray) -> FloatArray:
        """In the unit of the claim, shape (tokens, others); infinity where nothing is promised."""
        if self.points is not None:
            found = self.metric.block(self.points[tokens], self.points[others])
        elif self.groups is None:
            found = np.ones((len(tokens), len(others)))
        else:
            same = self.groups[tokens][:, None] == self.groups[others]
            found = np.where(same, 1.0, np.inf)
        outside = ~np.isin(tokens, self.covered)[:, None] | ~np.isin(others, self.covered)
        return np.where(tokens[:, None] == others, 0.0, np.where(outside, np.inf, found))


def adjacency_of(made: Mechanism) -> Adjacency:
    """The adjacency of ``made``. Raises ConfigurationError for a metric guarantee of another package's mechanism."""
    vectors = made.vocabulary.vectors
    every = np.arange(len(vectors))
    covered = every if made.protected is None else made.protected
    if isinstance(made, DistanceExponential | SanTextPlus):
        return Adjacency(covered, vectors, Distance(made.p))
    if isinstance(made, Mahalanobis):
        return Adjacency(covered, np.asarray(np.linalg.solve(made.root, vectors.T).T, dtype=np.float64))
    if isinstance(made, NoiseMechanism):
        return Adjacency(covered, vectors)
    if isinstance(made, CluSanT):
        members, _, cluster_of = made._members
        if math.isinf(made.k):
            return Adjacency(covered, groups=cluster_of)
        moved = np.empty_like(vectors)
        moved[members] = made.geometry(made.k).moved
        return Adjacency(covered, moved, Distance(made.p))
    if isinstance(made, CusText | CusTextPlus):
        inner = made.inner if isinstance(made, CusTextPlus) else made
        groups = np.full(len(vectors), -1, dtype=np.int64)
        groups[covered] = [int(inner.members(token)[0]) for token in range(len(covered))]
        return Adjacency(covered, groups=groups)
    if made.guarantee.definition == "LDP":
        return Adjacency(covered)
    raise ConfigurationError(
        f"The distance of {made.name} is not known here; audit it as a black box, with --command and --distance."
    )


def worst_pair(made: Mechanism, progress: Progress | None = None) -> Pair | None:
    """Return the pair of tokens with the largest loss per unit of distance, as the certificate's analysis finds it.

    None where no law is finite (noise), or where the analysis names no pair (a mechanism of another package).
    """
    return made.certify(progress).pair


def default_pairs(made: Mechanism) -> list[Pair]:
    """Where no pair is named: the token in the middle with the nearest other one, and with the farthest."""
    found = adjacency_of(made)
    middle = made.vocabulary.medoid(made.protected)
    apart = found.distances(np.array([middle]), found.covered)[0]
    nearest = int(found.covered[np.argmin(np.where(apart > 0.0, apart, np.inf))])
    farthest = int(found.covered[np.argmax(np.where(np.isfinite(apart), apart, 0.0))])
    return [(middle, other) for other in dict.fromkeys((nearest, farthest)) if other != middle]
