"""Re-identification by what was learned from other people: the scores of several linkers, weighed by a regression.

Threat model: beside claims about one person and the whole release, the attacker knows of some other people which
released record is theirs, as the adaptive attacker of :mod:`~sfumato.attacks.attribute_inference` knows labels. Some
of a file leak so, and anyone who can run the same sanitizer on texts of their own has such people too. From them
the attacker learns which traits of a claim and a record speak for each other: the scores and ranks that the linkers
give; the figures, and the runs of two and of three words that they share, weighed by how rare they are; and whether
both speak of a woman or of a man.

The regression is logistic, over each person's own record and records of others. Its scores over all records of a
person are turned into a posterior (softmax), so that how sure a guess is can be compared between people. It is our
own attacker, of the kind that learning to rank calls pointwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from sfumato.attacks.attribute_inference import needs_sklearn
from sfumato.attacks.linkers import Linker
from sfumato.language.en.sexes import SEXES
from sfumato.language.en.words import words
from sfumato.types import FloatArray, IntArray, in_batches

_FIGURE = re.compile(r"\d+(?:[.,/]\d+)*")
_TRAITS = 16  # of a query and a record, roughly
_OTHERS = 100  # records of other people that a person's own is compared with
Reader = Callable[[str], set[str]]
"""Finds marks in a text."""


@dataclass(frozen=True, eq=False)
class Trained(Linker):
    """A regression over the scores of ``parts``, learned from ``queries`` whose records are ``own`` (their numbers).

    All ``parts`` score the same records. ``seed`` draws the other records that are learned from. Raise
    MissingExtraError without scikit-learn.
    """

    parts: Sequence[Linker]
    queries: Sequence[str]
    own: IntArray
    seed: int = 0

    @property
    def records(self) -> Sequence[str]:  # type: ignore[override]
        """Return the records that all parts score."""
        return self.parts[0].records

    @property
    def rows(self) -> int:
        """Return how many queries are scored at once: every record has several traits."""
        return max(1, super().rows // _TRAITS)

    @cached_property
    def _released(self) -> tuple[list[_Marks], FloatArray]:
        """Return the marks of the records, by kind, and the sex that each record names."""
        kinds = [_Marks.of(self.records, reader) for reader in _READERS]
        return kinds, np.array([_sex(record) for record in self.records])

    @cached_property
    def _model(self) -> Any:
        needs_sklearn()
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        draw = np.random.default_rng([self.seed, len(self.queries)])
        rows, right = list[FloatArray](), list[bool]()
        for batch in in_batches(range(len(self.queries)), self.rows):
            for row, own in zip(self._traits([self.queries[at] for at in batch]), self.own[batch], strict=True):
                others = np.delete(np.arange(len(self.records)), own)
                best = others[np.argsort(-row[others].sum(axis=1), kind="stable")[: _OTHERS // 2]]
                rest = draw.choice(others, min(len(others), _OTHERS // 2), replace=False)
                compared = np.unique(np.concatenate([best, rest]))
                rows += [row[own][None], row[compared]]
                right += [True, *[False] * len(compared)]
        model = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=2000))
        return model.fit(np.concatenate(rows), right)

    def scores(self, queries: Sequence[str]) -> FloatArray:
        """Return the posterior of each record given each query, shape (queries, records); a row sums to 1."""
        traits = self._traits(queries)
        if not traits.size:
            return np.zeros(traits.shape[:2])
        logits = self._model.decision_function(traits.reshape(-1, traits.shape[2])).reshape(traits.shape[:2])
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def _traits(self, queries: Sequence[str]) -> FloatArray:
        """Return what speaks for each record given each query, shape (queries, records, traits)."""
        kinds, sexes = self._released
        traits = list[FloatArray]()
        for part in self.parts:
            traits += _of_scores(part.scores(queries))
        traits += [kind.shared(queries) for kind in kinds]
        agreed = np.array([_sex(query) for query in queries])[:, None] * sexes
        return np.stack([*traits, agreed], axis=2)


@dataclass(frozen=True, eq=False)
class _Marks:
    """Which of the marks that ``reader`` finds are in which record (records, marks), weighed by how rare they are."""

    reader: Reader
    place: dict[str, int]
    held: Any

    @classmethod
    def of(cls, records: Sequence[str], reader: Reader) -> _Marks:
        from scipy.sparse import csr_matrix  # slow to import

        own = [sorted(reader(record)) for record in records]
        spread = Counter(mark for marks in own for mark in marks)
        place = {mark: number for number, mark in enumerate(spread)}
        entries = [(row, place[mark], np.log((1 + len(own)) / spread[mark])) for row, marks in enumerate(own)
                   for mark in marks]  # fmt: skip
        rows, columns, rarity = zip(*entries, strict=True) if entries else ((), (), ())
        return cls(reader, place, csr_matrix((rarity, (rows, columns)), shape=(len(own), len(place)), dtype=float))

    def shared(self, queries: Sequence[str]) -> FloatArray:
        """Return how much each query shares with each record, shape (queries, records)."""
        asked = np.zeros((len(self.place), len(queries)))
        for number, query in enumerate(queries):
            asked[[self.place[mark] for mark in self.reader(query) if mark in self.place], number] = 1.0
        return np.asarray((self.held @ asked).T)


def _of_scores(scores: FloatArray) -> list[FloatArray]:
    """Return how far each score is above the mean of its row, how far below the best, and 1 over its rank."""
    from scipy.stats import rankdata  # slow to import

    if not scores.size:
        return [scores] * 3
    spread = np.maximum(scores.std(axis=1, keepdims=True), 1e-9)
    ranks = rankdata(-np.round(scores, 9), axis=1)
    above = (scores - scores.mean(axis=1, keepdims=True)) / spread
    return [above, (scores - scores.max(axis=1, keepdims=True)) / spread, 1.0 / ranks]


def _figures(text: str) -> set[str]:
    return set(_FIGURE.findall(text))


def _runs(length: int, text: str) -> set[str]:
    read = words(text)
    return {" ".join(read[first : first + length]) for first in range(len(read) - length + 1)}


_READERS: tuple[Reader, ...] = (_figures, partial(_runs, 2), partial(_runs, 3))


def _sex(text: str) -> float:
    """Return which sex the words of ``text`` name more often: 1 for women, -1 for men, 0 for neither."""
    women, men = (len(SEXES[sex].findall(text)) for sex in ("female", "male"))
    return float(np.sign(women - men))
