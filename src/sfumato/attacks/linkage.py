"""Re-identification by linkage: which record of a release belongs to the person of whom some claims are known?

Paper: A False Sense of Privacy (§2, Appendix D). Threat model: the attacker holds ``k`` claims about one person and
the whole release, without the truth about which record is whose. The claims are one query, or a query each with a
majority vote over the records whose claims answer best; the record that scores highest is the guess. Differences: of
equal scores one is drawn at random, so that a release that says nothing is linked as often as chance does it, and a
person whose record is missing from the release counts as not linked.
"""

from __future__ import annotations

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import Encoder
from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.text.stop_words import content_words
from sfumato.types import FloatArray, Progress

Knowledge = Literal["first", "random", "last"]
Claims = Sequence[str]

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_CELLS = 1 << 22  # scores held at once


@dataclass(frozen=True, slots=True)
class Held:
    """The claims of one record that the attacker holds, and those that would be new."""

    known: tuple[str, ...]
    hidden: tuple[str, ...]


def held(claims: Sequence[Claims], knowledge: Knowledge = "random", k: int = 3, seed: int = 0) -> list[Held]:
    """What the attacker holds of each record: ``k`` claims (all but one of a shorter record), the same every time."""
    if not 1 <= k <= 100:
        raise ConfigurationError(f"The attacker holds 1 to 100 claims, not {k}.")
    if knowledge not in ("first", "random", "last"):
        raise ConfigurationError(f"The attacker holds the first, random or last claims, not {knowledge!r}.")
    draw = np.random.default_rng([seed, k])
    found = []
    for own in claims:
        count = min(k, max(1, len(own) - 1))
        order = draw.permutation(len(own)) if knowledge == "random" else np.arange(len(own))
        known = set((order[-count:] if knowledge == "last" else order[:count]).tolist())
        parts = [tuple(one for at, one in enumerate(own) if (at in known) is inside) for inside in (True, False)]
        found.append(Held(*parts))
    return found


class Linker(ABC):
    """Scores the ``records`` of a release for a query; built once for a release."""

    records: Sequence[str]

    @abstractmethod
    def scores(self, queries: Sequence[str]) -> FloatArray:
        """Scores (queries, records), higher is likelier."""


@dataclass(frozen=True, eq=False)
class BM25(Linker):
    """BM25 (Lucene's variant) over the words of the records, stop words left out; the paper's linker."""

    records: Sequence[str]

    @cached_property
    def _index(self) -> tuple[object, dict[str, int]]:
        try:
            import bm25s
        except ImportError:
            raise MissingExtraError("Linking needs bm25s; type: pip install 'sfumato[evaluate]'") from None
        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets DEBUG itself, on whoever's handler there is
        words = [content_words(record) for record in self.records]
        known = {word: number for number, word in enumerate(dict.fromkeys(word for row in words for word in row))}
        index = bm25s.BM25(method="lucene")
        rows = [[known[word] for word in row] for row in words]
        if known:
            index.index((rows, known), show_progress=False)
        return index, known

    def scores(self, queries: Sequence[str]) -> FloatArray:
        """BM25 of each query and record."""
        index, known = self._index
        found = np.zeros((len(queries), len(self.records)))
        for number, query in enumerate(queries):
            asked = [known[word] for word in content_words(query) if word in known]
            if asked:
                found[number] = index.get_scores_from_ids(asked)  # type: ignore[attr-defined]
        return found


@dataclass(frozen=True, eq=False)
class Dense(Linker):
    """Cosine of sentence embeddings; ``encoder`` cuts nothing off."""

    records: Sequence[str]
    encoder: Encoder

    @cached_property
    def _vectors(self) -> FloatArray:
        return self.encoder.encode(self.records)

    def scores(self, queries: Sequence[str]) -> FloatArray:
        """Cosine similarity of each query and record."""
        return np.asarray(self.encoder.encode(queries) @ self._vectors.T)


def linked(
    linker: Linker, held: Sequence[Held], seed: int = 0, progress: Progress | None = None
) -> NDArray[np.int64]:
    """The number of the record guessed for each attacker, with all known claims as one query."""
    draw = np.random.default_rng(seed)
    found = np.empty(len(held), dtype=np.int64)
    rows = _rows(linker)
    for first in range(0, len(held), rows):
        some = held[first : first + rows]
        scores = linker.scores([" ".join(one.known) for one in some])
        found[first : first + len(some)] = _best(scores, draw)
        if progress is not None:
            progress(min(1.0, (first + rows) / len(held)))
    return found


def voted(
    made: Callable[[Sequence[str]], Linker], claims: Sequence[Claims], held: Sequence[Held], seed: int = 0,
    progress: Progress | None = None,
) -> NDArray[np.int64]:  # fmt: skip
    """The same by majority: each known claim votes for the record that owns the best of all released ``claims``.

    ``made`` builds the linker over the released claims.
    """
    draw = np.random.default_rng(seed)
    owners = np.repeat(np.arange(len(claims)), [len(own) for own in claims])
    linker = made([one for own in claims for one in own])
    found = np.empty(len(held), dtype=np.int64)
    rows = max(1, _rows(linker) // max(1, max((len(one.known) for one in held), default=1)))
    for first in range(0, len(held), rows):
        some = held[first : first + rows]
        queries = [claim for one in some for claim in one.known]
        scores = linker.scores(queries) if len(owners) and queries else np.zeros((len(queries), 1))
        cast = scores.max(axis=1) > 0.0  # a claim that nothing answers votes for nobody
        votes = owners[_best(scores, draw)] if len(owners) else np.zeros(len(queries), dtype=np.int64)
        at = 0
        for number, one in enumerate(some):
            mine, at = slice(at, at + len(one.known)), at + len(one.known)
            counts = np.bincount(votes[mine][cast[mine]], minlength=len(claims)).astype(np.float64)
            found[first + number] = _best(counts[None], draw)[0]
        if progress is not None:
            progress(min(1.0, (first + rows) / len(held)))
    return found


def sentences(text: str) -> tuple[str, ...]:
    """``text`` cut where sentences or lines end, without a parse."""
    return tuple(one for part in _SENTENCE.split(text) if (one := part.strip()))


def _best(scores: FloatArray, draw: np.random.Generator) -> NDArray[np.int64]:
    """The place of the highest score in each row, one of the equal ones drawn at random."""
    tied = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    found = np.argmax(tied, axis=1)
    for row in np.flatnonzero(tied.sum(axis=1) > 1):
        found[row] = draw.choice(np.flatnonzero(tied[row]))
    return np.asarray(found, dtype=np.int64)


def _rows(linker: Linker) -> int:
    """How many queries are scored at once."""
    return max(1, _CELLS // max(1, len(linker.records)))
