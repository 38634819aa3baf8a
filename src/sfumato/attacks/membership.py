"""Membership inference from synthetic texts alone: how usual is a text for whoever has only read them?

Meeus, Wutschitz, Zanella-Béguelin, Tople, Shokri: The Canary's Echo (ICML 2025) fit a model of word pairs to the
synthetic texts and read the record with it. Threat model: the attacker has the synthetic texts and the whole record,
but no model. Differences: pairs are mixed with single words by Witten and Bell's weights, and an unknown word counts
as if it had been read once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sfumato.attacks.copied_runs import words_of
from sfumato.types import FloatArray

_START = ""


def by_pairs(texts: Sequence[str], released: Sequence[str]) -> FloatArray:
    """Return the mean log-probability of the words of each text, after the ``released`` texts were read, shape (n,).

    A text without words has minus infinity, the least.
    """
    rows = [[_START, *words_of(text)] for text in released]
    words = Counter(word for row in rows for word in row[1:])
    after: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for first, second in pairwise(row):
            after[first][second] += 1
    total = sum(words.values()) + len(words) + 1
    sizes = {word: sum(followers.values()) for word, followers in after.items()}

    def probability(first: str, second: str) -> float:
        alone = (words[second] + 1) / total
        if first not in sizes:
            return alone
        kinds = len(after[first])
        return (after[first][second] + kinds * alone) / (sizes[first] + kinds)

    scores = np.full(len(texts), -np.inf)
    for number, text in enumerate(texts):
        row = [_START, *words_of(text)]
        if len(row) > 1:
            scores[number] = np.mean([np.log(probability(first, second)) for first, second in pairwise(row)])
    return scores
