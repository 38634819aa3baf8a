"""Patterns that are tried only where a text can begin to match them.

One compiled pass over a text looks at five characters and the one before them, and lists for each pattern the places
where it may begin (:mod:`sfumato.detectors.beginnings`). A pattern that may begin nowhere is not tried at all. The
matches are those of ``finditer``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.detectors.beginnings import DEPTH, EVERY, FOREIGN, OTHER, Beginnings, beginnings
from sfumato.privacy.kernels import compiled

TIMEOUT = 20.0
"""Most seconds that one pattern may spend on one text. Past it, detection in the text fails."""
_MOST = 64  # patterns of one table: a bit for each
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
    for first in range(0, len(patterns), _MOST):
        group = patterns[first : first + _MOST]
        for pattern, places in zip(group, _places(group, text), strict=True):
            yield matches(pattern, text) if places is None else matches_at(pattern, text, places)


def matches_at(pattern: Any, text: str, places: Iterable[int]) -> Iterator[Any]:
    """Yield the matches of ``pattern`` that begin at one of ``places``, which are sorted, and do not overlap.

    They are all matches if the pattern begins nowhere else. Raise TimeoutError as :func:`matches` does.
    """
    spent, done = 0.0, 0
    for place in places:
        if place < done:
            continue
        if spent >= TIMEOUT:
            raise TimeoutError
        started = monotonic()
        match = pattern.match(text, place, timeout=TIMEOUT - spent)
        spent += monotonic() - started
        if match is not None:
            yield match
            done = max(match.end(), place + 1)


def _places(patterns: tuple[Any, ...], text: str) -> list[list[int] | None]:
    """Return for each pattern where in ``text`` it may begin; None if that is nearly everywhere, or unknown."""
    known, tables = _prepared(patterns)
    if tables is None:
        return [None] * len(patterns)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    found, edges = _scanned(codes, tables.classes, tables.by_classes, tables.by_before, len(patterns))
    bounds, results = edges.tolist(), list[list[int] | None]()
    for number, is_known in enumerate(known):
        start, end = bounds[number], bounds[number + 1]
        dense = (end - start) * _DENSE > len(text) + _DENSE
        results.append(found[start:end].tolist() if is_known and not dense else None)
    return results


@cache
def _prepared(patterns: tuple[Any, ...]) -> tuple[tuple[bool, ...], _Tables | None]:
    """Return whether the beginnings of each pattern are known, and the tables of all."""
    every = [beginnings(pattern) for pattern in patterns]
    known = tuple(item is not None for item in every)
    return known, _tables(every) if any(known) else None


def _tables(every: list[Beginnings | None]) -> _Tables:
    sets = sorted({item for known in every if known is not None for way in known.ways for item in way} | {EVERY})
    numbers: dict[tuple[bool, ...], int] = {}
    columns = [1 << code for code in range(128)] + [OTHER | FOREIGN]
    classes = [numbers.setdefault(tuple(bool(item & column) for item in sets), len(numbers)) for column in columns]
    classes.append(len(numbers))  # the end of the text: it may be anything
    size = len(numbers) + 1
    members = {
        item: np.array([*sorted({classes[place] for place in range(129) if item & columns[place]}), size - 1])
        for item in sets
    }
    by_classes = np.zeros((DEPTH - 2, size, size, size), dtype=np.uint64)
    by_before = np.zeros(130, dtype=np.uint64)
    for number, known in enumerate(every):
        if known is not None:
            bit = np.uint64(1 << number)
            padded = {way + (EVERY,) * (DEPTH - len(way)) for way in known.ways}
            for table in range(DEPTH - 2):
                for three in {way[table : table + 3] for way in padded}:
                    by_classes[table][np.ix_(*(members[item] for item in three))] |= bit
            allowed = [place for place in range(129) if known.before & columns[place]]
            by_before[[*allowed, _END]] |= bit
    return _Tables(np.array(classes, dtype=np.int64), by_classes, by_before)


@compiled
def _scanned(
    codes: Codes, classes: NDArray[np.int64], by_classes: Bits, by_before: Bits, patterns: int
) -> tuple[Integers, Integers]:
    """Return where each pattern may begin, pattern by pattern, and the edges between patterns."""
    count, zero = len(codes), np.uint64(0)
    masks = np.empty(count, dtype=np.uint64)
    amounts = np.zeros(patterns + 1, dtype=np.int64)
    before, beyond, end, tables = 129, 128, 129, len(by_classes)
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
