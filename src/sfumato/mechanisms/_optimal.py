"""The options of mechanisms whose laws inside sets may be optimal, and what a certificate says of such laws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.mechanism import EpsilonOfDraw, Mechanism, PublicVocabulary
from sfumato.errors import ConfigurationError
from sfumato.options.option import Option
from sfumato.privacy.guarantee import SetCalibration, checked_calibration, checked_epsilon
from sfumato.privacy.optimal_law import OptimalSets
from sfumato.types import FloatArray, IntArray

SetScaleRule = Annotated[
    SetCalibration,
    Option(
        "exact: the largest scale within epsilon; paper: the published formula; optimal: the law with the least "
        "expected distance within epsilon"
    ),
]

Prior = Literal["uniform", "frequency"]
PriorOfTokens = Annotated[
    Prior, Option("calibration optimal: whether all tokens count alike, or by how often English uses them (wordfreq)")
]


@dataclass(frozen=True, eq=False)
class Scores:
    """Public scores of how alike tokens are: ``matrix`` (n, n), higher if more alike, of the ``tokens`` (V,)."""

    matrix: NDArray[Any]
    tokens: IntArray

    def __post_init__(self) -> None:
        if self.matrix.dtype.kind not in "fiu" or self.matrix.shape != (len(self.tokens),) * 2:
            shape = " x ".join(f"{length:,}" for length in self.matrix.shape) or "one number"
            raise ConfigurationError(
                f"similarity holds a number for every pair of the {len(self.tokens):,} tokens of the vocabulary, in "
                f"their order; what was given is {shape} of type {self.matrix.dtype}."
            )

    def among(self, tokens: IntArray) -> Scores:
        """Return the scores of those of the tokens that ``tokens`` (k,) numbers."""
        kept = object.__new__(Scores)  # of the same matrix, which was checked: it may be larger than the memory
        object.__setattr__(kept, "matrix", self.matrix)
        object.__setattr__(kept, "tokens", self.tokens[tokens])
        return kept

    def apart(self, tokens: IntArray, others: IntArray) -> FloatArray:
        """Return minus the score of each pair, (n, m). Raise ConfigurationError for one that is not finite."""
        block = np.asarray(self.matrix[np.ix_(self.tokens[tokens], self.tokens[others])], dtype=np.float64)
        if not np.isfinite(block).all():
            raise ConfigurationError("similarity holds a score that is not a finite number.")
        return -block


Similarity = Literal["euclidean", "cosine"] | NDArray[Any]


@dataclass(frozen=True, eq=False)
class SimilarSets(Mechanism):
    """The options of CusText and CusText+: sets of ``set_size`` tokens that are alike by ``similarity``."""

    vocabulary: PublicVocabulary
    epsilon: EpsilonOfDraw
    calibration: SetScaleRule = "exact"
    set_size: Annotated[int, Option("tokens in a set")] = 20
    similarity: Annotated[
        Similarity,
        Option(
            "how the likeness of tokens is measured: by their vectors, or by a public FILE.npy (V, V) with a score "
            "of every pair, higher if more alike",
            file=True, metavar="euclidean, cosine or a file",
        ),
    ] = "euclidean"  # fmt: skip
    prior: PriorOfTokens = "uniform"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        checked_calibration(self.calibration, optimal=True)
        checked_prior(self.prior)
        if isinstance(self.similarity, np.ndarray):
            object.__setattr__(self, "similarity", Scores(self.similarity, np.arange(len(self.vocabulary))))
        elif not isinstance(self.similarity, Scores) and self.similarity not in ("euclidean", "cosine"):
            given = repr(self.similarity) if isinstance(self.similarity, str) else type(self.similarity).__name__
            raise ConfigurationError(f"similarity is euclidean, cosine, or a file or array of scores, not {given}.")


def checked_prior(prior: str) -> None:
    """Raise :class:`ConfigurationError` unless ``prior`` is ``uniform`` or ``frequency``."""
    if prior not in ("uniform", "frequency"):
        raise ConfigurationError(f"prior must be uniform or frequency, not {prior!r}.")


def prior_over(vocabulary: PublicVocabulary, prior: Prior) -> FloatArray:
    """Return the public weight of every token, shape (V,), above 0.

    A token that wordfreq does not know counts as one of the rarest words of its lists, 1e-8.
    """
    if prior == "uniform":
        return np.ones(len(vocabulary))
    from wordfreq import word_frequency  # reads its lists when first asked

    known = np.array([word_frequency(token, "en") for token in vocabulary.tokens])
    return np.asarray(np.maximum(known, 1e-8), dtype=np.float64)


def conditions_of(sets: OptimalSets, prior: Prior) -> dict[str, Any]:
    """Return what a certificate says: how many sets have an optimal law, and why others have that of "exact"."""
    return {"optimal_sets": sum(sets.solved), "optimal_prior": prior, "sets_left_to_exact": dict(sets.left)}
