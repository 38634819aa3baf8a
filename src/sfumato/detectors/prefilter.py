"""Patterns that are tried only where a text can begin to match them.

One compiled pass over a text looks at five characters and the one before them, and lists for each pattern the places
where it may begin (:mod:`sfumato.detectors.first_characters`). A pattern that may begin nowhere is not tried at all.
The matches are those of ``finditer``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.detectors.first_characters import DEPTH, EVERY, FOREIGN, OTHER, Beginnings, beginnings
from sfumato.privacy.kernels import compiled

TIMEOUT = 20.0
"""Most seconds that one pattern may spend on one text. Past it, detection in the text fails."""
MANY = 50_000
"""Characters after which a table is worth making: it takes as long as searching in so many."""
MOST = 64
"""Patterns of one table: a bit for each."""
_DENSE = 60
"""Characters for each place where a pattern may begin; if there are fewer, searching on is as fast."""
_BEYOND = 128  # the column of all characters that are not ASCII
_END = 129  # the column for what lies outside the text

Bits = NDArray[np.uint64]
Codes = NDArray[np.uint32]
Integers = NDArray[np.int64]


class _Tables(NamedTuple):
    """``classes`` of characters; patterns by the classes of three characters, and by the character before them.

    ``by_classes`` has a table for the first three characters of a beginning, for the next three, and so on.
    """

    classes: NDArray[np.int64]
    by_classes: Bits
    by_before: Bits


def matches(pattern: Any, text: str) -> Iterator[Any]:
    """Return the matches of ``pattern`` in ``text``.

    Raise TimeoutError past :data:`TIMEOUT`: a skipped one would leak.
    """
    return iter(pattern.finditer(text, timeout=TIMEOUT))


def anchored_matches(patterns: tuple[Any, ...], text: str) -> Iterator[Iterator[Any]]:
    """Yield the matches of each of ``patterns`` in ``text``. Raise TimeoutError as :func:`matches` does."""
    for first in range(0, len(patterns), MOST):
        group = patterns[first : first + MOST]
        for pattern, places in zip(group, group_of(group).places(text), strict=True):
            yield matches(pattern, text) if places is None else matches_at(pattern, text, places)


def matches_at(pattern: Any, text: str, places: Iterable[int], timeout: float = TIMEOUT) -> Iterator[Any]:
    """Yield the matches of ``pattern`` that begin at one of ``places``, which are sorted, and do not overlap.

    They are all matches if the pattern begins nowhere else. Raise TimeoutError past ``timeout`` seconds.
    """
    spent, done = 0.0, 0
    for place in places:
        if place < done:
            continue
        if spent >= timeout:
            raise TimeoutError
        started = monotonic()
        match = pattern.match(text, place, timeout=timeout - spent)
        spent += monotonic() - started
        if match is not None:
            yield match
            done = max(match.end(), place + 1)


class Group:
    """Patterns that share a table, which is made when they have read so much that it saves time."""

    def __init__(self, patterns: tuple[Any, ...]) -> None:
        self._patterns, self._left = patterns, MANY
        self._known: tuple[bool, ...] = ()
        self._tables: _Tables | None = None

    def places(self, text: str) -> list[list[int] | None]:
        """Return for each pattern where in ``text`` it may begin; None if that is nearly everywhere, or unknown."""
        self._left -= len(text)
        if self._left > 0:
            return [None] * len(self._patterns)
        if not self._known:
            every = [beginnings(pattern) for pattern in self._patterns]
            self._tables = _tables(every)
            self._known = tuple(item is not None for item in every)
        return self._scanned(text)

    def _scanned(self, text: str) -> list[list[int] | None]:
        tables, results = self._tables, list[list[int] | None]()
        assert tables is not None
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        places, edges = _scanned(codes, tables.classes, tables.by_classes, tables.by_before, len(self._known))
        for is_known, (start, end) in zip(self._known, pairwise(edges.tolist()), strict=True):
            dense = (end - start) * _DENSE > len(text) + _DENSE
            results.append(places[start:end].tolist() if is_known and not dense else None)
        return results


@lru_cache(maxsize=64)
def group_of(patterns: tuple[Any, ...]) -> Group:
    """Return the patterns as one group, the same each time."""
    return Group(patterns)


def _tables(every: Sequence[Beginnings | None]) -> _Tables:
    """Return the tables for patterns with these beginnings. Where none is known, a table lists nothing."""
    sets = sorted({item for known in every if known is not None for way in known.ways for item in way} | {EVERY})
    numbers: dict[tuple[bool, ...], int] = {}
    columns = [1 << code for code in range(128)] + [OTHER | FOREIGN]
    classes = [numbers.setdefault(tuple(bool(item & column) for item in sets), len(numbers)) for column in columns]
    size = len(numbers) + 1
    classes.append(size - 1)  # what lies outside the text: it may be anything
    columns_of = [[place for place in range(_END) if classes[place] == number] for number in range(size - 1)]
    masks = [sum(columns[place] for place in places) for places in columns_of]

    @cache
    def members_of(characters: int) -> list[bool]:
        return [*(characters & mask != 0 for mask in masks), True]

    by_classes = np.zeros((DEPTH - 2, size, size, size), dtype=np.uint64)
    by_before = np.zeros(_END + 1, dtype=np.uint64)
    for number, known in enumerate(every):
        if known is not None:
            bit = np.uint64(1 << number)
            by_before[[place for place in range(_END) if known.before & columns[place]] + [_END]] |= bit
            ways = [way + (EVERY,) * (DEPTH - len(way)) for way in known.ways]
            for table in range(DEPTH - 2):
                threes = _merged({way[table : table + 3] for way in ways})
                members = np.array([[members_of(item) for item in three] for three in threes], dtype=np.bool_)
                _fill(by_classes[table], members, bit)
    return _Tables(np.array(classes, dtype=np.int64), by_classes, by_before)


def _merged(threes: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return fewer triples of sets that hold the same triples of characters: those that differ in one are united."""
    merged = set(threes)
    for axis in (2, 1, 0):
        rest: dict[tuple[int, ...], int] = {}
        for three in merged:
            others = three[:axis] + three[axis + 1 :]
            rest[others] = rest.get(others, 0) | three[axis]
        merged = {(*others[:axis], item, *others[axis:]) for others, item in rest.items()}
    return sorted(merged)


@compiled
def _fill(table: Bits, members: NDArray[np.bool_], bit: np.uint64) -> None:
    """Set ``bit`` for all classes of three characters that are members of one row, each of its own set."""
    size = members.shape[2]
    for row in range(len(members)):
        for first in range(size):
            if members[row, 0, first]:
                for second in range(size):
                    if members[row, 1, second]:
                        for third in range(size):
                            if members[row, 2, third]:
                                table[first, second, third] |= bit


@compiled
def _scanned(
    codes: Codes, classes: NDArray[np.int64], by_classes: Bits, by_before: Bits, patterns: int
) -> tuple[Integers, Integers]:
    """Return where each pattern may begin, pattern by pattern, and the edges between patterns."""
    count, zero = len(codes), np.uint64(0)
    masks = np.empty(count, dtype=np.uint64)
    amounts = np.zeros(patterns + 1, dtype=np.int64)
    beyond, end, tables = 128, 129, len(by_classes)
    before = np.int64(end)
    window = np.empty(tables + 2, dtype=np.int64)
    for place in range(tables + 1):
        window[place + 1] = classes[min(codes[place], np.uint32(beyond))] if place < count else classes[end]
    for place in range(count):
        for ahead in range(tables + 1):
            window[ahead] = window[ahead + 1]
        last = place + tables + 1
        window[tables + 1] = classes[min(codes[last], np.uint32(beyond))] if last < count else classes[end]
        mask = by_before[before]
        for table in range(tables):
            mask &= by_classes[table, window[table], window[table + 1], window[table + 2]]
        before = np.int64(min(codes[place], np.uint32(beyond)))
        masks[place] = mask
        number = 0
        while mask != zero:
            if mask & np.uint64(1):
                amounts[number + 1] += 1
            mask >>= np.uint64(1)
            number += 1
    edges = np.cumsum(amounts)
    filled, result = edges[:-1].copy(), np.empty(edges[-1], dtype=np.int64)
    for place in range(count):
        mask, number = masks[place], 0
        while mask != zero:
            if mask & np.uint64(1):
                result[filled[number]] = place
                filled[number] += 1
            mask >>= np.uint64(1)
            number += 1
    return result, edges
