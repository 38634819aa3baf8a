"""The geometric mechanism over values on a line: days, years, logarithms of amounts.

P(y|x) = w(y) exp(-ε |x - y|), with public weights w under which the probabilities sum to 1 for every x. The loss of a
pair is ε times its distance and no more, also at the ends of the line, so nothing is left to calibrate. Law, analysis
and sources are in :mod:`sfumato.privacy.line_law`. SanText over the same values needs a smaller scale for the same ε,
because its normaliser depends on the value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sfumato.abstract.mechanism import EpsilonOfDraw, Mechanism, PublicVocabulary
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.certificates import believed, once
from sfumato.privacy.distances import Adjacency
from sfumato.privacy.guarantee import Certificate, Guarantee, checked_epsilon
from sfumato.privacy.line_law import LineLaw
from sfumato.types import FloatArray, IntArray, Progress, Uniforms


@dataclass(frozen=True, eq=False)
class Geometric(Mechanism):
    """A draw of another value, less likely with distance. ε is per unit of distance (metric-LDP).

    The vectors of the vocabulary have one dimension: the position of each value. Raises ConfigurationError where
    they have more, or where two values share a position.
    """

    name: ClassVar[str] = "geometric"
    vocabulary: PublicVocabulary
    epsilon: EpsilonOfDraw

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        if self.vocabulary.vectors.shape[1] != 1 or not (np.diff(self._ordered) > 0.0).all():
            raise ConfigurationError(
                "geometric draws values that lie on a line (dates, ages, amounts), each at a place of its own; use "
                "santext for words and phrases."
            )

    @cached_property
    def _order(self) -> IntArray:
        """Return the tokens by position, shape (V,)."""
        return np.argsort(self.vocabulary.vectors[:, 0], kind="stable")

    @cached_property
    def _ordered(self) -> FloatArray:
        ordered: FloatArray = self.vocabulary.vectors[self._order, 0]
        return ordered

    @cached_property
    def _places(self) -> IntArray:
        """Return where each token is in that order, shape (V,)."""
        places = np.empty(len(self._order), dtype=np.int64)
        places[self._order] = np.arange(len(places))
        return places

    @cached_property
    def _law(self) -> LineLaw:
        return LineLaw(self._ordered, self.certify().scale)

    @property
    def guarantee(self) -> Guarantee:
        """Return ε-metric-LDP for one value, between any two values of the domain."""
        proof = (
            "weights without a normaliser (Ghosh et al. 2009 on an even grid): docs/mechanisms.md#laws-over-values"
        )
        return Guarantee.of_any_two_tokens(self.epsilon, "absolute", proof, per=self.vocabulary.unit)

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        return {"epsilon": self.epsilon}

    def adjacency(self) -> Adjacency:
        """Return the distance between any two values."""
        return Adjacency(self.covered, self.vocabulary.vectors)

    @once
    def certify(self, progress: Progress | None = None) -> Certificate:
        """Return the loss of every pair, from the closed form, and how near the sums of the actual law are to 1."""
        law, pair = LineLaw(self._ordered, self.epsilon), (int(self._order[0]), int(self._order[1]))
        conditions = {"largest_distance": float(self._ordered[-1] - self._ordered[0])}
        conditions["ldp_epsilon_at_most"] = self.epsilon * conditions["largest_distance"]
        conditions["largest_deviation_of_a_sum"] = law.largest_deviation
        if not law.largest_deviation <= law.relative_error + 1e-12:
            raise GuaranteeError("The probabilities of geometric do not sum to 1 on these values; report it.")
        half = 0.5 * self.epsilon
        certificate = Certificate(
            "metric-LDP", self.epsilon, self.epsilon, "exact", self.epsilon, half, conditions, pair
        )
        return believed(self.name, certificate)

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of a drawn probability against the certified law."""
        return self._law.relative_error

    def law(self, token: int) -> FloatArray:
        """Return P(.|token), shape (V,)."""
        probabilities = np.exp(self._law.log_law(int(self._places[token])))
        return np.asarray((probabilities / probabilities.sum())[self._places], dtype=np.float64)

    def unchanged(self) -> FloatArray:
        """Return P(x | x) for every value, shape (V,): its weight."""
        return np.asarray(np.exp(self._law.log_weights)[self._places], dtype=np.float64)

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """Return one independent draw for each of ``tokens`` (n,), shape (n,)."""
        return self._order[self._law.draw(self._places[tokens], uniforms)]
