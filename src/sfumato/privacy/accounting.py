"""What mechanisms on the same private records cost together: (ε, δ) for one record or person more or less.

Definition: P(S|D) ≤ e^ε·P(S|D') + δ for every set S of outputs and all D, D' of which one has one unit more. Every
event here is calibrated for that relation, add-or-remove one. Another relation (replace one) is not accounted for.

Events of Gaussian noise compose by their privacy loss distributions (Koskela et al. 2020; Doroshenko et al. 2022),
which dp-accounting discretises pessimistically: the ε is an upper bound. Poisson sampling is part of the event. Where
an event is known by its ρ alone (zero-concentrated DP, Bun and Steinke 2016), all compose by Rényi divergences, and
so they do where a unit takes part in one of several mechanisms in secret (:mod:`sfumato.privacy.allocation`).
Parameters must be fixed before the first private record is read: the composition is not adaptive in them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.allocation import divergences
from sfumato.types import FloatArray

_LARGEST, _SMALLEST = 1e5, 0.01
_CLOSE = 5e-4  # of the logarithms of noise and ε
_INTERVAL = 2e-3  # of the discretised losses: an upper bound, some 1e-4 above the limit


@dataclass(frozen=True, slots=True)
class GaussianNoise:
    """``count`` releases of a sum with normal noise of standard deviation ``sigma`` times the norm of one unit.

    With Poisson sampling each unit takes part in a release with probability ``rate``, apart from all others.
    """

    sigma: float
    count: int = 1
    rate: float = 1.0

    def as_dict(self) -> dict[str, Any]:
        """Return the event as JSON types, for the statement."""
        return {"noise": "normal", "noise_multiplier": self.sigma, "sampling_rate": self.rate, "releases": self.count}


@dataclass(frozen=True, slots=True)
class Concentrated:
    """``count`` releases, each ``rho``-zero-concentrated DP for one unit more or less."""

    rho: float
    count: int = 1

    def as_dict(self) -> dict[str, Any]:
        """Return the event as JSON types, for the statement."""
        return {"zero_concentrated_rho": self.rho, "releases": self.count}


@dataclass(frozen=True, slots=True)
class Allocated:
    """``count`` releases of one of ``groups``, each ``rho``-zero-concentrated DP for one member more or less.

    Each unit is a member of one group, which it draws for this event alone, in secret, uniformly, among so many or
    more (:mod:`sfumato.privacy.allocation`).
    """

    rho: float
    count: int
    groups: int

    def as_dict(self) -> dict[str, Any]:
        """Return the event as JSON types, for the statement."""
        return {"zero_concentrated_rho": self.rho, "releases": self.count, "secret_groups": self.groups}


Event = GaussianNoise | Concentrated | Allocated


def check_delta(delta: float, units: int) -> None:
    """Refuse (ConfigurationError) a ``delta`` at which a mechanism could show somebody among so many ``units``."""
    if not 0.0 < delta < 1.0:
        raise ConfigurationError(f"delta must be greater than 0 and less than 1, not {delta!r}.")
    if delta * units >= 1.0:
        raise ConfigurationError(
            f"delta = {delta:g} is 1 over the number of people or records ({units:,}) or more: a program that "
            f"publishes one of them whole would satisfy it. Choose {0.1 / max(1, units):.0e} or less."
        )


@cache
def epsilon_of(events: tuple[Event, ...], delta: float) -> float:
    """Return an upper bound on the ε, in nats, of ``events`` together at ``delta``; infinity where there is none."""
    events = tuple(event for event in events if event.count > 0)
    if not events:
        return 0.0
    noises = [event for event in events if isinstance(event, GaussianNoise)]
    if len(noises) == len(events):
        return _by_loss_distribution(noises, delta)
    return _by_divergence(events, delta)


def _by_loss_distribution(events: Sequence[GaussianNoise], delta: float) -> float:
    from dp_accounting import pld

    accountant = pld.PLDAccountant(_relation(), value_discretization_interval=_INTERVAL)
    for event in events:
        accountant.compose(_dp_event(event), event.count)
    return float(accountant.get_epsilon(delta))


def _by_divergence(events: Sequence[Event], delta: float) -> float:
    from dp_accounting import rdp

    orders = [1.0 + 10.0 ** (step / 40.0) for step in range(-60, 121)]
    accountant = rdp.RdpAccountant(orders, _relation())
    for event in events:
        if isinstance(event, Allocated):
            total = sum(_divergences(each, np.array(orders)) for each in events)
            return float(rdp.compute_epsilon(orders, total, delta)[0])
        accountant.compose(_dp_event(event), event.count)
    return float(accountant.get_epsilon(delta))


def _divergences(event: Event, orders: FloatArray) -> FloatArray:
    """Return bounds on the Rényi divergences of ``event``, which the library's accountant takes for no event."""
    if isinstance(event, Allocated):
        return divergences(event.rho * event.count, event.groups, orders)
    if isinstance(event, GaussianNoise) and event.rate != 1.0:
        raise GuaranteeError("Sampled noise and secret groups are not accounted for in one run.")
    rho = event.rho if isinstance(event, Concentrated) else 0.5 / event.sigma**2
    return rho * event.count * orders


def _relation() -> Any:
    from dp_accounting import NeighboringRelation

    return NeighboringRelation.ADD_OR_REMOVE_ONE


def _dp_event(event: GaussianNoise | Concentrated) -> Any:
    import dp_accounting

    if isinstance(event, Concentrated):
        return dp_accounting.ZCDpEvent(event.rho)
    noise = dp_accounting.GaussianDpEvent(event.sigma)
    return noise if event.rate == 1.0 else dp_accounting.PoissonSampledDpEvent(event.rate, noise)


def smallest_sigma(events: Callable[[float], tuple[Event, ...]], epsilon: float, delta: float) -> float:
    """Return the smallest noise multiplier, to three digits, at which ``events`` of it cost at most ``epsilon``.

    Raise GuaranteeError where no noise is enough, because what does not depend on it costs more already.
    """
    if not math.isfinite(epsilon):
        raise GuaranteeError("Without a guarantee there is no noise to choose.")

    def excess(log_sigma: float) -> float:
        """The logarithm of what the events cost over what they may; it falls, nearly along a line."""
        return math.log(max(epsilon_of(events(math.exp(log_sigma)), delta), 1e-12) / epsilon)

    low, high = math.log(_SMALLEST), 0.0
    below, above = math.inf, excess(high)
    if above > 0.0 and excess(math.log(_LARGEST)) > 0.0:
        raise GuaranteeError(f"No noise gives epsilon {epsilon:g} at delta {delta:g}; allow more, or do less.")
    while above > 0.0:
        low, below = high, above
        high += math.log(2.0)
        above = excess(high)
    while high - low > _CLOSE and above < -_CLOSE:
        middle = 0.5 * (low + high)
        if math.isfinite(below):  # where the line through both ends crosses 0, and a little further
            crossing = high - above * (high - low) / (above - below)
            middle = min(max(crossing + 0.3 * _CLOSE, low + 0.02 * (high - low)), high - 0.02 * (high - low))
        beyond = excess(middle)
        low, below, high, above = (middle, beyond, high, above) if beyond > 0.0 else (low, below, middle, beyond)
    return math.exp(high)
