"""Copied runs: how many words in a row of a text stand in some released text, the same words in the same order?

Carlini et al.: Quantifying Memorization Across Neural Language Models (ICLR 2023) count such runs to measure what a
model has learned by heart. Words are compared in lower case, whatever stands between them. All runs are found at once
in a suffix array by prefix doubling (Manber and Myers 1993): the longest run that begins at a word is shared with a
neighbour among the released suffixes, and its length is put together from powers of two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import regex

from sfumato.types import IntArray

_WORD = regex.compile(r"[\p{L}\p{N}]+")


def words_of(text: str) -> list[str]:
    """Return the words of ``text`` in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def longest_runs(texts: Sequence[str], released: Sequence[str]) -> IntArray:
    """Return for each of ``texts`` the most words in a row that some one of the ``released`` has too, shape (n,)."""
    rows = [words_of(text) for text in (*texts, *released)]
    lengths = np.array([len(row) + 1 for row in rows], dtype=np.int64)
    if not len(texts):
        return np.zeros(0, dtype=np.int64)
    numbers: dict[str, int] = {}
    coded: list[int] = []
    for number, row in enumerate(rows):
        coded += [numbers.setdefault(word, len(numbers) + len(rows)) for word in row]
        coded.append(number)  # an end that no other text has, so that no run goes beyond it
    levels = _levels(np.array(coded, dtype=np.int64), int(lengths.max()))
    owners = np.repeat(np.arange(len(rows)), lengths)
    order = np.argsort(levels[-1], kind="stable")
    reach = np.zeros(len(coded), dtype=np.int64)
    ours = owners < len(texts)
    for direction in (order, order[::-1]):
        places = np.where(ours[direction], -1, np.arange(len(direction)))
        before = np.maximum.accumulate(places)
        there = ours[direction] & (before >= 0)
        own, other = direction[there], direction[before[there]]
        reach[own] = np.maximum(reach[own], _common(levels, own, other))
    longest = np.zeros(len(texts), dtype=np.int64)
    np.maximum.at(longest, owners[ours], reach[ours])
    return longest


def _levels(coded: IntArray, longest: int) -> list[IntArray]:
    """Return the rank of every place by its first 1, 2, 4, ... words, until no run can be longer."""
    levels = [np.unique(coded, return_inverse=True)[1].astype(np.int64)]
    size = 1
    while size < longest:
        ahead = np.zeros_like(levels[-1])
        ahead[:-size] = levels[-1][size:] + 1
        levels.append(np.unique(levels[-1] * (len(coded) + 1) + ahead, return_inverse=True)[1].astype(np.int64))
        size *= 2
    return levels


def _common(levels: Sequence[IntArray], own: IntArray, other: IntArray) -> IntArray:
    """Return how many words two places have in common, from each on."""
    shared = np.zeros(len(own), dtype=np.int64)
    last = len(levels[0]) - 1
    for power in reversed(range(len(levels))):
        inside = (own + shared <= last) & (other + shared <= last)
        alike = inside & (
            levels[power][np.minimum(own + shared, last)] == levels[power][np.minimum(other + shared, last)]
        )
        shared += alike.astype(np.int64) << power
    return shared
