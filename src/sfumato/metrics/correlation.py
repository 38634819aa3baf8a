"""How well guessed numbers follow the true ones: Pearson's and Spearman's correlation, resampled by record."""

from __future__ import annotations

import numpy as np

from sfumato.metrics.estimates import Resampled, of_statistic
from sfumato.types import FloatArray


def pearson(guesses: FloatArray, truth: FloatArray, seed: int) -> Resampled:
    """Return Pearson's r, resampled by record; 0 for guesses that are all the same."""

    def statistic(weights: FloatArray) -> FloatArray:
        return _correlated(weights, guesses, truth)

    return of_statistic(statistic, len(truth), seed)


def spearman(guesses: FloatArray, truth: FloatArray, seed: int) -> Resampled:
    """Return Spearman's rho, resampled by record, with ties at their middle rank.

    Ranks are computed again in every resample. Guesses that are all the same give 0.
    """
    ranked = [_Ranks(guesses), _Ranks(truth)]

    def statistic(weights: FloatArray) -> FloatArray:
        return _correlated(weights, *(column.of(weights) for column in ranked))

    return of_statistic(statistic, len(truth), seed)


class _Ranks:
    """Middle ranks of ``values`` in a resample."""

    def __init__(self, values: FloatArray) -> None:
        self._order = np.argsort(values, kind="stable")
        _, self._group = np.unique(values, return_inverse=True)
        ordered = values[self._order]
        self._starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])

    def of(self, weights: FloatArray) -> FloatArray:
        """Return the rank of each record, shape (b, n), if a record was drawn as often as ``weights`` (b, n) says."""
        counts = np.add.reduceat(weights[:, self._order], self._starts, axis=1)
        below = np.cumsum(counts, axis=1) - counts
        return np.asarray((below + (counts + 1) / 2)[:, self._group])


def _correlated(weights: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Pearson's r of two columns, or of two tables (b, n), under each row of ``weights`` (b, n)."""
    total = weights.sum(axis=1)

    def mean(values: FloatArray) -> FloatArray:
        return np.asarray((weights * values).sum(axis=1) / total)

    first, second = x - mean(x)[:, None], y - mean(y)[:, None]
    spreads = [np.sqrt(mean(values**2)) for values in (first, second)]
    # equal numbers differ from their mean only by rounding
    varied = (spreads[0] > 1e-9 * np.abs(x).max()) & (spreads[1] > 1e-9 * np.abs(y).max())
    r = np.divide(mean(first * second), spreads[0] * spreads[1], out=np.zeros_like(total), where=varied)
    return np.asarray(r)
