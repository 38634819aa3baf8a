"""The cost of many draws together, in three ways.

* Pure: the ε of the draws add up, n·ε.
* zCDP: an ε-DP draw is at most ε²/2-zCDP (a guarantee may name a smaller ρ of its own). The ρ add up, and
  their sum turns into (ε, δ) at the best order, as in dp-accounting, which the tests compare.
* Rényi: the Rényi curves of the laws themselves add up, and the sum turns into (ε, δ) at the best order.

The last two need draws with randomness of their own, and give (ε, δ), which is weaker than a pure ε. :func:`compose`
returns all three and says which is smallest. Metric guarantees compose purely, per unit of distance of each replaced
token.

**Rényi curves.** The Rényi divergence of order α > 1 between the laws P and Q of one draw, in nats, is

    D_α(P‖Q) = log( Σ_y P(y)^α Q(y)^(1-α) ) / (α - 1).

It never decreases in α, and tends to the largest log ratio of P to Q. Divergences of independent draws add (Mironov
2017, "Rényi Differential Privacy", Proposition 1). So the draws of a record cost the sum of their curves, and a sum
turns into (ε, δ) at the best order (:func:`epsilon_at`).

A curve is a function from orders to divergences that holds for every ordered pair of inputs that the adjacency
names. Three kinds exist:

* :func:`of_pure_loss`: any law within ε. Two laws whose log ratios lie within ±ε are a post-processing of randomized
  response at ε (Kairouz, Oh, Viswanath 2015, "The Composition Theorem for Differential Privacy"), and processing
  lowers no divergence. The curve of randomized response is therefore exact as a bound, and below ε²α/2.
* :func:`of_guarantee`: the smaller of that and ρ·α, where the analysis knows a ρ of zero-concentrated DP.
* :func:`sfumato.privacy.renyi_of_sets.worst_divergences`: the laws themselves, all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from functools import partial
from typing import Any

import numpy as np

from sfumato.errors import GuaranteeError
from sfumato.privacy.guarantee import Guarantee
from sfumato.types import FloatArray

DELTA = 1e-6
"""The largest δ that a statement gives."""

_TOLD = 0.99

_OUTWARD = 1.0 + 2.0**-40
"""What a result in floating point is multiplied by, so that it stays a bound. The formulas here are good to 2^-45."""
Renyi = Callable[[FloatArray], FloatArray]
"""A curve: ``curve(orders)`` (A,) > 1 returns a bound on the divergence at each, in nats, shape (A,)."""
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


def _grid() -> FloatArray:
    """Return orders from 1.001 to 10,001, dense from 1.1 to 6, where most records have their best one.

    A step of 1 % in α - 1 costs a composed ε less than a ten-thousandth of its part log(1/δ)/(α - 1).
    """
    parts = [np.arange(-3.0, 4.0001, 0.05), np.arange(-1.5, 1.5001, 0.02), np.arange(-1.0, 0.7001, 0.01)]
    exponents = np.unique(np.round(np.concatenate(parts), 6))
    return np.asarray(1.0 + 10.0**exponents, dtype=np.float64)


ORDERS: FloatArray = _grid()
"""The orders at which every curve is kept and composed, ascending, shape (A,)."""
ORDERS.setflags(write=False)


def of_pure_loss(epsilon: float, orders: FloatArray) -> FloatArray:
    """Return the curve (A,) of randomized response at ``epsilon`` nats: it bounds every law with that loss.

    Randomized response gives the truth with probability e^ε/(1 + e^ε). Its divergence is

        log( cosh((α - ½)ε) / cosh(ε/2) ) / (α - 1) = log( 1 + 2 sinh(αε/2) sinh((α-1)ε/2) / cosh(ε/2) ) / (α - 1).
    """
    steps = orders - 1.0
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is not chosen below
        product = 2.0 * np.sinh(0.5 * orders * epsilon) * np.sinh(0.5 * steps * epsilon) / np.cosh(0.5 * epsilon)
        small = np.log1p(product)
    large = steps * epsilon + np.log1p(np.exp(-(2.0 * orders - 1.0) * epsilon)) - np.log1p(np.exp(-epsilon))
    divergences = np.where(orders * epsilon > 30.0, large, small) / steps
    return np.asarray(np.minimum(divergences * _OUTWARD, epsilon), dtype=np.float64)


def concentrated(rho: float, orders: FloatArray) -> FloatArray:
    """Return the curve ρ·α (A,) of ``rho``-zero-concentrated DP (Bun and Steinke 2016)."""
    return np.asarray(rho * orders * _OUTWARD, dtype=np.float64)


def of_guarantee(guarantee: Guarantee, orders: FloatArray) -> FloatArray:
    """Return the curve (A,) that an LDP ``guarantee`` implies: that of its ε, or ρ·α where that is smaller.

    Raise :class:`GuaranteeError` for another definition: a loss per unit of distance has no curve over all pairs.
    """
    if guarantee.definition != "LDP":
        raise GuaranteeError(f"{guarantee.definition} has no Rényi curve over all pairs; it composes purely.")
    pure = of_pure_loss(guarantee.epsilon, orders)
    if guarantee.rho is None:
        return pure
    return np.asarray(np.minimum(pure, concentrated(guarantee.rho, orders)), dtype=np.float64)


def epsilon_at(delta: float, divergences: FloatArray, orders: FloatArray = ORDERS) -> tuple[float, float]:
    """Return the smallest ε of (ε, δ) over ``orders`` (A,), in nats, and the order that gives it.

    A mechanism with divergence D_α satisfies (ε, δ) for

        ε = D_α + log((α - 1)/α) - (log δ + log α)/(α - 1)

    (Canonne, Kamath, Steinke 2020, "The Discrete Gaussian for Differential Privacy", Proposition 12). ``divergences``
    (A,) are those of all draws together. The conversion is that of dp-accounting, which the tests compare.
    """
    steps = orders - 1.0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        epsilons = divergences + np.log1p(-1.0 / orders) - (math.log(delta) + np.log(orders)) / steps
    best = int(np.argmin(np.where(np.isnan(epsilons), math.inf, epsilons)))
    rounding = 2.0**-40 * (abs(float(epsilons[best])) + 1.0)
    return max(0.0, float(epsilons[best]) + rounding), float(orders[best])
