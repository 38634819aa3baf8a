"""MAUVE: how similarly the texts of two sets are distributed, by the ``mauve-text`` package on given vectors.

Pillutla et al.: MAUVE (NeurIPS 2021). 1: the same distribution, 0: apart. It compares sets and not records, so two
sets may have the same distribution although every record differs, and the other way round. Nothing is downloaded,
because the package receives vectors. Differences: 40 texts or more a bucket (the package takes 20, at which its
clustering warns).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.metrics.estimates import RESAMPLES, Estimate, of_resamples
from sfumato.types import FloatArray

_A_BUCKET = 40
_SCALING, _POINTS = 5, 25
"""The package's default settings."""


def mauve_score(before: FloatArray, after: FloatArray, seed: int) -> Estimate:
    """Return MAUVE of two sets of vectors (n, D), with its bootstrap interval (over texts, with fixed buckets).

    Raise MissingExtraError without the package, and ConfigurationError for fewer than two buckets of texts.
    """
    buckets = (len(before) + len(after)) // _A_BUCKET
    if buckets < 2 or not len(before) or not len(after):
        raise ConfigurationError(f"it needs at least {_A_BUCKET} texts of each file.")
    package = _package()
    if np.ptp(np.vstack([before, after]), axis=0).max() < 1e-9:
        return Estimate(1.0, 1.0, 1.0, len(after), "texts")  # all texts are the same
    result = package.compute_mauve(
        p_features=before, q_features=after, num_buckets=buckets, seed=seed, mauve_scaling_factor=_SCALING,
        divergence_curve_discretization_size=_POINTS,
    )  # fmt: skip
    draw = np.random.default_rng(seed)
    rows = [draw.multinomial(n, p, RESAMPLES // 5) / n
            for n, p in ((len(before), result.p_hist), (len(after), result.q_hist))]  # fmt: skip
    resamples = np.array([_area(package, p, q) for p, q in zip(*rows, strict=True)])
    value = min(1.0, float(result.mauve))
    spread = of_resamples(value, resamples, len(after), "texts")
    # resamples of equal sets are less equal, so the value may lie above all of them
    return Estimate(value, min(spread.low, value), min(1.0, max(spread.high, value)), spread.n, spread.of)


def _area(package: Any, p: FloatArray, q: FloatArray) -> float:
    """Return the area under the curve of both divergences, computed as in the package."""
    from sklearn.metrics import auc

    mixtures = np.linspace(1e-6, 1 - 1e-6, _POINTS)
    x, y = package.get_divergence_curve_for_multinomials(p, q, mixtures, _SCALING).T
    return float(auc(*_ascending(x, y)) + auc(*_ascending(y, x))) / 2


def _ascending(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    order = np.argsort(x)
    return x[order], y[order]


def _package() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from mauve import compute_mauve
    except ImportError:
        raise MissingExtraError("it needs mauve-text; type: pip install 'sfumato[mauve]'") from None
    import sys

    return sys.modules[compute_mauve.__module__]
