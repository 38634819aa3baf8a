"""Membership inference from synthetic texts alone: how usual is a text, and how much of it is copied?

Meeus, Wutschitz, Zanella-Béguelin, Tople, Shokri: The Canary's Echo (ICML 2025) fit a model of word pairs to the
synthetic texts and read the record with it. Threat model: the attacker has the synthetic texts and the whole record,
but no model. Differences: pairs are mixed with single words by Witten and Bell's weights, and an unknown word counts
as if it had been read once.

Carlini et al.: Quantifying Memorization Across Neural Language Models (ICLR 2023) count copied runs, the words in a
row that a text shares with some released text, to measure what a model has learned by heart. Words are compared in
lower case, whatever stands between them. All runs are found at once in a suffix array by prefix doubling (Manber and
Myers 1993): the longest run that begins at a word is shared with a neighbour among the released suffixes, and its
length is put together from powers of two.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sfumato.text.sentences import words
from sfumato.types import FloatArray, IntArray

_START = ""


def by_pairs(texts: Sequence[str], released: Sequence[str]) -> FloatArray:
    """Return the mean log-probability of the words of each text, after the ``released`` texts were read, shape (n,).

    A text without words has minus infinity, the least.
    """
    rows = [[_START, *words(text)] for text in released]
    counts = Counter(word for row in rows for word in row[1:])
    after: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for first, second in pairwise(row):
            after[first][second] += 1
    total = sum(counts.values()) + len(counts) + 1
    sizes = {word: sum(followers.values()) for word, followers in after.items()}

    def probability(first: str, second: str) -> float:
        alone = (counts[second] + 1) / total
        if first not in sizes:
            return alone
        kinds = len(after[first])
        return (after[first][second] + kinds * alone) / (sizes[first] + kinds)

    scores = np.full(len(texts), -np.inf)
    for number, text in enumerate(texts):
        row = [_START, *words(text)]
        if len(row) > 1:
            scores[number] = np.mean([np.log(probability(first, second)) for first, second in pairwise(row)])
    return scores


def longest_runs(texts: Sequence[str], released: Sequence[str]) -> IntArray:
    """Return for each of ``texts`` the most words in a row that some one of the ``released`` has too, shape (n,)."""
    rows = [words(text) for text in (*texts, *released)]
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
