"""The loss of a law by trying all pairs of inputs, which the faster ways must agree with."""

from __future__ import annotations

import numpy as np

from sfumato.types import FloatArray


def pairwise_loss(log_law: FloatArray, distances: FloatArray | None = None) -> float:
    """Return the exact loss of a whole law in nats, by trying all pairs of inputs and all outputs.

    ``log_law`` (X, Y) holds log P(y|x); ``distances`` (X, X) divides the loss for metric privacy (pairs at distance 0
    must have one law, else the loss is infinite). Quadratic in inputs.
    """
    worst = 0.0
    for x in range(len(log_law)):
        with np.errstate(invalid="ignore", divide="ignore"):
            gaps = np.abs(log_law[x] - log_law)
            gaps[np.isneginf(log_law) & np.isneginf(log_law[x])] = 0.0
            ratio = np.max(gaps, axis=1)
            if distances is not None:
                apart = distances[x] > 0
                ratio = np.where(
                    apart, ratio / np.where(apart, distances[x], 1.0), np.where(ratio > 1e-9, np.inf, 0.0)
                )
        worst = float(np.maximum(worst, np.max(ratio)))  # keeps NaN
    return worst
