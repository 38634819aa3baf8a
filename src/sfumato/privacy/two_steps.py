"""The geometry of CluSanT's two steps, and step 2 with distances that are stretched for each input and cluster.

Stretched distances run from 0 to 1, as in the published program:

    u(x, y) = (d(x, y) - a_C(x)) / w_C(x),        y in C,

where a_C(x) is the least of the distances d(x, .) over C, and w_C(x) their spread. |u(x, y) - u(x', y)| is at most 1,
and at most 2 d(x, x') / max(w_C(x), w_C(x')), because each of d(x, y), its least and its largest value over C moves
by at most d(x, x'). A spread below a thousandth of the cluster's diameter counts as that thousandth, so that rounding
errors of distances are never blown up; the second bound holds for such spreads as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.privacy.distance_law import GroupLaw
from sfumato.privacy.distances import Distance
from sfumato.types import FloatArray, IntArray

LEAST_SPREAD = 1e-3
"""The least spread that counts, as a share of the cluster's diameter."""


def spreads(distances: FloatArray, starts: IntArray, rates: FloatArray) -> FloatArray:
    """Return w_C(x), shape (a, m), for ``distances`` (a, V) to tokens sorted by cluster.

    ``starts`` (m + 1) is where each cluster begins, and ``rates`` (m,) one over its diameter (0: it has none).
    """
    places = starts[:-1]
    widths = np.maximum.reduceat(distances, places, axis=1) - np.minimum.reduceat(distances, places, axis=1)
    least = np.divide(LEAST_SPREAD, rates, out=np.ones_like(rates), where=rates > 0.0)
    return np.asarray(np.maximum(widths, least), dtype=np.float64)


def stretched(distances: FloatArray, starts: IntArray, rates: FloatArray) -> FloatArray:
    """Return u(x, y), shape (a, V); the arguments are those of :func:`spreads`."""
    sizes = np.diff(starts)
    least = np.minimum.reduceat(distances, starts[:-1], axis=1)
    widths = spreads(distances, starts, rates)
    return np.asarray((distances - np.repeat(least, sizes, axis=1)) / np.repeat(widths, sizes, axis=1))


@dataclass(frozen=True, eq=False)
class StretchedLaw(GroupLaw):
    """Draws inside one group of outputs: P(y|x, group) ∝ exp(-scale[group] · u(x, y)).

    ``rates`` (groups,) are one over the diameters; there is no limit.
    """

    rates: FloatArray

    def weights(self, vectors: FloatArray, inputs: IntArray, groups: IntArray) -> FloatArray:
        """Return the weights of the members of ``groups`` (n,) as :class:`GroupLaw` does."""
        scales = np.asarray(self.scale)
        weights = np.zeros((len(inputs), int((self.starts[groups + 1] - self.starts[groups]).max(initial=0))))
        for group in np.unique(groups):
            rows, members = np.flatnonzero(groups == group), self.outputs[self.starts[group] : self.starts[group + 1]]
            distances = self.metric.directly(vectors[inputs[rows]], members)
            apart = stretched(distances, np.array([0, len(members)]), self.rates[group : group + 1])
            weights[rows, : len(members)] = np.exp(-scales[group] * apart)
        return weights


@dataclass(frozen=True, eq=False)
class TwoSteps:
    """The public geometry of CluSanT, independent of epsilon.

    ``vectors`` (V, D) and ``moved`` = f' (V, D) are sorted by cluster, ``starts`` (m + 1), ``cluster_of`` (V,);
    ``centres`` (m, m) are the distances between cluster embeddings; ``rates`` (m,) is r_C; ``metric`` is d. If
    ``stretched``, step 2 takes u for d, and r_C is one over the diameter of C (0 for a cluster without one).
    """

    vectors: FloatArray
    moved: FloatArray
    starts: IntArray
    cluster_of: IntArray
    centres: FloatArray
    rates: FloatArray
    metric: Distance
    stretched: bool = False

    def penalties(self, distances: FloatArray) -> FloatArray:
        """Return what step 2 takes for ``distances`` (a, V): u if they are stretched."""
        return stretched(distances, self.starts, self.rates) if self.stretched else distances

    def slopes(self, distances: FloatArray) -> FloatArray:
        """Return 2 r_C / w_C(x), shape (a, m), for stretched ``distances`` (a, V); else nothing, shape (a, 0)."""
        if not self.stretched:
            return np.empty((len(distances), 0))
        return 2.0 * self.rates / spreads(distances, self.starts, self.rates)

    def reach(self, rows: IntArray, columns: IntArray, apart: FloatArray, token_scale: float) -> FloatArray:
        """Return bounds on s₂ r_C |d(x, y) - d(x', y)|, shape (P, m), for P pairs at the distances ``apart`` (P,)."""
        if not self.stretched:
            return token_scale * self.rates * apart[:, None]
        both = [self.slopes(self.metric.block(self.vectors[ends], self.vectors)) for ends in (rows, columns)]
        return token_scale * np.minimum(self.rates, np.minimum(*both) * apart[:, None])

    def log_first(self, cluster_scale: float) -> FloatArray:
        """Return log P₁(C'|C), shape (m, m). Clusters infinitely far apart (k = ∞) are never confused."""
        scores = -cluster_scale * self.centres
        most = scores.max(axis=1, keepdims=True)
        return np.asarray(scores - most - np.log(np.exp(scores - most).sum(axis=1, keepdims=True)), dtype=np.float64)

    def log_normalizers(self, distances: FloatArray, token_scale: float) -> FloatArray:
        """Return log Z_C(x) for inputs with these ``distances`` (a, V) to every token, shape (a, m)."""
        sizes = np.diff(self.starts)
        scores = -token_scale * np.repeat(self.rates, sizes) * self.penalties(distances)
        most = np.maximum.reduceat(scores, self.starts[:-1], axis=1)
        scores -= np.repeat(most, sizes, axis=1)
        return np.asarray(most + np.log(np.add.reduceat(np.exp(scores), self.starts[:-1], axis=1)))

    def log_law(
        self, tokens: IntArray, distances: FloatArray, log_first: FloatArray, token_scale: float
    ) -> FloatArray:
        """Return log P(y|x) for ``tokens`` (a,) with ``distances`` (a, V) to every token, shape (a, V)."""
        first = log_first[self.cluster_of[tokens]] - self.log_normalizers(distances, token_scale)
        rates, sizes = np.repeat(self.rates, np.diff(self.starts)), np.diff(self.starts)
        penalties = token_scale * rates * self.penalties(distances)
        return np.asarray(np.repeat(first, sizes, axis=1) - penalties)
