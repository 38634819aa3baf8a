"""Re-identification by linkage: which record of a release belongs to a person about whom some claims are known?

Paper: A False Sense of Privacy (§2, Appendix D). Threat model: the attacker holds ``k`` claims about one person and
the whole release, but does not know whose record is whose. The claims are one query, or a query each with a majority
vote over the records whose claims answer best. The record that scores highest is the guess. Differences: one of equal
scores is drawn at random, so that an empty release is linked as often as by chance. A person whose record is missing
from the release counts as not linked.

ROUGE-L is a linker and a distance: how much of a claim appears in a record in the same order of words. Lin: ROUGE
(2004), the recall of the longest common subsequence, with the words of the ``rouge-score`` package. The length is
found in one pass over the bits of the record's words (Hyyrö: Bit-Parallel LCS-length Computation, 2004), so that
every record of a release can be tried. A False Sense of Privacy uses it as the lexical distance.
"""

from __future__ import annotations

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import Encoder
from sfumato.attacks.claim_judges import Judge
from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.language.en.words import words
from sfumato.language.lists import words_of
from sfumato.types import FloatArray, Progress, in_batches

Knowledge = Literal["first", "random", "last"]
Claims = Sequence[str]

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_STOP_WORDS = words_of(
    """
    a an and are as at be but by for if in into is it no not of on or such that the their then there these they this
    to was will with
    """
)
"""Those of Lucene's analyzer of English."""
_CELLS = 1 << 22  # scores held at once


@dataclass(frozen=True, slots=True)
class Held:
    """The claims of one record that the attacker holds, and those that would be new."""

    known: tuple[str, ...]
    hidden: tuple[str, ...]


def held(claims: Sequence[Claims], knowledge: Knowledge = "random", k: int = 3, seed: int = 0) -> list[Held]:
    """Return the attacker's claims of each record: ``k`` claims (all but one of a shorter record), by ``seed``.

    Raise ConfigurationError for another kind of knowledge or number of claims.
    """
    if not 1 <= k <= 100:
        raise ConfigurationError(f"The attacker must hold 1 to 100 claims, not {k}.")
    if knowledge not in ("first", "random", "last"):
        raise ConfigurationError(f"The attacker must hold the first, random or last claims, not {knowledge!r}.")
    draw = np.random.default_rng([seed, k])
    attackers = []
    for own in claims:
        count = min(k, max(1, len(own) - 1))
        order = draw.permutation(len(own)) if knowledge == "random" else np.arange(len(own))
        known = set((order[-count:] if knowledge == "last" else order[:count]).tolist())
        parts = [tuple(claim for i, claim in enumerate(own) if (i in known) is inside) for inside in (True, False)]
        attackers.append(Held(*parts))
    return attackers


class Linker(ABC):
    """Scores the ``records`` of a release for a query. Built once for a release."""

    records: Sequence[str]

    @abstractmethod
    def scores(self, queries: Sequence[str]) -> FloatArray:
        """Return scores (queries, records); higher is likelier."""


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


def linked(
    linker: Linker, held: Sequence[Held], seed: int = 0, progress: Progress | None = None
) -> NDArray[np.int64]:
    """Return the index of the record guessed for each attacker, with all known claims as one query, shape (n,)."""
    return surely_linked(linker, held, seed, progress)[0]


def surely_linked(
    linker: Linker, held: Sequence[Held], seed: int = 0, progress: Progress | None = None
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the same guesses, and how sure each is: by which share its score is above the next one, shape (n,)."""
    draw = np.random.default_rng(seed)
    guesses, leads = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for batch in in_batches(held, _rows(linker), progress):
        scores = linker.scores([" ".join(attacker.known) for attacker in batch])
        guesses.append(_best(scores, draw))
        leads.append(_lead(scores))
    return np.concatenate(guesses), np.concatenate(leads)


def voted(
    build: Callable[[Sequence[str]], Linker], claims: Sequence[Claims], held: Sequence[Held], seed: int = 0,
    progress: Progress | None = None,
) -> NDArray[np.int64]:  # fmt: skip
    """Return the same by majority: each known claim votes for the owner of the best of all released ``claims``.

    ``build`` makes the linker over the released claims.
    """
    draw = np.random.default_rng(seed)
    owners = np.repeat(np.arange(len(claims)), [len(own) for own in claims])
    linker = build([claim for own in claims for claim in own])
    guesses = list[int]()
    rows = max(1, _rows(linker) // max(1, max((len(attacker.known) for attacker in held), default=1)))
    for batch in in_batches(held, rows, progress):
        queries = [claim for attacker in batch for claim in attacker.known]
        scores = linker.scores(queries) if len(owners) and queries else np.zeros((len(queries), 1))
        cast = scores.max(axis=1) > 0.0  # a claim that nothing answers has no vote
        votes = owners[_best(scores, draw)] if len(owners) else np.zeros(len(queries), dtype=np.int64)
        start = 0
        for attacker in batch:
            own, start = slice(start, start + len(attacker.known)), start + len(attacker.known)
            counts = np.bincount(votes[own][cast[own]], minlength=len(claims)).astype(np.float64)
            guesses.append(int(_best(counts[None], draw)[0]))
    return np.array(guesses, dtype=np.int64)


def sentences(text: str) -> tuple[str, ...]:
    """Return ``text`` cut at the ends of sentences and lines, without a parse."""
    return tuple(sentence for part in _SENTENCE.split(text) if (sentence := part.strip()))


def _best(scores: FloatArray, draw: np.random.Generator) -> NDArray[np.int64]:
    """Return the index of the highest score in each row; one of equal scores is drawn at random."""
    tied = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    indices = np.argmax(tied, axis=1)
    for row in np.flatnonzero(tied.sum(axis=1) > 1):
        indices[row] = draw.choice(np.flatnonzero(tied[row]))
    return np.asarray(indices, dtype=np.int64)


def _lead(scores: FloatArray) -> FloatArray:
    """Return by which share of it the highest score in each row is above the next one, from 0 to 1."""
    if scores.shape[1] < 2:
        return np.ones(len(scores))
    ranked = np.partition(scores, -2, axis=1)
    best, second = ranked[:, -1], np.maximum(ranked[:, -2], 0.0)
    return np.where(best > 1e-9, np.clip(1.0 - second / np.maximum(best, 1e-9), 0.0, 1.0), 0.0)


def _rows(linker: Linker) -> int:
    """Return how many queries are scored at once."""
    return max(1, _CELLS // max(1, len(linker.records)))


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
    """One minus the best ROUGE-L recall of a claim in any claim of the record; the paper's lexical distance."""

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
