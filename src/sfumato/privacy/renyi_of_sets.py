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

**The kept curve.** The curve of a mechanism is kept in the cache beside its certificate, and read like any other
input. It is believed only if it was made for this claim, this certified loss, this scale and this vocabulary, if it
never decreases and never exceeds what the certified loss permits, and if at every order the divergence of the pair
that it names, computed again from the law, is the one it states. At a few orders the curve is compared with all pairs
again, so that no other pairs can be named for a lower price. (The cache itself checks that this user made the entry.)
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import GuaranteeError
from sfumato.privacy.certificates import ANALYSIS, Claiming
from sfumato.privacy.composition import ORDERS, of_pure_loss
from sfumato.privacy.guarantee import Certificate
from sfumato.privacy.set_law import SetLaw
from sfumato.storage import cache
from sfumato.types import FloatArray, IntArray

LARGEST_SET = 1024
"""The most members of a set whose pairs are all computed: the time grows with the cube."""

_NUMBERS_AT_ONCE = 1 << 21
_LONGEST_LOGARITHM = 600.0

Laws = FloatArray | IntArray
_REPEATED = 1e-7
_ROUNDING = 1e-9
_CHECKED = np.searchsorted(ORDERS, (1.1, 1.5, 3.0, 20.0))
"""The orders at which a kept curve is compared with all pairs: those that are best for about 1 to 1,000 draws."""


@dataclass(frozen=True, eq=False)
class WorstDivergences:
    """At every order the largest ``divergences`` (A,) in nats, and where: ``sets`` (A,), and ``pairs`` (A, 2) in it.

    ``exact`` is False if a set was too large, and its part of the curve is the bound that its loss implies.
    """

    divergences: FloatArray
    sets: IntArray
    pairs: IntArray
    exact: bool = True


def worst_divergences(laws: Sequence[Laws], orders: FloatArray) -> WorstDivergences:
    """Return the largest divergence over all ordered pairs of rows of each of ``laws``, at ``orders`` (A,) > 1.

    Each of ``laws`` is (K, Y): shares or whole numbers from 0 on, rows of one set over the same outputs. A row is
    divided by its sum. Raise :class:`GuaranteeError` for rows that are no laws. The curve is infinite if one row of a
    set gives an output that another does not.
    """
    count = len(orders)
    best = WorstDivergences(np.zeros(count), np.zeros(count, dtype=np.int64), np.zeros((count, 2), dtype=np.int64))
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


def _of_batch(logs: FloatArray, numbers: IntArray, orders: FloatArray) -> WorstDivergences:
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
    return WorstDivergences(np.minimum(worst.divergences, bound), worst.sets, worst.pairs)


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


def _by_loss(losses: FloatArray, numbers: IntArray, orders: FloatArray) -> WorstDivergences:
    """Return the curve that the largest of ``losses`` (S,) implies."""
    top = int(np.argmax(losses))
    worst = _constant(0.0, int(numbers[top]), orders)
    return WorstDivergences(of_pure_loss(float(losses[top]), orders), worst.sets, worst.pairs, exact=False)


def _constant(value: float, number: int, orders: FloatArray) -> WorstDivergences:
    count = len(orders)
    return WorstDivergences(np.full(count, value), np.full(count, number), np.zeros((count, 2), dtype=np.int64))


def _larger(first: WorstDivergences, second: WorstDivergences) -> WorstDivergences:
    """Return at every order the larger of two."""
    wins: NDArray[np.bool_] = second.divergences > first.divergences
    return WorstDivergences(
        np.where(wins, second.divergences, first.divergences),
        np.where(wins, second.sets, first.sets),
        np.where(wins[:, None], second.pairs, first.pairs),
        first.exact and second.exact,
    )


class LawsInSets(Claiming, Protocol):
    """A mechanism whose guarantee holds between the tokens of one set, whose laws stay inside it."""

    def certify(self) -> Certificate:
        """Return the certificate."""

    @property
    def set_law(self) -> SetLaw:
        """Return the certified laws in whole numbers."""


def curve_of_sets(mechanism: LawsInSets, orders: FloatArray) -> FloatArray:
    """Return the largest divergence over all ordered pairs of all sets at ``orders`` (A,), in nats, shape (A,).

    The curve at :data:`~sfumato.privacy.composition.ORDERS` is computed once a process, and kept in the cache.
    """
    if not np.array_equal(orders, ORDERS):
        return worst_divergences(_laws(mechanism), orders).divergences
    known = vars(mechanism)
    if "_renyi" not in known:
        known["_renyi"] = _remembered(mechanism)
    curve: FloatArray = known["_renyi"]
    return curve


def _laws(mechanism: LawsInSets) -> list[Laws]:
    return [weights.astype(np.float64) for weights in mechanism.set_law.weights]


def _sets(law: SetLaw) -> list[IntArray]:
    return [law.group(number) for number in range(len(law.weights))]


def _remembered(mechanism: LawsInSets) -> FloatArray:
    """Return the kept curve of exactly this law if it holds; else compute it and keep it."""
    law = mechanism.set_law
    key = cache.content_key("renyi", ANALYSIS, ORDERS.tobytes(), law.digest)
    kept = _believed(cache.load_json(key), mechanism)
    if kept is not None:
        return kept
    worst = worst_divergences(_laws(mechanism), ORDERS)
    if worst.exact and np.isfinite(worst.divergences).all():
        cache.save_json(key, {**_claim(mechanism), **_stated(worst, _sets(law))})
    return worst.divergences


def _claim(mechanism: LawsInSets) -> dict[str, float]:
    certificate = mechanism.certify()
    return {"claimed": mechanism.epsilon, "certified": certificate.certified, "scale": certificate.scale}


def _stated(worst: WorstDivergences, sets: Sequence[IntArray]) -> dict[str, Any]:
    """Return the curve and its pairs, as tokens, as JSON types."""
    pairs = [sets[number][pair].tolist() for number, pair in zip(worst.sets, worst.pairs, strict=True)]
    return {"divergences": worst.divergences.tolist(), "pairs": pairs}


def _believed(content: Any, mechanism: LawsInSets) -> FloatArray | None:
    """Return the curve of a cache entry; None if it does not hold for ``mechanism``."""
    try:
        if {name: content[name] for name in ("claimed", "certified", "scale")} != _claim(mechanism):
            return None
        curve = np.array(content["divergences"], dtype=np.float64)
        pairs = np.array(content["pairs"], dtype=np.int64)
        if curve.shape != ORDERS.shape or pairs.shape != (len(ORDERS), 2) or not _possible(curve, mechanism):
            return None
        again = _repeated(pairs, mechanism)
        if not np.allclose(curve, again, rtol=_REPEATED, atol=_ROUNDING):
            return None
        curve = np.maximum(curve, again)
        everywhere = worst_divergences(_laws(mechanism), ORDERS[_CHECKED]).divergences
        return curve if (curve[_CHECKED] >= everywhere * (1.0 - _REPEATED) - _ROUNDING).all() else None
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        return None


def _possible(curve: FloatArray, mechanism: LawsInSets) -> bool:
    """Return whether ``curve`` is one that laws with the certified loss can have."""
    if not np.isfinite(curve).all() or (curve < 0.0).any() or (np.diff(curve) < -_ROUNDING).any():
        return False
    most = of_pure_loss(mechanism.certify().certified, ORDERS)
    return bool((curve <= most * (1.0 + _REPEATED) + _ROUNDING).all())


def _repeated(pairs: IntArray, mechanism: LawsInSets) -> FloatArray:
    """Return at each order the divergence of its one of ``pairs`` (A, 2). Raise ValueError if a pair has no set."""
    law = mechanism.set_law
    set_of = law.set_of
    if (pairs[:, 0] == pairs[:, 1]).any():
        raise ValueError("a token beside itself")
    if (pairs < 0).any() or (set_of[pairs[:, 0]] != set_of[pairs[:, 1]]).any():
        raise ValueError("pairs of different sets")
    divergences = np.empty(len(ORDERS))
    for first, second in np.unique(pairs, axis=0):
        places = (pairs == (first, second)).all(axis=1)
        members, rows = law.group(int(set_of[first])), law.weights[int(set_of[first])].astype(np.float64)
        one, other = (rows[np.flatnonzero(members == token)[0]] for token in (first, second))
        divergences[places] = pair_divergences(one, other, ORDERS[places])
    return divergences
