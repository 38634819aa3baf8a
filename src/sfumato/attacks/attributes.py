"""Classifiers that infer attributes of people from texts, as labels or as numbers.

Papers: DP-MLM (§5.2) and NDD (§4.3). These two are trained in seconds. A network that is fine-tuned for minutes is in
:mod:`~sfumato.attacks.transformer_classifier`. :mod:`~sfumato.attacks.inference` trains and applies them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.errors import MissingExtraError
from sfumato.types import FloatArray, IntArray, Progress

_COLUMNS = 1 << 20  # for words and pairs; collisions are rare enough to do no harm
_ROUGHLY = 1e-3  # tolerance of a solver: far below the effect of another sample of records


class Classifier(ABC):
    """Learns labels, or numbers, from texts."""

    name: str
    folds: ClassVar[int] = 5
    """The number of parts that the records are cut into for cross-validation."""
    slow: ClassVar[bool] = False
    """Whether thousands of records take it minutes, so that a sample of them must be enough."""

    def prepare(self, texts: Sequence[str], progress: Progress | None = None) -> Any:
        """Return the form of ``texts`` that the classifier reads, made once for all folds; rows in the same order."""
        return np.asarray(texts, dtype=object)

    @abstractmethod
    def fitted(self, rows: Any, labels: IntArray) -> Callable[[Any], IntArray]:
        """Return a function from rows to labels, learned from ``rows`` and ``labels`` (of at least two kinds)."""

    @abstractmethod
    def regressed(self, rows: Any, numbers: FloatArray) -> Callable[[Any], FloatArray]:
        """Return a function from rows to numbers, learned from ``rows`` and ``numbers``."""


@dataclass(frozen=True)
class WordClassifier(Classifier):
    """Logistic (of numbers: ridge) regression on TF-IDF of words and pairs of words."""

    name: str = "tfidf"

    def prepare(self, texts: Sequence[str], progress: Progress | None = None) -> Any:
        """Return the counts of each word and pair of words in each text, by hash. Nothing is learned yet."""
        _sklearn()
        from sklearn.feature_extraction.text import HashingVectorizer

        return HashingVectorizer(
            n_features=_COLUMNS, ngram_range=(1, 2), norm=None, alternate_sign=False, token_pattern=r"(?u)\b\w+\b"
        ).transform(texts)

    def fitted(self, rows: Any, labels: IntArray) -> Callable[[Any], IntArray]:
        """Return a function from rows to labels. If no word is known, it returns the most common label."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.multiclass import OneVsRestClassifier

        # in its dual form, which is far faster if there are more words than texts
        single_label = LogisticRegression(
            C=10.0, solver="liblinear", dual=True, max_iter=1000, tol=_ROUGHLY, random_state=0
        )
        return _on_weights(OneVsRestClassifier(single_label), rows, labels, np.int64)

    def regressed(self, rows: Any, numbers: FloatArray) -> Callable[[Any], FloatArray]:
        """Return a function from rows to numbers. If no word is known, it returns the mean."""
        from sklearn.linear_model import Ridge

        return _on_weights(Ridge(alpha=1.0, tol=_ROUGHLY), rows, numbers, np.float64)


@dataclass(frozen=True, eq=False)
class EmbeddingClassifier(Classifier):
    """Logistic (of numbers: ridge) regression on sentence embeddings."""

    encoder: Encoder
    name: str = "embeddings"
    slow: ClassVar[bool] = True

    def prepare(self, texts: Sequence[str], progress: Progress | None = None) -> Any:
        """Return the vectors of ``texts``, shape (n, dimensions)."""
        _sklearn()
        return self.encoder.encode(texts, progress)

    def fitted(self, rows: Any, labels: IntArray) -> Callable[[Any], IntArray]:
        """Return a function from rows to labels. Vectors are used unchanged, of unit length."""
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=10.0, max_iter=2000, tol=_ROUGHLY).fit(rows, labels)
        return lambda asked: np.asarray(model.predict(asked), dtype=np.int64)

    def regressed(self, rows: Any, numbers: FloatArray) -> Callable[[Any], FloatArray]:
        """Return a function from rows to numbers. Vectors are used unchanged, of unit length."""
        from sklearn.linear_model import Ridge

        model = Ridge(alpha=1.0).fit(rows, numbers)
        return lambda asked: np.asarray(model.predict(asked), dtype=np.float64)


def _on_weights(model: Any, rows: Any, wanted: Any, kind: Any) -> Callable[[Any], Any]:
    """Return ``model`` fitted on TF-IDF weights of the words that appear in at least two of ``rows``."""
    from sklearn.feature_extraction.text import TfidfTransformer

    known = np.flatnonzero(np.diff(rows.tocsc().indptr) >= 2)
    if not len(known):  # only a constant can be learned
        values, counts = np.unique(wanted, return_counts=True)
        constant = values[counts.argmax()] if kind is np.int64 else wanted.mean()
        return lambda asked: np.full(asked.shape[0], constant, dtype=kind)
    weights = TfidfTransformer(sublinear_tf=True)
    model.fit(weights.fit_transform(rows[:, known]), wanted)
    return lambda asked: np.asarray(model.predict(weights.transform(asked[:, known])), dtype=kind)


def _sklearn() -> None:
    """Raise MissingExtraError if scikit-learn is not installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtraError("Classifiers need scikit-learn; type: pip install 'sfumato[evaluate]'") from None
