"""What FBDD, Mahalanobis and Vickrey share: noise on the vector, then a public search for near tokens.

Analysis. The noise has density ∝ exp(-ε·‖z‖) in some norm, so for every two inputs and every noisy vector η the
densities differ by a factor of at most exp(ε·‖φ(x) - φ(x')‖) (triangle inequality). Everything after the noise sees
η and the public vocabulary only, so it is post-processing: it may be approximate (here float32), and the true token
stays among the candidates. Every position gets its own noise. The analysis is over the real numbers; floating-point
noise is the known gap (docs/promise.md).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract import FloatArray, IntArray, Mechanism, Progress, Uniforms
from sfumato.errors import GuaranteeError
from sfumato.guarantee import Calibration, Certificate, Guarantee, checked_epsilon
from sfumato.sampling import gamma, gaussian
from sfumato.vocabulary import Vocabulary


def spherical(uniforms: FloatArray, epsilon: float) -> FloatArray:
    """Vectors with density ∝ exp(-ε·‖z‖₂) from (n, D + 1) uniforms: a uniform direction, a Gamma(D, 1/ε) length."""
    directions = gaussian(uniforms[:, 1:])
    dimensions = directions.shape[1]
    lengths = gamma(dimensions, uniforms[:, 0]) / epsilon
    return np.asarray(directions * (lengths / np.linalg.norm(directions, axis=1))[:, None], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class NoiseMechanism(Mechanism):
    """Adds noise to the token's vector and answers with a token found near the noisy vector."""

    draws_at_once: ClassVar[int] = 2048
    vocabulary: Vocabulary
    epsilon: float
    calibration: Calibration = "exact"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))

    @property
    @abstractmethod
    def distance_name(self) -> str:
        """The distance of the guarantee."""

    @property
    @abstractmethod
    def proof(self) -> str:
        """Where the proof is."""

    def noise(self, uniforms: FloatArray) -> FloatArray:
        """Noise vectors (n, D) from uniforms (n, D + 1)."""
        return spherical(uniforms, self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """ε-metric-LDP for one token, between any two tokens of the vocabulary."""
        return Guarantee(
            definition="metric-LDP",
            epsilon=self.epsilon,
            unit="one token",
            adjacency="any two tokens of the vocabulary",
            distance=self.distance_name,
            proof=self.proof,
            assumes=(
                "vocabulary and vectors are public",
                "draws are independent",
                "noise over the real numbers",
            ),
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Every public parameter."""
        return {"epsilon": self.epsilon, "calibration": self.calibration}

    def certify(self, progress: Progress | None = None) -> Certificate:
        """Analytic: the density ratio of the noise is ε per unit of distance, and attained, so nothing is unused."""
        return Certificate("metric-LDP", self.epsilon, self.epsilon, "analytic", self.epsilon, self.epsilon)

    def law(self, token: int) -> FloatArray:
        """No closed form: raises GuaranteeError."""
        raise GuaranteeError(f"{self.name} has no law in closed form; its law can only be estimated from draws.")

    def noisy(self, tokens: IntArray, uniforms: FloatArray) -> NDArray[np.float32]:
        """The noisy vectors of ``tokens`` (n,), shape (n, D)."""
        return (self.vocabulary.vectors[tokens] + self.noise(uniforms)).astype(np.float32)

    @cached_property
    def _search(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        points = self.vocabulary.vectors.astype(np.float32)
        return np.ascontiguousarray(points.T), 0.5 * np.einsum("ij,ij->i", points, points)

    def closeness(self, noisy: NDArray[np.float32]) -> NDArray[np.float32]:
        """η·y - ‖y‖²/2 for every token y: larger is nearer (Euclidean), shape (n, V)."""
        points, halves = self._search
        return np.asarray(noisy @ points - halves, dtype=np.float32)

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """The token nearest the noisy vector, shape (n,)."""
        given = uniforms(self.vocabulary.vectors.shape[1] + 1)
        return np.asarray(np.argmax(self.closeness(self.noisy(tokens, given)), axis=1), dtype=np.int64)
