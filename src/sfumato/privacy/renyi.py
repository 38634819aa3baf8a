"""Rényi divergences of finite laws, as curves over orders, and what a composed curve costs at a δ.

The Rényi divergence of order α > 1 between the laws P and Q of one draw, in nats, is

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

import numpy as np

from sfumato.errors import GuaranteeError
from sfumato.privacy.guarantee import Guarantee
from sfumato.types import FloatArray

Renyi = Callable[[FloatArray], FloatArray]
"""A curve: ``curve(orders)`` (A,) > 1 returns a bound on the divergence at each, in nats, shape (A,)."""

_OUTWARD = 1.0 + 2.0**-40
"""What a result in floating point is multiplied by, so that it stays a bound. The formulas here are good to 2^-45."""


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
        found = divergences + np.log1p(-1.0 / orders) - (math.log(delta) + np.log(orders)) / steps
    place = int(np.argmin(np.where(np.isnan(found), math.inf, found)))
    rounding = 2.0**-40 * (abs(float(found[place])) + 1.0)
    return max(0.0, float(found[place]) + rounding), float(orders[place])
