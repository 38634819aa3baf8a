"""What SanText and TEM share: a law that falls off exponentially with a (truncated) distance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np

from sfumato.abstract.mechanism import EpsilonOfDraw, Mechanism, PublicVocabulary, ScaleRule
from sfumato.options.option import Option
from sfumato.privacy.calibration import checked_at, largest_scale
from sfumato.privacy.certificates import ANALYSIS, once, remembered, repeats
from sfumato.privacy.distance_law import DistanceLaw
from sfumato.privacy.distances import Adjacency, Distance
from sfumato.privacy.guarantee import Certificate, Guarantee, checked_calibration, checked_epsilon
from sfumato.privacy.privacy_loss import DistanceLoss
from sfumato.privacy.sampling import check_resolution
from sfumato.storage import cache
from sfumato.types import FloatArray, IntArray, Progress, Uniforms


def log_sums_key(vocabulary: str, metric: Distance, scale: float, limit: float) -> str:
    """Return the name of the sums of exp(-scale · min(d, limit)) over the vocabulary with the hash ``vocabulary``."""
    numbers = (float(number).hex() for number in (metric.p, scale, limit))
    return cache.content_key("log sums 1", ANALYSIS, vocabulary, *numbers)


def keep_log_sums(name: str, log_sums: FloatArray | None) -> None:
    """Keep ``log_sums`` (V,) in the cache under ``name``; nothing if there are none."""
    if log_sums is not None:
        cache.save_array(name, log_sums)


def kept_log_sums(name: str, tokens: int) -> FloatArray | None:
    """Return the sums of so many ``tokens`` that were kept under ``name``, as logarithms (V,); None without them."""
    sums = cache.load_array(name)
    if sums is None or sums.shape != (tokens,) or sums.dtype != np.float64 or not np.isfinite(sums).all():
        return None
    return np.array(sums)


@dataclass(frozen=True, eq=False)
class DistanceExponential(Mechanism):
    """P(y|x) ∝ exp(-s · min(d(x, y), γ)) over the whole vocabulary; subclasses say what γ is.

    ``calibration`` "paper" runs at s = ε/2, "exact" at the largest s whose exact loss is within ε. ``p`` names the
    Lp distance d. Raises :class:`~sfumato.errors.ConfigurationError` for an ε that is not finite and positive.
    """

    proof: ClassVar[str]
    """Where the proof is."""
    vocabulary: PublicVocabulary
    epsilon: EpsilonOfDraw
    calibration: ScaleRule = "exact"
    p: Annotated[float, Option("which Lp distance: 2 is the Euclidean one")] = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        checked_calibration(self.calibration)
        Distance(self.p)

    @property
    def limit(self) -> float:
        """Return γ. Distances above γ count as γ."""
        return float(np.inf)

    @property
    def guarantee(self) -> Guarantee:
        """Return ε-metric-LDP for one token, between any two tokens of the vocabulary."""
        return Guarantee.of_any_two_tokens(self.epsilon, Distance(self.p).name, self.proof, per=self.vocabulary.unit)

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        return {"epsilon": self.epsilon, "calibration": self.calibration, "p": self.p}

    def adjacency(self) -> Adjacency:
        """Return the Lp distance between any two tokens."""
        return Adjacency(self.covered, self.vocabulary.vectors, Distance(self.p))

    @once
    def certify(self, progress: Progress | None = None) -> Certificate:
        """Return the exact loss over all pairs of tokens and all outputs."""
        return remembered(self, lambda: self._certificate(progress), self._holds)

    def _loss(self, progress: Progress | None = None) -> DistanceLoss:
        return DistanceLoss(self.vocabulary.vectors, Distance(self.p), self.limit, progress)

    def _holds(self, kept: Certificate) -> bool:
        """Return whether a kept certificate fits this law: its scale is in bounds and its worst pair repeats."""
        half = 0.5 * self.epsilon
        bounds = (half, half) if self.calibration == "paper" else (0.0, self.epsilon)
        return bounds[0] <= kept.scale <= bounds[1] and repeats(kept, self._loss().follow, kept.scale)

    def _certificate(self, progress: Progress | None) -> Certificate:
        loss = self._loss(progress)
        half = 0.5 * self.epsilon
        if self.calibration == "paper":
            scale, certified, _, pair = checked_at(loss, half, loss.worst(half))
        else:
            scale, certified, _, pair = largest_scale(loss, self.epsilon, half, self.epsilon)
        keep_log_sums(self._log_sums_key(scale), loss.checked_log_sums(scale))
        conditions = {"largest_distance": loss.diameter, "ldp_epsilon_at_most": certified * loss.diameter}
        return Certificate("metric-LDP", self.epsilon, certified, "exact", scale, half, conditions, pair)

    @cached_property
    def scale(self) -> float:
        """Return s, per unit of distance."""
        certificate = self.certify()
        farthest = min(float(certificate.conditions["largest_distance"]), self.limit)
        check_resolution(-certificate.scale * farthest - float(np.log(len(self.vocabulary))), self.name)
        return certificate.scale

    def _log_sums_key(self, scale: float) -> str:
        return log_sums_key(self.vocabulary.hash, Distance(self.p), scale, self.limit)

    @cached_property
    def _law(self) -> DistanceLaw:
        vocabulary, metric = self.vocabulary, Distance(self.p)
        everything = np.arange(len(vocabulary))
        law = DistanceLaw(
            vocabulary.vectors, everything, vocabulary.canonical, self.scale, self.limit, metric, self.relative_error
        )
        kept = kept_log_sums(self._log_sums_key(self.scale), len(vocabulary))
        return law if kept is None else law.knowing(kept)

    def law(self, token: int) -> FloatArray:
        """Return P(.|token), shape (V,)."""
        weights = np.exp(self._law.log_weights(int(self.vocabulary.canonical[token])))
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def unchanged(self) -> FloatArray:
        """Return P(x | x) for every token, shape (V,): 1 by the sum of its weights."""
        scale = self.certify().scale
        sums = kept_log_sums(self._log_sums_key(scale), len(self.vocabulary))
        return np.exp(-(self._loss().log_normalizers(scale) if sums is None else sums))

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """Return one independent draw a token, shape (n,)."""
        return self._law.draw(tokens, uniforms(2))
