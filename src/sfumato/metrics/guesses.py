"""How well guesses fit the truth: labels, numbers, members told from others, and the distribution of labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.metrics.estimates import Estimate, Resampled, nothing, of_resamples, of_statistic, share
from sfumato.types import FloatArray, IntArray

_Z = 1.959964
_APART = 1e-12  # from the value itself, which solves the equation where it is 0 or 1
_RESAMPLES = 500


def accuracy(guesses: IntArray, labels: IntArray) -> Estimate:
    """Return the share of right guesses, with the Clopper-Pearson interval."""
    return share(int((guesses == labels).sum()), len(labels))


def advantage(guesses: IntArray, labels: IntArray, seed: int) -> Estimate:
    """Return the accuracy less that of always guessing the most common label, resampled together."""
    right = np.asarray(guesses == labels, dtype=np.float64)
    classes = np.eye(int(labels.max()) + 1)[labels]

    def statistic(weights: FloatArray) -> FloatArray:
        return np.asarray((weights @ right - (weights @ classes).max(axis=1)) / len(labels))

    return of_statistic(statistic, len(labels), seed).estimate()


def macro_f1(guesses: IntArray, labels: IntArray, seed: int) -> Resampled:
    """Return the mean of F1 over the labels that were guessed or occur; 0 for a label that a resample lacks."""
    _, coded = np.unique(np.concatenate([labels, guesses]), return_inverse=True)
    one_hot = np.eye(int(coded.max()) + 1)
    true, guessed = one_hot[coded[: len(labels)]], one_hot[coded[len(labels) :]]
    both, either = true * guessed, true + guessed

    def statistic(weights: FloatArray) -> FloatArray:
        hits, total = weights @ both, weights @ either
        return np.asarray(np.divide(2 * hits, total, out=np.zeros_like(hits), where=total > 0).mean(axis=1))

    return of_statistic(statistic, len(labels), seed)


def relative_gain(use: Resampled, use_before: Resampled, read: Resampled, read_before: Resampled) -> Resampled:
    """Return U_r/U_o - P_r/P_o (DP-MLM paper, §5.2): the share of utility kept, less the share of inference kept.

    Figures of the same records and seed are resampled together; figures of different records, each by itself.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        resamples = use.resamples / use_before.resamples - read.resamples / read_before.resamples
    return Resampled(use.value / use_before.value - read.value / read_before.value, resamples, min(use.n, read.n))


def pearson(guesses: FloatArray, truth: FloatArray, seed: int) -> Resampled:
    """Return Pearson's r, resampled by record; 0 for guesses that are all the same."""
    return of_statistic(lambda weights: _correlated(weights, guesses, truth), len(truth), seed)


def spearman(guesses: FloatArray, truth: FloatArray, seed: int) -> Resampled:
    """Return Spearman's rho, resampled by record, with ties at their middle rank.

    Ranks are computed again in every resample. Guesses that are all the same give 0.
    """
    first, second = _Ranks(guesses), _Ranks(truth)
    return of_statistic(lambda weights: _correlated(weights, first.of(weights), second.of(weights)), len(truth), seed)


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


def auc(members: FloatArray, others: FloatArray) -> Estimate:
    """Return the probability that a member scores higher than another person; ties count half. 0.5 tells nothing.

    The interval is Newcombe's (Confidence intervals for an effect size measure based on the Mann-Whitney statistic,
    Part 2, Statistics in Medicine 2006, method 5): all areas whose variance by Hanley and McNeil is compatible with
    the one seen. Unlike the bootstrap it does not collapse where the scores separate.
    """
    from scipy.optimize import brentq  # slow to import
    from scipy.stats import rankdata

    n, m = len(members), len(others)
    if not n or not m:
        return nothing("people")
    ranks = rankdata(np.concatenate([members, others]))
    value = float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))
    more = (n + m) / 2 - 1

    def too_far(area: float, sign: float) -> float:
        variance = area * (1 - area) * (1 + more * ((1 - area) / (2 - area) + area / (1 + area))) / (n * m)
        return float(sign * (value - area) - _Z * np.sqrt(variance))

    low = 0.0 if value == 0.0 else float(brentq(too_far, 0.0, value - _APART, args=(1.0,)))
    high = 1.0 if value == 1.0 else float(brentq(too_far, value + _APART, 1.0, args=(-1.0,)))
    return Estimate(value, low, high, n + m, "people")


def hits_at(members: FloatArray, others: FloatArray, false_alarms: float, seed: int) -> Estimate | None:
    """Return the share of members above the score that at most ``false_alarms`` of the others exceed.

    None where there are too few others for one of them to be so rare. The interval holds the bootstrap over both
    groups, in which the threshold moves, and the Clopper-Pearson interval at the threshold, which does not collapse.
    """
    allowed = int(np.floor(false_alarms * len(others) + 1e-9))
    if not allowed or not len(members):
        return None
    draw = np.random.default_rng(seed)

    def rate(scores: FloatArray, rest: FloatArray) -> float:
        threshold = np.partition(rest, len(rest) - allowed - 1)[len(rest) - allowed - 1]
        return float((scores > threshold).mean())

    value = rate(members, others)
    resamples = [
        rate(draw.choice(members, len(members)), draw.choice(others, len(others))) for _ in range(_RESAMPLES)
    ]
    spread = of_resamples(value, np.array(resamples), len(members) + len(others), "people")
    exact = share(round(value * len(members)), len(members))
    return Estimate(value, min(spread.low, exact.low), max(spread.high, exact.high), spread.n, "people")


def chi_squared(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the chi-squared distance between distributions over labels (the last axis): sum of (p - q)^2 / (p + q).

    It lies between 0 and 2, and is finite even if one of them lacks a label of the other.
    """
    total = np.asarray(first + second)
    return np.asarray(np.divide((first - second) ** 2, total, out=np.zeros_like(total), where=total > 0).sum(axis=-1))


def distribution_kept(originals: Sequence[str], released: Sequence[str], seed: int) -> Estimate:
    """Return 1 if the release has the originals' distribution of labels, 0 if it is as far off as an even spread.

    The value is 1 - distance(originals, release) / distance(originals, uniform), below 0 for a larger distance (A
    False Sense of Privacy, §3.1.1; the paper leaves open which chi-squared distance). Uniform is over the labels of
    the originals. Records of the release are resampled. Raise ConfigurationError if the originals' own labels are
    spread evenly, because then there is no such scale.
    """
    names, coded = np.unique(np.array([*originals, *released], dtype=object).astype(str), return_inverse=True)
    one_hot = np.eye(len(names))
    before = one_hot[coded[: len(originals)]].mean(axis=0)
    after = one_hot[coded[len(originals) :]]
    even = (before > 0) / (before > 0).sum()
    scale = float(chi_squared(before, even))
    if scale < 1e-9:  # equal shares differ only by rounding
        raise ConfigurationError(
            "The labels of the originals are spread evenly, so that their distribution has no scale."
        )

    def statistic(weights: FloatArray) -> FloatArray:
        shares = weights @ after / weights.sum(axis=1, keepdims=True)
        return np.asarray(1.0 - chi_squared(shares, before) / scale)

    return of_statistic(statistic, len(after), seed).estimate()
