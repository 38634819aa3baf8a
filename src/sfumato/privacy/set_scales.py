"""The exponential law inside a set, P(y|x) ∝ exp(-s·u(x, y)) with penalties u in [0, 1], and its scale s.

The loss at s lies between s and 2s: penalties differ by at most 1, and so do the logarithms of the sums of weights
over s. So the largest scale within ε lies between ε/2 and ε, and bisection finds it. A set is calibrated on its own.
The law is then rounded to whole numbers. Where they lose more than ε (only at an ε near the rounding), the scale is
lowered until they do not, down to 0, where all outputs are equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.errors import GuaranteeError
from sfumato.privacy.calibration import TOLERANCE, refuse_nan, rounded_down
from sfumato.privacy.integer_law import integer_loss, integer_weights
from sfumato.types import FloatArray, IntArray

_LEAST = 1e-300  # a weight that underflows is drawn all the same, with probability 2^-62
_FIRST = 34  # a scale has 32 bits: the first step lowers it by a quarter of its last bit, which takes one bit away


def penalties_of(values: FloatArray) -> FloatArray:
    """Return ``values`` (K, K), distances inside a set, so that the smallest is 0 and the largest 1."""
    least, most = float(values.min()), float(values.max())
    penalties: FloatArray = (values - least) / (most - least if most > least else 1.0)
    return penalties


def losses(penalties: FloatArray, scales: FloatArray) -> FloatArray:
    """Return the loss inside each of n sets with ``penalties`` (n, K, K) at ``scales`` (n,), shape (n,)."""
    scores = -scales[:, None, None] * penalties
    laws = scores - np.log(np.exp(scores).sum(axis=2, keepdims=True))
    found = np.asarray((laws.max(axis=1) - laws.min(axis=1)).max(axis=1), dtype=np.float64)
    refuse_nan(found, "The privacy loss")
    return found


def largest_scales(penalties: Sequence[FloatArray], epsilon: float) -> FloatArray:
    """Return the largest scale of each set that was found within ``epsilon``, shape (sets,)."""
    sizes = np.array([len(values) for values in penalties])
    scales = np.empty(len(sizes))
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        scales[chosen] = _bisected(np.stack([penalties[int(number)] for number in chosen]), epsilon)
    return scales


def _bisected(penalties: FloatArray, epsilon: float) -> FloatArray:
    low, high = np.full(len(penalties), 0.5 * epsilon), np.full(len(penalties), epsilon)
    target = epsilon * (1.0 - TOLERANCE)
    roomy = losses(penalties, high) <= target
    for _ in range(50):
        middle = 0.5 * (low + high)
        fits = losses(penalties, middle) <= target
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return np.where(roomy, epsilon, rounded_down(low))


def exponential_weights(penalties: FloatArray, scale: float) -> IntArray:
    """Return the law of a set at ``scale`` in whole numbers, shape (K, K)."""
    return integer_weights(np.maximum(np.exp(-scale * (penalties - penalties.min(axis=1, keepdims=True))), _LEAST))


def within(penalties: Sequence[FloatArray], scale: float, epsilon: float) -> tuple[float, tuple[IntArray, ...]]:
    """Return the scale of sets that share it, lowered until none loses more than ``epsilon``, and their weights.

    Raise :class:`GuaranteeError` if no scale does.
    """
    lowered = float(scale)
    for step in range(_FIRST + 2):
        weights = tuple(exponential_weights(values, lowered) for values in penalties)
        if max(map(integer_loss, weights)) <= epsilon:
            return lowered, weights
        lowered = float(rounded_down(scale * (1.0 - 2.0 ** min(step - _FIRST, 0))))
    raise GuaranteeError(f"No law in whole numbers has a loss of at most {epsilon:g}; use a larger epsilon.")
