"""TEM, the truncated exponential mechanism (Carvalho, Vasiloudis, Feyisetan, Wang: TEM: High Utility Metric
Differential Privacy on Text, SDM 2023).

Words within γ of x keep the score -d(x, y); all others share one outcome ⊥ with score -γ + (2/ε)·log|W \\ L_x|, and
⊥ is resolved by a uniform word of W \\ L_x. Summing up, P(y|x) ∝ exp(-s · min(d(x, y), γ)) with s = ε/2: the weight
of ⊥ counts the words of the very vocabulary that is sampled, which is what makes the shares come out even.

Analysis. min(d, γ) is a metric, so SanText's argument holds with it, and min(d, γ) ≤ d carries the bound over to d.
The exact calibration uses (s·min(d, γ) + |log Z(x) - log Z(x')|) / d(x, x').

γ follows the paper, γ = (2/ε)·log((1 - β)(|W| - 1)/β), so that ⊥ is drawn with probability at most β at the
paper's scale; or it is given. Difference: Gumbel noise on every word is replaced by a draw from the same law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from sfumato.errors import ConfigurationError
from sfumato.mechanisms._exponential import DistanceExponential
from sfumato.options.option import Option


@dataclass(frozen=True, eq=False)
class TEM(DistanceExponential):
    """Exponential in the distance truncated at γ. ε is per unit of distance (metric-LDP).

    ``threshold`` is γ itself (a distance), else it follows from ``beta``.
    """

    name: ClassVar[str] = "tem"
    proof: ClassVar[str] = "Carvalho et al. 2023, Theorem 1; exact loss: docs/mechanisms.md#tem"
    beta: Annotated[float, Option("most probability of a token beyond the threshold")] = 0.001
    threshold: Annotated[float | None, Option("distance above which all count alike; else from beta")] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.beta < 1.0:
            raise ConfigurationError(f"TEM's beta must lie between 0 and 1, not {self.beta!r}; try 0.001.")
        if self.threshold is not None and not self.threshold > 0.0:
            raise ConfigurationError(f"TEM's threshold must be a distance above 0, not {self.threshold!r}.")

    @property
    def limit(self) -> float:
        """Return γ, as a distance."""
        if self.threshold is not None:
            return self.threshold
        others = len(self.vocabulary) - 1
        return max(2.0 / self.epsilon * math.log((1.0 - self.beta) * others / self.beta), 1e-9)

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        return {**super().parameters, "beta": self.beta, "threshold": self.limit}
