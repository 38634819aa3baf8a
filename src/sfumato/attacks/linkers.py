"""Linkers: how well each record of a release fits a query, by words (BM25), by meaning (embeddings), or by both.

Paper: A False Sense of Privacy (§2, Appendix D.1), which compares BM25 with embeddings of GritLM. Rankings of several
linkers are joined by reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009).
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.errors import MissingExtraError
from sfumato.language.en.words import words
from sfumato.language.lists import words_of
from sfumato.types import FloatArray

_STOP_WORDS = words_of(
    """
    a an and are as at be but by for if in into is it no not of on or such that the their then there these they this
    to was will with
    """
)
"""Those of Lucene's analyzer of English."""
_CELLS = 1 << 22  # scores held at once


class Linker(ABC):
    """Scores the ``records`` of a release for a query. Built once for a release."""

    records: Sequence[str]

    @property
    def rows(self) -> int:
        """Return how many queries are scored at once."""
        return max(1, _CELLS // max(1, len(self.records)))

    @abstractmethod
    def scores(self, queries: Sequence[str]) -> FloatArray:
        """Return scores (queries, records); higher is likelier."""

    def sure(self, scores: FloatArray) -> FloatArray:
        """Return how sure the best of each row of ``scores`` is, from 0 (not at all) to 1, shape (queries,).

        Here: by which share of it the highest score is above the next one.
        """
        if scores.shape[1] < 2:
            return np.ones(len(scores))
        ranked = np.partition(scores, -2, axis=1)
        best, second = ranked[:, -1], np.maximum(ranked[:, -2], 0.0)
        return np.where(best > 1e-9, np.clip(1.0 - second / np.maximum(best, 1e-9), 0.0, 1.0), 0.0)


@dataclass(frozen=True, eq=False)
class BM25(Linker):
    """BM25 (Lucene's variant) over the stems of the records' words.

    The paper searches with Pyserini (Lin et al. 2021), whose settings are the defaults: ``k1`` 0.9, ``b`` 0.4,
    Porter's stems, Lucene's stop words. A figure such as 120/80 is one word, of which Lucene makes two.
    """

    records: Sequence[str]
    k1: float = 0.9
    b: float = 0.4

    @cached_property
    def _index(self) -> tuple[object, dict[str, int]]:
        try:
            import bm25s
            import nltk  # noqa: F401 (its stems)
        except ImportError:
            raise MissingExtraError("Linking needs bm25s and nltk; type: pip install 'sfumato[evaluate]'") from None
        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets DEBUG itself, for every handler that exists
        stems = [_stems(record) for record in self.records]
        known = {stem: number for number, stem in enumerate(dict.fromkeys(stem for row in stems for stem in row))}
        index = bm25s.BM25(k1=self.k1, b=self.b, method="lucene")
        rows = [[known[stem] for stem in row] for row in stems]
        if known:
            index.index((rows, known), show_progress=False)
        return index, known

    def scores(self, queries: Sequence[str]) -> FloatArray:
        """Return the BM25 of each query and record, shape (queries, records)."""
        index, known = self._index
        scores = np.zeros((len(queries), len(self.records)))
        for number, query in enumerate(queries):
            terms = [known[stem] for stem in _stems(query) if stem in known]
            if terms:
                scores[number] = index.get_scores_from_ids(terms)  # type: ignore[attr-defined]
        return scores


def _stems(text: str) -> list[str]:
    stems = (_stem(word) for word in words(text) if word not in _STOP_WORDS)
    return [stem for stem in stems if stem]  # of the possessive "s" nothing is left


@lru_cache(maxsize=1 << 18)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word, to_lowercase=False))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer(mode="ORIGINAL_ALGORITHM")


@dataclass(frozen=True, eq=False)
class Dense(Linker):
    """Cosine of sentence embeddings. ``encoder`` must not cut texts."""

    records: Sequence[str]
    encoder: Encoder

    @cached_property
    def _vectors(self) -> FloatArray:
        return self.encoder.encode(self.records)

    def scores(self, queries: Sequence[str]) -> FloatArray:
        """Return the cosine similarity of each query and record, shape (queries, records)."""
        return np.asarray(self.encoder.encode(queries) @ self._vectors.T)


@dataclass(frozen=True, eq=False)
class Fused(Linker):
    """Reciprocal rank fusion of ``parts``, which score the same records: the sum of 1 / (``damping`` + rank).

    Records of equal score share their mean rank, so that an empty release is linked as often as by chance.
    """

    parts: Sequence[Linker]
    damping: float = 60.0

    @property
    def records(self) -> Sequence[str]:  # type: ignore[override]
        """Return the records that all parts score."""
        return self.parts[0].records

    def scores(self, queries: Sequence[str]) -> FloatArray:
        """Return the fused score of each query and record, shape (queries, records); 0 to parts / (damping + 1)."""
        from scipy.stats import rankdata  # slow to import

        fused = np.zeros((len(queries), len(self.records)))
        for part in self.parts:
            if fused.size:
                ranks = rankdata(-np.round(part.scores(queries), 9), axis=1)
                fused += 1.0 / (self.damping + ranks)
        return fused
