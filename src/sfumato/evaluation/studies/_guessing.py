"""A classifier's guesses on originals and released records, whether these are paired or not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.attribute_inference import Classifier, Side, crossed, inferred, taught
from sfumato.errors import ConfigurationError
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.samples import drawn
from sfumato.evaluation.studies._labels import Known, Labels
from sfumato.types import IntArray, Progress

BEFORE, STATIC, ADAPTIVE = "on originals", "static", "adaptive"
TRANSFERRED = "on originals after training on the release"


class Guess(NamedTuple):
    """An attacker's guesses on records, and the true values (None: not known)."""

    attacker: str
    guesses: NDArray[Any]
    truth: NDArray[Any] | None


class Reading(ABC):
    """Originals and a release as a classifier reads them: made once for all fields."""

    @abstractmethod
    def guesses(self, labels: Labels, seed: int, progress: Progress | None) -> list[Guess]:
        """Return what each attacker guesses of ``labels``. Raise ConfigurationError if there is nothing to infer."""


def reading(classifier: Classifier, pairs: Pairs, sampled: int, seed: int, progress: Progress | None) -> Reading:
    """Return how ``classifier`` reads ``pairs``; a slow one reads ``sampled`` records of each file."""
    own = Paired if pairs.linkable else Apart
    return own(classifier, pairs, sampled if classifier.slow else None, seed, progress)


class Paired(Reading):
    """A release whose records belong to originals; an original without a released record is paired with an empty
    text.
    """

    def __init__(
        self, classifier: Classifier, pairs: Pairs, sampled: int | None, seed: int, progress: Progress | None
    ) -> None:
        self._classifier, self._indices = classifier, np.array(drawn(len(pairs), sampled, seed), dtype=int)
        texts = [*_chosen(pairs.originals, self._indices), *_chosen(pairs.texts, self._indices)]
        rows = classifier.prepare(texts, progress)
        self._before, self._after = rows[: len(self._indices)], rows[len(self._indices) :]

    def guesses(self, labels: Labels, seed: int, progress: Progress | None) -> list[Guess]:
        """Guess by cross-validation over the same folds. The true value of an original is that of its release."""
        known = labels.known(self._indices)
        own = np.searchsorted(self._indices, known.indices)
        before, after = self._before[own], self._after[own]
        every = inferred(self._classifier, before, after, known.values, labels.numeric, seed, progress)
        named = zip((BEFORE, STATIC, ADAPTIVE, TRANSFERRED), every, strict=True)
        return [Guess(attacker, guesses, known.values) for attacker, guesses in named]


class Apart(Reading):
    """A release whose records belong to no original in particular, with or without the field."""

    def __init__(
        self, classifier: Classifier, pairs: Pairs, sampled: int | None, seed: int, progress: Progress | None
    ) -> None:
        texts, _ = pairs.candidates
        self._classifier = classifier
        self._indices, self._others = (
            np.array(drawn(len(pairs), sampled, seed), dtype=int),
            np.array(drawn(len(texts), sampled, seed), dtype=int),
        )
        rows = classifier.prepare([*_chosen(pairs.originals, self._indices), *_chosen(texts, self._others)], progress)
        self._before, self._after = rows[: len(self._indices)], rows[len(self._indices) :]

    def guesses(self, labels: Labels, seed: int, progress: Progress | None) -> list[Guess]:
        """Guess by cross-validation inside each file, and across files with all that was learned in the other."""
        report = progress or (lambda _: None)
        classifier, numeric = self._classifier, labels.numeric
        before = _side(self._before, self._indices, labels.known(self._indices))
        guesses = [
            Guess(BEFORE, crossed(classifier, before, numeric, seed, lambda done: report(0.4 * done)), before.values)
        ]
        try:
            known = labels.known(self._others, released=True)
        except ConfigurationError:  # the release has no such field, or nothing to learn in it
            if len(self._others):
                guesses.append(Guess(STATIC, taught(classifier, before, self._after, numeric), None))
            report(1.0)
            return guesses
        after = _side(self._after, self._others, known)
        guesses.append(Guess(STATIC, taught(classifier, before, after.rows, numeric), after.values))
        report(0.5)
        adapted = crossed(classifier, after, numeric, seed, lambda done: report(0.5 + 0.4 * done))
        guesses.append(Guess(ADAPTIVE, adapted, after.values))
        guesses.append(Guess(TRANSFERRED, taught(classifier, after, before.rows, numeric), before.values))
        report(1.0)
        return guesses


def _side(rows: Any, indices: IntArray, known: Known) -> Side:
    return Side(rows[np.searchsorted(indices, known.indices)], known.values)


def _chosen(texts: Sequence[str], indices: IntArray) -> list[str]:
    return [texts[index] for index in indices]
