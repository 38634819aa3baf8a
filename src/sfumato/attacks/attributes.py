"""Classifiers that read attributes of people out of texts, and numbers where the attribute is one.

Papers: DP-MLM (§5.2) and NDD (§4.3). These two are trained in seconds; a network that is tuned for minutes stands in
:mod:`~sfumato.attacks.transformer_classifier`. Who trains them on what: :mod:`~sfumato.attacks.inference`.
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

_COLUMNS = 1 << 20  # for words and pairs; two in one column are rare enough to do no harm
_ROUGHLY = 1e-3  # of a solver: far below what another draw of records changes


class Classifier(ABC):
    """Learns labels, or numbers, from texts."""

    name: str
    folds: ClassVar[int] = 5
    """In how many parts the records are cut for cross-validation."""
    slow: ClassVar[bool] = False
    """Whether thousands of records take it minutes, so that a sample of them has to do."""

    def prepare(self, texts: Sequence[str], progress: Progress | None = None) -> Any:
        """What the classifier reads instead of ``texts``, made once for all folds; rows in the same order."""
        return np.asarray(texts, dtype=object)

    @abstractmethod
    def fitted(self, rows: Any, labels: IntArray) -> Callable[[Any], IntArray]:
        """A function from rows to labels, learned from ``rows`` and ``labels`` (of two kinds at least)."""

    @abstractmethod
    def regressed(self, rows: Any, numbers: FloatArray) -> Callable[[Any], FloatArray]:
        """A function from rows to numbers, learned from ``rows`` and ``numbers``."""


@dataclass(frozen=True)
class WordClassifier(Classifier):
    """Logistic (of numbers: ridge) regression on TF-IDF of words and pairs of words."""

    name: str = "tfidf"

    def prepare(self, texts: Sequence[str], progress: Progress | None = None) -> Any:
        """How often each word and pair of words stands in each text, by hash: nothing is learned yet."""
        _sklearn()
        from sklearn.feature_extraction.text import HashingVectorizer

        return HashingVectorizer(
            n_features=_COLUMNS, ngram_range=(1, 2), norm=None, alternate_sign=False, token_pattern=r"(?u)\b\w+\b"
        ).transform(texts)

    def fitted(self, rows: Any, labels: IntArray) -> Callable[[Any], IntArray]:
        """Where no word is known, the commonest label."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.multiclass import OneVsRestClassifier

        # in its dual form, which is far faster where there are more words than texts
        one = LogisticRegression(C=10.0, solver="liblinear", dual=True, max_iter=1000, tol=_ROUGHLY, random_state=0)
        return _on_weights(OneVsRestClassifier(one), rows, labels, np.int64)

    def regressed(self, rows: Any, numbers: FloatArray) -> Callable[[Any], FloatArray]:
        """Where no word is known, the mean."""
        from sklearn.linear_model import Ridge

        return _on_weights(Ridge(alpha=1.0, tol=_ROUGHLY), rows, numbers, np.float64)


@dataclass(frozen=True, eq=False)
class EmbeddingClassifier(Classifier):
    """Logistic (of numbers: ridge) regression on sentence embeddings."""

    encoder: Encoder
    name: str = "embeddings"
    slow: ClassVar[bool] = True

    def prepare(self, texts: Sequence[str], progress: Progress | None = None) -> Any:
        """The vectors of ``texts``."""
        _sklearn()
        return self.encoder.encode(texts, progress)

    def fitted(self, rows: Any, labels: IntArray) -> Callable[[Any], IntArray]:
        """Vectors are taken as they are, of unit length."""
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=10.0, max_iter=2000, tol=_ROUGHLY).fit(rows, labels)
        return lambda asked: np.asarray(model.predict(asked), dtype=np.int64)

    def regressed(self, rows: Any, numbers: FloatArray) -> Callable[[Any], FloatArray]:
        """Vectors are taken as they are, of unit length."""
        from sklearn.linear_model import Ridge

        model = Ridge(alpha=1.0).fit(rows, numbers)
        return lambda asked: np.asarray(model.predict(asked), dtype=np.float64)


def _on_weights(model: Any, rows: Any, wanted: Any, kind: Any) -> Callable[[Any], Any]:
    """``model`` on TF-IDF weights of the words that stand in two of ``rows`` at least."""
    from sklearn.feature_extraction.text import TfidfTransformer

    known = np.flatnonzero(np.diff(rows.tocsc().indptr) >= 2)
    if not len(known):  # a constant is all that can be learned
        values, counts = np.unique(wanted, return_counts=True)
        constant = values[counts.argmax()] if kind is np.int64 else wanted.mean()
        return lambda asked: np.full(asked.shape[0], constant, dtype=kind)
    weights = TfidfTransformer(sublinear_tf=True)
    model.fit(weights.fit_transform(rows[:, known]), wanted)
    return lambda asked: np.asarray(model.predict(weights.transform(asked[:, known])), dtype=kind)


def _sklearn() -> None:
    """Raises MissingExtraError where there is no scikit-learn."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtraError("Classifiers need scikit-learn; type: pip install 'sfumato[evaluate]'") from None
