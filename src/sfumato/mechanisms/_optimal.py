"""The options of mechanisms whose laws inside sets may be optimal, and what a certificate says of such laws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from sfumato.abstract.mechanism import EpsilonOfDraw, Mechanism, PublicVocabulary
from sfumato.abstract.options import Option
from sfumato.errors import ConfigurationError
from sfumato.privacy.guarantee import SetCalibration, checked_calibration, checked_epsilon
from sfumato.privacy.optimal_law import OptimalSets
from sfumato.types import FloatArray

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

Similarity = Literal["euclidean", "cosine"]


@dataclass(frozen=True, eq=False)
class SimilarSets(Mechanism):
    """The options of CusText and CusText+: sets of ``set_size`` tokens that are alike by ``similarity``."""

    vocabulary: PublicVocabulary
    epsilon: EpsilonOfDraw
    calibration: SetScaleRule = "exact"
    set_size: Annotated[int, Option("tokens in a set")] = 20
    similarity: Annotated[Similarity, Option("how the likeness of tokens is measured")] = "euclidean"
    prior: PriorOfTokens = "uniform"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        checked_calibration(self.calibration, optimal=True)
        checked_prior(self.prior)


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
