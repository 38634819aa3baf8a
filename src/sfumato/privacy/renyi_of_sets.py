"""The Rényi curve of laws inside sets: at every order the largest divergence over all ordered pairs of all sets.

For the laws P_x of the members of a set over K outputs, the sums Σ_y P_x(y)^α P_x'(y)^(1-α) of all pairs at one order
are a product of two matrices. No pair is left out: the maximum over a sample of pairs is no bound.

Powers of order thousands overflow, so both factors are scaled. Let l = log P, c(y) the middle of column y of l, and
h the largest |l - c|. Then

    P_x(y)^α P_x'(y)^(1-α) = e^((2α-1)h) · e^(α(l_x - c) - αh) · e^((1-α)(l_x' - c) - (α-1)h + c),

and both factors on the right lie in [0, 1]. A factor that underflows is below 2^-1022. At a column where |l - c| = h
the largest entry is at least e^c(y), so what underflow can take from the maximum is K·2^-1022·e^-c(y) of it. A set in
which this could reach 2^-60 is refused the exact curve.

Rounding. Let L = max |l|. A logarithm of a share is off by at most (K + L + 4)·2^-52 (the sum of the row, the
division, the logarithm). It enters a term α and α - 1 times. The two exponents are off by at most 2^-50·(αh + L), an
exponential by 2^-51 of itself, the sum of K terms by K·2^-53, and the last logarithm by 2^-52·(2αh + L). All of this
together is below 2^-49·(2α(K + L + 4) + 3αh + 2L + K), which is added before the division by α - 1. So the curve is
an upper bound on that of the laws given. It is cut at the curve of randomized response at the laws' own loss.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import GuaranteeError
from sfumato.privacy.renyi import of_pure_loss
from sfumato.types import FloatArray, IntArray

LARGEST_SET = 1024
"""The most members of a set whose pairs are all computed: the time grows with the cube."""

_NUMBERS_AT_ONCE = 1 << 21
_LONGEST_LOGARITHM = 600.0

Laws = FloatArray | IntArray


@dataclass(frozen=True, eq=False)
class Worst:
    """At every order the largest ``divergences`` (A,) in nats, and where: ``sets`` (A,), and ``pairs`` (A, 2) in it.

    ``exact`` is False if a set was too large, and its part of the curve is the bound that its loss implies.
    """

    divergences: FloatArray
    sets: IntArray
    pairs: IntArray
    exact: bool = True


def worst_divergences(laws: Sequence[Laws], orders: FloatArray) -> Worst:
    """Return the largest divergence over all ordered pairs of rows of each of ``laws``, at ``orders`` (A,) > 1.

    Each of ``laws`` is (K, Y): shares or whole numbers from 0 on, rows of one set over the same outputs. A row is
    divided by its sum. Raise :class:`GuaranteeError` for rows that are no laws. The curve is infinite if one row of a
    set gives an output that another does not.
    """
    count = len(orders)
    best = Worst(np.zeros(count), np.zeros(count, dtype=np.int64), np.zeros((count, 2), dtype=np.int64))
    for numbers in _batches(laws):
        log_laws = np.stack([_log_law(laws[number]) for number in numbers])
        best = _larger(best, _of_batch(log_laws, numbers, orders))
    return best


def pair_divergences(first: Laws, second: Laws, orders: FloatArray) -> FloatArray:
    """Return D_α of the law ``first`` (Y,) from ``second`` (Y,) at ``orders`` (A,), unrounded, in nats, shape (A,).

    It sums logarithms term by term, in another way than :func:`worst_divergences`, which it checks.
    """
    logs = _log_law(np.array([first, second]))
    one, other = logs[:, np.isfinite(logs).any(axis=0)]
    terms = np.outer(orders, one) + np.outer(1.0 - orders, other)
    most = terms.max(axis=1, keepdims=True)
    sums = most[:, 0] + np.log(np.exp(terms - most).sum(axis=1))
    return np.asarray(np.maximum(sums / (orders - 1.0), 0.0), dtype=np.float64)


def _batches(laws: Sequence[Laws]) -> list[IntArray]:
    """Return the numbers of laws of equal shape, as many together as memory allows."""
    shaped: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for number, law in enumerate(laws):
        shaped[law.shape].append(number)
    batches: list[IntArray] = []
    for shape, numbers in shaped.items():
        size = max(1, _NUMBERS_AT_ONCE // max(1, math.prod(shape)))
        batches += [np.array(numbers[start : start + size]) for start in range(0, len(numbers), size)]
    return batches


def _log_law(law: Laws | NDArray[np.number]) -> FloatArray:
    """Return logarithms of the rows of ``law`` (K, Y) over their sums."""
    shares = np.asarray(law, dtype=np.float64)
    totals = shares.sum(axis=1, keepdims=True)
    if not (np.isfinite(shares).all() and (shares >= 0.0).all() and (totals > 0.0).all()):
        raise GuaranteeError("A law needs finite weights from 0 on with a sum above 0; no divergence was computed.")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(shares / totals), dtype=np.float64)


def _of_batch(logs: FloatArray, numbers: IntArray, orders: FloatArray) -> Worst:
    """Return the worst of the sets ``numbers`` (S,) with log laws ``logs`` (S, K, Y)."""
    members, terms = logs.shape[1:]
    given = np.isfinite(logs.max(axis=1))
    broken = np.flatnonzero([bool((~np.isfinite(law[:, some])).any()) for law, some in zip(logs, given, strict=True)])
    if len(broken):
        return _constant(math.inf, int(numbers[broken[0]]), orders)
    logs = np.where(given[:, None, :], logs, 0.0)
    middle = 0.5 * (logs.max(axis=1) + logs.min(axis=1))
    apart = logs - middle[:, None, :]
    half = np.abs(apart).max(axis=(1, 2))
    longest = float(np.abs(logs).max())
    middle = np.where(given, middle, -np.inf)
    losses = (logs.max(axis=1) - logs.min(axis=1)).max(axis=1) + (terms + longest + 4.0) * 2.0**-50
    if max(members, terms) > LARGEST_SET or longest + math.log(terms) > _LONGEST_LOGARITHM:
        return _by_loss(losses, numbers, orders)
    worst = _constant(0.0, int(numbers[0]), orders)
    for place, order in enumerate(orders):
        divergences, pair = _at(order, apart, middle, half, longest)
        top = int(np.argmax(divergences))
        worst.divergences[place], worst.sets[place] = divergences[top], numbers[top]
        worst.pairs[place] = np.unravel_index(pair[top], (members, members))
    bound = of_pure_loss(float(losses.max()), orders)
    return Worst(np.minimum(worst.divergences, bound), worst.sets, worst.pairs)


def _at(
    order: float, apart: FloatArray, middle: FloatArray, half: FloatArray, longest: float
) -> tuple[FloatArray, IntArray]:
    """Return the largest divergence in each set at one ``order``, rounded up, and its pair as a place in (K, K)."""
    step, (members, terms), heights = order - 1.0, apart.shape[1:], half[:, None, None]
    first = np.exp(order * (apart - heights))
    second = np.exp(-step * (apart + heights) + middle[:, None, :])
    sums = (first @ second.transpose(0, 2, 1)).reshape(len(apart), -1)
    sums[:, :: members + 1] = 0.0  # of a law from itself
    pair = sums.argmax(axis=1)
    largest = sums[np.arange(len(sums)), pair]
    with np.errstate(divide="ignore"):
        logarithms = np.log(largest) + (2.0 * order - 1.0) * half
    reach = 2.0 * order * (terms + longest + 4.0) + 3.0 * order * half + 2.0 * longest + terms
    divergences = np.maximum(logarithms + 2.0**-49 * reach, 0.0) / step
    return np.where(largest > 0.0, divergences, 0.0), pair


def _by_loss(losses: FloatArray, numbers: IntArray, orders: FloatArray) -> Worst:
    """Return the curve that the largest of ``losses`` (S,) implies."""
    top = int(np.argmax(losses))
    worst = _constant(0.0, int(numbers[top]), orders)
    return Worst(of_pure_loss(float(losses[top]), orders), worst.sets, worst.pairs, exact=False)


def _constant(value: float, number: int, orders: FloatArray) -> Worst:
    count = len(orders)
    return Worst(np.full(count, value), np.full(count, number), np.zeros((count, 2), dtype=np.int64))


def _larger(first: Worst, second: Worst) -> Worst:
    """Return at every order the larger of two."""
    wins: NDArray[np.bool_] = second.divergences > first.divergences
    return Worst(
        np.where(wins, second.divergences, first.divergences),
        np.where(wins, second.sets, first.sets),
        np.where(wins[:, None], second.pairs, first.pairs),
        first.exact and second.exact,
    )
