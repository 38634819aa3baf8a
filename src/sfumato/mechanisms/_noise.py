"""What FBDD, Mahalanobis and Vickrey share: noise on the vector, then a public search for near tokens.

Analysis. The noise has density ∝ exp(-ε·‖z‖) in some norm, so for every two inputs and every noisy vector η the
densities differ by a factor of at most exp(ε·‖φ(x) - φ(x')‖) (triangle inequality). Everything after the noise sees
η and the public vocabulary only, so it is post-processing, and the true token stays among the candidates. Every
position gets its own noise. The analysis is over the real numbers; floating-point noise is the known gap
(docs/promise.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.mechanism import EpsilonOfDraw, Mechanism, PublicVocabulary, ScaleRule
from sfumato.errors import GuaranteeError
from sfumato.privacy.distances import Adjacency
from sfumato.privacy.guarantee import Certificate, Guarantee, checked_calibration, checked_epsilon
from sfumato.privacy.sampling import gamma, gaussian
from sfumato.types import FloatArray, IntArray, Progress, Uniforms

_FARTHEST = 1e30
_ROUNDING = 4e-6
"""The error of a float32 product of vectors, at most, as a share of the product of their lengths."""


def spherical(uniforms: FloatArray, epsilon: float) -> FloatArray:
    """Return vectors (n, D) with density ∝ exp(-ε·‖z‖₂) from uniforms (n, D + 1).

    The direction is uniform, the length Gamma(D, 1/ε).
    """
    directions = gaussian(uniforms[:, 1:])
    dimensions = directions.shape[1]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # a row that overflows is of no use
        lengths = gamma(dimensions, uniforms[:, 0]) / epsilon
        return np.asarray(directions * (lengths / np.linalg.norm(directions, axis=1))[:, None], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class NoiseMechanism(Mechanism):
    """Adds noise to the token's vector and answers with a token found near the noisy vector."""

    proof: ClassVar[str]
    """Where the proof is."""
    draws_at_once: ClassVar[int] = 2048
    vocabulary: PublicVocabulary
    epsilon: EpsilonOfDraw
    calibration: ScaleRule = "exact"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        checked_calibration(self.calibration)

    @property
    def distance_name(self) -> str:
        """Return the name of the distance of the guarantee."""
        return "Euclidean"

    def noise(self, uniforms: FloatArray) -> FloatArray:
        """Return noise vectors (n, D) from uniforms (n, D + 1)."""
        return spherical(uniforms, self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """Return ε-metric-LDP for one token, between any two tokens of the vocabulary."""
        real = "noise over the real numbers"
        return Guarantee.of_any_two_tokens(self.epsilon, self.distance_name, self.proof, real)

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        return {"epsilon": self.epsilon, "calibration": self.calibration}

    def adjacency(self) -> Adjacency:
        """Return the Euclidean distance between any two tokens."""
        return Adjacency(self.covered, self.vocabulary.vectors)

    def certify(self, progress: Progress | None = None) -> Certificate:
        """Certify analytically: ε bounds the density ratio of the noisy vector, and the search after it never raises
        the loss.
        """
        return Certificate("metric-LDP", self.epsilon, self.epsilon, "analytic", self.epsilon, self.epsilon)

    def law(self, token: int) -> FloatArray:
        """Raise GuaranteeError: there is no closed form."""
        raise GuaranteeError(f"{self.name} has no law in closed form; its law can only be estimated from draws.")

    def noisy(self, tokens: IntArray, uniforms: FloatArray) -> FloatArray:
        """Return the noisy vectors of ``tokens`` (n,), shape (n, D)."""
        return np.asarray(self.vocabulary.vectors[tokens] + self.noise(uniforms), dtype=np.float64)

    @cached_property
    def _search(self) -> tuple[FloatArray, NDArray[np.float32], NDArray[np.float32]]:
        """Return the mean of the vectors; the vectors from there, transposed (D, V), and half their squares (V,)."""
        centre = self.vocabulary.vectors.mean(axis=0)
        points = self.vocabulary.vectors - centre
        halves = 0.5 * np.einsum("ij,ij->i", points, points)
        return centre, np.ascontiguousarray(points.T, dtype=np.float32), halves.astype(np.float32)

    def nearest(self, noisy: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
        """Return the ``count`` tokens nearest (Euclidean) each noisy vector (n, D), nearest first, and their
        distances.

        Both have shape (n, ``count``). float32 finds the candidates and float64 decides among them, so the answer
        depends neither on the batch nor on the machine.
        """
        centre, points, halves = self._search
        moved = noisy - centre
        with np.errstate(over="ignore", invalid="ignore"):
            length = np.linalg.norm(moved, axis=1)
        lost = ~np.isfinite(length)
        moved[lost], length[lost] = 0.0, 0.0
        moved *= np.minimum(1.0, _FARTHEST / np.maximum(length, 1.0))[:, None]  # float32 ends at 3e38
        closeness = moved.astype(np.float32) @ points - halves  # larger is nearer
        last = closeness.max(axis=1) if count == 1 else np.partition(closeness, -count, axis=1)[:, -count]
        radius = np.sqrt(2.0 * float(halves.max()))
        doubt = _ROUNDING * radius * (np.linalg.norm(moved, axis=1) + radius)  # 0 where all tokens are one point
        rows, candidates = np.nonzero(closeness >= (last - doubt)[:, None])
        apart = np.linalg.norm(self.vocabulary.vectors[candidates] - centre - moved[rows], axis=1)
        order = np.lexsort((candidates, apart, rows))
        firsts = np.searchsorted(rows, np.arange(len(noisy)))
        chosen = order[firsts[:, None] + np.arange(count)]
        return candidates[chosen], apart[chosen]

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """Return the token nearest the noisy vector, shape (n,)."""
        given = uniforms(self.vocabulary.vectors.shape[1] + 1)
        return self.nearest(self.noisy(tokens, given), 1)[0][:, 0]
