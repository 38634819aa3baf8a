"""A figure with its interval: the mean over records, and its spread when the records are resampled.

The interval is the percentile bootstrap over records (Efron: Bootstrap Methods: Another Look at the Jackknife, 1979).
For a share of records, whose bootstrap collapses at 0 and 1, it is the Clopper-Pearson interval (Biometrika, 1934).
For a share of answers that belong to records, it is at least that of as many independent answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sfumato.types import FloatArray, IntArray

RESAMPLES = 1000
_AT_ONCE = 1 << 22
_LEVEL = 0.95
_FEW = 50


@dataclass(frozen=True, slots=True)
class Estimate:
    """``value`` with its 95 % interval, over ``n`` records (or the claims, labels or draws that ``of`` names)."""

    value: float
    low: float
    high: float
    n: int
    of: str = "records"

    def as_json(self) -> dict[str, float | int | str]:
        """Return the estimate for ``results.json``."""
        return {"value": self.value, "low": self.low, "high": self.high, "n": self.n, "of": self.of}


class Resampled(NamedTuple):
    """A figure of ``n`` records and its value in each resample of them: for figures made of several."""

    value: float
    resamples: FloatArray
    n: int

    def estimate(self, of: str = "records") -> Estimate:
        """Return the figure with its percentile interval."""
        return of_resamples(self.value, self.resamples, self.n, of)


def less(first: Resampled, second: Resampled) -> Resampled:
    """Return ``first`` minus ``second``. Figures of the same records and seed are resampled together."""
    return Resampled(first.value - second.value, first.resamples - second.resamples, min(first.n, second.n))


def mean(values: Sequence[float] | FloatArray, seed: int, of: str = "records") -> Estimate:
    """Return the mean of one value a record, with its bootstrap interval. NaN if there is no record."""
    numbers = np.asarray(values, dtype=np.float64)
    if not len(numbers):
        return nothing(of)
    means = resampled(len(numbers), seed, lambda weights: weights @ numbers / len(numbers))
    return of_resamples(float(numbers.mean()), means, len(numbers), of)


def mean_by_record(values: Sequence[float] | FloatArray, owners: Sequence[int], seed: int, of: str) -> Estimate:
    """Return the mean of all ``values``. Their ``owners`` (a record's number each) are resampled as wholes."""
    numbers, records = np.asarray(values, dtype=np.float64), np.asarray(owners, dtype=np.int64)
    if not len(numbers):
        return nothing(of)
    _, groups = np.unique(records, return_inverse=True)
    sums, counts = np.bincount(groups, numbers), np.bincount(groups).astype(np.float64)
    means = resampled(len(sums), seed, lambda weights: weights @ sums / np.maximum(weights @ counts, 1.0))
    return of_resamples(float(numbers.mean()), means, len(numbers), of)


def mean_of_rows(rows: Sequence[Sequence[float | None]], seed: int, of: str) -> Estimate:
    """Return the mean of the values in ``rows``, one row a record; None is no value."""
    flat = [(value, record) for record, row in enumerate(rows) for value in row if value is not None]
    return mean_by_record([value for value, _ in flat], [record for _, record in flat], seed, of)


def share_by_record(right: Sequence[float] | FloatArray, owners: Sequence[int], seed: int, of: str) -> Estimate:
    """Return the share of ``right`` answers, whose ``owners`` (a record's number each) are sampled as wholes.

    The interval is the wider one of two. The bootstrap over records has no width where all answers are alike. The
    exact interval of Korn and Graubard (Survey Methodology 24, 1998) counts as many independent answers as would vary
    as much as the records do; where nothing varies, one for each record. Of fewer than 50 records it counts no more
    answers than records: how much so few vary is hardly known.
    """
    estimate = mean_by_record(right, owners, seed, of)
    if not estimate.n:
        return estimate
    independent = _independent(np.asarray(right, dtype=np.float64), np.asarray(owners, dtype=np.int64))
    low, high = _exact(estimate.value * independent, independent)
    return replace(estimate, low=min(estimate.low, low), high=max(estimate.high, high))


def _independent(right: FloatArray, owners: IntArray) -> float:
    """Return how many independent answers vary as the answers of these records do: at most as many as there are."""
    from scipy.stats import t  # slow to import

    _, groups = np.unique(owners, return_inverse=True)
    records, n, rate = int(groups.max()) + 1, len(right), float(right.mean())
    residuals = np.bincount(groups, right - rate)
    variance = float(residuals @ residuals) / n**2 * records / max(1, records - 1)
    if records < 2 or variance <= 0.0 or not 0.0 < rate < 1.0:
        return float(records)
    quantile = (1 + _LEVEL) / 2
    fewer = (float(t.ppf(quantile, n - 1)) / float(t.ppf(quantile, records - 1))) ** 2
    return min(float(n if records >= _FEW else min(n, records)), rate * (1.0 - rate) / variance * fewer)


def share(hits: int, n: int, of: str = "records") -> Estimate:
    """Return ``hits`` of ``n``, with the Clopper-Pearson interval. NaN if ``n`` is 0."""
    if not n:
        return nothing(of)
    return Estimate(hits / n, *_exact(hits, n), n, of)


def _exact(hits: float, n: float) -> tuple[float, float]:
    """Return the Clopper-Pearson interval, of numbers that need not be whole."""
    from scipy.special import betaincinv  # as scipy.stats.beta.ppf, in a twentieth of the time

    doubt = (1 - _LEVEL) / 2
    low = float(betaincinv(hits, n - hits + 1, doubt)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, n - hits, 1 - doubt)) if hits < n else 1.0
    return low, high


def difference(first: Estimate, second: Estimate) -> Estimate:
    """Return ``first`` minus ``second``, which are of different records, with an interval made of theirs.

    Each end goes as far as both intervals do, added as independent errors (Zou and Donner 2008; for shares, Newcombe
    1998, method 10). So it does not collapse where both are 0, as a bootstrap of the difference does.
    """
    value = first.value - second.value
    below = float(np.hypot(first.value - first.low, second.high - second.value))
    above = float(np.hypot(first.high - first.value, second.value - second.low))
    return Estimate(value, value - below, value + above, first.n + second.n, first.of)


def of_resamples(value: float, resamples: FloatArray, n: int, of: str = "records") -> Estimate:
    """Return ``value`` with the percentile interval of its ``resamples``.

    Resamples that are not finite are left out.
    """
    finite = resamples[np.isfinite(resamples)]
    if not len(finite):
        return Estimate(value, float("nan"), float("nan"), n, of)
    low, high = np.quantile(finite, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Estimate(value, float(low), float(high), n, of)


def resampled(n: int, seed: int, statistic: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Return ``statistic`` of :data:`RESAMPLES` resamples of ``n`` records, shape (:data:`RESAMPLES`,).

    ``statistic`` receives how often each record was drawn, (b, n), and returns b values.
    """
    draw = np.random.default_rng(seed)
    block = max(1, min(RESAMPLES, _AT_ONCE // max(1, n)))
    blocks = []
    for first in range(0, RESAMPLES, block):
        rows = min(block, RESAMPLES - first)
        drawn = draw.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        blocks.append(np.asarray(statistic(weights.astype(np.float64)), dtype=np.float64))
    return np.concatenate(blocks)


def of_statistic(statistic: Callable[[FloatArray], FloatArray], n: int, seed: int) -> Resampled:
    """Return ``statistic`` (as in :func:`resampled`) of ``n`` records, and of their resamples."""
    return Resampled(float(statistic(np.ones((1, n)))[0]), resampled(n, seed, statistic), n)


def nothing(of: str = "records") -> Estimate:
    """Return the estimate without records: NaN."""
    return Estimate(float("nan"), float("nan"), float("nan"), 0, of)


def median(values: Sequence[float] | FloatArray, least: float, most: float, of: str = "records") -> Estimate:
    """Return the median of values from ``least`` to ``most``, with the interval between two of the ordered values.

    How many values lie below the true median is binomial, whatever their distribution. Of fewer than six values the
    interval is all that is possible. NaN if there is no record.
    """
    from scipy.stats import binom  # slow to import

    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = len(ordered)
    if not n:
        return nothing(of)
    rank = int(binom.ppf((1 - _LEVEL) / 2, n, 0.5))
    low, high = (float(ordered[rank - 1]), float(ordered[n - rank])) if rank else (least, most)
    return Estimate(float(np.median(ordered)), low, high, n, of)
