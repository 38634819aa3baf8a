"""Attribute inference: classifiers that learn labels or numbers from texts, and their guesses for each record.

Papers: DP-MLM (§5.2) and NDD (§4.3). Threat model: the attacker has labelled texts of other people and classifies
the released ones. A static attacker learns from originals, an adaptive one from texts released in the same way. Every
record is classified once, by a classifier that saw none of its fold. The same guesses measure the utility of a
release: for that the classifier that learned from the release also reads originals. The two classifiers here are
trained in seconds. A network that is fine-tuned for minutes is in :mod:`~sfumato.attacks.transformer_classifier`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import Encoder
from sfumato.errors import MissingExtraError
from sfumato.types import FloatArray, IntArray, Progress, in_batches

_COLUMNS = 1 << 20  # for words and pairs; collisions are rare enough to do no harm
_ROUGHLY = 1e-3  # tolerance of a solver: far below the effect of another sample of records
BEFORE, STATIC, ADAPTIVE = "on originals", "static", "adaptive"
TRANSFERRED = "on originals after training on the release"
"""Learned from originals and reading them, or the release; learned from the release and reading it, or originals."""
Values = NDArray[Any]
"""Labels by number, or numbers."""


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
        needs_sklearn()
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
        needs_sklearn()
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


def needs_sklearn() -> None:
    """Raise MissingExtraError if scikit-learn is not installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtraError("Classifiers need scikit-learn; type: pip install 'sfumato[evaluate]'") from None


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
    for [(train, test)] in in_batches(parts(values, numeric, classifier.folds, seed), 1, progress):
        knows, adapts = learn(before[train], values[train]), learn(after[train], values[train])
        guesses.original[test], guesses.static[test] = knows(before[test]), knows(after[test])
        guesses.adaptive[test], guesses.transferred[test] = adapts(after[test]), adapts(before[test])
    return guesses


def crossed(
    classifier: Classifier, side: Side, numeric: bool = False, seed: int = 0, progress: Progress | None = None
) -> Values:
    """Return a guess for each record of ``side`` by a classifier that learned from the other records there."""
    learn, guesses = _learning(classifier, numeric), np.empty_like(side.values)
    for [(train, test)] in in_batches(parts(side.values, numeric, classifier.folds, seed), 1, progress):
        guesses[test] = learn(side.rows[train], side.values[train])(side.rows[test])
    return guesses


def taught(classifier: Classifier, teachers: Side, rows: Any, numeric: bool = False) -> Values:
    """Return guesses for ``rows`` by a classifier that learned from all ``teachers``."""
    return _learning(classifier, numeric)(teachers.rows, teachers.values)(rows)


def _learning(classifier: Classifier, numeric: bool) -> Callable[[Any, Values], Callable[[Any], Values]]:
    return classifier.regressed if numeric else classifier.fitted
