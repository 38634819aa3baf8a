"""How near the labels of a release are to those of its originals, as shares of all records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.metrics.estimates import Estimate, of_statistic
from sfumato.types import FloatArray


def chi_squared(one: FloatArray, other: FloatArray) -> FloatArray:
    """The chi-squared distance between distributions over labels (the last axis): sum of (p - q)^2 / (p + q).

    From 0 to 2, and finite where one of them lacks a label of the other.
    """
    total = np.asarray(one + other)
    return np.asarray(np.divide((one - other) ** 2, total, out=np.zeros_like(total), where=total > 0).sum(axis=-1))


def distribution_kept(originals: Sequence[str], released: Sequence[str], seed: int) -> Estimate:
    """1 where the labels of the release are spread as those of the originals, 0 where as far off as an even spread.

    1 - distance(originals, release) / distance(originals, uniform), below 0 for what is farther off (A False Sense of
    Privacy, §3.1.1; the paper leaves open which chi-squared distance). Uniform is over the labels of the originals.
    Records of the release are resampled. Raises ConfigurationError where the originals' own labels are spread evenly,
    so that there is no such scale.
    """
    names, coded = np.unique(np.array([*originals, *released], dtype=object).astype(str), return_inverse=True)
    one_hot = np.eye(len(names))
    before = one_hot[coded[: len(originals)]].mean(axis=0)
    after = one_hot[coded[len(originals) :]]
    even = (before > 0) / (before > 0).sum()
    scale = float(chi_squared(before, even))
    if scale < 1e-9:  # what is left of equal shares is rounding
        raise ConfigurationError(
            "The labels of the originals are spread evenly, so that their distribution has no scale."
        )

    def statistic(weights: FloatArray) -> FloatArray:
        shares = weights @ after / weights.sum(axis=1, keepdims=True)
        return np.asarray(1.0 - chi_squared(shares, before) / scale)

    return of_statistic(statistic, len(after), seed).estimate()
