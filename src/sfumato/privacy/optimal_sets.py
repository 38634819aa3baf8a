"""Optimal laws of all sets of a vocabulary: solved once, kept in the cache, and left to "exact" where none is found.

A set keeps the exponential law of "exact" if it is too large for the programme, if the solver fails, or if the
solver's law is no better. The certificate counts these sets. The solutions that are kept are the numbers u of
:mod:`sfumato.privacy.optimal_law`; a law is made of them again in whole numbers and certified, so a wrong entry could
cost utility, never privacy. An entry is named by everything that decides it: the rounded distances, the prior, ε and
scipy's version. Where a solver failed, nothing is kept.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from sfumato.privacy.integer_law import integer_loss
from sfumato.privacy.optimal_law import expected_cost, integer_rows, largest_probabilities, rounded_costs
from sfumato.storage import cache
from sfumato.types import FloatArray, IntArray, Progress

LARGEST_SET = 100
"""The number of tokens up to which a set gets an optimal law: 0.1 s of a processor at most, by measurement."""

_FORM = "1"

Exact = Callable[[int], IntArray]
"""Returns the weights of a set's law with exact calibration, by its number."""


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
