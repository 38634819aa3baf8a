"""Rényi divergences of mechanisms of which a unit takes part in one, which is drawn uniformly and in secret.

Mechanisms 1 to K read disjoint parts of the data, with randomness of their own, and all K answers are released. A
unit is in the part of one of them, g, which is drawn uniformly and shown to nobody. Each mechanism is ρ-zCDP for one
member of its part more or less. All K then cost far less than ρ: an attacker does not know where to look.

Claim. With Q the law of all answers without the unit, and P their law with it,

    (α-1)·D_α(P‖Q) ≤ log M(α),    D_α(Q‖P) ≤ ρ·(K + α - 1)/K,    both ≤ ρα,

where M(α) = E[((Y_1 + … + Y_K)/K)^α] for independent log-normal Y with E[Y^j] = exp(j(j-1)ρ).

Proof. Fix the places of all other units, the same for P and Q. Let L_g be the ratio of the laws of answer g with the
unit there to without. Answers are independent, so P/Q = (L_1 + … + L_K)/K, where under Q the L_g are independent,
with mean 1.

* The α-th moment of this mean, for a whole α, is a sum of products of moments E_Q[L_g^j], 0 ≤ j ≤ α, with
  coefficients that are not negative. By ρ-zCDP, E_Q[L_g^j] = exp((j-1)·D_j) ≤ exp(j(j-1)ρ). The log-normal numbers
  have exactly these moments, so M(α) is the bound (Feldman and Shenfeld 2025, Privacy amplification by random
  allocation, have it for Gaussian noise). Between whole orders log E_Q[(P/Q)^α] is convex in α, so the straight line
  above them is a bound.
* The mean of the L_g is at least their geometric mean, so E_Q[(P/Q)^(1-α)] ≤ Π E_Q[L_g^(-s)] with s = (α-1)/K. By
  ρ-zCDP, E_Q[L_g^(-s)] = exp(s·D_(1+s)) ≤ exp(s(1+s)ρ), and K of them give the claim.
* ρα holds because g may be told: divergences are jointly quasi-convex (van Erven and Harremoës 2014, Theorem 13).

The places of the others are mixed over with one law in P and Q; exp((α-1)·D_α) is jointly convex, so the bounds stay.
M falls with K, as the mean of more numbers varies less. So a unit that draws among K *or more* is covered, and so is
one whose part in some of the mechanisms changes nothing there.

What it needs: g must depend on nothing but the unit itself, must not be released, and must be drawn uniformly among a
number of mechanisms that was fixed beforehand. No answer may depend on the part of another.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from sfumato.types import FloatArray

_MOST = 128
"""Moments above this order are not computed; the bound there is ρα."""
_OUTWARD, _ROUNDING = 1.0 + 2.0**-30, 2.0**-30
"""Logarithms up to some thousands, in sums of 129 some fifteen times over, are good to 2^-40 of themselves. A small
logarithm of a moment is a difference of large ones, so what is added is absolute as well.
"""


def divergences(rho: float, mechanisms: int, orders: FloatArray) -> FloatArray:
    """Return bounds, in nats, shape (A,), on the Rényi divergences of ``orders`` (A,) > 1, in both directions.

    A unit is in one of ``mechanisms``, drawn in secret, each ``rho``-zCDP.
    """
    known = rho * orders
    without = rho * (mechanisms + orders - 1.0) / mechanisms
    line = np.interp(orders, np.arange(_MOST + 1), _log_moments(rho, mechanisms), right=np.inf)
    joined = np.where(orders <= _MOST, (_OUTWARD * line + _ROUNDING) / (orders - 1.0), np.inf)
    bounds: FloatArray = np.minimum(known, np.maximum(joined, without))
    return bounds


@cache
def _log_moments(rho: float, count: int) -> FloatArray:
    """Return log E[mean^j] for j = 0 to 128, of the mean of ``count`` log-normal numbers, shape (129,).

    Exponential generating functions of moments multiply where numbers add up, so that of the sum is a power.
    """
    orders = np.arange(_MOST + 1)
    factorials = np.array([math.lgamma(order + 1.0) for order in orders])
    base = orders * (orders - 1.0) * rho - factorials
    power = np.where(orders == 0, 0.0, -np.inf)
    for digit in f"{count:b}":
        power = _multiplied(power, power)
        if digit == "1":
            power = _multiplied(power, base)
    moments: FloatArray = np.maximum(power + factorials - orders * math.log(count), 0.0)
    return moments


def _multiplied(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the logarithms of the coefficients of a product of two series, given those of both."""
    places = np.arange(len(first))
    other = places[:, None] - places[None, :]
    terms = np.where(other >= 0, first[None, :] + second[np.maximum(other, 0)], -np.inf)
    product: FloatArray = np.logaddexp.reduce(terms, axis=1)
    return product
