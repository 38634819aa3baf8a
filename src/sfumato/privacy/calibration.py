"""The largest scale of a law that stays within the given epsilon.

The textbook bound of the exponential mechanism is rarely tight. Vocabularies are public and finite, so the loss can
be computed and the scale raised until the *exact* loss meets epsilon (design: guarantees, section 2).

:func:`largest_scale` needs an oracle that can (1) find the worst pairs of tokens over the whole vocabulary at one
scale, which is slow, and (2) follow a few pairs as the scale moves, which is fast. It keeps a list of binding
pairs, solves for the scale on that list, and checks the answer on the whole vocabulary until nothing is violated,
so the value returned with the scale is always a full check, never an extrapolation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from sfumato.errors import GuaranteeError
from sfumato.types import FloatArray, IntArray

Pair = tuple[int, int]
TOLERANCE = 1e-9
"""Calibration aims this (relative) distance below epsilon, so that rounding cannot carry the loss above it."""


class Worst(NamedTuple):
    """A full check: the largest ``loss`` over all pairs, in nats, and some ``pairs`` (P, 2) that came closest to it.

    ``exact`` says whether ``loss`` is the maximum or an upper bound on it.
    """

    loss: float
    pairs: IntArray
    exact: bool = True


class Calibrated(NamedTuple):
    """A ``scale`` with the full check made at exactly this scale: its ``loss``, and whether that is ``exact``.

    ``pair`` is the pair of tokens that attains the loss or comes closest to it; None if no two laws differ.
    """

    scale: float
    loss: float
    exact: bool
    pair: Pair | None


class LossOracle(Protocol):
    """The part of a mechanism's analysis that calibration needs."""

    def worst(self, scale: float) -> Worst:
        """Return the exact loss at ``scale`` over the whole vocabulary."""

    def follow(self, pairs: IntArray) -> Callable[[float], float]:
        """Return the largest loss among ``pairs`` as a function of the scale (fast to call many times)."""


def refuse_nan(values: FloatArray | float, what: str) -> None:
    """Raise :class:`GuaranteeError` if a number that a guarantee rests on is NaN (an overflow, most likely)."""
    if np.isnan(values).any():
        raise GuaranteeError(
            f"{what} cannot be computed in floating point on this vocabulary; rescale its vectors or use a larger "
            "epsilon."
        )


def checked_at(oracle: LossOracle, scale: float, worst: Worst) -> Calibrated:
    """Return ``scale`` with the full check ``worst`` that was made at it, and the pair that comes closest to it."""
    if not len(worst.pairs):
        return Calibrated(scale, worst.loss, worst.exact, None)
    losses = [oracle.follow(pair[None])(scale) for pair in worst.pairs]
    first, second = worst.pairs[int(np.argmax(losses))].tolist()
    return Calibrated(scale, worst.loss, worst.exact, (int(first), int(second)))


def rounded_down(scales: FloatArray | float) -> FloatArray:
    """Return ``scales`` with 32 significant bits, so that machines whose last digits differ run at one law.

    A pinned release depends on the scale: a digit of rounding would draw all of it afresh.
    """
    mantissas, exponents = np.frexp(scales)
    return np.asarray(np.ldexp(np.floor(np.ldexp(mantissas, 32)), exponents - 32), dtype=np.float64)


def largest_scale(oracle: LossOracle, epsilon: float, start: float, high: float, rounds: int = 30) -> Calibrated:
    """Return the largest scale found up to ``high`` whose loss is at most ``epsilon``, with the check at that scale.

    ``start`` is the first scale tried, best one known to be within epsilon. Raise :class:`GuaranteeError` if no scale
    passes the check.
    """
    target = epsilon * (1.0 - TOLERANCE)
    scale, low = start, 0.0
    best: Calibrated | None = None
    pairs = np.empty((0, 2), dtype=np.int64)
    for _ in range(rounds):
        worst = oracle.worst(scale)
        refuse_nan(worst.loss, "The privacy loss")
        if worst.loss <= epsilon:
            low, best = scale, checked_at(oracle, scale, worst)
            if scale >= high or worst.loss >= target * (1.0 - 1e-6):
                break
        pairs = np.unique(np.concatenate([pairs, worst.pairs]), axis=0)
        following = _bisect(oracle.follow(pairs), target, low, high)
        if worst.loss > epsilon and following >= scale * (1.0 - 1e-9):
            # the check and the pairs differ by the rounding of a close pair: aim lower by twice the difference
            target -= 2.0 * (worst.loss - target)
            following = _bisect(oracle.follow(pairs), target, low, high)
        following = float(rounded_down(following))
        if following <= low:
            break
        scale = following
    if best is None or best.scale < start * 1e-9:  # only scale 0: two laws at distance 0 differ
        raise GuaranteeError(
            f"No scale could be certified for epsilon {epsilon:g} on this vocabulary; use a larger epsilon, another "
            "vocabulary or other clusters."
        )
    return best


def _bisect(loss: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Return the largest scale found in ``[low, high]`` with ``loss <= target``; ``low`` if no larger one passes."""
    if loss(high) <= target:
        return high
    for _ in range(60):
        middle = 0.5 * (low + high)
        if loss(middle) <= target:
            low = middle
        else:
            high = middle
    return low
