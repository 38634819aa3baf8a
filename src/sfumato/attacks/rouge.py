"""ROUGE-L as a linker and as a distance: how much of a text appears in another in the same order of words.

Lin: ROUGE (2004), the longest common subsequence, with the words of the ``rouge-score`` package. The length is found
in one pass over the bits of the record's words (Hyyrö: Bit-Parallel LCS-length Computation, 2004), so that every
record of a release can be tried.

A False Sense of Privacy uses it as the lexical distance, and is ambiguous about what is compared. §2 defines one
minus the ROUGE-L of the original record and the record that was found (:func:`record_distances`). Table 1 calls the
same column a matching after the linkage, and Table 5 compares "ROUGE-L recall" with judgments of single claims
(:class:`RougeJudge`). Both are measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.claim_judges import Judge
from sfumato.attacks.linkers import Linker
from sfumato.errors import MissingExtraError
from sfumato.types import Progress


class _Record(NamedTuple):
    """The words of a record: their number, and for each word its positions as bits."""

    length: int
    positions: dict[str, int]


@dataclass(frozen=True, eq=False)
class RougeL(Linker):
    """ROUGE-L recall of the query in each record. It scores every pair, so it is for thousands of records at most."""

    records: Sequence[str]

    @cached_property
    def _read(self) -> list[_Record]:
        return [_record(words) for words in _words(self.records)]

    def scores(self, queries: Sequence[str]) -> NDArray[np.float64]:
        """Return the share of each query's words that a record holds in their order, shape (queries, records)."""
        scores = np.zeros((len(queries), len(self.records)))
        for row, query in zip(scores, _words(queries), strict=True):
            if query:
                row[:] = [_common(query, record) for record in self._read]
                row /= len(query)
        return scores


@dataclass(frozen=True, eq=False)
class RougeJudge(Judge):
    """One minus the best ROUGE-L recall of a claim in any claim of the record: the lexical distance, by claims."""

    name: str = "ROUGE-L"

    def distances(
        self, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[list[float | None]]:
        """Return distances between 0 and 1 without steps; 1 for a claim without words."""
        distances: list[list[float | None]] = []
        for own, record in zip(claims, records, strict=True):
            read = [_record(words) for words in _words(record)]
            distances.append([_distance(words, read) for words in _words(own)])
        return distances


def record_distances(originals: Sequence[str], records: Sequence[str]) -> list[float]:
    """Return one minus the ROUGE-L (F1) of each original and the record that was found; 1 if either has no words.

    Paper: A False Sense of Privacy (§2, the baseline). It does not say which ROUGE-L; F1 is the usual one. The
    claims that the attacker held are part of both texts, so that they lower this distance.
    Raise MissingExtraError without rouge-score.
    """
    pairs = zip(_words(originals), _words(records), strict=True)
    return [1.0 - 2.0 * _common(own, _record(other)) / max(1, len(own) + len(other)) for own, other in pairs]


def _distance(words: Sequence[str], records: Sequence[_Record]) -> float:
    if not words:
        return 1.0
    return 1.0 - max((_common(words, record) for record in records), default=0) / len(words)


def _common(words: Sequence[str], record: _Record) -> int:
    """Return the length of the longest common subsequence."""
    every = (1 << record.length) - 1
    left = every
    for word in words:
        if positions := record.positions.get(word):
            both = left & positions
            left = ((left + both) | (left - both)) & every
    return record.length - left.bit_count()


def _record(words: Sequence[str]) -> _Record:
    positions: dict[str, int] = {}
    for position, word in enumerate(words):
        positions[word] = positions.get(word, 0) | 1 << position
    return _Record(len(words), positions)


def _words(texts: Sequence[str]) -> list[list[str]]:
    try:
        from rouge_score.tokenizers import DefaultTokenizer
    except ImportError:
        raise MissingExtraError("ROUGE needs rouge-score; type: pip install 'sfumato[evaluate]'") from None
    split = DefaultTokenizer(use_stemmer=False).tokenize
    return [split(text) for text in texts]
