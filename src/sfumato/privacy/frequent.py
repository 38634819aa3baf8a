"""Draws inside blocks for inputs that occur often: a look-up in sums that are kept, instead of new distances.

A draw inside a block computes the weights of its members, puts them in order and adds them up. For an input that has
been drawn for as often as there are blocks, that is done for all blocks at once, by the same functions, and kept
(400 kB for GloVe's 33,860 words). So a uniform has the outcome that it had. A hundred words are half of an English
text.
"""

from __future__ import annotations

from threading import Lock
from typing import Protocol

import numpy as np

from sfumato.privacy.sampling import SORTED, LawTable
from sfumato.privacy.threads import in_threads, slices
from sfumato.types import FloatArray, IntArray

_BYTES = 200_000_000
_CELL = 12  # bytes that a table keeps for an outcome


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
