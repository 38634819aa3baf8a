"""The likeliest outcome of a draw in two steps, decided before the rest of its law is computed.

The whole way (:mod:`sfumato.privacy.distance_law`) picks a block of outcomes, then a member of the block, each time
by ascending weight. Let Z be the sum of all weights, T that of the heaviest block, and w the largest weight in it.
The first uniform u picks that block if u·Z > Z - T, and the second u' picks that member if u'·T > T - w. Two
comparisons therefore decide the most frequent outcome. Every other pair of uniforms goes the whole way. So a pair of
uniforms has the same outcome with heads as without, and the law is the same.

Rounding. Each of the sums is right to a relative error of η (``error``), here and on the whole way. The quotients
1 - T/Z and 1 - w/T are then right to 4η, and so are those of the whole way. A uniform within 16η of a quotient goes
the whole way. There is a head only if T exceeds Z/2, or the block is known to be the last, and if w exceeds the
second weight of the block, each by more than 16η; so both ways agree on which block and which member come last.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.kernels import compiled
from sfumato.types import FloatArray, IntArray

_NEVER = 2.0  # no uniform is larger


@compiled
def _decide(
    bounds: FloatArray, outcomes: IntArray, inputs: IntArray, uniforms: FloatArray
) -> tuple[IntArray, IntArray]:
    drawn, others, count = np.empty(len(inputs), dtype=np.int64), np.empty(len(inputs), dtype=np.int64), 0
    for i in range(len(inputs)):
        x = inputs[i]
        if uniforms[i, 0] > bounds[x, 0] and uniforms[i, 1] > bounds[x, 1]:
            drawn[i] = outcomes[x]
        else:
            others[count] = i
            count += 1
    return drawn, others[:count].copy()


@compiled
def _likeliest(weights: FloatArray, margin: float, bounds: FloatArray) -> IntArray:
    """Return the place of the largest weight of each row; write the bound of the second uniform into ``bounds``."""
    places = np.zeros(len(weights), dtype=np.int64)
    for i in range(len(weights)):
        first, second, others = weights[i, 0], 0.0, 0.0
        for j in range(1, weights.shape[1]):
            weight = weights[i, j]
            if weight > first:
                others += first
                first, second, places[i] = weight, first, j
            else:
                others += weight
                second = max(second, weight)
        bounds[i] = others / (first + others) + margin if first > second * (1.0 + margin) else _NEVER
    return places


@dataclass(frozen=True, eq=False)
class Heads:
    """The heads of V laws. ``bounds`` (V, 2) are those of the two uniforms, ``outcomes`` (V,) what is drawn above."""

    error: float
    bounds: FloatArray = field(repr=False)
    outcomes: IntArray = field(repr=False)
    known: NDArray[np.bool_] = field(repr=False)

    @classmethod
    def empty(cls, laws: int, error: float) -> Heads:
        """Return room for the heads of so many ``laws``; sums are right to the relative ``error``."""
        return cls(error, np.full((laws, 2), _NEVER), np.zeros(laws, dtype=np.int64), np.zeros(laws, dtype=np.bool_))

    def missing(self, inputs: IntArray) -> IntArray:
        """Return which of ``inputs`` (n,) :meth:`put` has not seen, each once, ascending."""
        return np.unique(inputs[~self.known[inputs]])

    def put(
        self, inputs: IntArray, firsts: IntArray, weights: FloatArray, sums: FloatArray, last: NDArray[np.bool_]
    ) -> None:
        """Enter the heads of ``inputs`` (m,) in the blocks that begin at outcomes ``firsts`` (m,).

        The members of the blocks have ``weights`` (m, widest), padded with 0; ``sums`` (m,) are Z. ``last`` (m,) says
        which blocks are known to come last; any other must have more than half of Z.
        """
        margin, inside = 16.0 * self.error, np.empty(len(inputs))
        self.outcomes[inputs] = firsts + _likeliest(weights, margin, inside)
        self.bounds[inputs, 1] = inside
        shares = weights.sum(axis=1) / sums
        self.bounds[inputs, 0] = np.where(last | (shares > 0.5 + margin), 1.0 - shares + margin, _NEVER)
        self.known[inputs] = True

    def decide(self, inputs: IntArray, uniforms: FloatArray) -> tuple[IntArray, IntArray]:
        """Return the outcomes (n,) that ``uniforms`` (n, 2) decide for ``inputs`` (n,), and the places of all others.

        The outcomes at those places mean nothing.
        """
        return _decide(self.bounds, self.outcomes, inputs, uniforms)
