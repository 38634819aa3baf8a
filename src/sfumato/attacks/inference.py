"""Attribute inference: the texts that classifiers learn from, and their guesses for each record.

Papers: DP-MLM (§5.2) and NDD (§4.3). Threat model: the attacker has labelled texts of other people and classifies
the released ones. A static attacker learns from originals, an adaptive one from texts released in the same way. Every
record is classified once, by a classifier that saw none of its fold. The same guesses measure the utility of a
release: for that the classifier that learned from the release also reads originals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.attributes import Classifier
from sfumato.types import IntArray, Progress

Values = NDArray[Any]
"""Labels by number, or numbers."""


class Inferred(NamedTuple):
    """The guess for each record, by the texts that were learned from and the texts that were read."""

    original: Values
    """Learned from originals, read in originals: the most that can be inferred."""
    static: Values
    """Learned from originals, read in the release."""
    adaptive: Values
    """Learned from the release, read in the release."""
    transferred: Values
    """Learned from the release, read in originals."""


@dataclass(frozen=True, eq=False)
class Side:
    """Texts in the form that a classifier reads, and the true value of each."""

    rows: Any
    values: Values

    def __len__(self) -> int:
        return len(self.values)


def parts(values: Values, numeric: bool, folds: int, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Return records to learn from and records to guess, for each fold. Labels are spread evenly over the folds.

    A label of at least two records is in two folds, so a classifier knows it in every fold.
    """
    order = np.random.default_rng([seed, 7]).permutation(len(values))
    if not numeric:
        order = order[np.argsort(values[order], kind="stable")]
    fold = np.empty(len(values), dtype=np.int64)
    count = min(folds, len(values))
    fold[order] = np.arange(len(values)) % count
    return [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(count)]


def inferred(
    classifier: Classifier, before: Any, after: Any, values: Values, numeric: bool = False, seed: int = 0,
    progress: Progress | None = None,
) -> Inferred:  # fmt: skip
    """Return all guesses over the same folds. Record by record the rows ``before`` and ``after`` belong together.

    ``progress`` receives the finished share.
    """
    learn = _learning(classifier, numeric)
    guesses = Inferred(*(np.empty_like(values) for _ in range(4)))
    folds = parts(values, numeric, classifier.folds, seed)
    for number, (train, test) in enumerate(folds):
        knows, adapts = learn(before[train], values[train]), learn(after[train], values[train])
        guesses.original[test], guesses.static[test] = knows(before[test]), knows(after[test])
        guesses.adaptive[test], guesses.transferred[test] = adapts(after[test]), adapts(before[test])
        if progress is not None:
            progress((number + 1) / len(folds))
    return guesses


def crossed(
    classifier: Classifier, side: Side, numeric: bool = False, seed: int = 0, progress: Progress | None = None
) -> Values:
    """Return a guess for each record of ``side`` by a classifier that learned from the other records there."""
    learn, guesses = _learning(classifier, numeric), np.empty_like(side.values)
    folds = parts(side.values, numeric, classifier.folds, seed)
    for number, (train, test) in enumerate(folds):
        guesses[test] = learn(side.rows[train], side.values[train])(side.rows[test])
        if progress is not None:
            progress((number + 1) / len(folds))
    return guesses


def taught(classifier: Classifier, teachers: Side, rows: Any, numeric: bool = False) -> Values:
    """Return guesses for ``rows`` by a classifier that learned from all ``teachers``."""
    return _learning(classifier, numeric)(teachers.rows, teachers.values)(rows)


def _learning(classifier: Classifier, numeric: bool) -> Callable[[Any, Values], Callable[[Any], Values]]:
    return classifier.regressed if numeric else classifier.fitted
