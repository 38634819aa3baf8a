"""A figure with its interval: the mean over records and what resampling the records does to it.

The interval is the percentile bootstrap over records (Efron: Bootstrap Methods: Another Look at the Jackknife, 1979);
for a share of records, whose bootstrap collapses at 0 and 1, the Clopper-Pearson interval (Biometrika, 1934).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.types import FloatArray

RESAMPLES = 1000
_AT_ONCE = 1 << 22
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """``value`` over ``n`` records (or claims, labels, draws: what ``of`` says), with its 95 % interval."""

    value: float
    low: float
    high: float
    n: int
    of: str = "records"

    def as_json(self) -> dict[str, float | int | str]:
        """For ``results.json``."""
        return {"value": self.value, "low": self.low, "high": self.high, "n": self.n, "of": self.of}


class Resampled(NamedTuple):
    """A figure of ``n`` records and what it is in each resample of them: for figures made of several."""

    value: float
    resamples: FloatArray
    n: int

    def estimate(self, of: str = "records") -> Estimate:
        """The figure with its percentile interval."""
        return of_resamples(self.value, self.resamples, self.n, of)


def mean(values: Sequence[float] | FloatArray, seed: int, of: str = "records") -> Estimate:
    """The mean of one value a record, with its bootstrap interval. NaN where there is no record."""
    found = np.asarray(values, dtype=np.float64)
    if not len(found):
        return nothing(of)
    means = resampled(len(found), seed, lambda weights: weights @ found / len(found))
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Estimate(float(found.mean()), float(low), float(high), len(found), of)


def mean_by_record(values: Sequence[float] | FloatArray, owners: Sequence[int], seed: int, of: str) -> Estimate:
    """The mean of all ``values``, whose ``owners`` (a record's number each) are resampled as wholes."""
    found, numbers = np.asarray(values, dtype=np.float64), np.asarray(owners, dtype=np.int64)
    if not len(found):
        return nothing(of)
    _, places = np.unique(numbers, return_inverse=True)
    sums, counts = np.bincount(places, found), np.bincount(places).astype(np.float64)
    means = resampled(len(sums), seed, lambda weights: weights @ sums / np.maximum(weights @ counts, 1.0))
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Estimate(float(found.mean()), float(low), float(high), len(found), of)


def share(hits: int, n: int, of: str = "records") -> Estimate:
    """``hits`` of ``n``, with the Clopper-Pearson interval. NaN where ``n`` is 0."""
    from scipy.stats import beta  # slow to import

    if not n:
        return nothing(of)
    doubt = (1 - _LEVEL) / 2
    low = float(beta.ppf(doubt, hits, n - hits + 1)) if hits else 0.0
    high = float(beta.ppf(1 - doubt, hits + 1, n - hits)) if hits < n else 1.0
    return Estimate(hits / n, low, high, n, of)


def of_resamples(value: float, resamples: FloatArray, n: int, of: str = "records") -> Estimate:
    """``value`` with the percentile interval of its ``resamples``, those that are no numbers left out."""
    finite = resamples[np.isfinite(resamples)]
    if not len(finite):
        return Estimate(value, float("nan"), float("nan"), n, of)
    low, high = np.quantile(finite, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Estimate(value, float(low), float(high), n, of)


def resampled(n: int, seed: int, statistic: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """``statistic`` of :data:`RESAMPLES` resamples of ``n`` records: it is given how often each was drawn, (b, n)."""
    draw = np.random.default_rng(seed)
    block = max(1, min(RESAMPLES, _AT_ONCE // max(1, n)))
    found = []
    for first in range(0, RESAMPLES, block):
        rows = min(block, RESAMPLES - first)
        drawn = draw.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        found.append(np.asarray(statistic(weights.astype(np.float64)), dtype=np.float64))
    return np.concatenate(found)


def of_statistic(statistic: Callable[[FloatArray], FloatArray], n: int, seed: int) -> Resampled:
    """``statistic`` (as :func:`resampled` takes it) of ``n`` records, and of their resamples."""
    return Resampled(float(statistic(np.ones((1, n)))[0]), resampled(n, seed, statistic), n)


def nothing(of: str = "records") -> Estimate:
    """No record, no figure."""
    return Estimate(float("nan"), float("nan"), float("nan"), 0, of)
