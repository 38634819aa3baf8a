"""The only file that draws, beside :mod:`sfumato.privacy.discrete_noise` for integer noise.

Every draw is by the inverse law: outcomes are put in ascending order of weight, their weights summed from the
smallest up, and a uniform number decides. Uniforms carry 53 significant bits *at every magnitude* (the exponent is
drawn bit by bit as far down as needed). Small outcomes lie where floating-point numbers are dense: the sum up to an
outcome is at most twice the number of outcomes times its weight, and rounding it once moves the probability of that
outcome, however rare, by at most that share of 2^-53. With the rounding of the total, and of its product with the
uniform, every probability is that of its weight to a relative error of :func:`sampling_error`. Laws with a
probability below ``exp(LOG_RESOLUTION)`` are refused (:func:`check_resolution`).

Sources of bits:

* :class:`SystemRandomness` asks the operating system for every bit. It keeps no state, so forked or spawned
  workers cannot repeat each other.
* :class:`PinnedRandomness` derives every draw from a secret key and its :func:`context`: everything that decides the
  law, the field and the record, the whole sequence of marked tokens there, and the position. A repeated run gives the
  same answer and costs nothing more. Any difference gives a fresh draw, because two draws that share a uniform under
  two laws, or for two tokens, would disclose with certainty that they differ. The guarantee is computational (keyed
  BLAKE2b and SHAKE-256 as pseudo-random functions).
* :class:`SeededRandomness` is the same derivation from a number that anyone may guess: for tests, not private.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import GuaranteeError
from sfumato.privacy.kernels import compiled, order_by
from sfumato.runtime import in_threads, slices
from sfumato.types import FloatArray, IntArray

LOG_RESOLUTION = -650.0
"""Natural logarithm of the smallest probability that a law may hold; float64 weights underflow below e^-708."""

SORTED = 48
"""So many weights or fewer :func:`draw_once` sorts; of more it takes one binary exponent after the other."""
_MANY = 1 << 13
_EXPONENTS = 2048  # of a float64
_NO_LAW = (
    "The weights of a law do not add up to a finite number above 0, so nothing may be drawn from it; rescale the "
    "vectors or use a smaller epsilon."
)


def sampling_error(outcomes: int) -> float:
    """Return a bound on the relative error that a draw adds to the probability of any of so many ``outcomes``."""
    return 8.0 * outcomes * 2.0**-53


def check_resolution(smallest_log_probability: float, what: str) -> None:
    """Refuse (:class:`GuaranteeError`) a law whose smallest probability cannot be drawn faithfully."""
    if not smallest_log_probability >= LOG_RESOLUTION:  # NaN is refused too
        raise GuaranteeError(
            f"{what}: the smallest probability would be e^{smallest_log_probability:.0f}, below the resolution "
            f"e^{LOG_RESOLUTION:.0f} of the sampler; use a smaller epsilon."
        )


@compiled
def _pick(cumulative: FloatArray, uniform: float) -> int:
    """Return the first position whose cumulative weight reaches ``uniform`` times the total; weights ascend."""
    target = uniform * cumulative[-1]
    low, high = 0, len(cumulative) - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] >= target:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def _pick_rows(cumulative: FloatArray, order: NDArray[np.int32], rows: IntArray, uniforms: FloatArray) -> IntArray:
    picked = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        picked[i] = order[rows[i], _pick(cumulative[rows[i]], uniforms[i])]
    return picked


@compiled
def _sort_few(weights: FloatArray, order: NDArray[np.int32], running: FloatArray) -> float:
    """Write the places of ``weights``, smallest first, and their sums so far; return the sum of all.

    The place of a weight is the number of smaller ones; of equal weights the first comes first. Every pair is
    compared, which has no branch to mispredict: of 17 weights that takes two thirds of the time of a sort.
    """
    outcomes, plain = len(weights), 0.0
    for j in range(outcomes):
        order[j] = j
        plain += weights[j]
    if not plain < np.inf:  # NaN has no place among the others
        return plain
    for j in range(outcomes):
        smaller, weight = 0, weights[j]
        for k in range(j):
            smaller += weights[k] <= weight
        for k in range(j + 1, outcomes):
            smaller += weights[k] < weight
        order[smaller] = j
    total = 0.0
    for j in range(outcomes):
        total += weights[order[j]]
        running[j] = total
    return total


@compiled
def _pick_weighted(weights: FloatArray, uniforms: FloatArray) -> IntArray:
    picked = np.empty(len(weights), dtype=np.int64)
    outcomes = weights.shape[1]
    sums, order, running = np.empty(_EXPONENTS), np.empty(SORTED, dtype=np.int32), np.empty(SORTED)
    for i in range(len(weights)):
        if outcomes > SORTED:
            picked[i] = _pick_by_exponent(weights[i], uniforms[i], sums)
            continue
        total = _sort_few(weights[i], order, running)
        picked[i] = order[_pick(running[:outcomes], uniforms[i])] if 0.0 < total < np.inf else -1
    return picked


@compiled
def _ascending_few(weights: FloatArray, cumulative: FloatArray, order: NDArray[np.int32]) -> None:
    for i in range(len(weights)):
        cumulative[i, -1] = _sort_few(weights[i], order[i], cumulative[i])  # NaN where there is no law


@compiled
def _pick_by_exponent(weights: FloatArray, uniform: float, sums: FloatArray) -> int:
    """Return one outcome of many, or -1 if the total is not a finite number above 0.

    Outcomes are taken in ascending order of their binary exponent. That is as exact as a full sort, because weights
    of one exponent differ by less than a factor of 2, and it reads each weight twice.
    """
    bits = weights.view(np.int64)
    sums[:] = 0.0
    for j in range(len(weights)):
        sums[bits[j] >> 52 & _EXPONENTS - 1] += weights[j]
    total = 0.0
    for exponent in range(_EXPONENTS):
        total += sums[exponent]
    if not 0.0 < total < np.inf:
        return -1
    target, running, below, chosen = uniform * total, 0.0, 0.0, 0
    for exponent in range(_EXPONENTS):
        if sums[exponent] > 0.0:
            chosen, below = exponent, running
            running += sums[exponent]
            if running >= target:
                break
    picked, running, target = -1, 0.0, target - below  # from 0, so that this sum rounds as the sum above
    for j in range(len(weights)):
        if bits[j] >> 52 & _EXPONENTS - 1 == chosen and weights[j] > 0.0:
            picked = j
            running += weights[j]
            if running >= target:
                break
    return picked


@compiled
def _ascending(weights: FloatArray, cumulative: FloatArray, order: NDArray[np.int32]) -> None:
    for i in range(len(weights)):
        running = 0.0
        ascending = np.argsort(weights[i])
        for rank in range(len(ascending)):
            running += weights[i, ascending[rank]]
            cumulative[i, rank] = running
            order[i, rank] = ascending[rank]


def draw_once(weights: FloatArray, uniforms: FloatArray) -> IntArray:
    """Return one outcome for each row of non-negative ``weights`` (n, M), decided by ``uniforms`` (n,), shape (n,).

    Raise :class:`GuaranteeError` if a row's total is not finite and positive.
    """
    picked = _pick_weighted(weights, uniforms)
    if picked.min(initial=0) < 0:
        raise GuaranteeError(_NO_LAW)
    return picked


@dataclass(frozen=True, eq=False)
class LawTable:
    """Finite laws, prepared for drawing: ``cumulative`` (R, M) ascending sums, ``order`` (R, M) the outcomes."""

    cumulative: FloatArray
    order: NDArray[np.int32]

    @classmethod
    def empty(cls, rows: int, outcomes: int) -> LawTable:
        """Return a table with room for ``rows`` laws, which :meth:`put` fills."""
        return cls(np.empty((rows, outcomes)), np.empty((rows, outcomes), dtype=np.int32))

    @classmethod
    def from_weights(cls, weights: FloatArray) -> LawTable:
        """Return a law for each row of non-negative ``weights`` (R, M), not necessarily normalised."""
        table = cls.empty(*weights.shape)
        table.put(slice(0, len(weights)), weights)
        return table

    def put(self, rows: slice, weights: FloatArray) -> None:
        """Write laws with these ``weights`` (rows, M) into ``rows``.

        Raise :class:`GuaranteeError` if a law's total is not finite and positive.
        """
        _ascending(weights, self.cumulative[rows], self.order[rows])
        self._check(rows)

    def put_few(self, rows: slice, weights: FloatArray) -> None:
        """Do the same for few outcomes, in the order of :func:`draw_once`, whose uniforms have these outcomes too."""
        _ascending_few(weights, self.cumulative[rows], self.order[rows])
        self._check(rows)

    def _check(self, rows: slice) -> None:
        totals = self.cumulative[rows, -1]
        if not ((totals > 0.0) & (totals < np.inf)).all():
            raise GuaranteeError(_NO_LAW)

    def resized(self, rows: int) -> LawTable:
        """Return the same laws in a table of ``rows`` rows."""
        table = LawTable.empty(rows, self.order.shape[1])
        kept = min(rows, len(self.order))
        table.cumulative[:kept], table.order[:kept] = self.cumulative[:kept], self.order[:kept]
        return table

    def draw(self, rows: IntArray, uniforms: FloatArray) -> IntArray:
        """Return one outcome for each of ``rows`` (n,), decided by ``uniforms`` (n,), shape (n,).

        Draws from one row follow each other, so that memory is read once for all of them.
        """
        if len(rows) < _MANY:
            return _pick_rows(self.cumulative, self.order, rows, uniforms)
        few = len(self.order) < 4 * len(rows)
        picked, by_row = np.empty(len(rows), dtype=np.int64), order_by(rows, len(self.order)) if few else None

        def pick(part: slice) -> None:
            draws = part if by_row is None else by_row[part]
            picked[draws] = _pick_rows(self.cumulative, self.order, rows[draws], uniforms[draws])

        for _ in in_threads(pick, slices(len(rows), _MANY)):
            pass
        return picked


def gaussian(uniforms: FloatArray) -> FloatArray:
    """Return standard normal numbers from uniforms, by the inverse distribution function; the shape stays."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.minimum(uniforms, 1.0 - 2.0**-53)), dtype=np.float64)


def gamma(shape: int, uniforms: FloatArray) -> FloatArray:
    """Return Gamma(shape, 1) numbers from uniforms, by the inverse distribution function; the array's shape stays."""
    from scipy.special import gammainccinv

    return np.asarray(gammainccinv(shape, uniforms), dtype=np.float64)


def bernoulli(uniforms: FloatArray, probability: float) -> NDArray[np.bool_]:
    """Return a coin for each of ``uniforms`` in (0, 1], True with ``probability``; the shape stays."""
    return np.asarray(uniforms <= probability)
