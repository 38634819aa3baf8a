"""The cost of many draws together.

Pure composition adds: n draws of ε cost n·ε. Through zero-concentrated DP an ε-DP draw is at most ε²/2-zCDP, n draws
add up to n·ε²/2 (a guarantee may name a smaller ρ of its own), and dp-accounting turns that into (ε, δ).
:func:`compose` returns both and says which is smaller.
Metric guarantees compose purely, per unit of distance of each replaced token.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sfumato.privacy.guarantee import Guarantee

DELTA = 1e-6
"""The largest δ that a statement gives."""


def delta_for(records: int) -> float:
    """Return the δ at which (ε, δ) is stated for a record among ``records``: a tenth of 1 over their number.

    (ε, δ) says P(S|x) ≤ e^ε·P(S|x') + δ for every set S of outputs. A mechanism that only showed a record with
    probability δ would satisfy it, so δ has to be well below 1 over the number of records. Few records get no
    larger δ than :data:`DELTA`.
    """
    return min(DELTA, 0.1 / max(1, records))


@dataclass(frozen=True, slots=True)
class Composed:
    """The total cost of several draws, in nats.

    Attributes:
        draws: How many draws.
        pure: The ε of pure composition; per unit of distance for metric-LDP.
        approximate: For LDP, the ε of (ε, δ) by zero-concentrated DP; else None.
        delta: The δ of `approximate`.
        smaller: Which ε is smaller: `pure` or `zcdp`.
    """

    draws: int
    pure: float
    approximate: float | None
    delta: float | None
    smaller: str

    def as_dict(self) -> dict[str, Any]:
        """Return the cost as JSON types."""
        cost: dict[str, Any] = {"draws": self.draws, "epsilon": self.pure}
        if self.approximate is not None:
            cost |= {"epsilon_by_zcdp": self.approximate, "delta": self.delta, "smaller": self.smaller}
        return cost


def compose(guarantee: Guarantee, draws: int, delta: float = DELTA) -> Composed:
    """Return the cost of ``draws`` draws under ``guarantee``, in nats (per unit of distance for metric-LDP)."""
    pure = draws * guarantee.epsilon
    if guarantee.definition != "LDP" or draws == 0:
        return Composed(draws, pure, None, None, "pure")
    import dp_accounting  # two seconds to import: only if it is needed
    from dp_accounting import rdp

    rho = min(0.5 * guarantee.epsilon**2, math.inf if guarantee.rho is None else guarantee.rho)
    best = math.sqrt(math.log(1.0 / delta) / (draws * rho))  # where Bun and Steinke's bound has its minimum
    accountant = rdp.RdpAccountant(orders=[1.0 + best * 1.02**step for step in range(-70, 71)])
    accountant.compose(dp_accounting.ZCDpEvent(rho), draws)
    total = draws * rho
    # Bun and Steinke's conversion: never the better one, but finite where the accountant's orders run out
    plain = total + 2.0 * math.sqrt(total * math.log(1.0 / delta))
    approximate = min(float(accountant.get_epsilon(delta)), plain)
    return Composed(draws, pure, approximate, delta, "zcdp" if approximate < pure else "pure")
