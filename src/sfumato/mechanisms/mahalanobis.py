"""Mahalanobis noise (Xu, Aggarwal, Feyisetan, Teissier: A Differentially Private Text Perturbation Method Using a
Regularized Mahalanobis Metric, PrivateNLP 2020).

M = λ·Σ + (1 - λ)·I, Σ the covariance of the *public* vectors scaled to trace D. The noise is M^{1/2}·z with z of
density ∝ exp(-ε·‖z‖₂), so its density is ∝ exp(-ε·‖M^{-1/2} z‖₂): ε-metric-LDP for the distance
d(x, x') = ‖M^{-1/2}(φ(x) - φ(x'))‖₂ (paper, Theorem 1). λ = 0 is FBDD.

Difference from published code: the direction is *not* normalised again after M^{1/2}, which would change the density
and void the proof. Per unit of Euclidean distance the loss is at most ε/√(smallest eigenvalue of M).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.mechanisms._noise import NoiseMechanism, spherical
from sfumato.options.option import Option
from sfumato.privacy.distances import Adjacency
from sfumato.types import FloatArray


@dataclass(frozen=True, eq=False)
class Mahalanobis(NoiseMechanism):
    """Elliptical noise, then the nearest token. ε is per unit of regularised Mahalanobis distance (metric-LDP)."""

    name: ClassVar[str] = "mahalanobis"
    proof: ClassVar[str] = "Xu et al. 2020, Theorem 1; docs/mechanisms.md#mahalanobis"
    regularisation: Annotated[float, Option("weight of the covariance of the vectors; 0 is spherical noise")] = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.regularisation < 1.0:
            raise ConfigurationError(f"Mahalanobis's regularisation must lie in [0, 1), not {self.regularisation!r}.")

    @property
    def distance_name(self) -> str:
        """Return the name of the distance of the guarantee."""
        return f"regularised Mahalanobis (lambda {self.regularisation:g})"

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        return {**super().parameters, "regularisation": self.regularisation}

    @cached_property
    def root(self) -> FloatArray:
        """Return M^{1/2}, shape (D, D), symmetric."""
        vectors = self.vocabulary.vectors
        covariance = np.cov(vectors, rowvar=False).reshape(vectors.shape[1], -1)
        trace = float(np.trace(covariance))
        if trace > 0.0:
            covariance = covariance * (len(covariance) / trace)
        mixed = self.regularisation * covariance + (1.0 - self.regularisation) * np.eye(len(covariance))
        values, axes = np.linalg.eigh(mixed)
        return np.asarray((axes * np.sqrt(values)) @ axes.T, dtype=np.float64)

    def adjacency(self) -> Adjacency:
        """Return the regularised Mahalanobis distance between any two tokens."""
        moved = np.linalg.solve(self.root, self.vocabulary.vectors.T).T
        return Adjacency(self.covered, np.asarray(moved, dtype=np.float64))

    def noise(self, uniforms: FloatArray) -> FloatArray:
        """Return noise vectors (n, D) from uniforms (n, D + 1)."""
        with np.errstate(over="ignore", invalid="ignore"):  # as in spherical
            return np.asarray(spherical(uniforms, self.epsilon) @ self.root, dtype=np.float64)
