"""The law of one draw whose scores come from a model that sees private text: all that a guarantee rests on.

A model scores public outcomes, in whatever precision and by whatever means. A :class:`ScoreLaw` turns the scores into
a draw such that any two vectors of scores have laws within ε of each other. There are two:
:mod:`sfumato.privacy.clipped_softmax`, the papers', and :mod:`sfumato.privacy.rank_law`.

A rank is drawn on the host, from the randomness of the run and without the scores. What remains is to look up which
outcome has that rank: the highest score first, equal scores in the public order of the outcomes. :class:`ScoreRows`
says what there is to look up. :class:`HostScores` does it with numpy, and a model on a GPU answers with rows of its
own, so that not every score has to be copied. All of them must answer alike to the last bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import GuaranteeError
from sfumato.privacy.guarantee import Certificate
from sfumato.types import FloatArray, IntArray, Uniforms

Scores = NDArray[np.floating[Any]]


class ScoreRows(Protocol):
    """Scores (n, V) of n draws over V outcomes, wherever they are."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Return (n, V)."""

    def all_numbers(self) -> bool:
        """Return whether no score is NaN."""

    def of_ranks(self, ranks: IntArray) -> IntArray:
        """Return the outcome of each row's rank, both (n,).

        Ranks count from 0, from the highest score. Equal scores are in the order of the outcomes; -0 equals 0.
        """

    def gaps(self, firsts: IntArray) -> FloatArray:
        """Return by how much each row's last score of the ``firsts`` (n,) exceeds the next one, shape (n,).

        It is 0 for equal scores, infinities among them, and infinite where all V are first.
        """

    def replaced(self, rows: IntArray, scores: Scores) -> AnyScores:
        """Return the same with other ``scores`` (m, V) in ``rows`` (m,)."""

    def numpy(self) -> Scores:
        """Return all scores on the host."""


AnyScores = Scores | ScoreRows


@dataclass(frozen=True, slots=True, eq=False)
class HostScores:
    """Scores (n, V) in an array of numpy's."""

    scores: Scores

    @property
    def shape(self) -> tuple[int, ...]:
        """Return (n, V)."""
        return self.scores.shape

    def all_numbers(self) -> bool:
        """Return whether no score is NaN."""
        return not np.isnan(self.scores).any()

    def of_ranks(self, ranks: IntArray) -> IntArray:
        """Return the outcome of each row's rank."""
        return np.array([_of_rank(row, int(rank)) for row, rank in zip(self.scores, ranks, strict=True)], np.int64)

    def gaps(self, firsts: IntArray) -> FloatArray:
        """Return by how much each row's last score of the ``firsts`` exceeds the next one."""
        return np.array([_gap(row, int(first)) for row, first in zip(self.scores, firsts, strict=True)], np.float64)

    def replaced(self, rows: IntArray, scores: Scores) -> Scores:
        """Return an array with other ``scores`` in ``rows``."""
        made = np.array(self.scores)
        made[rows] = scores
        return made

    def numpy(self) -> Scores:
        """Return the array."""
        return self.scores


def rows_of(scores: AnyScores) -> ScoreRows:
    """Return ``scores`` with what the law by rank asks of them."""
    return HostScores(scores) if isinstance(scores, np.ndarray) else scores


def on_host(scores: AnyScores) -> Scores:
    """Return ``scores`` as an array."""
    return scores if isinstance(scores, np.ndarray) else scores.numpy()


def _gap(scores: Scores, first: int) -> float:
    """Return by how much the last of the ``first`` ranks of ``scores`` (V,) exceeds the next one; 0 for equals."""
    if first >= len(scores):
        return float("inf")  # all ranks are alike
    place = len(scores) - first
    above, below = np.partition(scores, (place - 1, place))[[place, place - 1]].astype(np.float64)
    return 0.0 if above == below else float(above - below)


def _of_rank(scores: Scores, rank: int) -> int:
    """Return the outcome of ``rank`` (from 0) among ``scores`` (V,), the highest first, equals in their order."""
    if rank == 0:
        return int(np.argmax(scores))  # the first among equals
    place = len(scores) - 1 - rank
    threshold = np.partition(scores, place)[place]
    above = int(np.count_nonzero(scores > threshold))
    return int(np.flatnonzero(scores == threshold)[rank - above])


class ScoreLaw(ABC):
    """A law over ``outcomes`` public outcomes (V) for any scores.

    ``name`` is what a user calls it.
    """

    name: ClassVar[str]
    outcomes: int

    @abstractmethod
    def scale(self, epsilon: float) -> float:
        """Return the scale of the law at ``epsilon`` nats. Raise GuaranteeError if it cannot be drawn faithfully."""

    @abstractmethod
    def certificate(self, epsilon: float) -> Certificate:
        """Return the exact loss at ``epsilon`` nats over all scores and outcomes.

        Raise GuaranteeError if the loss exceeds ``epsilon``.
        """

    @abstractmethod
    def law(self, scores: AnyScores, epsilon: float) -> FloatArray:
        """Return P(v) for each row of ``scores`` (n, V) at ``epsilon`` nats, shape (n, V), float64."""

    @abstractmethod
    def draw(self, scores: AnyScores, epsilons: Sequence[float], uniforms: Uniforms) -> IntArray:
        """Return one outcome for each row of ``scores`` (n, V), shape (n,), at ``epsilons`` (n,) nats."""

    def unclear(self, scores: AnyScores, epsilons: Sequence[float]) -> IntArray:
        """Return the rows of ``scores`` (n, V) whose law would be another one if scores were rounded otherwise.

        How scores round depends on what else is computed with them. Such rows have to be computed by themselves, so
        that no other text decides their law. None, for a law that rounding changes by as little as scores.
        """
        return np.empty(0, dtype=np.int64)

    @abstractmethod
    def scores_with(self, law: FloatArray, epsilon: float) -> FloatArray:
        """Return scores (V,) whose law at ``epsilon`` nats is ``law`` (V,): an audit draws from these."""

    @abstractmethod
    def rho(self, epsilon: float) -> float | None:
        """Return the ρ of zero-concentrated DP of a draw at ``epsilon`` nats; None: ε²/2, as for every law."""

    @abstractmethod
    def renyi(self, epsilon: float, orders: FloatArray) -> FloatArray:
        """Return a bound on the Rényi divergence of a draw at ``epsilon`` nats for ``orders`` (A,) > 1, (A,)."""

    @property
    @abstractmethod
    def relative_error(self) -> float:
        """Return a bound on the relative error of a drawn probability against the certified law."""

    @abstractmethod
    def proof(self, theorem: str, place: str) -> str:
        """Return where the proof of the law is, for a mechanism with a published ``theorem`` and a ``place``."""

    @property
    @abstractmethod
    def parameters(self) -> Mapping[str, Any]:
        """Return what decides the law beside ε and the number of outcomes, as JSON types, for the statement."""

    @property
    @abstractmethod
    def public_facts(self) -> Mapping[str, Any]:
        """Return what public text said of the model's scores, and which text, as JSON types, by one name."""

    def unchanged(self, epsilon: float) -> Mapping[str, Any]:
        """Return how often a draw at ``epsilon`` gives back what was there, by the law alone; empty if not known."""
        return {}

    @property
    @abstractmethod
    def public_text(self) -> tuple[str, int] | None:
        """Return SHA-256 and size in bytes of that text, if it is a file; it must not be the private input."""

    def check(self, scores: AnyScores) -> None:
        """Raise GuaranteeError if a score is not a number, or if there is not one score for each outcome."""
        if scores.shape[1] != self.outcomes:
            raise GuaranteeError(f"The model gave {scores.shape[1]} scores for {self.outcomes} outcomes.")
        if not rows_of(scores).all_numbers():
            raise GuaranteeError("The model gave scores that are not numbers; nothing was drawn from them.")
