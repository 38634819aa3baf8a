"""What a document spends on its draws: the mechanism's ε on each, or equal parts of a budget of its own."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from sfumato.abstract.contextual import ContextualMechanism
from sfumato.privacy.composition import Composed, compose, delta_for
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.types import FloatArray

MOST_A_DRAW = 500.0
"""What a document budget spends on one draw at most: above it, draws are as good as certain, and probabilities
would soon be too small to be drawn faithfully."""


@dataclass(frozen=True, eq=False)
class Spending:
    """The ε of each draw of ``mechanism`` in a document: its own if ``budget`` is None, else a part of the budget."""

    mechanism: ContextualMechanism
    budget: float | None

    def epsilon(self, draws: int) -> float:
        """Return the ε of each of so many ``draws``; together they spend no more than the budget."""
        if self.budget is None or not draws:
            return self.mechanism.epsilon
        part = self.budget / draws
        while part * draws > self.budget:  # a rounding error
            part = math.nextafter(part, 0.0)
        return min(part, MOST_A_DRAW)

    def mechanism_for(self, draws: int) -> ContextualMechanism:
        """Return the mechanism at the ε that each of so many ``draws`` gets."""
        mechanism: ContextualMechanism = replace(self.mechanism, epsilon=self.epsilon(draws))  # type: ignore[type-var]
        return mechanism

    def certificate(self) -> Certificate:
        """Return the certificate of one draw; of one document, if each has a budget.

        The draws of a document get parts of its budget that add up to no more, so the budget bounds its loss. The law
        of the largest part, that of a document with one draw, is certified as well; the conditions are about it.
        """
        if self.budget is None:
            return self.mechanism.score_law.certificate(self.mechanism.epsilon)
        draw = self.mechanism.score_law.certificate(min(self.budget, MOST_A_DRAW))
        conditions = {**draw.conditions, "certified_of_a_single_draw": draw.certified}
        return replace(
            draw, claimed=self.budget, certified=self.budget, kind="upper-bound", conditions=conditions,
        )  # fmt: skip

    def guarantee(self, adjacency: str) -> Guarantee:
        """Return what one draw promises; with a budget, what one document promises."""
        mechanism = self.mechanism
        if self.budget is None:
            return replace(mechanism.guarantee, adjacency=adjacency)
        return Guarantee("LDP", self.budget, "one document", adjacency, None, mechanism.proof, mechanism.assumes)

    def cost_of_draws(self, draws: int, among: int) -> Composed:
        """Return the cost of ``draws`` that each spend the mechanism's ε; ``among`` decides δ."""
        return compose(self.mechanism.guarantee, draws, delta_for(among), self.mechanism.renyi)

    def cost_of_documents(self, documents: int, draws: Collection[int], among: int, guarantee: Guarantee) -> Composed:
        """Return the cost of ``documents`` that each spend the budget, on one of these numbers of ``draws`` each.

        ``guarantee`` is that of one document.
        """
        parts = [(count, self.mechanism_for(count)) for count in draws if count]
        rho = max((count * (mechanism.guarantee.rho or math.inf) for count, mechanism in parts), default=None)

        def curve(orders: FloatArray) -> FloatArray:
            """Draws of equal parts of the budget: their divergences add up."""
            curves = [count * mechanism.renyi(orders) for count, mechanism in parts]
            return np.asarray(np.max(curves, axis=0), dtype=np.float64)

        return compose(replace(guarantee, rho=rho), documents if parts else 0, delta_for(among), curve)
