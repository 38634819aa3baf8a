"""The distance between the labels of a release and those of its originals, as shares of all records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.metrics.estimates import Estimate, of_statistic
from sfumato.types import FloatArray


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
