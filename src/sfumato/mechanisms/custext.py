"""CusText (Chen et al., A Customized Text Sanitization Mechanism with Differential Privacy, ACL Findings 2023).

Algorithm 1 cuts the vocabulary into sets of K similar tokens; a token is replaced by a token of its own set,
P(y|x) ∝ exp(-s · u(x, y)), with u the distance (or the dissimilarity 1 - cosine) normalised to [0, 1] over the set.
Paper scale s = ε/2.

Analysis. Inside a set of K tokens the loss is max over y of (max over x - min over x) of log P(y|x): K² numbers,
computed exactly; at s = ε/2 it is at most ε because u has sensitivity at most 1 (paper, §4.2). The exact calibration
raises s for each set on its own until its loss is ε. Outputs of different sets differ with certainty, so across sets
no finite ε exists (CluSanT paper, Theorem 4); the certificate says both.

Cosine similarity enters as (1 - cos) = d²/2 of unit vectors, affinely normalised like the distance, which is the
paper's normalised score for positive correlation measures turned around.

Differences from the published code: disjoint sets as in Algorithm 1 (the code's per-word overlapping candidate sets
have no finite ε); cosine sorted the right way; a remainder of one token joins the set before it; unknown words never
pass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from sfumato.abstract.mechanism import EpsilonOfDraw, Mechanism, PublicVocabulary, ScaleRule
from sfumato.abstract.options import Option
from sfumato.errors import ConfigurationError
from sfumato.privacy.adjacency import Adjacency
from sfumato.privacy.calibration import TOLERANCE, refuse_nan, rounded_down
from sfumato.privacy.certificates import believed, once
from sfumato.privacy.distances import Distance
from sfumato.privacy.guarantee import Certificate, Guarantee, checked_calibration, checked_epsilon
from sfumato.privacy.privacy_loss import widest_pair
from sfumato.privacy.sampling import LOG_RESOLUTION, LawTable, check_resolution, sampling_error
from sfumato.types import FloatArray, IntArray, Progress, Uniforms
from sfumato.vocabularies import partition

Similarity = Literal["euclidean", "cosine"]


@dataclass(frozen=True, eq=False)
class CusText(Mechanism):
    """Exponential in the normalised distance inside a set of ``set_size`` similar tokens. ε is LDP inside the set."""

    name: ClassVar[str] = "custext"
    visible: ClassVar[tuple[str, ...]] = ("which set of similar tokens each replaced token belongs to",)
    vocabulary: PublicVocabulary
    epsilon: EpsilonOfDraw
    calibration: ScaleRule = "exact"
    set_size: Annotated[int, Option("tokens in a set", flag="--set-size")] = 20
    similarity: Annotated[Similarity, Option("how the likeness of tokens is measured")] = "euclidean"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        checked_calibration(self.calibration)
        partition.sizes_of(len(self.vocabulary), self.set_size)
        if self.similarity not in ("euclidean", "cosine"):
            raise ConfigurationError(f"similarity must be euclidean or cosine, not {self.similarity!r}.")

    @cached_property
    def _points(self) -> FloatArray:
        vectors = self.vocabulary.vectors
        if self.similarity == "euclidean":
            return vectors
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(norms > 0, norms, 1.0), dtype=np.float64)

    @cached_property
    def _sets(self) -> tuple[IntArray, IntArray, IntArray]:
        sizes = partition.sizes_of(len(self.vocabulary), self.set_size)
        return partition.flatten(partition.greedy(self._points, sizes))

    @property
    def set_of(self) -> IntArray:
        """Return the number of each token's set, shape (V,)."""
        return self._sets[2]

    @cached_property
    def penalties(self) -> FloatArray:
        """Return u(x, y) for every token x and each member y of its set, shape (V, largest set), padded with
        infinity.
        """
        members, starts, set_of = self._sets
        penalties = np.full((len(members), int(np.diff(starts).max())), np.inf)
        for group in np.split(members, starts[1:-1]):
            penalties[group, : len(group)] = Distance().block(self._points[group], self._points[group])
        if self.similarity == "cosine":
            penalties = penalties**2
        inside = np.isfinite(penalties)
        count = len(starts) - 1
        least, most = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(least, set_of, penalties.min(axis=1))
        np.maximum.at(most, set_of, np.where(inside, penalties, -np.inf).max(axis=1))
        spread = np.where(most > least, most - least, 1.0)
        return np.asarray((penalties - least[set_of, None]) / spread[set_of, None], dtype=np.float64)

    @property
    def smallest_set(self) -> int:
        """Return the size of the smallest set: fewer than ``set_size`` tokens may be left over."""
        return min(partition.sizes_of(len(self.vocabulary), self.set_size))

    @property
    def guarantee(self) -> Guarantee:
        """Return ε-LDP for one token, between tokens of the same set."""
        return Guarantee(
            definition="LDP",
            epsilon=self.epsilon,
            unit="one token",
            adjacency=f"tokens of the same set of {self.smallest_set} or more; which set a token is in shows with "
            "certainty",
            distance=None,
            proof="Chen et al. 2023, §4.2; exact loss: docs/mechanisms.md#custext",
            assumes=("vocabulary, vectors and sets are public", "draws are independent"),
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        return {
            "epsilon": self.epsilon,
            "calibration": self.calibration,
            "set_size": self.set_size,
            "similarity": self.similarity,
        }

    def adjacency(self) -> Adjacency:
        """Return which tokens share a set."""
        return Adjacency(self.covered, groups=self.set_of)

    @once
    def certify(self, progress: Progress | None = None) -> Certificate:
        """Return the exact loss inside every set; across sets it is infinite.

        It is quick, so it is computed every time.
        """
        return believed(self.name, self._certificate())

    @cached_property
    def scales(self) -> FloatArray:
        """Return s of every set, shape (sets,)."""
        sets = len(self._sets[1]) - 1
        low = np.full(sets, 0.5 * self.epsilon)
        if self.calibration == "paper":
            return low
        high, target = np.full(sets, self.epsilon), self.epsilon * (1.0 - TOLERANCE)
        roomy = self.losses(high) <= target
        for _ in range(50):
            middle = 0.5 * (low + high)
            fits = self.losses(middle) <= target
            low, high = np.where(fits, middle, low), np.where(fits, high, middle)
        return np.where(roomy, self.epsilon, rounded_down(low))

    @property
    def sets(self) -> list[IntArray]:
        """Return the tokens of every set."""
        members, starts, _ = self._sets
        return np.split(members, starts[1:-1])

    @property
    def law_facts(self) -> dict[str, Any]:
        """Return the scale of every set, as text that fits one line, and a hash of the sets."""
        scales = " ".join(repr(float(scale)) for scale in self.scales)
        return {"scales": scales, "sets_hash": partition.fingerprint(self.sets)}

    @property
    def law_scales(self) -> list[float]:
        """Return s of every set."""
        return [float(scale) for scale in self.scales]

    @property
    def relative_error(self) -> float:
        """Return the sampler's error, and that of an exponent: certificate and draws use the same penalties."""
        return sampling_error(self.penalties.shape[1]) - 4.0 * LOG_RESOLUTION * 2.0**-52

    def losses(self, scales: FloatArray) -> FloatArray:
        """Return the exact loss inside every set at ``scales`` (sets,), shape (sets,)."""
        _, _, set_of = self._sets
        scores = -scales[set_of, None] * self.penalties
        log_law = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        count = len(scales)
        most, least = np.full((count, scores.shape[1]), -np.inf), np.full((count, scores.shape[1]), np.inf)
        np.maximum.at(most, set_of, log_law)
        np.minimum.at(least, set_of, log_law)
        inside = np.arange(scores.shape[1]) < np.diff(self._sets[1])[:, None]  # the rest is padding
        losses = np.asarray(np.subtract(most, least, where=inside, out=np.zeros_like(most)).max(axis=1))
        refuse_nan(losses, "The privacy loss")
        return losses

    def _certificate(self) -> Certificate:
        members, starts, _ = self._sets
        losses = self.losses(self.scales)
        certified = float(losses.max())
        worst = int(np.argmax(losses))
        conditions = {
            "sets": len(starts) - 1,
            "smallest_set": int(np.diff(starts).min()),
            "largest_set": int(np.diff(starts).max()),
            "loss_inside_a_set": certified,
            "loss_across_sets": math.inf if len(starts) > 2 else certified,
            "scale_smallest": float(self.scales.min()),
            "scale_median": float(np.median(self.scales)),
            "scale_largest": float(self.scales.max()),
        }
        scale = float(self.scales.min())
        pair = self._pair(members[starts[worst] : starts[worst + 1]])
        return Certificate("LDP", self.epsilon, certified, "exact", scale, 0.5 * self.epsilon, conditions, pair)

    def _pair(self, group: IntArray) -> tuple[int, int]:
        """Return the two tokens of the set ``group`` with the largest log ratio at some output of it."""
        scores = -self.scales[self._sets[2][group], None] * self.penalties[group, : len(group)]
        laws = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        first, second = widest_pair(laws)
        return int(group[first]), int(group[second])

    @cached_property
    def _weights(self) -> FloatArray:
        self.certify()
        check_resolution(-float(self.scales.max()) - math.log(self.penalties.shape[1]), self.name)
        return np.exp(-self.scales[self._sets[2], None] * self.penalties)

    @cached_property
    def _table(self) -> LawTable:
        return LawTable.from_weights(self._weights)

    def members(self, token: int) -> IntArray:
        """Return the tokens of ``token``'s set."""
        members, starts, set_of = self._sets
        return members[starts[set_of[token]] : starts[set_of[token] + 1]]

    def law(self, token: int) -> FloatArray:
        """Return P(.|token), shape (V,), 0 outside the token's set."""
        law, members = np.zeros(len(self.vocabulary)), self.members(token)
        weights = self._weights[token, : len(members)]
        law[members] = weights / weights.sum()
        return law

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """Return one independent draw a token, shape (n,)."""
        members, starts, set_of = self._sets
        drawn = self._table.draw(tokens, uniforms(1)[:, 0])
        return np.asarray(members[starts[set_of[tokens]] + drawn], dtype=np.int64)
