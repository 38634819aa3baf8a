"""Attribute inference: what a classifier reads out of released texts about their authors.

Papers: DP-MLM (§5.2) and NDD (§4.3). Threat model: the attacker has labelled texts of other people and classifies
the released ones. A static attacker learns from originals, an adaptive one from texts released in the same way. Every
record is classified once, by a classifier that saw none of its folds (stratified cross-validation).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract import Encoder, Progress
from sfumato.errors import ConfigurationError, MissingExtraError

IntArray = NDArray[np.int64]
FOLDS = 5
_FEWEST = 2  # records of a class, without which nothing can be learned about it


class Classifier(ABC):
    """Learns labels from texts."""

    name: str

    def prepare(self, texts: Sequence[str], progress: Progress | None = None) -> Any:
        """What the classifier reads instead of ``texts``, made once for all folds; rows in the same order."""
        return np.asarray(texts, dtype=object)

    @abstractmethod
    def fitted(self, rows: Any, labels: IntArray) -> Callable[[Any], IntArray]:
        """A function from rows to labels, learned from ``rows`` and ``labels``."""


@dataclass(frozen=True)
class WordClassifier(Classifier):
    """Logistic regression on TF-IDF of words and pairs of words."""

    name: str = "tfidf"

    def fitted(self, rows: Any, labels: IntArray) -> Callable[[Any], IntArray]:
        """Words seen at least twice; a text without any known word gets the commonest label."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        words = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=2, token_pattern=r"(?u)\b\w+\b")
        model = make_pipeline(words, LogisticRegression(C=10.0, max_iter=1000))
        try:
            model.fit(rows, labels)
        except ValueError:  # no word stands in two texts
            commonest = int(np.bincount(labels).argmax())
            return lambda asked: np.full(len(asked), commonest, dtype=np.int64)
        return lambda asked: np.asarray(model.predict(asked), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class EmbeddingClassifier(Classifier):
    """Logistic regression on sentence embeddings."""

    encoder: Encoder
    name: str = "embeddings"

    def prepare(self, texts: Sequence[str], progress: Progress | None = None) -> Any:
        """The vectors of ``texts``."""
        return self.encoder.encode(texts, progress)

    def fitted(self, rows: Any, labels: IntArray) -> Callable[[Any], IntArray]:
        """Vectors are taken as they are, of unit length."""
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=10.0, max_iter=2000).fit(rows, labels)
        return lambda asked: np.asarray(model.predict(asked), dtype=np.int64)


class Inferred(NamedTuple):
    """The labels guessed for each record: by an attacker who has originals, statically, and adaptively."""

    original: IntArray
    static: IntArray
    adaptive: IntArray


def coded(labels: Sequence[str]) -> tuple[IntArray, list[str]]:
    """Labels as numbers, and what the numbers mean. Raises ConfigurationError where there is nothing to infer."""
    names = sorted(set(labels))
    if len(names) < 2:
        raise ConfigurationError("All records have the same label, so that there is nothing to infer.")
    at = {name: number for number, name in enumerate(names)}
    found = np.array([at[label] for label in labels], dtype=np.int64)
    if np.bincount(found).min() < _FEWEST:
        raise ConfigurationError("A label belongs to one record only; leave such records out or join labels.")
    return found, names


def inferred(
    classifier: Classifier, originals: Sequence[str], releases: Sequence[str], labels: IntArray, seed: int = 0,
    progress: Progress | None = None,
) -> Inferred:  # fmt: skip
    """What each attacker guesses for every record, by cross-validation over the same folds."""
    try:
        from sklearn.model_selection import StratifiedKFold
    except ImportError:
        raise MissingExtraError("Classifiers need scikit-learn; type: pip install 'sfumato[evaluate]'") from None
    before, after = classifier.prepare(originals), classifier.prepare(releases)
    folds = StratifiedKFold(min(FOLDS, int(np.bincount(labels).min())), shuffle=True, random_state=seed)
    found = Inferred(*(np.empty(len(labels), dtype=np.int64) for _ in range(3)))
    parts = list(folds.split(np.zeros(len(labels)), labels))
    for number, (train, test) in enumerate(parts):
        knows = classifier.fitted(before[train], labels[train])
        adapts = classifier.fitted(after[train], labels[train])
        found.original[test] = knows(before[test])
        found.static[test] = knows(after[test])
        found.adaptive[test] = adapts(after[test])
        if progress is not None:
            progress((number + 1) / len(parts))
    return found


def relative_gain(utility: float, utility_before: float, privacy: float, privacy_before: float) -> float:
    """U_r/U_o - P_r/P_o (DP-MLM paper, §5.2): what is kept of the use, less what is kept of the inference."""
    return utility / utility_before - privacy / privacy_before
