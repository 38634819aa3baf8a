"""SanText+ (Yue et al. 2021, Algorithm 2): frequent words are mostly kept, rare words always replaced.

The vocabulary is split by a *public* frequency list (wordfreq) into sensitive words V_S (the rarest share) and the
rest V_N. A sensitive word is replaced by SanText's law over V_S. A word of V_N is kept with probability 1 - p, else
replaced by the same law over V_S.

Analysis. For x, x' in V_S the law is SanText's over V_S, so ε-metric-LDP holds between sensitive words, and the exact
calibration is SanText's on V_S. For a word of V_N no guarantee holds: if it is kept, it shows with certainty, and
that it was kept is visible. Across the two groups no finite ε exists. Kept words appear in the vocabulary's spelling.

Difference from the published code: the frequencies are public, never counted from the private text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np

from sfumato.abstract.mechanism import EpsilonOfDraw, Mechanism, PublicVocabulary, ScaleRule
from sfumato.errors import ConfigurationError
from sfumato.mechanisms.santext import SanText
from sfumato.options.option import Option
from sfumato.privacy.certificates import named
from sfumato.privacy.distance_law import DistanceLaw
from sfumato.privacy.distances import Adjacency, Distance
from sfumato.privacy.guarantee import Certificate, Guarantee, checked_calibration, checked_epsilon
from sfumato.privacy.sampling import check_resolution
from sfumato.types import FloatArray, IntArray, Progress, Uniforms
from sfumato.vocabularies import partition


@dataclass(frozen=True, eq=False)
class SanTextPlus(Mechanism):
    """SanText on the rarest ``sensitive_share`` of the vocabulary; other words are replaced with probability
    ``replace_probability`` and else kept.
    """

    name: ClassVar[str] = "santext+"
    visible: ClassVar[tuple[str, ...]] = ("every frequent word that was kept, and that it was kept",)
    vocabulary: PublicVocabulary
    epsilon: EpsilonOfDraw
    calibration: ScaleRule = "exact"
    p: Annotated[float, Option("which Lp distance: 2 is the Euclidean one")] = 2.0
    sensitive_share: Annotated[float, Option("share of the vocabulary that is sensitive: its rarest words")] = 0.5
    replace_probability: Annotated[float, Option("how often a word that is not sensitive is replaced")] = 0.3

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        checked_calibration(self.calibration)
        if not 0.0 < self.sensitive_share <= 1.0:
            raise ConfigurationError(f"sensitive_share must lie in (0, 1], not {self.sensitive_share!r}.")
        if not 0.0 <= self.replace_probability <= 1.0:
            raise ConfigurationError(f"replace_probability must lie in [0, 1], not {self.replace_probability!r}.")

    @cached_property
    def sensitive(self) -> IntArray:
        """Return the sensitive tokens: the rarest by the public list, ties in the vocabulary's order."""
        from wordfreq import zipf_frequency

        rarity = np.array([zipf_frequency(token, "en") for token in self.vocabulary.tokens])
        wanted = max(2, math.ceil(self.sensitive_share * len(rarity)))
        return np.sort(np.argsort(rarity, kind="stable")[:wanted])

    @property
    def protected(self) -> IntArray:
        """Return the sensitive tokens."""
        return self.sensitive

    @cached_property
    def inner(self) -> SanText:
        """Return SanText over the sensitive tokens."""
        chosen = {self.vocabulary.tokens[i] for i in self.sensitive}
        return SanText(self.vocabulary.subset(chosen.__contains__)[0], self.epsilon, self.calibration, self.p)

    @property
    def guarantee(self) -> Guarantee:
        """Return SanText's guarantee, for sensitive words only."""
        inner = self.inner.guarantee
        return Guarantee(
            definition="metric-LDP",
            epsilon=self.epsilon,
            unit="one sensitive token",
            adjacency=f"any two of the {len(self.sensitive)} sensitive tokens; none for other tokens",
            distance=inner.distance,
            proof="Yue et al. 2021, Theorem 1, on the sensitive tokens; docs/mechanisms.md#santext-plus",
            assumes=(*inner.assumes, "the frequency list is public", "that a word was kept is visible"),
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        return {
            **self.inner.parameters,
            "sensitive_share": self.sensitive_share,
            "replace_probability": self.replace_probability,
            "protected_hash": partition.fingerprint([self.sensitive]),
        }

    def adjacency(self) -> Adjacency:
        """Return the Lp distance between sensitive tokens."""
        return Adjacency(self.covered, self.vocabulary.vectors, Distance(self.p))

    def certify(self, progress: Progress | None = None) -> Certificate:
        """Return SanText's exact certificate on the sensitive tokens; across the two groups the loss is infinite."""
        inner = self.inner.certify(progress)
        conditions = {
            **inner.conditions,
            "sensitive_tokens": len(self.sensitive),
            "loss_between_sensitive_tokens": inner.certified,
            "loss_across_groups": math.inf if len(self.sensitive) < len(self.vocabulary) else inner.certified,
        }
        return Certificate(
            "metric-LDP",
            inner.claimed,
            inner.certified,
            inner.kind,
            inner.scale,
            inner.paper_scale,
            conditions,
            named(inner.pair, self.sensitive),
        )

    @cached_property
    def _is_sensitive(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        flags = np.zeros(len(self.vocabulary), dtype=np.bool_)
        flags[self.sensitive] = True
        return flags

    @cached_property
    def _law(self) -> DistanceLaw:
        vectors, metric = self.vocabulary.vectors, Distance(self.p)
        radius = float(metric.block(vectors.mean(axis=0, keepdims=True), vectors).max())
        check_resolution(-self.inner.scale * 2.0 * radius, self.name)
        return DistanceLaw(vectors, self.sensitive, self.vocabulary.canonical, self.inner.scale, metric=metric)

    def law(self, token: int) -> FloatArray:
        """Return P(.|token), shape (V,)."""
        log_weights = self._law.log_weights(token)
        weights = np.exp(log_weights - log_weights.max())
        law = np.zeros(len(self.vocabulary))
        law[self.sensitive] = weights / weights.sum()
        if not self._is_sensitive[token]:
            law *= self.replace_probability
            law[token] = 1.0 - self.replace_probability
        return law

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """Return one independent draw a token, shape (n,)."""
        given = uniforms(3)
        replaced = self._law.draw(tokens, given[:, :2])
        keep = ~self._is_sensitive[tokens] & (given[:, 2] > self.replace_probability)
        return np.where(keep, tokens, replaced)
