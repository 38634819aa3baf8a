"""Two ways by which most draws of a distance law need few distances: most likely outcomes, and frequent inputs.

**The most likely outcome** is decided before the rest of the law is computed. The whole way
(:mod:`sfumato.privacy.distance_law`) picks a block of outcomes, then a member of the block, each time by ascending
weight. Let Z be the sum of all weights, T that of the heaviest block, and w the largest weight in it. The first
uniform u picks that block if u·Z > Z - T, and the second u' picks that member if u'·T > T - w. Two comparisons
therefore decide the most frequent outcome. Every other pair of uniforms goes the whole way. So a pair of uniforms has
the same outcome this way as the whole way, and the law is the same.

Rounding. Each of the sums is right to a relative error of η (``error``), here and on the whole way. The quotients
1 - T/Z and 1 - w/T are then right to 4η, and so are those of the whole way. A uniform within 16η of a quotient goes
the whole way. There is a bound only if T exceeds Z/2, or the block is known to be the last, and if w exceeds the
second weight of the block, each by more than 16η; so both ways agree on which block and which member come last.

**Frequent inputs.** A draw inside a block computes the weights of its members, puts them in order and adds them up.
For an input that has been drawn for as often as there are blocks, that is done for all blocks at once, by the same
functions, and kept (400 kB for GloVe's 33,860 words). So a uniform has the outcome that it had. A hundred words are
half of an English text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.kernels import compiled
from sfumato.privacy.sampling import SORTED, LawTable
from sfumato.runtime import in_threads, slices
from sfumato.types import FloatArray, IntArray

_NEVER = 2.0  # no uniform is larger
_BYTES = 200_000_000
_CELL = 12  # bytes that a table keeps for an outcome


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
class LikeliestOutcomes:
    """The most likely ``outcomes`` (V,) of V laws, drawn where both uniforms lie above their ``bounds`` (V, 2)."""

    error: float
    bounds: FloatArray = field(repr=False)
    outcomes: IntArray = field(repr=False)
    known: NDArray[np.bool_] = field(repr=False)

    @classmethod
    def empty(cls, laws: int, error: float) -> LikeliestOutcomes:
        """Return room for those of so many ``laws``; sums are right to the relative ``error``."""
        return cls(error, np.full((laws, 2), _NEVER), np.zeros(laws, dtype=np.int64), np.zeros(laws, dtype=np.bool_))

    def missing(self, inputs: IntArray) -> IntArray:
        """Return which of ``inputs`` (n,) :meth:`put` has not seen, each once, ascending."""
        return np.unique(inputs[~self.known[inputs]])

    def put(
        self, inputs: IntArray, firsts: IntArray, weights: FloatArray, sums: FloatArray, last: NDArray[np.bool_]
    ) -> None:
        """Enter those of ``inputs`` (m,) in the blocks that begin at outcomes ``firsts`` (m,).

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


class Members(Protocol):
    """Laws inside the groups of outcomes that begin at ``starts`` (groups + 1)."""

    @property
    def starts(self) -> IntArray:
        """Return where each group begins, and the end of the last."""

    def weights(self, vectors: FloatArray, inputs: IntArray, groups: IntArray) -> FloatArray:
        """Return the weights of the members of ``groups`` (n,) for ``inputs`` (n,), padded with 0."""

    def draw(self, vectors: FloatArray, inputs: IntArray, groups: IntArray, uniforms: FloatArray) -> IntArray:
        """Return one outcome in each of ``groups`` (n,)."""


class FrequentInputs:
    """The laws inside all groups of ``members``, kept for the inputs that occur often.

    Which inputs those are is private. They stay in memory only.
    """

    def __init__(self, members: Members, inputs: int) -> None:
        self._members = members
        self._groups = len(members.starts) - 1
        self._widest = int(np.diff(members.starts).max())
        self._most = _BYTES // (_CELL * self._widest * self._groups) if 1 < self._widest <= SORTED else 0
        self._slot = np.full(inputs, -1, dtype=np.int64)
        self._met = np.zeros(inputs, dtype=np.int64)
        self._kept, self._table = 0, LawTable.empty(0, self._widest)
        self._lock = Lock()

    def draw(self, vectors: FloatArray, inputs: IntArray, groups: IntArray, uniforms: FloatArray) -> IntArray:
        """Return one outcome in each of ``groups`` (n,) for the rows ``inputs`` (n,) of ``vectors``, shape (n,)."""
        if not self._most:
            return self._members.draw(vectors, inputs, groups, uniforms)
        with self._lock:
            slots, table = self._slot[inputs], self._table
        drawn = np.empty(len(inputs), dtype=np.int64)
        often, seldom = np.flatnonzero(slots >= 0), np.flatnonzero(slots < 0)
        if len(often):
            places = table.draw(slots[often] * self._groups + groups[often], uniforms[often])
            drawn[often] = self._members.starts[groups[often]] + places
        if len(seldom):
            drawn[seldom] = self._members.draw(vectors, inputs[seldom], groups[seldom], uniforms[seldom])
            self._count(vectors, inputs[seldom])
        return drawn

    def _count(self, vectors: FloatArray, inputs: IntArray) -> None:
        """Count draws for ``inputs`` (n,) and keep the laws of those that reach the number of groups."""
        with self._lock:
            self._met += np.bincount(inputs, minlength=len(self._met))
            new = np.unique(inputs[(self._met[inputs] >= self._groups) & (self._slot[inputs] < 0)])
            new = new[: self._most - self._kept]
            if not len(new):
                return
            self._make_room(self._kept + len(new))
            first, table = self._kept, self._table
            everywhere = np.arange(self._groups)

            def keep(pair: slice) -> None:
                both = new[pair]  # side by side, because distances are computed for two inputs in the time of one
                groups = np.repeat(everywhere, len(both))
                weights = self._members.weights(vectors, np.tile(both, self._groups), groups)
                for number in range(len(both)):
                    rows, own = (first + pair.start + number) * self._groups, weights[number :: len(both)]
                    table.put_few(slice(rows, rows + self._groups), np.ascontiguousarray(own))

            for _ in in_threads(keep, slices(len(new), 2)):
                pass
            self._slot[new] = first + np.arange(len(new))
            self._kept += len(new)

    def _make_room(self, inputs: int) -> None:
        if inputs * self._groups > len(self._table.order):
            self._table = self._table.resized(self._groups * min(max(inputs, 2 * self._kept), self._most))
