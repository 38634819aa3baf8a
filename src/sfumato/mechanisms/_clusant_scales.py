"""The scales of CluSanT on an actual vocabulary: the paper's, the factor on them that ε allows, and their loss.

If no draw leaves a cluster (k = ∞), only step 2 is left, P₂(y|x) ∝ exp(-s₂ r_C d(x, y)) for x and y in one cluster,
in whole numbers, and ε is LDP inside it. An optimal law takes its place in each cluster on its own
(:mod:`sfumato.privacy.optimal_law`). A cluster that is left to "exact" then has a scale of its own as well, where
exact calibration has one s₂ for all clusters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from sfumato.errors import GuaranteeError
from sfumato.mechanisms._clusant_geometry import Conditions, check_conditions, widest_cluster
from sfumato.mechanisms._optimal import Prior, conditions_of
from sfumato.privacy.calibration import checked_at, largest_scale
from sfumato.privacy.certificates import named, repeats
from sfumato.privacy.cluster_loss import ClusterLoss, InsideClusterLoss
from sfumato.privacy.guarantee import Certificate, SetCalibration
from sfumato.privacy.optimal_law import OptimalSets, optimal_sets
from sfumato.privacy.set_law import SetLaw, exponential_weights, largest_scales, penalties_of, within
from sfumato.privacy.two_steps import TwoSteps
from sfumato.types import FloatArray, IntArray, Progress

Members = tuple[IntArray, IntArray, IntArray]
"""The tokens by cluster, where each cluster begins, and the cluster of each token."""


def distances_inside(steps: TwoSteps) -> Iterator[FloatArray]:
    """Yield r_C d(x, y) between the tokens of each cluster, shape (K, K)."""
    for rate, vectors in zip(steps.rates, np.split(steps.vectors, steps.starts[1:-1]), strict=True):
        yield rate * steps.metric.block(vectors, vectors)


def calibrated(steps: TwoSteps, members: Members, scale: float, epsilon: float) -> tuple[float, SetLaw]:
    """Return the law at s₂ = ``scale``, with s₂ lowered where whole numbers lose more than ``epsilon``."""
    lowered, weights = within(list(distances_inside(steps)), scale, epsilon)
    return lowered, SetLaw(*members, weights)


def at_scale(steps: TwoSteps, members: Members, scale: float) -> SetLaw:
    """Return the law at s₂ = ``scale``."""
    return SetLaw(*members, tuple(exponential_weights(distances, scale) for distances in distances_inside(steps)))


def optimal_laws(
    steps: TwoSteps, members: Members, weights: FloatArray, epsilon: float, progress: Progress | None
) -> tuple[SetLaw, OptimalSets]:
    """Return the law with the least expected distance under the public ``weights`` (V,) of tokens."""
    distances = list(distances_inside(steps))

    def exact(number: int) -> IntArray:
        penalties = [penalties_of(distances[number])]
        return within(penalties, float(largest_scales(penalties, epsilon)[0]), epsilon)[1][0]

    priors = np.split(weights[members[0]], members[1][1:-1])
    sets = optimal_sets(distances, priors, epsilon, exact, progress)
    return SetLaw(*members, sets.weights), sets


@dataclass(frozen=True, eq=False)
class Scaling:
    """CluSanT's scales at ``epsilon`` for the clusters of ``steps``, whose tokens are ``members``.

    ``inside`` is k = ∞: no draw leaves a cluster. ``normalised`` says whether distances inside clusters are divided.
    """

    steps: TwoSteps
    members: Members
    epsilon: float
    calibration: SetCalibration
    inside: bool
    normalised: bool

    @cached_property
    def conditions(self) -> Conditions:
        """Return whether Theorem 5 holds here."""
        return check_conditions(self.steps)

    @cached_property
    def paper(self) -> tuple[float, float]:
        """Return s₁ and s₂ of the paper."""
        geometry = self.steps
        if geometry.stretched:  # r_C holds the sensitivity
            return self.epsilon / 4.0, self.epsilon / 4.0
        if self.inside:
            sensitivity = 1.0 if self.normalised else max(1.0, widest_cluster(geometry))
        else:
            farthest = self.conditions.largest_distance
            sensitivity = max(1.0, farthest * float(geometry.rates.max()))
        return self.epsilon / 4.0, self.epsilon / (4.0 * sensitivity)

    @property
    def largest_factor(self) -> float:
        """Return the largest factor on the paper's scales that calibration may try."""
        first, second = self.paper
        return 4.0 * max(1.0, first / second)

    def loss(self, progress: Progress | None = None) -> ClusterLoss | InsideClusterLoss:
        """Return the loss as a function of the factor on the paper's scales."""
        first, second = self.paper
        if self.inside:
            return InsideClusterLoss(self.steps, second)
        return ClusterLoss(self.steps, first, second, progress)

    def holds(self, kept: Certificate) -> bool:
        """Return whether a kept certificate can be about this law: by its scales, and the loss of its worst pair."""
        first, second = self.paper
        factor = kept.scale / first
        if not 0.0 < factor <= (1.0 if self.calibration == "paper" else self.largest_factor):
            return False
        scales = float(kept.conditions["cluster_scale"]), float(kept.conditions["token_scale"])
        if not np.allclose(scales, (factor * first, factor * second), rtol=1e-12, atol=0.0):
            return False
        if self.inside:  # the law is at hand, to the last bit
            law = at_scale(self.steps, self.members, scales[1])
            return kept.certified == float(law.losses.max()) and kept.pair == law.worst_pair
        loss, ranks = self.loss(), np.argsort(self.members[0])
        bounded = kept.kind == "upper-bound" and isinstance(loss, ClusterLoss)
        follow = loss.bound if bounded else loss.follow  # type: ignore[union-attr]
        return repeats(kept, lambda pairs: follow(ranks[pairs]), factor)

    def certificate(self, progress: Progress | None) -> Certificate:
        """Return the certificate at the paper's scales, or at the largest factor on them that ε allows."""
        self._refuse_lonely()
        first, second = self.paper
        if not second > 0.0:
            raise GuaranteeError("clusant: epsilon over the largest distance vanishes; rescale the vectors.")
        loss = self.loss(progress)
        if self.calibration == "paper":
            t, certified, attained, pair = checked_at(loss, 1.0, loss.worst(1.0))
        else:
            t, certified, attained, pair = largest_scale(loss, self.epsilon, 1.0, self.largest_factor)
        token_scale = t * second
        if self.inside:
            token_scale, law = calibrated(self.steps, self.members, t * second, self.epsilon)
            t, certified = token_scale / second, float(law.losses.max())
            further: dict[str, Any] = self._inside_conditions(certified)
            tokens: tuple[int, int] | None = law.worst_pair
        else:
            further, tokens = self.conditions.as_dict(certified, self.steps), named(pair, self.members[0])
        conditions = {**self._sizes, "cluster_scale": t * first, "token_scale": token_scale, **further}
        if self._sizes["largest_cluster"] == 1:
            conditions["unused_half"] = "step 2 reveals nothing (one-token clusters); " + (
                "its half of the budget went to step 1" if self.calibration == "exact" else "its half is unused"
            )
        kind: Literal["exact", "upper-bound"] = "exact" if attained else "upper-bound"
        definition: Literal["LDP", "metric-LDP"] = "LDP" if self.inside else "metric-LDP"
        return Certificate(definition, self.epsilon, certified, kind, t * first, first, conditions, tokens)

    def optimal(self, weights: FloatArray, prior: Prior, progress: Progress | None) -> tuple[SetLaw, Certificate]:
        """Return the laws with the least expected distance under the ``weights`` of ``prior``, and what they lose."""
        self._refuse_lonely()
        law, sets = optimal_laws(self.steps, self.members, weights, self.epsilon, progress)
        law = law.within(self.epsilon)
        certified = float(law.losses.max())
        conditions = {**self._sizes, **self._inside_conditions(certified), **conditions_of(sets, prior)}
        paper, pair = self.paper[0], law.worst_pair
        return law, Certificate("LDP", self.epsilon, certified, "exact", self.epsilon, paper, conditions, pair)

    def _refuse_lonely(self) -> None:
        if self.inside and self._sizes["smallest_cluster"] < 2:
            raise GuaranteeError(
                "clusant: k = inf never leaves a cluster, so a token alone in its cluster would come back as itself "
                "with certainty; use a finite k, or clusters of at least 2 tokens."
            )

    @property
    def _sizes(self) -> dict[str, Any]:
        sizes = np.diff(self.members[1])
        return {"clusters": len(sizes), "smallest_cluster": int(sizes.min()), "largest_cluster": int(sizes.max())}

    def _inside_conditions(self, certified: float) -> dict[str, Any]:
        across = math.inf if self._sizes["clusters"] > 1 else certified
        return {"loss_inside_a_cluster": certified, "loss_across_clusters": across}
