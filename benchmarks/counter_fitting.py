"""Counter-fitted word vectors (Mrkšić et al., NAACL 2016) from the public constraints in ../shared/data.

The objective has the three terms of that paper: antonyms at a cosine distance of at least 1, synonyms at 0, and
words that were near (cosine distance at most 0.2) no farther apart than they were, each with the weight 0.1, for 20
rounds. A round moves every word against the mean of the gradients of its pairs, at once for all words; vectors keep
length 1. A pair that a list names is not held where it was. The CusText paper takes the published result, 65,713
words, which is not here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from recording import DATA

from sfumato import Vocabulary
from sfumato.types import FloatArray, IntArray, unit_rows

ROUNDS, WEIGHT = 20, 0.1
NEAR = 0.2
"""Cosine distance up to which words are neighbours that stay."""


def pairs(vocabulary: Vocabulary, *names: str) -> IntArray:
    """The pairs of both words of ``vocabulary`` in the lists ``names``, each once, shape (n, 2)."""
    found: set[tuple[int, int]] = set()
    for name in names:
        for line in (DATA / "counter_fitting" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            numbers = [vocabulary.find(word) for word in line.split()]
            if len(numbers) == 2 and None not in numbers and numbers[0] != numbers[1]:
                first, second = sorted(number for number in numbers if number is not None)
                found.add((first, second))
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)


def neighbours(rows: FloatArray) -> tuple[IntArray, FloatArray]:
    """The pairs of near rows (n, 2) of unit length, and their cosine distances (n,)."""
    found: list[IntArray] = []
    small = rows.astype(np.float32)
    for first in range(0, len(rows), 512):
        left, right = np.nonzero(small[first : first + 512] @ small.T >= 1.0 - NEAR)
        found.append(np.stack([left + first, right], axis=1)[left + first < right])
    together = np.concatenate(found)
    return together, 1.0 - _cosines(rows, together)


def _cosines(rows: FloatArray, chosen: IntArray) -> FloatArray:
    parts = [chosen[first : first + 4096] for first in range(0, len(chosen), 4096)]
    return np.concatenate([np.einsum("ij,ij->i", rows[own[:, 0]], rows[own[:, 1]]) for own in parts] or [np.empty(0)])


def fitted(rows: FloatArray, synonyms: IntArray, antonyms: IntArray, rounds: int = ROUNDS) -> FloatArray:
    """The unit vectors ``rows`` (V, D) after so many ``rounds``, again of unit length."""
    near, apart = neighbours(rows)
    listed = np.concatenate([synonyms, antonyms]) @ [len(rows), 1]
    free = ~np.isin(near @ [len(rows), 1], listed)
    near, apart = near[free], apart[free]
    pulls = [(synonyms, np.zeros(len(synonyms)), 1.0), (near, apart, 1.0), (antonyms, np.ones(len(antonyms)), -1.0)]
    for _ in range(rounds):
        moves, counts = np.zeros_like(rows), np.zeros(len(rows))
        for chosen, wanted, sign in pulls:
            for own, cosines in _wrong(rows, chosen, wanted, sign):
                for this, other in ((own[:, 0], own[:, 1]), (own[:, 1], own[:, 0])):
                    np.add.at(moves, this, sign * (rows[other] - cosines[:, None] * rows[this]))
                    np.add.at(counts, this, 1.0)
        rows = unit_rows(rows + WEIGHT * moves / np.maximum(counts, 1.0)[:, None])
    return rows


def _wrong(
    rows: FloatArray, chosen: IntArray, wanted: FloatArray, sign: float
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Batches of the pairs that are farther apart (``sign`` 1) or nearer (-1) than ``wanted``, with their cosines."""
    cosines = _cosines(rows, chosen)
    bad = np.flatnonzero(sign * (1.0 - cosines - wanted) > 1e-9)
    for first in range(0, len(bad), 4096):
        own = bad[first : first + 4096]
        yield chosen[own], cosines[own]


def counter_fitted(vocabulary: Vocabulary, folder: Path) -> Vocabulary:
    """``vocabulary`` with counter-fitted vectors, which ``folder`` keeps under the hash of what they are made of."""
    place = folder / f"counter_fitted_{vocabulary.hash[:16]}.npy"
    if not place.exists():
        synonyms = pairs(vocabulary, "ppdb_synonyms")
        antonyms = pairs(vocabulary, "ppdb_antonyms", "wordnet_antonyms")
        folder.mkdir(parents=True, exist_ok=True)
        np.save(place, fitted(unit_rows(vocabulary.vectors), synonyms, antonyms))
    return Vocabulary(vocabulary.tokens, np.load(place), f"{vocabulary.provenance}, counter-fitted")


def simlex(vocabulary: Vocabulary) -> tuple[float, int]:
    """Spearman's correlation of cosines with the marks of SimLex-999, and how many of its pairs are known."""
    from scipy.stats import spearmanr

    lines = (DATA / "counter_fitting" / "SimLex-999.txt").read_text(encoding="utf-8").splitlines()[1:]
    rows = [(vocabulary.find(cell[0]), vocabulary.find(cell[1]), float(cell[3])) for cell in map(str.split, lines)]
    known = [row for row in rows if row[0] is not None and row[1] is not None]
    chosen = np.array([row[:2] for row in known], dtype=np.int64)
    marks: Sequence[float] = [row[2] for row in known]
    return float(spearmanr(_cosines(unit_rows(vocabulary.vectors), chosen), marks).statistic), len(known)
