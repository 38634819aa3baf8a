"""Surface forms met before, and their numbers: one look-up in machine code a token, without a string.

The table compares code points, never hashes alone. It holds private words, so it lives in memory only: the owner of a
table keeps it out of pickles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.kernels import compiled
from sfumato.text.marks import CODEC, Codes
from sfumato.types import IntArray

N = TypeVar("N", bound=np.generic)

_FORMS, _CODES = 500_000, 1 << 24
_FIRST_FORMS, _FIRST_CODES = 1 << 12, 1 << 16


class Forms:
    """Numbers of surface forms, learned as they come; safe to share between threads.

    Open addressing: ``_slots`` holds one more than the number of a form (0: free) and is at least twice as long as
    there are forms; form f is spelled ``_pool[_edges[f] : _edges[f + 1]]`` and has the number ``_values[f]``.
    """

    _slots: IntArray
    _hashes: NDArray[np.uint64]
    _values: IntArray
    _edges: IntArray
    _pool: Codes
    _count: int

    def __init__(self) -> None:
        self._lock = Lock()
        self._clear()

    def __len__(self) -> int:
        return self._count

    def find(
        self, codes: Codes, starts: IntArray, ends: IntArray, learn: Callable[[Sequence[str]], IntArray]
    ) -> IntArray:
        """Return the number of every ``codes[start:end]``, shape (n,); ``learn`` returns the numbers of distinct new
        forms.
        """
        with self._lock:
            if self._count > _FORMS or self._edges[self._count] > _CODES:
                self._clear()
            before = self._count
            try:
                forms = self._enter(codes, starts, ends)
                if self._count > before:
                    self._values[before : self._count] = learn(self._spelled(before))
            except BaseException:
                self._clear()  # no form may stay without its number
                raise
            return self._values[forms]

    def _enter(self, codes: Codes, starts: IntArray, ends: IntArray) -> IntArray:
        """Return which form every span is; new ones are entered, without a number as yet."""
        forms = np.empty(len(starts), dtype=np.int64)
        done = 0
        while True:
            done, self._count = _enter(
                codes, starts, ends, done, forms, self._slots, self._hashes, self._edges, self._pool, self._count
            )
            if done == len(starts):
                return forms
            self._grow(int(ends[done] - starts[done]))

    def _spelled(self, first: int) -> list[str]:
        edges = self._edges[first : self._count + 1]
        raw = self._pool[edges[0] : edges[-1]].tobytes().decode(CODEC, "surrogatepass")
        offsets = (edges - edges[0]).tolist()
        return [raw[start:end] for start, end in pairwise(offsets)]

    def _grow(self, room: int) -> None:
        """Make room for twice the forms, or for twice the code points and ``room`` more, whichever ran out."""
        if self._count == len(self._values):
            self._values, self._hashes = _longer(self._values, self._count), _longer(self._hashes, self._count)
            self._edges = _longer(self._edges, self._count)
            self._slots = np.zeros(2 * len(self._slots), dtype=np.int64)
            _refill(self._slots, self._hashes, self._count)
        else:
            self._pool = _longer(self._pool, room)

    def _clear(self) -> None:
        self._count = 0
        self._slots = np.zeros(2 * _FIRST_FORMS, dtype=np.int64)
        self._hashes = np.zeros(_FIRST_FORMS, dtype=np.uint64)
        self._values = np.zeros(_FIRST_FORMS, dtype=np.int64)
        self._edges = np.zeros(_FIRST_FORMS + 1, dtype=np.int64)
        self._pool = np.zeros(_FIRST_CODES, dtype=np.uint32)


def _longer(array: NDArray[N], least: int) -> NDArray[N]:
    return np.concatenate([array, np.zeros(max(len(array), least), dtype=array.dtype)])


@compiled
def _hash(codes: Codes, start: int, end: int) -> int:
    mixed = np.uint64(0xCBF29CE484222325)
    for index in range(start, end):
        mixed = (mixed ^ np.uint64(codes[index])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed  # type: ignore[return-value]


@compiled
def _same(codes: Codes, start: int, end: int, pool: Codes, first: int, last: int) -> bool:
    if end - start != last - first:
        return False
    offset = 0
    while start + offset < end and codes[start + offset] == pool[first + offset]:
        offset += 1
    return start + offset == end


@compiled
def _enter(
    codes: Codes,
    starts: IntArray,
    ends: IntArray,
    done: int,
    forms: IntArray,
    slots: IntArray,
    hashes: NDArray[np.uint64],
    edges: IntArray,
    pool: Codes,
    count: int,
) -> tuple[int, int]:
    """Fill ``forms`` from ``done`` on. Return how far it came before room ran out, and the number of forms."""
    last_slot = len(slots) - 1
    for number in range(done, len(starts)):
        start, end = starts[number], ends[number]
        mixed = _hash(codes, start, end)
        slot = np.int64(mixed >> np.uint64(32)) & last_slot
        while True:
            form = slots[slot] - 1
            if form < 0:
                break
            if hashes[form] == mixed and _same(codes, start, end, pool, edges[form], edges[form + 1]):
                break
            slot = (slot + 1) & last_slot
        if form < 0:
            used = edges[count]
            if count == len(hashes) or used + end - start > len(pool):
                return number, count
            for offset in range(end - start):
                pool[used + offset] = codes[start + offset]
            form, edges[count + 1], hashes[count] = count, used + end - start, mixed
            count += 1
            slots[slot] = count
        forms[number] = form
    return len(starts), count


@compiled
def _refill(slots: IntArray, hashes: NDArray[np.uint64], count: int) -> None:
    last_slot = len(slots) - 1
    for form in range(count):
        slot = np.int64(hashes[form] >> np.uint64(32)) & last_slot
        while slots[slot] > 0:
            slot = (slot + 1) & last_slot
        slots[slot] = form + 1
