"""Randomized response over a public vocabulary (Warner 1965; Kairouz, Oh and Viswanath 2014).

Law: with V tokens, P(x|x) = e^ε / (e^ε + V - 1), and P(y|x) = 1 / (e^ε + V - 1) for every other token y.

Analysis: the normaliser is the same for every x. So P(y|x) / P(y|x') is 1, e^ε or e^-ε for any x, x' and y, and the
loss is ε. Nothing depends on a distance: this is LDP.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.abstract.mechanism import EpsilonOfDraw, Mechanism, PublicVocabulary
from sfumato.errors import ConfigurationError
from sfumato.privacy.certificates import believed, once
from sfumato.privacy.guarantee import Certificate, Guarantee, checked_epsilon
from sfumato.privacy.sampling import bernoulli, check_resolution
from sfumato.types import FloatArray, IntArray, Progress, Uniforms


@dataclass(frozen=True, eq=False)
class Response(Mechanism):
    """Keeps a token, or draws any other one of the vocabulary, each as likely."""

    name: ClassVar[str] = "response"
    vocabulary: PublicVocabulary
    epsilon: EpsilonOfDraw

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        if len(self.vocabulary) < 2:
            raise ConfigurationError("response needs a vocabulary of two tokens or more; name another one.")
        check_resolution(-self.epsilon, self.name)

    @property
    def weight(self) -> float:
        """Return the weight of all other tokens together, if the token itself has weight 1."""
        return (len(self.vocabulary) - 1) * math.exp(-self.epsilon)

    @property
    def stays(self) -> float:
        """Return the probability of the token itself."""
        return 1.0 / (1.0 + self.weight)

    @property
    def leaves(self) -> float:
        """Return the probability of all other tokens together, which is exact where it is small."""
        return self.weight / (1.0 + self.weight)

    @property
    def guarantee(self) -> Guarantee:
        """Return ε-LDP for one token."""
        return Guarantee(
            definition="LDP",
            epsilon=self.epsilon,
            unit="one token",
            adjacency="any two tokens of the vocabulary",
            distance=None,
            proof="one normaliser for all inputs: docstring of response.py",
            assumes=("the vocabulary is public", "draws are independent"),
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter, for the statement."""
        return {"epsilon": self.epsilon}

    @once
    def certify(self, progress: Progress | None = None) -> Certificate:
        """Return the largest loss of the numbers that are drawn with; refuse a loss above the claim."""
        likely, unlikely = self.stays, self.leaves / (len(self.vocabulary) - 1)
        loss = abs(math.log(likely / unlikely))
        conditions = {"tokens": len(self.vocabulary), "probability_of_the_token_itself": likely}
        computed = Certificate("LDP", self.epsilon, loss, "exact", self.epsilon, self.epsilon, conditions, (0, 1))
        return believed(self.name, computed)

    def law(self, token: int) -> FloatArray:
        """Return P(.|token), shape (V,)."""
        law = np.full(len(self.vocabulary), self.leaves / (len(self.vocabulary) - 1))
        law[token] = self.stays
        return law

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """Return one independent draw for each of ``tokens`` (n,), shape (n,)."""
        numbers, others = uniforms(2), len(self.vocabulary) - 1
        steps = np.ceil(numbers[:, 1] * others).astype(np.int64)  # 1 to V - 1, each as likely
        return np.where(bernoulli(numbers[:, 0], self.leaves), (tokens + steps) % len(self.vocabulary), tokens)
