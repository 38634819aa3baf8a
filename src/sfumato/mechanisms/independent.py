"""A replacement that does not depend on what it replaces: any value of a public list, each as likely.

P(y|x) = 1/V for every x, so that the loss is 0: a draw discloses nothing of its value. Case numbers, telephone
numbers and addresses are replaced so. What still shows is that something of this kind was there, and, where one value
is drawn once for all its places, which places hold the same value. Uniform randomness on 2^64 words that do not
divide by V leaves a bias, which is the same for every input and so costs nothing either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.abstract.mechanism import EpsilonOfDraw, Mechanism, PublicVocabulary
from sfumato.errors import ConfigurationError
from sfumato.privacy.certificates import believed, once
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.types import FloatArray, IntArray, Progress, Uniforms


@dataclass(frozen=True, eq=False)
class Independent(Mechanism):
    """Draws a value of the vocabulary without looking at the one that it replaces. ε is 0 (LDP)."""

    name: ClassVar[str] = "independent"
    vocabulary: PublicVocabulary
    epsilon: EpsilonOfDraw = 0.0

    def __post_init__(self) -> None:
        if self.epsilon != 0.0:
            raise ConfigurationError("independent does not look at what it replaces and costs nothing: leave out ε.")

    @property
    def guarantee(self) -> Guarantee:
        """Return 0-LDP for one value, between any two values."""
        return Guarantee(
            definition="LDP",
            epsilon=0.0,
            unit="one token",
            adjacency="any two tokens",
            distance=None,
            proof="one law for all inputs: docs/mechanisms.md#laws-over-values",
            assumes=("the list of values is public", "draws are independent"),
            rho=0.0,
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter: none."""
        return {}

    @once
    def certify(self, progress: Progress | None = None) -> Certificate:
        """Return the loss, which is 0 because inputs do not enter the law."""
        return believed(
            self.name, Certificate("LDP", 0.0, 0.0, "exact", 0.0, 0.0, {"outcomes": len(self.vocabulary)})
        )

    @property
    def relative_error(self) -> float:
        """Return 0: whatever numbers decide, they do not depend on the input."""
        return 0.0

    def law(self, token: int) -> FloatArray:
        """Return P(.|token), shape (V,): the same for every token."""
        return np.full(len(self.vocabulary), 1.0 / len(self.vocabulary))

    def unchanged(self) -> FloatArray:
        """Return P(x | x) for every value, shape (V,)."""
        return self.law(0)

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """Return one independent draw for each of ``tokens`` (n,), shape (n,)."""
        words = uniforms.words(1).reshape(len(tokens))
        return (words % np.uint64(len(self.vocabulary.tokens))).astype(np.int64)
