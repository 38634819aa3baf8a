"""The law with the least expected distance that ε-LDP inside a set permits, by a linear programme.

Given distances D (K, K) inside a set and a public prior p over its tokens, minimise Σ p_x D_xy P(y|x) over all laws P
with P(y|x) ≤ e^ε P(y|x'). Bordenabe, Chatzikokolakis and Palamidessi (Optimal Geo-Indistinguishable Mechanisms for
Location Privacy, CCS 2014) state this programme for metric privacy, with K³ constraints. Inside a set every two
tokens are at the same distance of the guarantee, so K² suffice: with u_y the largest probability of y,

    e^-ε u_y ≤ P(y|x) ≤ u_y    for all x and y,

and P = e^-ε u + (1 - e^-ε) z turns them into 0 ≤ z_xy ≤ u_y, whose coefficients are well scaled at any ε.

**From the solver's numbers to a law.** Only u is taken from the solver. Everything else is made in whole numbers out
of 2^62: U_y = u_y, rounded; L_y, the least whole number with log(U_y / L_y) ≤ ε, by the logarithm that certificates
use; and each row starts at L and gives what is missing to its nearest outputs first, up to U. Given u this row is the
best one, so nothing is lost against the solver's own rows. And whatever u is, as long as ΣL ≤ 2^62 ≤ ΣU, every column
lies between L_y and U_y and every row has the sum 2^62: the law is feasible exactly, without a tolerance. Rows with
equal distances are equal. The certificate is computed over these numbers, as for any other law.

The distances are rounded to 2^-24 of the largest, so that vectors that differ in a last bit give one programme.

**The laws of a vocabulary.** All sets are solved once, and what was solved is kept in the cache. A set keeps the
exponential law of "exact" if it is too large for the programme, if the solver fails, or if the solver's law is no
better. The certificate counts these sets. The cache holds the numbers u; a law is made of them again in whole numbers
and certified, so a wrong entry could cost utility, never privacy. An entry is named by everything that decides it:
the rounded distances, the prior, ε and scipy's version. Where a solver failed, nothing is kept.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np

from sfumato.privacy.integer_law import TOTAL, integer_loss, log_ratio
from sfumato.storage import cache
from sfumato.types import FloatArray, IntArray, Progress

GRID = float(1 << 24)
_DIGITS = 40  # significant bits of u
_UNUSED = 1e-9  # an output that no token gets more often than this is left out
LARGEST_SET = 100
"""The number of tokens up to which a set gets an optimal law: 0.1 s of a processor at most, by measurement."""
_FORM = "1"
Exact = Callable[[int], IntArray]
"""Returns the weights of a set's law with exact calibration, by its number."""


def rounded_costs(distances: FloatArray) -> FloatArray:
    """Return ``distances`` (K, K) as whole numbers of 2^-24 of the largest, in [0, 1]."""
    largest = float(distances.max())
    return np.rint(distances * (GRID / largest if largest > 0.0 else 1.0)) / GRID


@lru_cache(maxsize=8)
def _constraints(size: int, epsilon: float) -> tuple[Any, Any]:
    """Return the inequalities z_xy - u_y ≤ 0 and the sums of rows, as sparse matrices over (z, u)."""
    from scipy import sparse

    entries = np.arange(size * size)
    ones = np.ones(len(entries))
    below = sparse.hstack(
        [sparse.identity(len(entries)), sparse.coo_matrix((-ones, (entries, entries % size)), (len(entries), size))]
    )
    spread = sparse.coo_matrix((-math.expm1(-epsilon) * ones, (entries // size, entries)), (size, len(entries)))
    sums = sparse.hstack([spread, sparse.coo_matrix(np.full((size, size), math.exp(-epsilon)))])
    return below.tocsr(), sums.tocsr()


def largest_probabilities(costs: FloatArray, prior: FloatArray, epsilon: float) -> FloatArray | None:
    """Return u (K,), the largest probability of each output in a law with the least expected cost, by HiGHS.

    ``costs`` (K, K) come from :func:`rounded_costs`, ``prior`` (K,) sums to 1. The numbers have 40 significant bits;
    an output that the law hardly uses has 0. Return None if the solver fails.
    """
    from scipy.optimize import linprog

    size, weighted = len(costs), prior[:, None] * costs
    below, sums = _constraints(size, epsilon)
    objective = np.concatenate([-math.expm1(-epsilon) * weighted.ravel(), math.exp(-epsilon) * weighted.sum(axis=0)])
    solution = linprog(
        objective, A_ub=below, b_ub=np.zeros(size * size), A_eq=sums, b_eq=np.ones(size), bounds=(0.0, None),
        method="highs-ds",
    )  # fmt: skip
    if solution.status != 0 or solution.x is None or not np.isfinite(solution.x).all():
        return None
    return _within_reach(np.asarray(solution.x[size * size :], dtype=np.float64), epsilon)


def _within_reach(largest: FloatArray, epsilon: float) -> FloatArray | None:
    """Return ``largest`` without outputs that are hardly used, scaled so that rows of sum 1 exist."""
    used = np.where(largest > _UNUSED, np.minimum(largest, 1.0), 0.0)
    total = float(used.sum())
    if not total > 0.0:
        return None
    if not 1.0 <= total <= math.exp(min(epsilon, 700.0)):  # the solver's tolerance
        used = np.minimum(used * (math.exp(min(0.5 * epsilon, 1e-9)) / total), 1.0)
    mantissas, exponents = np.frexp(used)
    return np.asarray(np.ldexp(np.rint(np.ldexp(mantissas, _DIGITS)), exponents - _DIGITS), dtype=np.float64)


def integer_rows(largest: FloatArray, costs: FloatArray, epsilon: float) -> IntArray | None:
    """Return the weights (K, K) of the law with the least ``costs`` (K, K) among those that ``largest`` (K,) permits.

    Return None if no row of sum 2^62 lies between the bounds, or if ``largest`` is no list of numbers from 0 to 1.
    """
    size = len(costs)
    if largest.shape != (size,) or not (np.isfinite(largest) & (largest >= 0.0) & (largest <= 1.0)).all():
        return None
    most = [max(1, round(value * TOTAL)) if value > 0.0 else 0 for value in largest.tolist()]
    most[int(largest.argmax())] += max(0, TOTAL - sum(most))  # rounding must leave room for rows of sum 1
    least = [_least(value, epsilon) for value in most]
    if not sum(least) <= TOTAL <= sum(most):
        return None
    weights = np.tile(np.array(least, dtype=np.int64), (size, 1))
    room = np.array(most, dtype=np.int64) - weights[0]
    left = np.full(size, TOTAL - sum(least), dtype=np.int64)
    rows, order = np.arange(size), np.argsort(costs, axis=1, kind="stable")
    for rank in range(size):
        outputs = order[:, rank]
        given = np.minimum(room[outputs], left)
        weights[rows, outputs] += given
        left -= given
    return weights


def _least(most: int, epsilon: float) -> int:
    """Return the least whole number whose log ratio to ``most`` is at most ``epsilon``; 0 for 0."""
    if most == 0:
        return 0
    guess = min(most, max(1, math.ceil(most * math.exp(-epsilon))))
    while log_ratio(most, guess) > epsilon:  # the logarithm is rounded up, by less than 2^-49 of itself
        guess = min(most, guess + 1 + (guess >> 52))
    return guess


def expected_cost(weights: IntArray, costs: FloatArray, prior: FloatArray) -> float:
    """Return the expected cost of a law under ``prior`` (K,)."""
    return float(prior @ (weights / TOTAL * costs).sum(axis=1))


@dataclass(frozen=True, eq=False)
class OptimalSets:
    """The laws of all sets, and why some are those of "exact".

    Attributes:
        weights: A matrix (K, K) in whole numbers out of 2^62 for each set.
        solved: Whether each set has an optimal law.
        left: How many sets were left to "exact", by the reason.
    """

    weights: tuple[IntArray, ...]
    solved: tuple[bool, ...]
    left: dict[str, int]


@dataclass(frozen=True, eq=False)
class _Programme:
    """What decides the optimal law of a set: ``costs`` (K, K), the ``prior`` (K,) with sum 1, and ``epsilon``."""

    costs: FloatArray
    prior: FloatArray
    epsilon: float

    def weights(self, largest: FloatArray) -> IntArray | None:
        """Return the law of u, ``largest`` (K,); None if u gives none within epsilon."""
        weights = integer_rows(largest, self.costs, self.epsilon)
        return weights if weights is not None and integer_loss(weights) <= self.epsilon else None

    def solution(self, exact: IntArray) -> FloatArray | None:
        """Return u; zeros if it is no better than the law with the weights ``exact``; None if the solver failed."""
        largest = largest_probabilities(self.costs, self.prior, self.epsilon)
        weights = None if largest is None else self.weights(largest)
        if largest is None or weights is None:
            return None
        better = expected_cost(weights, self.costs, self.prior) < expected_cost(exact, self.costs, self.prior)
        return largest if better else np.zeros(len(largest))


def optimal_sets(
    distances: Sequence[FloatArray],
    priors: Sequence[FloatArray],
    epsilon: float,
    exact: Exact,
    progress: Progress | None = None,
) -> OptimalSets:
    """Return the law of each set with ``distances`` (K, K) whose expected distance under its prior (K,) is least.

    ``priors`` are above 0 and of any sum, and ``exact`` gives the weights of a set's law with exact calibration.
    """
    programmes = [
        _Programme(rounded_costs(values), prior / prior.sum(), epsilon)
        for values, prior in zip(distances, priors, strict=True)
    ]
    key = _key(programmes)
    solutions = _kept(key, programmes)
    if solutions is None:
        solutions = []
        for number, programme in enumerate(programmes):
            size = len(programme.costs)
            solutions.append(np.zeros(size) if size > LARGEST_SET else programme.solution(exact(number)))
            if progress is not None:
                progress((number + 1) / len(programmes))
        known = [largest for largest in solutions if largest is not None]
        if len(known) == len(solutions):
            cache.save_array(key, np.concatenate(known))
    return _laws(programmes, solutions, exact)


def _laws(programmes: list[_Programme], solutions: list[FloatArray | None], exact: Exact) -> OptimalSets:
    weights, left = [], []
    for number, (programme, largest) in enumerate(zip(programmes, solutions, strict=True)):
        law = None
        if largest is None:
            left.append("solver failed")
        elif largest.any():
            law = programme.weights(largest)
        elif len(largest) > LARGEST_SET:
            left.append(f"more than {LARGEST_SET} tokens")
        else:
            left.append("not improved")
        weights.append((exact(number), False) if law is None else (law, True))
    return OptimalSets(tuple(law for law, _ in weights), tuple(solved for _, solved in weights), dict(Counter(left)))


def _key(programmes: list[_Programme]) -> str:
    digest = hashlib.sha256()
    for programme in programmes:
        digest.update(len(programme.costs).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(programme.costs, dtype="<f8").data)
        digest.update(np.ascontiguousarray(programme.prior, dtype="<f8").data)
    limits = f"{programmes[0].epsilon!r} {LARGEST_SET}"
    return cache.content_key("optimal-law", _FORM, version("scipy"), limits, digest.hexdigest())


def _kept(key: str, programmes: list[_Programme]) -> list[FloatArray | None] | None:
    """Return the solutions that were kept; None unless each gives a law within epsilon, or is all zeros."""
    array = cache.load_array(key)
    sizes = [len(programme.costs) for programme in programmes]
    if array is None or array.shape != (sum(sizes),) or array.dtype != np.float64:
        return None
    solutions = np.split(np.array(array), np.cumsum(sizes)[:-1])
    for programme, largest in zip(programmes, solutions, strict=True):
        if largest.any() and programme.weights(largest) is None:
            return None
    return list(solutions)
