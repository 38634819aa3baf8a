"""CusText (Chen et al., A Customized Text Sanitization Mechanism with Differential Privacy, ACL Findings 2023).

Algorithm 1 cuts the vocabulary into sets of K similar tokens; a token is replaced by a token of its own set,
P(y|x) ∝ exp(-s · u(x, y)), with u the distance (or the dissimilarity 1 - cosine) normalised to [0, 1] over the set.
Paper scale s = ε/2.

Analysis. Inside a set of K tokens the loss is max over y of (max over x - min over x) of log P(y|x): K² numbers,
computed exactly; at s = ε/2 it is at most ε because u has sensitivity at most 1 (paper, §4.2). The exact calibration
raises s for each set on its own until its loss is ε. The optimal calibration replaces the exponential law of a set by
the law with the least expected u that ε-LDP permits, from a linear programme (Bordenabe et al., CCS 2014;
:mod:`sfumato.privacy.optimal_law`). Every law is rounded once to whole numbers out of 2^62, and its loss is computed
over these numbers, which are what is drawn from. Outputs of different sets differ with certainty, so across sets
no finite ε exists (CluSanT paper, Theorem 4); the certificate says both.

Cosine similarity enters as (1 - cos) = d²/2 of unit vectors, affinely normalised like the distance, which is the
paper's normalised score for positive correlation measures turned around.

Scores of the user's own (Algorithm 1 takes any similarity function) enter as u = (max - score) / (max - min) over
the ordered pairs of the set. u is in [0, 1] whatever the scores are, also where they are not symmetric or a token is
not most like itself, so both the bound ε at s = ε/2 and the exact loss hold as above. The scores are public, as the
vectors are: they must not come from the private text. A release does not hold them, so its statement has a hash of
the laws, and its checker is given the file again.

Differences from the published code: disjoint sets as in Algorithm 1 (the code's per-word overlapping candidate sets
have no finite ε); cosine sorted the right way; a remainder of one token joins the set before it; unknown words never
pass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sfumato.mechanisms._optimal import Scores, SimilarSets, conditions_of, prior_over
from sfumato.privacy.certificates import believed, once
from sfumato.privacy.distances import Adjacency, Distance
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.privacy.integer_law import BITS
from sfumato.privacy.optimal_law import OptimalSets, optimal_sets
from sfumato.privacy.renyi_of_sets import curve_of_sets
from sfumato.privacy.set_law import SetLaw, largest_scales, penalties_of, within
from sfumato.types import FloatArray, IntArray, Progress, Uniforms, unit_rows
from sfumato.vocabularies import partition


@dataclass(frozen=True, eq=False)
class CusText(SimilarSets):
    """Exponential in the normalised distance inside a set of ``set_size`` similar tokens. ε is LDP inside the set."""

    name: ClassVar[str] = "custext"
    visible: ClassVar[tuple[str, ...]] = ("which set of similar tokens each replaced token belongs to",)

    def __post_init__(self) -> None:
        super().__post_init__()
        partition.sizes_of(len(self.vocabulary), self.set_size)

    @cached_property
    def _points(self) -> FloatArray:
        vectors = self.vocabulary.vectors
        return vectors if self.similarity == "euclidean" else unit_rows(vectors)

    def _apart(self, group: IntArray) -> FloatArray:
        """Return how unlike the tokens of ``group`` (K,) are, (K, K), in the units of the similarity."""
        if isinstance(self.similarity, Scores):
            return self.similarity.apart(group, group)
        distances = Distance().block(self._points[group], self._points[group])
        return distances**2 if self.similarity == "cosine" else distances

    @cached_property
    def _sets(self) -> tuple[IntArray, IntArray, IntArray]:
        sizes = partition.sizes_of(len(self.vocabulary), self.set_size)
        if isinstance(self.similarity, Scores):
            return partition.flatten(partition.greedy(self.similarity.apart, sizes))
        return partition.flatten(partition.greedy(partition.by_vectors(self._points), sizes))

    @property
    def set_of(self) -> IntArray:
        """Return the number of each token's set, shape (V,)."""
        return self._sets[2]

    @cached_property
    def penalties(self) -> tuple[FloatArray, ...]:
        """Return u(x, y) between the tokens of each set, a matrix (K, K) a set, in the order of its members."""
        members, starts, _ = self._sets
        return tuple(penalties_of(self._apart(group)) for group in np.split(members, starts[1:-1]))

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
            proof="Bordenabe et al. 2014; exact loss: docs/mechanisms.md#optimal-laws"
            if self.calibration == "optimal"
            else "Chen et al. 2023, §4.2; exact loss: docs/mechanisms.md#custext",
            assumes=(
                "vocabulary, vectors and sets are public",
                *(("the scores were made without the private text",) if isinstance(self.similarity, Scores) else ()),
                "draws are independent",
            ),
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        return {
            "epsilon": self.epsilon,
            "calibration": self.calibration,
            "set_size": self.set_size,
            "similarity": "supplied" if isinstance(self.similarity, Scores) else self.similarity,
            **({"prior": self.prior} if self.calibration == "optimal" else {}),
        }

    def adjacency(self) -> Adjacency:
        """Return which tokens share a set."""
        return Adjacency(self.covered, groups=self.set_of)

    @once
    def certify(self, progress: Progress | None = None) -> Certificate:
        """Return the exact loss inside every set; across sets it is infinite.

        It is quick, so it is computed every time. Optimal laws are kept in the cache.
        """
        return believed(self.name, self._certificate(progress))

    @cached_property
    def _exponential(self) -> tuple[FloatArray, tuple[IntArray, ...]]:
        """Return s of every set and its law in whole numbers, with paper calibration or with exact calibration."""
        sets = len(self.penalties)
        paper = self.calibration == "paper"
        wanted = np.full(sets, 0.5 * self.epsilon) if paper else largest_scales(self.penalties, self.epsilon)
        rounded = [within([u], s, self.epsilon) for u, s in zip(self.penalties, wanted, strict=True)]
        return np.array([scale for scale, _ in rounded]), tuple(weights[0] for _, weights in rounded)

    @cached_property
    def _optimal(self) -> OptimalSets:
        return self._solved(None)

    def _solved(self, progress: Progress | None) -> OptimalSets:
        members, starts, _ = self._sets
        priors = np.split(prior_over(self.vocabulary, self.prior)[members], starts[1:-1])
        return optimal_sets(self.penalties, priors, self.epsilon, lambda one: self._exponential[1][one], progress)

    @cached_property
    def set_law(self) -> SetLaw:
        """Return the law of every token in whole numbers, within epsilon."""
        weights = self._optimal.weights if self.calibration == "optimal" else self._exponential[1]
        return SetLaw(*self._sets, weights).within(self.epsilon)

    @cached_property
    def scales(self) -> FloatArray:
        """Return s of every set, shape (sets,). An optimal law has no scale; ε stands for it."""
        if self.calibration != "optimal":
            return self._exponential[0]
        if all(self._optimal.solved):
            return np.full(len(self.penalties), self.epsilon)
        return np.where(self._optimal.solved, self.epsilon, self._exponential[0])

    def renyi(self, orders: FloatArray) -> FloatArray:
        """Return the largest Rényi divergence over all pairs of all sets at ``orders`` (A,), in nats, shape (A,)."""
        return curve_of_sets(self, orders)

    @property
    def sets(self) -> list[IntArray]:
        """Return the tokens of every set."""
        members, starts, _ = self._sets
        return np.split(members, starts[1:-1])

    @property
    def law_facts(self) -> dict[str, Any]:
        """Return the scale of every set, as text that fits one line, the bits of the whole numbers, and hashes.

        Optimal laws have no scale; their hash names them.
        """
        scales = " ".join(repr(float(scale)) for scale in self.scales)
        facts = {"scales": scales, "bits": BITS, "sets_hash": partition.fingerprint(self.sets)}
        return {**facts, "law_digest": self.law_digest} if self.law_digest else facts

    @property
    def law_scales(self) -> list[float]:
        """Return s of every set."""
        return [float(scale) for scale in self.scales]

    @property
    def law_digest(self) -> str:
        """Return a hash of laws that scales and vectors do not name: optimal ones, and those of supplied scores."""
        named = self.calibration != "optimal" and not isinstance(self.similarity, Scores)
        return "" if named else self.set_law.digest

    @property
    def relative_error(self) -> float:
        """Return 0: what is certified are the whole numbers that are drawn from."""
        return 0.0

    def _certificate(self, progress: Progress | None) -> Certificate:
        if self.calibration == "optimal" and "_optimal" not in vars(self):
            vars(self)["_optimal"] = self._solved(progress)
        _, starts, _ = self._sets
        certified = float(self.set_law.losses.max())
        conditions = {
            "sets": len(starts) - 1,
            "smallest_set": int(np.diff(starts).min()),
            "largest_set": int(np.diff(starts).max()),
            "loss_inside_a_set": certified,
            "loss_across_sets": math.inf if len(starts) > 2 else certified,
            "scale_smallest": float(self.scales.min()),
            "scale_median": float(np.median(self.scales)),
            "scale_largest": float(self.scales.max()),
            **(conditions_of(self._optimal, self.prior) if self.calibration == "optimal" else {}),
        }
        scale, pair = float(self.scales.min()), self.set_law.worst_pair
        return Certificate("LDP", self.epsilon, certified, "exact", scale, 0.5 * self.epsilon, conditions, pair)

    def members(self, token: int) -> IntArray:
        """Return the tokens of ``token``'s set."""
        members, starts, set_of = self._sets
        return members[starts[set_of[token]] : starts[set_of[token] + 1]]

    def law(self, token: int) -> FloatArray:
        """Return P(.|token), shape (V,), 0 outside the token's set."""
        self.certify()
        return self.set_law.law(token)

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """Return one independent draw a token, shape (n,)."""
        self.certify()
        return self.set_law.draw(tokens, uniforms.words(1)[:, 0])
