"""The law of one draw whose scores come from a model that sees private text: all that a guarantee rests on.

A model scores public outcomes, in whatever precision and by whatever means. A :class:`ScoreLaw` turns the scores into
a draw such that any two vectors of scores have laws within ε of each other. There are two:
:mod:`sfumato.privacy.clipped_softmax`, the papers', and :mod:`sfumato.privacy.rank_law`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import GuaranteeError
from sfumato.privacy.guarantee import Certificate
from sfumato.privacy.scores import AnyScores, rows_of
from sfumato.types import FloatArray, IntArray, Uniforms


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
