"""CluSanT (Awon, Lu, Potka, Thomo: CluSanT, Differentially Private and Semantically Coherent Text Sanitization,
NAACL 2025).

Tokens are cut into clusters; the embedding f' pushes clusters apart, f'(C) = k·C and f'(x) = k·C_x + f(x) - C_x.
A draw picks a cluster, P₁(C'|C_x) ∝ exp(-s₁ d_c(f'(C_x), f'(C'))), then a token inside it, P₂ ∝ exp(-s₂ d(x, y)).
Paper scales: s₁ = ε/4, s₂ = ε/(4Δu) with Δu = max(1, max |d(x,y) - d(x',y)|) over *all* x, x', y, which is
max(1, largest distance). Claim: ε-metric-LDP for d_c on f' (Theorem 5).

Analysis. Theorem 5 needs (1) d_c(x,x') ≥ 1 or ≥ d(x,x'), and (2) d_c(C,C') + 1 ≤ 2·d_c(x,x') across clusters. Both
are checked on the actual vocabulary and the smallest admissible whole k is reported. Whether they hold or not, the
loss of every pair is computed (``sfumato.privacy.cluster_loss``), and no ε is stated that this does not certify.
The exact calibration multiplies both scales by the largest t that stays within ε; with one-token clusters step 2
reveals nothing, so its half of the budget goes to step 1, and the certificate says so.

For k = ∞ the law inside clusters is rounded once to whole numbers out of 2^62, and certified over them. There
calibration "optimal" takes the law with the least expected distance (Bordenabe et al., CCS 2014) in each cluster. A
finite k has no such law here: step 2 then has every token of the vocabulary as an input in every cluster, so that its
programme would have V² K constraints, and the bounds that make the certificate of both steps exact rest on its
exponential form.

The two ends, in paper calibration: one-token clusters and k = 1 give SanText's law at ε/2; k = ∞ with the
normalised distance gives CusText's at ε/2 (guarantee inside a cluster only).

Differences from the published code: two half budgets instead of two whole ones; Δu over all tokens instead of the
chosen cluster; one-token clusters work; clusters in a public order.

``token_distance`` "stretched" is the published code's step 2, P₂(y|x) ∝ exp(-s₂ r_C u(x, y)). u is the distance
stretched to run from 0 to 1 over the chosen cluster C, for each x, and r_C is one over the diameter of C. At paper
scales s₁ = s₂ = ε/4, so the code at its ε is this class at 2ε. Analysis: step 1 loses at most ε/2 of d_c(C, C'); step
2 at most ε/2 · r_C · min(1, 2 d(x, x') / w), where w is the larger spread of the distances from x and x' to C. Under
(2) and diameters of at least 1, both lose at most ε per unit of d_c across clusters. For tokens of one cluster that
needs w ≥ r_C for every C, which no theorem gives: the certificate computes the loss of every pair, and refuses what
exceeds ε. One difference is left: a spread counts as at least a thousandth of the diameter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np

from sfumato.abstract.mechanism import EpsilonOfDraw, Mechanism, PublicVocabulary
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.mechanisms._clusant_geometry import Clusters, TokenDistance, pushed_apart, sets_of
from sfumato.mechanisms._clusant_scales import Scaling, at_scale
from sfumato.mechanisms._optimal import PriorOfTokens, SetScaleRule, checked_prior, prior_over
from sfumato.options.option import Option
from sfumato.privacy.certificates import believed, once, remembered
from sfumato.privacy.distance_law import GroupLaw
from sfumato.privacy.distances import Adjacency, Distance, relative_error
from sfumato.privacy.guarantee import Certificate, Guarantee, checked_calibration, checked_epsilon
from sfumato.privacy.integer_law import BITS
from sfumato.privacy.renyi_of_sets import curve_of_sets
from sfumato.privacy.sampling import LawTable, check_resolution
from sfumato.privacy.set_law import SetLaw
from sfumato.privacy.two_steps import LEAST_SPREAD, StretchedLaw, TwoSteps
from sfumato.types import FloatArray, IntArray, Progress, Uniforms
from sfumato.vocabularies import partition


@dataclass(frozen=True, eq=False)
class CluSanT(Mechanism):
    """A cluster, then a token inside it. ε is per unit of d_c on f' (metric-LDP); inside clusters only for k = ∞.

    ``k`` ≥ 1 pushes clusters apart (infinity: never leaves a cluster). ``clusters`` is their number, "vocabulary"
    for those the vocabulary came with, or lists of token indices; without it ``set_size`` tokens make a cluster.
    ``token_distance`` "normalised" divides distances inside a cluster as CusText does; "stretched", for a finite k,
    stretches them to run from 0 to 1 for each input, as the published program does.
    """

    name: ClassVar[str] = "clusant"
    vocabulary: PublicVocabulary
    epsilon: EpsilonOfDraw
    calibration: SetScaleRule = "exact"
    k: Annotated[float, Option("how far clusters are pushed apart (or inf)")] = 16.0
    clusters: Annotated[
        Clusters | None,
        Option(
            "number of clusters, `vocabulary`, or a JSON FILE of lists", file=True,
            metavar="a whole number, `vocabulary` or a file",
        ),
    ] = None  # fmt: skip
    set_size: Annotated[int, Option("tokens in a cluster, where their number is not given")] = 20
    p: Annotated[float, Option("which Lp distance: 2 is the Euclidean one")] = 2.0
    token_distance: Annotated[
        TokenDistance,
        Option("whether distances inside a cluster are divided by their spread, or stretched for each input"),
    ] = "plain"
    prior: PriorOfTokens = "uniform"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        checked_calibration(self.calibration, optimal=True)
        checked_prior(self.prior)
        if not self.k >= 1.0:
            raise ConfigurationError(f"CluSanT's k must be at least 1 (or inf), not {self.k!r}.")
        if self.calibration == "optimal" and not math.isinf(self.k):
            raise ConfigurationError("clusant: calibration optimal needs k = inf; use exact with a finite k.")
        if self.token_distance not in ("plain", "normalised", "stretched"):
            raise ConfigurationError(f"token-distance: plain, normalised or stretched, not {self.token_distance!r}.")
        if self.token_distance == "stretched" and math.isinf(self.k):
            raise ConfigurationError("clusant: stretched token distances need a finite k; use normalised.")
        if self.clusters == "vocabulary" and self.vocabulary.clusters is None:
            raise ConfigurationError("This vocabulary came without clusters; give their number instead.")
        Distance(self.p)

    @cached_property
    def _sets(self) -> list[IntArray]:
        return sets_of(self.vocabulary, self.clusters, self.set_size)

    @cached_property
    def _members(self) -> tuple[IntArray, IntArray, IntArray]:
        return partition.flatten(self._sets)

    @cached_property
    def _ranks(self) -> IntArray:
        """Where each token is among those sorted by cluster, shape (V,)."""
        members = self._members[0]
        ranks = np.empty(len(members), dtype=np.int64)
        ranks[members] = np.arange(len(members))
        return ranks

    def geometry(self, k: float) -> TwoSteps:
        """Return the vocabulary sorted by cluster and pushed apart by ``k``."""
        vectors, metric = self.vocabulary.vectors, Distance(self.p)
        return pushed_apart(vectors, *self._members, k=k, metric=metric, token_distance=self.token_distance)

    @cached_property
    def _geometry(self) -> TwoSteps:
        return self.geometry(self.k)

    @property
    def guarantee(self) -> Guarantee:
        """ε-metric-LDP for d_c on f', or ε-LDP inside a cluster for k = ∞."""
        inside = math.isinf(self.k)
        between = "tokens of the same cluster; which cluster a token is in shows with certainty"
        return Guarantee(
            definition="LDP" if inside else "metric-LDP",
            epsilon=self.epsilon,
            unit="one token",
            adjacency=between if inside else "any two tokens of the vocabulary",
            distance=None if inside else f"{Distance(self.p).name} (clusters pushed apart by k = {self.k:g})",
            proof="Awon et al. 2025, Theorem 5 where its conditions hold; numerical certificate; "
            "docs/mechanisms.md#clusant",
            assumes=("vocabulary, vectors and clusters are public", "draws are independent"),
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Every public parameter."""
        supplied = self.clusters if isinstance(self.clusters, int) else None
        return {
            "epsilon": self.epsilon,
            "calibration": self.calibration,
            "k": "infinity" if math.isinf(self.k) else self.k,
            "clusters": len(self._sets),
            "clusters_from": "supplied" if supplied is None and self.clusters is not None else "greedy (paper, §5)",
            "cluster_hash": partition.fingerprint(self._sets),
            "p": self.p,
            "token_distance": self.token_distance,
            **({"prior": self.prior} if self.calibration == "optimal" else {}),
        }

    @cached_property
    def _scaling(self) -> Scaling:
        return Scaling(
            self._geometry, self._members, self.epsilon, self.calibration, math.isinf(self.k),
            self.token_distance == "normalised",
        )  # fmt: skip

    def adjacency(self) -> Adjacency:
        """Return the distance between any two tokens, clusters pushed apart, or which share a cluster."""
        members, _, cluster_of = self._members
        if math.isinf(self.k):
            return Adjacency(self.covered, groups=cluster_of)
        moved = np.empty_like(self.vocabulary.vectors)
        moved[members] = self._geometry.moved
        return Adjacency(self.covered, moved, Distance(self.p))

    @once
    def certify(self, progress: Progress | None = None) -> Certificate:
        """The loss of every pair of tokens, exact by branch and bound (or its upper bound, and then it says so)."""
        scaling = self._scaling
        if self.calibration == "optimal":
            weights = prior_over(self.vocabulary, self.prior)
            vars(self)["set_law"], certificate = scaling.optimal(weights, self.prior, progress)
            return believed(self.name, certificate)
        return remembered(self, lambda: scaling.certificate(progress), scaling.holds)

    @cached_property
    def set_law(self) -> SetLaw:
        """Return the law in whole numbers, for k = ∞ (with calibration optimal, the certificate has left it here)."""
        certificate = self.certify()
        if self.calibration == "optimal":
            known: SetLaw = vars(self)["set_law"]
            return known
        scale = float(certificate.conditions["token_scale"])
        return at_scale(self._geometry, self._members, scale).within(self.epsilon)

    @cached_property
    def scales(self) -> tuple[float, float]:
        """s₁ and s₂ as they run. Raise :class:`~sfumato.errors.GuaranteeError` for optimal laws, which have none."""
        if self.calibration == "optimal":
            raise GuaranteeError("clusant: optimal laws have no scale.")
        conditions, geometry = self.certify().conditions, self._geometry
        scales = float(conditions["cluster_scale"]), float(conditions["token_scale"])
        if math.isinf(self.k):
            return scales
        farthest = float(np.max(geometry.centres, where=np.isfinite(geometry.centres), initial=0.0))
        middle = geometry.vectors.mean(axis=0, keepdims=True)
        across = 1.0 if geometry.stretched else 2.0 * float(geometry.metric.block(middle, geometry.vectors).max())
        reach = across * float(geometry.rates.max())
        check_resolution(-scales[0] * farthest - scales[1] * reach, self.name)
        return scales

    def renyi(self, orders: FloatArray) -> FloatArray:
        """Return the largest Rényi divergence over all pairs of all clusters at ``orders`` (A,), for k = ∞.

        Raise :class:`~sfumato.errors.GuaranteeError` for a finite k, whose guarantee counts per unit of distance.
        """
        return curve_of_sets(self, orders) if math.isinf(self.k) else super().renyi(orders)

    @property
    def law_scales(self) -> tuple[float, ...]:
        """Return s₁ and s₂; ε for optimal laws, which have no scale."""
        return (self.epsilon,) if self.calibration == "optimal" else self.scales

    @property
    def law_digest(self) -> str:
        """Return a hash of optimal laws, which no scale names."""
        return self.set_law.digest if self.calibration == "optimal" else ""

    @property
    def relative_error(self) -> float:
        """Return 0 for k = ∞, where what is certified are the whole numbers that are drawn from.

        Stretched distances are wrong by at most 4 errors of the largest distance over the least spread that counts.
        """
        if math.isinf(self.k):
            return 0.0
        if self.token_distance != "stretched":
            return super().relative_error
        largest = self.scales[1] * float(self._geometry.rates.max()) ** 2 * self._scaling.conditions.largest_distance
        error = relative_error(self.vocabulary.vectors.shape[1])
        return super().relative_error + 16.0 * error * largest / LEAST_SPREAD

    @property
    def sets(self) -> list[IntArray]:
        """Return the tokens of every cluster."""
        return self._sets

    @property
    def law_facts(self) -> dict[str, Any]:
        """Return how many tokens a cluster was to have, where that made the clusters, and a hash of the clusters.

        For k = ∞ also how many bits the whole numbers have, and the hash of optimal laws.
        """
        facts: dict[str, Any] = {"sets_hash": partition.fingerprint(self._sets)}
        if self.clusters is None:
            facts["set_size"] = self.set_size
        if math.isinf(self.k):
            facts["bits"] = BITS
        return {**facts, "law_digest": self.law_digest} if self.law_digest else facts

    @cached_property
    def _table(self) -> LawTable:
        return LawTable.from_weights(np.exp(self._geometry.log_first(self.scales[0])))

    @cached_property
    def _group_law(self) -> GroupLaw:
        geometry = self._geometry
        scales = self.scales[1] * geometry.rates
        if geometry.stretched:
            return StretchedLaw(geometry.vectors, geometry.starts, scales, math.inf, geometry.metric, geometry.rates)
        return GroupLaw(geometry.vectors, geometry.starts, scales, math.inf, geometry.metric)

    def law(self, token: int) -> FloatArray:
        """P(.|token), shape (V,)."""
        if math.isinf(self.k):
            return self.set_law.law(token)
        geometry, (members, _, _) = self._geometry, self._members
        place = np.flatnonzero(members == token)
        distances = geometry.metric.block(geometry.vectors[place], geometry.vectors)
        log_law = geometry.log_law(place, distances, geometry.log_first(self.scales[0]), self.scales[1])[0]
        law = np.empty(len(members))
        law[members] = np.exp(log_law)
        return law

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """One independent draw a token, shape (n,)."""
        if math.isinf(self.k):
            return self.set_law.draw(tokens, uniforms.words(1)[:, 0])
        members, _, cluster_of = self._members
        given = uniforms(2)
        clusters = self._table.draw(cluster_of[tokens], given[:, 0])
        return members[self._group_law.draw(self._geometry.vectors, self._ranks[tokens], clusters, given[:, 1])]
