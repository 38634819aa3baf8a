"""How well guessed numbers follow the true ones: Pearson's and Spearman's correlation, resampled by record."""

from __future__ import annotations

import numpy as np

from sfumato.metrics.estimates import Resampled, of_statistic
from sfumato.types import FloatArray


def pearson(guesses: FloatArray, truth: FloatArray, seed: int) -> Resampled:
    """Pearson's r. Guesses that are the same for all follow nothing: 0."""

    def statistic(weights: FloatArray) -> FloatArray:
        return _correlated(weights, guesses, truth)

    return of_statistic(statistic, len(truth), seed)


def spearman(guesses: FloatArray, truth: FloatArray, seed: int) -> Resampled:
    """Spearman's rho, ties at their middle rank; ranks are taken anew in every resample. The same for all: 0."""
    ranked = [_Ranks(guesses), _Ranks(truth)]

    def statistic(weights: FloatArray) -> FloatArray:
        return _correlated(weights, *(one.of(weights) for one in ranked))

    return of_statistic(statistic, len(truth), seed)


class _Ranks:
    """Middle ranks of ``values`` in a resample."""

    def __init__(self, values: FloatArray) -> None:
        self._order = np.argsort(values, kind="stable")
        _, self._group = np.unique(values, return_inverse=True)
        ordered = values[self._order]
        self._starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])

    def of(self, weights: FloatArray) -> FloatArray:
        """The rank of each record, shape (b, n), where a record was drawn as often as ``weights`` (b, n) says."""
        counts = np.add.reduceat(weights[:, self._order], self._starts, axis=1)
        below = np.cumsum(counts, axis=1) - counts
        return np.asarray((below + (counts + 1) / 2)[:, self._group])


def _correlated(weights: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    """Pearson's r of two columns, or of two tables (b, n), under each row of ``weights`` (b, n)."""
    total = weights.sum(axis=1)

    def mean(values: FloatArray) -> FloatArray:
        return np.asarray((weights * values).sum(axis=1) / total)

    first, second = one - mean(one)[:, None], other - mean(other)[:, None]
    spreads = [np.sqrt(mean(values**2)) for values in (first, second)]
    # what is left of equal numbers is rounding
    there = (spreads[0] > 1e-9 * np.abs(one).max()) & (spreads[1] > 1e-9 * np.abs(other).max())
    found = np.divide(mean(first * second), spreads[0] * spreads[1], out=np.zeros_like(total), where=there)
    return np.asarray(found)
