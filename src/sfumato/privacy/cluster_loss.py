"""Exact privacy loss of a two-step law: a cluster first, then a token inside it (CluSanT).

    P(y|x) = P₁(C_y|C_x) · exp(-s₂ r_C d(x, y)) / Z_C(x),        Z_C(x) = Σ_{y in C} exp(-s₂ r_C d(x, y)).

Write A(x, C) = log P₁(C|C_x) - log Z_C(x). For a pair of tokens and an output y in cluster C the log ratio is
A(x, C) - A(x', C) - s₂ r_C (d(x, y) - d(x', y)), at most |A(x, C) - A(x', C)| + s₂ r_C d(x, x'): an upper bound in m
steps. A coarser one takes a single step: max over C of |log P₁(C|C_x) - log P₁(C|C_x')| + 2 s₂ max r · d(x, x'), for
|log Z_C(x) - log Z_C(x')| ≤ s₂ r_C d(x, x'). The exact loss of a pair needs every y. Each is computed only for pairs
whose coarser bound exceeds the largest exact loss found so far, so the maximum is exact (branch and bound). If too
many pairs would have to be computed, the bound itself is the answer and the certificate says so.

If distances are stretched (:mod:`sfumato.privacy.two_steps`), u takes the place of d in step 2, and the bounds on
u(x, y) - u(x', y) that of d(x, x') in both bounds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sfumato.privacy.calibration import Worst, refuse_nan
from sfumato.privacy.kernels import compiled
from sfumato.privacy.privacy_loss import Done, equal_rows, widest_pair
from sfumato.privacy.two_steps import TwoSteps
from sfumato.runtime import in_threads, slices
from sfumato.types import FloatArray, IntArray

_EDGE = 512
_AT_ONCE = 128
_MOST_EXACT = 40_000


@compiled
def _differ(x: FloatArray, y: FloatArray) -> bool:
    return bool(np.any(x != y))


@compiled
def _bounds(
    out: FloatArray,
    x: FloatArray,
    y: FloatArray,
    first: FloatArray,
    other: FloatArray,
    clusters: IntArray,
    other_clusters: IntArray,
    between: FloatArray,
    apart: FloatArray,
    moved: FloatArray,
    rates: FloatArray,
    slopes: FloatArray,
    other_slopes: FloatArray,
    floor: float,
) -> float:
    """Fill ``out`` with upper bounds on the loss of every pair over its distance ``moved``; return the largest.

    An entry is 0 if the bound is at most ``floor``. It is infinite if a distance is not a number, or if it is 0 for
    vectors that differ. Inside a cluster ``apart`` is the distance: f' moves its tokens together. ``slopes`` are
    those of stretched distances, else empty.
    """
    largest, steepest, stretch = 0.0, 2.0 * rates.max(), slopes.shape[1] > 0
    for i in range(len(first)):
        for j in range(len(other)):
            out[i, j], d = 0.0, apart[i, j]
            d_c = d if clusters[i] == other_clusters[j] else moved[i, j]
            proper = 0.0 < d_c < np.inf and d < np.inf
            bound = 0.0
            if stretch:
                if proper and between[clusters[i], other_clusters[j]] + steepest <= floor * d_c:
                    continue
                for c in range(len(rates)):
                    step = min(rates[c], min(slopes[i, c], other_slopes[j, c]) * d)
                    bound = max(bound, abs(first[i, c] - other[j, c]) + step)
            else:
                if proper and between[clusters[i], other_clusters[j]] + steepest * d <= floor * d_c:
                    continue
                for c in range(len(rates)):
                    bound = max(bound, abs(first[i, c] - other[j, c]) + rates[c] * d)
            if proper:
                out[i, j] = bound / d_c
            elif d_c != 0.0 or d != 0.0 or bound > 1e-9 or _differ(x[i], y[j]):  # a copy in its cluster is exempt
                out[i, j] = np.inf
            largest = max(largest, out[i, j])
    return largest


class ClusterLoss:
    """Loss of the two-step law relative to d_c(f'(x), f'(x')), as a function of t.

    s₁ = t·``first`` and s₂ = t·``second``.
    """

    def __init__(self, steps: TwoSteps, first: float, second: float, progress: Done | None = None) -> None:
        self._steps, self._first, self._second, self._progress = steps, first, second, progress
        parts = slices(len(steps.vectors), _EDGE)
        self._blocks = [(a, b) for number, a in enumerate(parts) for b in parts[number:]]
        self._known = np.empty((0, 2), dtype=np.int64)
        self._attained, self.looked_at = True, 0

    def worst(self, scale: float) -> Worst:
        """Return the largest loss over all pairs and outputs at t = ``scale``, and pairs that attain or approach it.

        Raise :class:`GuaranteeError` if a normaliser or a loss is not a number.
        """
        steps, token_scale = self._steps, scale * self._second
        log_first = steps.log_first(scale * self._first)
        table = np.concatenate(list(in_threads(
            lambda part: log_first[steps.cluster_of[part]]
            - steps.log_normalizers(steps.metric.block(steps.vectors[part], steps.vectors), token_scale),
            slices(len(steps.vectors), _AT_ONCE),
        )))  # fmt: skip
        rates = token_scale * steps.rates
        slopes = np.concatenate(list(in_threads(
            lambda part: token_scale * steps.slopes(steps.metric.block(steps.vectors[part], steps.vectors)),
            slices(len(steps.vectors), _AT_ONCE),
        ))) if steps.stretched else np.empty((len(steps.vectors), 0))  # fmt: skip
        refuse_nan(table - table, "The normalisers")  # infinities too
        refuse_nan(rates - rates, "The scales")
        between = np.stack([np.abs(log_first - row).max(axis=1) for row in log_first])
        self._attained, self.looked_at = True, 0
        known = self._losses(self._known)(scale) if len(self._known) else np.empty(0)
        best, pairs = float(known.max(initial=0.0)), self._known[np.argsort(-known)[:8]]

        def block(places: tuple[slice, slice]) -> tuple[tuple[slice, slice], FloatArray, float]:
            rows, columns = places
            out = np.empty((rows.stop - rows.start, columns.stop - columns.start))
            apart = steps.metric.block(steps.vectors[rows], steps.vectors[columns])
            moved = steps.metric.block(steps.moved[rows], steps.moved[columns])
            mine, yours = steps.cluster_of[rows], steps.cluster_of[columns]
            largest = _bounds(
                out, steps.vectors[rows], steps.vectors[columns], table[rows], table[columns], mine, yours, between,
                apart, moved, rates, slopes[rows], slopes[columns], best,
            )  # fmt: skip
            return places, out, largest

        for (rows, columns), bounds, largest in in_threads(block, self._blocks, self._progress):
            if largest <= best:
                continue
            where = np.argwhere(bounds > best)
            height = bounds[where[:, 0], where[:, 1]]
            ranked = np.argsort(-height)
            candidates, height = where[ranked] + [rows.start, columns.start], height[ranked]
            best, attained = self._settle(candidates, height, best, scale)
            if len(attained):
                pairs = np.concatenate([attained, pairs])[:8]
        self._known = np.unique(np.concatenate([self._known, pairs]), axis=0)[-64:]
        refuse_nan(best, "The privacy loss")
        return Worst(best, pairs, self._attained)

    def _settle(self, pairs: IntArray, bounds: FloatArray, best: float, scale: float) -> tuple[float, IntArray]:
        """Return the best exact loss of ``pairs``, in falling order of their bounds, and the pair that attains it.

        The search stops at a bound that is no larger than the best loss.
        """
        attained = np.empty((0, 2), dtype=np.int64)
        for part in slices(len(pairs), 32):
            if bounds[part.start] <= best:
                break
            if self.looked_at > _MOST_EXACT or np.isinf(bounds[part.start]):
                self._attained = False
                return float(max(best, bounds[part.start])), pairs[part][:1]
            losses = self._exact(pairs[part], scale)
            self.looked_at += len(losses)
            top = int(np.argmax(losses))
            if losses[top] > best:
                best, attained = float(losses[top]), pairs[part][top : top + 1]
        return best, attained

    def _exact(self, pairs: IntArray, scale: float) -> FloatArray:
        losses = self._losses(pairs)(scale)
        refuse_nan(losses, "The privacy loss")
        return losses

    def follow(self, pairs: IntArray) -> Callable[[float], float]:
        """Return the largest exact loss among ``pairs`` as a function of t."""
        losses = self._losses(pairs)
        return lambda scale: float(losses(scale).max(initial=0.0))

    def bound(self, pairs: IntArray) -> Callable[[float], float]:
        """Return the largest upper bound among ``pairs`` as a function of t.

        It is the answer of :meth:`worst` if too many pairs would have to be computed.
        """
        steps, (rows, columns) = self._steps, pairs.T
        apart = np.diagonal(steps.metric.block(steps.vectors[rows], steps.vectors[columns]))
        moved = np.array([self._distance(i, j) for i, j in pairs])

        def largest(scale: float) -> float:
            log_first, token_scale = steps.log_first(scale * self._first), scale * self._second
            tables = [
                log_first[steps.cluster_of[ends]]
                - steps.log_normalizers(steps.metric.block(steps.vectors[ends], steps.vectors), token_scale)
                for ends in (rows, columns)
            ]
            bounds = (np.abs(tables[0] - tables[1]) + steps.reach(rows, columns, apart, token_scale)).max(axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                return float(np.where((moved > 0.0) & (moved < np.inf), bounds / moved, np.inf).max(initial=0.0))

        return largest

    def _losses(self, pairs: IntArray) -> Callable[[float], FloatArray]:
        steps = self._steps
        ends, inverse = np.unique(pairs, return_inverse=True)
        places = inverse.reshape(pairs.shape)
        distances = steps.metric.block(steps.vectors[ends], steps.vectors)
        moved = np.array([self._distance(i, j) for i, j in pairs])
        proper = (moved > 0.0) & (moved < np.inf)
        copies = (moved == 0.0) & equal_rows(steps.vectors, pairs)

        def losses(scale: float) -> FloatArray:
            law = steps.log_law(ends, distances, steps.log_first(scale * self._first), scale * self._second)
            gaps = np.array([np.abs(law[a] - law[b]).max() for a, b in places])
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(proper, gaps / moved, np.where(copies & (gaps == 0.0), 0.0, np.inf))

        return losses

    def _distance(self, i: int, j: int) -> float:
        steps = self._steps
        points = steps.vectors if steps.cluster_of[i] == steps.cluster_of[j] else steps.moved
        return float(steps.metric.block(points[i : i + 1], points[j : j + 1])[0, 0])


class InsideClusterLoss:
    """LDP loss between tokens of one cluster when clusters are never confused (k = ∞), as a function of t."""

    def __init__(self, steps: TwoSteps, second: float) -> None:
        self._steps, self._second = steps, second

    def worst(self, scale: float) -> Worst:
        """Return the largest loss over all clusters at t = ``scale``, and the pair of tokens that attains it."""
        losses = [self._loss(cluster, scale) for cluster in range(len(self._steps.rates))]
        refuse_nan(np.array(losses), "The privacy loss")
        top = int(np.argmax(losses))
        pair = np.array([widest_pair(self._log_laws(top, scale))], dtype=np.int64)
        return Worst(losses[top], pair + self._steps.starts[top])

    def follow(self, pairs: IntArray) -> Callable[[float], float]:
        """Return the largest loss among the clusters of ``pairs`` as a function of t."""
        clusters = np.unique(self._steps.cluster_of[pairs])
        return lambda scale: float(np.max([self._loss(int(cluster), scale) for cluster in clusters]))

    def _loss(self, cluster: int, scale: float) -> float:
        laws = self._log_laws(cluster, scale)
        return float(np.max(laws.max(axis=0) - laws.min(axis=0)))

    def _log_laws(self, cluster: int, scale: float) -> FloatArray:
        """Return log P(y|x) inside a cluster, shape (members, members)."""
        steps = self._steps
        inside = steps.vectors[steps.starts[cluster] : steps.starts[cluster + 1]]
        scores = -scale * self._second * steps.rates[cluster] * steps.metric.block(inside, inside)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))
