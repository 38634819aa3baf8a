"""Vickrey (Xu, Feyisetan, Aggarwal, Xu, Teissier: On a Utilitarian Approach to Privacy Preserving Text Generation,
PrivateNLP 2021).

FBDD's noise, then an auction between the two tokens nearest the noisy vector η: the nearest y₁ wins with probability
(1 - t)·‖η - y₂‖ / (t·‖η - y₁‖ + (1 - t)·‖η - y₂‖), else the second. t = 0 is FBDD.

Analysis. The auction sees η and the public vocabulary only, so it is post-processing and FBDD's guarantee holds. The
published code removes the true word from the candidates *after* the noise: that step sees the private word, the
output then never equals the input, and no finite ε exists. Here the true word stays a candidate like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.mechanisms._noise import NoiseMechanism
from sfumato.options.option import Option
from sfumato.types import IntArray, Uniforms


@dataclass(frozen=True, eq=False)
class Vickrey(NoiseMechanism):
    """Spherical noise, then the nearest or second-nearest token. ε is per unit of Euclidean distance (metric-LDP)."""

    name: ClassVar[str] = "vickrey"
    proof: ClassVar[str] = (
        "Xu et al. 2021, Theorem 1 (post-processing of Feyisetan et al. 2020); docs/mechanisms.md#vickrey"
    )
    second_weight: Annotated[float, Option("t of the paper: weight of the second-nearest token")] = 0.75

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.second_weight <= 1.0:
            raise ConfigurationError(f"Vickrey's second_weight (t) must lie in [0, 1], not {self.second_weight!r}.")

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        return {**super().parameters, "second_weight": self.second_weight}

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """Return one of the two tokens nearest the noisy vector, shape (n,)."""
        given = uniforms(self.vocabulary.vectors.shape[1] + 2)
        pair, apart = self.nearest(self.noisy(tokens, given[:, :-1]), 2)
        first, second = self.second_weight * apart[:, 0], (1.0 - self.second_weight) * apart[:, 1]
        wins = given[:, -1] * (first + second) <= second
        return np.where(wins, pair[:, 0], pair[:, 1]).astype(np.int64)
