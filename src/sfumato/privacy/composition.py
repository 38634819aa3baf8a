"""The cost of many draws together, in three ways.

* Pure: the ε of the draws add up, n·ε.
* zCDP: an ε-DP draw is at most ε²/2-zCDP (a guarantee may name a smaller ρ of its own). The ρ add up, and
  their sum turns into (ε, δ) at the best order, as in dp-accounting, which the tests compare.
* Rényi: the Rényi curves of the laws themselves add up (:mod:`sfumato.privacy.renyi`), and the sum turns into (ε, δ)
  at the best order.

The last two need draws with randomness of their own, and give (ε, δ), which is weaker than a pure ε. :func:`compose`
returns all three and says which is smallest. Metric guarantees compose purely, per unit of distance of each replaced
token.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from functools import partial
from typing import Any

import numpy as np

from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.renyi import ORDERS, Renyi, epsilon_at, of_guarantee

DELTA = 1e-6
"""The largest δ that a statement gives."""

_TOLD = 0.99

_OUTWARD = 1.0 + 2.0**-40  # what a result in floating point is multiplied by, so that it stays a bound
ASSUMES = "draws are independent; epsilon_by_zcdp and epsilon_by_renyi are (epsilon, delta), not pure"
"""What every statement of such costs says beside them."""


def delta_for(records: int) -> float:
    """Return the δ at which (ε, δ) is stated for a record among ``records``: a tenth of 1 over their number.

    (ε, δ) says P(S|x) ≤ e^ε·P(S|x') + δ for every set S of outputs. A mechanism that only showed a record with
    probability δ would satisfy it, so δ has to be well below 1 over the number of records. Few records get no
    larger δ than :data:`DELTA`.
    """
    return min(DELTA, 0.1 / max(1, records))


@dataclass(frozen=True, slots=True)
class Composed:
    """The total cost of several draws, in nats. `str()` puts it into one sentence.

    Attributes:
        draws: How many draws.
        pure: The ε of pure composition; per unit of distance for metric-LDP.
        approximate: For LDP, the ε of (ε, δ) by zero-concentrated DP; else None.
        delta: The δ of `approximate` and of `renyi`.
        smallest: Which ε is smallest: `pure`, `zcdp` or `renyi`. The latter two are (ε, δ), and assume that the draws
            are independent.
        renyi: For LDP, the ε of (ε, δ) by the Rényi divergences of the laws; else None. Never above the other two.
    """

    draws: int
    pure: float
    approximate: float | None
    delta: float | None
    smallest: str
    renyi: float | None = None

    def __str__(self) -> str:
        counted = f"{self.draws:,} draw{'' if self.draws == 1 else 's'}: epsilon {rounded_up(self.pure)} (pure)"
        if self.renyi is None or not worth_telling(self.pure, self.renyi):
            return counted
        delta = rounded_up(self.delta or 0.0)
        return f"{counted}, or {rounded_up(self.renyi)} at delta {delta} (not pure; independent draws)"

    def as_dict(self) -> dict[str, Any]:
        """Return the cost as JSON types."""
        cost: dict[str, Any] = {"draws": self.draws, "epsilon": self.pure}
        if self.approximate is not None:
            cost |= {"epsilon_by_zcdp": self.approximate, "epsilon_by_renyi": self.renyi, "delta": self.delta}
            cost |= {"smallest": self.smallest, "assumes": ASSUMES}
        return cost


def rounded_up(amount: float, digits: int = 4) -> str:
    """Return ``amount`` with so many significant ``digits``, never less than it is: prices are not rounded down.

    What exceeds them by a rounding error of float64 alone does not count.
    """
    exact = Decimal(amount) * (1 - Decimal(2) ** -48)
    if not exact.is_finite() or not exact:
        return f"{amount:g}"
    last = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    return f"{float(exact.quantize(last, rounding=ROUND_CEILING)):.{digits}g}"


def worth_telling(pure: float, approximate: float) -> bool:
    """Return whether an ε of (ε, δ) is so far below the ``pure`` one that it is worth what it assumes."""
    return approximate < _TOLD * pure


def compose(guarantee: Guarantee, draws: int, delta: float = DELTA, curve: Renyi | None = None) -> Composed:
    """Return the cost of ``draws`` draws under ``guarantee``, in nats (per unit of distance for metric-LDP).

    ``curve`` bounds the Rényi divergence of one draw; by default it is the one that the guarantee implies.
    """
    pure = draws * guarantee.epsilon
    if guarantee.definition != "LDP" or draws == 0:
        return Composed(draws, pure, None, None, "pure")
    zcdp = _by_zcdp(guarantee, draws, delta)
    divergences = (curve or partial(of_guarantee, guarantee))(ORDERS)
    renyi = min(epsilon_at(delta, draws * divergences)[0], zcdp, pure)  # all three hold, so the least does
    smallest = "pure" if pure <= renyi else "zcdp" if zcdp <= renyi else "renyi"
    return Composed(draws, pure, zcdp, delta, smallest, renyi)


def _by_zcdp(guarantee: Guarantee, draws: int, delta: float) -> float:
    """Return the ε of (ε, δ) by zero-concentrated DP, in nats: ρ-zCDP has a Rényi divergence of at most ρ·α."""
    rho = min(0.5 * guarantee.epsilon**2, math.inf if guarantee.rho is None else guarantee.rho)
    if not rho > 1e-200:  # too small for the formulas; the pure sum is as good
        return draws * guarantee.epsilon
    return epsilon_of_rho(draws * rho, delta)


def epsilon_of_rho(total: float, delta: float) -> float:
    """Return the ε of (ε, δ) that a ``total`` ρ of zero-concentrated DP gives, in nats."""
    if not total > 1e-200:
        return 0.0
    best = math.sqrt(math.log(1.0 / delta) / total)  # where Bun and Steinke's bound has its minimum
    orders = 1.0 + best * 1.02 ** np.arange(-70.0, 71.0)
    # Bun and Steinke's conversion: never the better one, but finite where the orders run out
    plain = total + 2.0 * math.sqrt(total * math.log(1.0 / delta))
    return min(epsilon_at(delta, total * orders, orders)[0], plain) * _OUTWARD
