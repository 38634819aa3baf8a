"""Laws in whole numbers out of 2^62: the law that is certified is the law that is drawn, bit for bit.

A law in floating point is rounded once, by :func:`integer_weights`. From then on its probabilities are whole numbers
of 2^-62: the privacy loss is a logarithm of a ratio of whole numbers (:func:`integer_loss`), and a draw compares
whole numbers with 62 random bits (:mod:`sfumato.privacy.set_law`). Nothing between certificate and draw is rounded,
so there is no error to state, and an outcome that the law gives never has probability 0.

Rounding. All weights of a row but the largest are rounded up, and the largest takes the rest. Rounding up cannot
lower a small probability, which would raise the loss without bound; the largest of M weights is at least 1/M, and
loses a relative M²·2^-62 at most. The loss after rounding is computed, not bounded: what rounding does to it is part
of the certificate.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import GuaranteeError
from sfumato.privacy.kernels import compiled
from sfumato.types import FloatArray, IntArray

BITS = 62
TOTAL = 1 << BITS
"""The sum of the weights of every law."""

Words = NDArray[np.uint64]


def integer_weights(probabilities: FloatArray) -> IntArray:
    """Return weights (R, M), each row with the sum :data:`TOTAL`, for ``probabilities`` (R, M) of any sums.

    A probability above 0 gets a weight of 1 or more; one of 0 gets 0. Raise :class:`GuaranteeError` if a row has a
    negative number, one that is not finite, or no sum above 0.
    """
    given = np.asarray(probabilities, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        totals = given.sum(axis=1, keepdims=True)
    if not (np.isfinite(given).all() and (given >= 0.0).all() and (totals > 0.0).all() and np.isfinite(totals).all()):
        raise GuaranteeError("A law needs finite weights from 0 on with a sum above 0; nothing is drawn from others.")
    if given.shape[1] >= 1 << 20:
        raise GuaranteeError("A law in whole numbers has fewer than 2^20 outcomes.")
    shares = given / totals
    rows, largest = np.arange(len(given)), shares.argmax(axis=1)
    shares[rows, largest] = 0.0
    tiny = np.where(given > 0.0, 1.0, 0.0)  # a weight that underflows in the division still counts
    tiny[rows, largest] = 0.0
    weights: IntArray = np.maximum(np.ceil(shares * float(TOTAL)), tiny).astype(np.int64)
    weights[rows, largest] = TOTAL - weights.sum(axis=1)
    if not (weights[rows, largest] > 0).all():
        raise GuaranteeError("A law has too many outcomes of nearly equal weight to be rounded; report it.")
    return weights


def integer_loss(weights: IntArray) -> float:
    """Return the largest log ratio of two rows of ``weights`` (X, Y) at an output, in nats, rounded up.

    It is infinite if one row gives an output that another does not.
    """
    most, least = weights.max(axis=0), weights.min(axis=0)
    given = most > 0
    if (least[given] == 0).any():
        return math.inf
    # a column may win by its float ratio only if it also does in whole numbers, up to one rounding: compare exactly
    ratios = most[given].astype(np.float64) / least[given].astype(np.float64)
    near = np.flatnonzero(ratios >= ratios.max() * (1.0 - 2.0**-50))
    return max(log_ratio(int(most[given][column]), int(least[given][column])) for column in near)


def log_ratio(larger: int, smaller: int) -> float:
    """Return log(``larger`` / ``smaller``), rounded up, for whole numbers with larger >= smaller > 0."""
    if larger == smaller:
        return 0.0
    excess = larger - smaller  # the quotient of whole numbers is rounded correctly, and log1p to within an ulp or two
    return math.log1p(excess / smaller) * (1.0 + 2.0**-50)


@compiled
def _running(weights: IntArray, cumulative: IntArray, order: NDArray[np.int32]) -> None:
    for row in range(len(weights)):
        total = 0
        descending = np.argsort(-weights[row], kind="mergesort")
        for rank in range(len(descending)):
            total += weights[row, descending[rank]]
            cumulative[row, rank] = total
            order[row, rank] = descending[rank]


def numbers_below_total(words: Words) -> IntArray:
    """Return a number from 0 to :data:`TOTAL` - 1 for each of 64 random bits, uniform; the shape stays."""
    return (words >> np.uint64(64 - BITS)).astype(np.int64)


def running_sums(weights: IntArray) -> tuple[IntArray, NDArray[np.int32]]:
    """Return running sums of the rows of ``weights`` (R, M), the most likely outcome first, and this order.

    Raise :class:`GuaranteeError` unless each row sums to the total.
    """
    possible = ((weights >= 0) & (weights <= TOTAL)).all() and weights.shape[1] < 1 << 20
    if not (possible and (weights.astype(object).sum(axis=1) == TOTAL).all()):
        raise GuaranteeError("The weights of a law do not add up to the whole; nothing is drawn from them.")
    cumulative, order = np.empty(weights.shape, dtype=np.int64), np.empty(weights.shape, dtype=np.int32)
    _running(weights, cumulative, order)
    return cumulative, order
