"""What a run of evolve does, fixed from what is public."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.abstract.synthesizer import Order, Schedule
from sfumato.privacy.accounting import Concentrated, check_delta, smallest_sigma

WHOLE = 64
"""The weight of a unit's vote: its votes are integers whose Euclidean norm is at most this."""


@dataclass(frozen=True)
class EvolveSchedule(Schedule):
    """The rounds of a run, and the noise of each.

    Attributes:
        rounds: How often private units vote.
        candidates: How many texts of each control code they vote on.
        codes: How many control codes there are; where values are still to be found, how many at least.
        units: About how many units vote.
        sigma: The σ of the discrete Gaussian noise of one count, in votes; None: no noise.
    """

    rounds: int
    candidates: int
    codes: int
    units: int
    sigma: float | None

    @property
    def variance(self) -> Fraction | None:
        """Return the σ² of the noise, in the integers in which votes are counted; None: no noise."""
        return None if self.sigma is None else (Fraction(self.sigma) * WHOLE) ** 2

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters of the run as JSON types, for the statement and a dry run."""
        return {
            "rounds": self.rounds,
            "candidates_of_a_code": self.candidates,
            "noise": None if self.sigma is None else "discrete Gaussian",
            "noise_multiplier": self.sigma,
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return a warning where the noise of a count is larger than the votes that a candidate gets on average."""
        candidates = self.candidates * self.codes
        average = self.units / candidates
        if average >= max(1.0, self.sigma or 0.0):
            return ()
        noise = "" if self.sigma is None else f", and the noise of each count is {self.sigma:.1f}"
        return (
            f"About {self.units:,} units vote on {candidates:,} candidates: {average:.1f} votes for each{noise}. "
            "Votes will say little; take fewer candidates, rounds or codes, or a larger epsilon.",
        )


def scheduled(order: Order, rounds: int, candidates: int) -> EvolveSchedule:
    """Return the schedule with the least noise that ``order`` allows.

    Raise GuaranteeError where no noise is enough, ConfigurationError for a delta that protects nobody.
    """
    events: tuple[Concentrated, ...] = ()
    sigma = None
    if order.epsilon is not None:
        check_delta(order.delta, order.units)
        sigma = smallest_sigma(lambda tried: (*order.spent, cost(tried, rounds)), order.epsilon, order.delta)
        events = (cost(sigma, rounds),)
    return EvolveSchedule(events, rounds, candidates, order.least_codes, order.units, sigma)


def cost(sigma: float, rounds: int) -> Concentrated:
    """Return the event of ``rounds`` histograms with discrete Gaussian noise of ``sigma`` votes.

    Each is 1/(2σ²)-zero-concentrated DP for one unit (:mod:`sfumato.privacy.discrete_noise`), rounded up.
    """
    return Concentrated(math.nextafter(0.5 / sigma / sigma, math.inf) * (1.0 + 2.0**-50), rounds)
