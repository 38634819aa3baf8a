"""Arbitrary scores, clipped to a public range, and one outcome drawn by softmax.

The law of DP-MLM, DP-Prompt and DP-Paraphrase: P(v) ∝ exp(clip(u_v) / T) over V public outcomes v, where the clip is
to [lower, upper] and R = upper - lower. The scale is τ = R/T.

Analysis (exponential mechanism, McSherry and Talwar 2007; DP-MLM paper, Theorem 1). Two inputs may have any two
score vectors in [0, R]^V. The log ratio of an outcome v is (u_v - u'_v)/T + log Z'/Z. The first term is at most τ.
With u_v = R and u'_v = 0 the second is largest where every other score is at the opposite end, u = 0 and u' = R: then
Z = e^τ + V - 1 and Z' = 1 + (V-1)e^τ. Hence the exact loss over all inputs

    ε*(τ, V) = τ + log((1 + (V-1)e^τ) / (e^τ + V - 1)),        τ ≤ ε* ≤ 2τ,

which is attained. The paper bounds the second term by τ and runs at τ = ε/2. Exact calibration solves ε* = ε: with
x = e^τ it is the quadratic (V-1)x² - (e^ε - 1)x - (V-1)e^ε = 0, whose positive root is taken without cancellation.

Both log ratios of a pair of inputs lie in an interval of length 2τ (the law is 2τ-bounded-range), so one draw is
τ²/2-zCDP: an ε-bounded-range mechanism is ε²/8-zCDP (Cesar and Rogers 2021, "Bounding, Concentrating, and
Truncating", which rests on Dong et al. 2020, "Optimal Differential Privacy Composition for Exponential Mechanisms").

The analysis assumes only that the scores are numbers, whichever model computed them, in whatever precision. (The
models must ensure that the scores of one text hold nothing of another.) Scores that are not a number are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.composition import concentrated, of_pure_loss
from sfumato.privacy.guarantee import Calibration, Certificate, checked_calibration, checked_epsilon
from sfumato.privacy.sampling import LOG_RESOLUTION, check_resolution, draw_once, sampling_error
from sfumato.privacy.score_law import AnyScores, ScoreLaw, Scores, on_host
from sfumato.runtime import slices
from sfumato.types import FloatArray, IntArray, Uniforms

_WEIGHTS_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class ClipRange:
    """The public interval from ``lower`` to ``upper`` that scores are clipped to, and its ``source`` in words.

    ``text`` is the SHA-256 and the size in bytes of the file that the range was measured on, or None. That file must
    not be the private input. Raises ConfigurationError if the interval is empty or not finite.
    """

    lower: float
    upper: float
    source: str
    text: tuple[str, int] | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.lower) and math.isfinite(self.upper) and self.lower < self.upper):
            raise ConfigurationError("A clip range needs two finite numbers, the lower one first, such as -3.2,16.3.")


@dataclass(frozen=True, slots=True)
class ClippedSoftmax(ScoreLaw):
    """The law over ``outcomes`` public outcomes (V) for scores clipped to ``clip``, at an exact or paper scale."""

    name: ClassVar[str] = "softmax"
    clip: ClipRange
    outcomes: int
    calibration: Calibration = "exact"

    def __post_init__(self) -> None:
        checked_calibration(self.calibration)
        if self.outcomes < 2:
            raise ConfigurationError("A law needs at least two outcomes; the model has too few whole words.")

    def scale(self, epsilon: float) -> float:
        """Return τ = R/T for one draw of ``epsilon`` nats. Raise GuaranteeError if probabilities would underflow."""
        nats = checked_epsilon(epsilon)
        check_resolution(-0.5 * nats - math.log(self.outcomes), "The clipped softmax")  # τ is ε/2 or more
        scale = _scale(nats, self.outcomes, self.calibration)
        check_resolution(-scale - math.log(self.outcomes), "The clipped softmax")
        return scale

    def certificate(self, epsilon: float) -> Certificate:
        """Return the exact loss at ``epsilon`` nats over all pairs of inputs and all outcomes.

        Raise GuaranteeError if the loss exceeds ``epsilon``.
        """
        scale = self.scale(epsilon)
        conditions = {
            "outcomes": self.outcomes,
            "clip_lower": self.clip.lower,
            "clip_upper": self.clip.upper,
            "clip_source": self.clip.source,
            "temperature": (self.clip.upper - self.clip.lower) / scale,
        }
        certified = loss(scale, self.outcomes)
        if certified > epsilon:
            raise GuaranteeError(f"The clipped softmax loses {certified:.9g}, more than the {epsilon:g} asked for.")
        return Certificate("LDP", epsilon, certified, "exact", scale, 0.5 * epsilon, conditions)

    def renyi(self, epsilon: float, orders: FloatArray) -> FloatArray:
        """Return a bound on the Rényi divergence of one draw of ``epsilon`` nats at ``orders`` (A,), shape (A,).

        It is the smaller of τ²/2·α (bounded range, above) and the curve of randomized response at ``epsilon``.
        """
        rho = 0.5 * self.scale(epsilon) ** 2
        return np.asarray(np.minimum(concentrated(rho, orders), of_pure_loss(epsilon, orders)), dtype=np.float64)

    def weights(self, scores: Scores, scales: FloatArray | float) -> FloatArray:
        """Return weights (n, V) in float64, at most 1, for ``scores`` (n, V) at ``scales`` (n,) or one scale.

        Raise GuaranteeError if a score is not a number, or if there is not one score for each outcome.
        """
        self.check(scores)
        clipped = np.clip(scores.astype(np.float64), self.clip.lower, self.clip.upper)
        steepness = np.asarray(scales, dtype=np.float64).reshape(-1, 1) / (self.clip.upper - self.clip.lower)
        clipped -= self.clip.upper
        clipped *= steepness
        return np.exp(clipped, out=clipped)

    def law(self, scores: AnyScores, epsilon: float) -> FloatArray:
        """Return P(v) for each row of ``scores`` (n, V) at ``epsilon`` nats, shape (n, V), float64."""
        weights = self.weights(on_host(scores), self.scale(epsilon))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def draw(self, scores: AnyScores, epsilons: Sequence[float], uniforms: Uniforms) -> IntArray:
        """Return one outcome for each row of ``scores`` (n, V), shape (n,), at ``epsilons`` (n,) nats."""
        scales, fractions = np.array([self.scale(epsilon) for epsilon in epsilons]), uniforms(1)[:, 0]
        given = on_host(scores)
        drawn = np.empty(len(given), dtype=np.int64)
        for part in slices(len(given), max(1, _WEIGHTS_AT_ONCE // self.outcomes)):
            drawn[part] = draw_once(self.weights(given[part], scales[part]), fractions[part])
        return drawn

    def scores_with(self, law: FloatArray, epsilon: float) -> FloatArray:
        """Return scores (V,) whose law at ``epsilon`` nats is ``law`` (V,)."""
        span = (self.clip.upper - self.clip.lower) / self.scale(epsilon)
        return np.asarray(self.clip.upper + span * (np.log(law) - np.log(law.max())))

    def rho(self, epsilon: float) -> float:
        """Return τ²/2, the ρ of zero-concentrated DP of a draw at ``epsilon`` nats."""
        return 0.5 * self.scale(epsilon) ** 2

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of a probability: the sampler's error, and that of a root."""
        return sampling_error(self.outcomes) - 8.0 * LOG_RESOLUTION * 2.0**-53

    def proof(self, theorem: str, place: str) -> str:
        """Return the published theorem, and where the exact loss is proved."""
        return f"{theorem}; exact loss: {place}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Return the clip range."""
        return {"law": self.name, "clip": [self.clip.lower, self.clip.upper]}

    @property
    def public_facts(self) -> Mapping[str, Any]:
        """Return the clip range and its source."""
        return {"clip": {"lower": self.clip.lower, "upper": self.clip.upper, "source": self.clip.source}}

    @property
    def public_text(self) -> tuple[str, int] | None:
        """Return SHA-256 and size of the file that the clip range was measured on."""
        return self.clip.text


def loss(scale: float, outcomes: int) -> float:
    """Return ε*(τ, V): the exact loss of one draw at ``scale`` τ over ``outcomes`` V, in nats."""
    if scale == 0.0:
        return 0.0
    # the fraction above is 1 + (V-2)(e^τ-1) / (e^τ-1 + V), which keeps its digits for a small τ
    shrunk = -math.expm1(-scale)  # 1 - e^-τ, which does not overflow where e^τ does
    return scale + math.log1p((outcomes - 2) * shrunk / (shrunk + outcomes * math.exp(-scale)))


@lru_cache(maxsize=4096)
def _scale(epsilon: float, outcomes: int, calibration: Calibration) -> float:
    if calibration == "paper":
        return 0.5 * epsilon
    scale = _root(epsilon, outcomes)
    while loss(scale, outcomes) > epsilon:  # a rounding error or two
        scale *= 1.0 - 2.0**-52
    return scale


def _root(epsilon: float, outcomes: int) -> float:
    """Return τ with ε*(τ, V) = ε up to rounding."""
    rest = outcomes - 1
    if epsilon > 200.0:  # squares of e^ε overflow
        root = 0.5 * np.logaddexp(2.0 * epsilon, math.log(4.0) + 2.0 * math.log(rest) + epsilon)
        return float(np.logaddexp(epsilon, root)) - math.log(2.0 * rest)
    # the quadratic in y = e^τ - 1, which keeps its digits for a small ε: (V-1)y² + (2(V-1) - c)y - cV = 0
    c = math.expm1(epsilon)
    half = 2.0 * rest - c
    root = math.sqrt(half * half + 4.0 * rest * c * outcomes)
    y = 2.0 * c * outcomes / (half + root) if half > 0 else (root - half) / (2.0 * rest)
    return math.log1p(y)
