"""Attribute inference: who trains a classifier on what, and what is guessed of whom.

Papers: DP-MLM (§5.2) and NDD (§4.3). Threat model: the attacker has labelled texts of other people and classifies
the released ones. A static attacker learns from originals, an adaptive one from texts released in the same way. Every
record is classified once, by a classifier that saw none of its fold. The same guesses say what a release is good for:
there the classifier that learned from the release is also asked about originals.
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
    """What was guessed for each record, by what was learned from and what was read."""

    original: Values
    """Learned from originals, read in originals: what there is to infer."""
    static: Values
    """Learned from originals, read in the release."""
    adaptive: Values
    """Learned from the release, read in the release."""
    transferred: Values
    """Learned from the release, read in originals."""


@dataclass(frozen=True, eq=False)
class Side:
    """Texts as a classifier reads them, and what is true of each of them."""

    rows: Any
    values: Values

    def __len__(self) -> int:
        return len(self.values)


def parts(values: Values, numeric: bool, folds: int, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Records to learn from and records to guess, for each fold. Labels are spread evenly over the folds.

    A label of two records at least is in two folds, and so is known in every one.
    """
    order = np.random.default_rng([seed, 7]).permutation(len(values))
    if not numeric:
        order = order[np.argsort(values[order], kind="stable")]
    fold = np.empty(len(values), dtype=np.int64)
    count = min(folds, len(values))
    fold[order] = np.arange(len(values)) % count
    return [(np.flatnonzero(fold != one), np.flatnonzero(fold == one)) for one in range(count)]


def inferred(
    classifier: Classifier, before: Any, after: Any, values: Values, numeric: bool = False, seed: int = 0,
    progress: Progress | None = None,
) -> Inferred:  # fmt: skip
    """All guesses where record by record the rows ``before`` and ``after`` belong together, over the same folds."""
    learn = _learning(classifier, numeric)
    found = Inferred(*(np.empty_like(values) for _ in range(4)))
    folds = parts(values, numeric, classifier.folds, seed)
    for number, (train, test) in enumerate(folds):
        knows, adapts = learn(before[train], values[train]), learn(after[train], values[train])
        found.original[test], found.static[test] = knows(before[test]), knows(after[test])
        found.adaptive[test], found.transferred[test] = adapts(after[test]), adapts(before[test])
        if progress is not None:
            progress((number + 1) / len(folds))
    return found


def crossed(
    classifier: Classifier, side: Side, numeric: bool = False, seed: int = 0, progress: Progress | None = None
) -> Values:
    """What is guessed for each record of ``side`` by what was learned from the other records there."""
    learn, found = _learning(classifier, numeric), np.empty_like(side.values)
    folds = parts(side.values, numeric, classifier.folds, seed)
    for number, (train, test) in enumerate(folds):
        found[test] = learn(side.rows[train], side.values[train])(side.rows[test])
        if progress is not None:
            progress((number + 1) / len(folds))
    return found


def taught(classifier: Classifier, teachers: Side, rows: Any, numeric: bool = False) -> Values:
    """What is guessed for ``rows`` by what was learned from all ``teachers``."""
    return _learning(classifier, numeric)(teachers.rows, teachers.values)(rows)


def _learning(classifier: Classifier, numeric: bool) -> Callable[[Any, Values], Callable[[Any], Values]]:
    return classifier.regressed if numeric else classifier.fitted
