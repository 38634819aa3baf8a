"""What a classifier guesses of originals and released records, whether they belong together one by one or not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.attributes import Classifier
from sfumato.attacks.inference import Side, crossed, inferred, taught
from sfumato.errors import ConfigurationError
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.samples import drawn
from sfumato.evaluation.studies._labels import Known, Labels
from sfumato.types import IntArray, Progress

BEFORE, STATIC, ADAPTIVE = "on originals", "static", "adaptive"
TRANSFERRED = "on originals after training on the release"


class Guess(NamedTuple):
    """What an attacker guessed of records, and what is true of them (None where nobody knows)."""

    attacker: str
    guesses: NDArray[Any]
    truth: NDArray[Any] | None


class Reading(ABC):
    """Originals and a release as a classifier reads them: made once for all fields."""

    @abstractmethod
    def guesses(self, labels: Labels, seed: int, progress: Progress | None) -> list[Guess]:
        """What each attacker guesses of ``labels``. Raises ConfigurationError where there is nothing to infer."""


def reading(classifier: Classifier, pairs: Pairs, sampled: int, seed: int, progress: Progress | None) -> Reading:
    """How ``classifier`` reads ``pairs``; a slow one reads ``sampled`` records of each file."""
    own = Paired if pairs.linkable else Apart
    return own(classifier, pairs, sampled if classifier.slow else None, seed, progress)


class Paired(Reading):
    """A release whose records belong to originals; one that has no released record is read as an empty text."""

    def __init__(
        self, classifier: Classifier, pairs: Pairs, sampled: int | None, seed: int, progress: Progress | None
    ) -> None:
        self._classifier, self._places = classifier, np.array(drawn(len(pairs), sampled, seed), dtype=int)
        texts = [*_at(pairs.originals, self._places), *_at(pairs.texts, self._places)]
        rows = classifier.prepare(texts, progress)
        self._before, self._after = rows[: len(self._places)], rows[len(self._places) :]

    def guesses(self, labels: Labels, seed: int, progress: Progress | None) -> list[Guess]:
        """By cross-validation over the same folds. What is true of an original is true of its release."""
        known = labels.known(self._places)
        own = np.searchsorted(self._places, known.places)
        before, after = self._before[own], self._after[own]
        found = inferred(self._classifier, before, after, known.values, labels.numeric, seed, progress)
        named = zip((BEFORE, STATIC, ADAPTIVE, TRANSFERRED), found, strict=True)
        return [Guess(attacker, guesses, known.values) for attacker, guesses in named]


class Apart(Reading):
    """A release whose records belong to no original in particular, with or without the field."""

    def __init__(
        self, classifier: Classifier, pairs: Pairs, sampled: int | None, seed: int, progress: Progress | None
    ) -> None:
        texts, _ = pairs.candidates
        self._classifier = classifier
        self._places, self._others = (
            np.array(drawn(len(pairs), sampled, seed), dtype=int),
            np.array(drawn(len(texts), sampled, seed), dtype=int),
        )
        rows = classifier.prepare([*_at(pairs.originals, self._places), *_at(texts, self._others)], progress)
        self._before, self._after = rows[: len(self._places)], rows[len(self._places) :]

    def guesses(self, labels: Labels, seed: int, progress: Progress | None) -> list[Guess]:
        """Only what was learned in one file is read in the other by all that was learned there."""
        told = progress or (lambda _: None)
        classifier, numeric = self._classifier, labels.numeric
        before = _side(self._before, self._places, labels.known(self._places))
        found = [
            Guess(BEFORE, crossed(classifier, before, numeric, seed, lambda done: told(0.4 * done)), before.values)
        ]
        try:
            known = labels.known(self._others, released=True)
        except ConfigurationError:  # the release has no such field, or nothing to learn in it
            if len(self._others):
                found.append(Guess(STATIC, taught(classifier, before, self._after, numeric), None))
            told(1.0)
            return found
        after = _side(self._after, self._others, known)
        found.append(Guess(STATIC, taught(classifier, before, after.rows, numeric), after.values))
        told(0.5)
        adapted = crossed(classifier, after, numeric, seed, lambda done: told(0.5 + 0.4 * done))
        found.append(Guess(ADAPTIVE, adapted, after.values))
        found.append(Guess(TRANSFERRED, taught(classifier, after, before.rows, numeric), before.values))
        told(1.0)
        return found


def _side(rows: Any, places: IntArray, known: Known) -> Side:
    return Side(rows[np.searchsorted(places, known.places)], known.values)


def _at(texts: Sequence[str], places: IntArray) -> list[str]:
    return [texts[place] for place in places]
