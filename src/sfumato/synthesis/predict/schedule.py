"""What a run will do, from what is public alone: how large a group is, and how many tokens it may write."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfumato.abstract.synthesizer import Order, Schedule
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.accounting import Allocated, epsilon_of, smallest_sigma
from sfumato.synthesis.predict.law import ROUNDING, TokenLaw

LEAST_SIZE, MOST_SIZE = 8, 64
"""The group sizes that are tried where none is given: smaller is closer to the records, larger is cheaper."""

_FEW_GROUPS = 8

_READ, _WRITTEN = {"cpu": 5e10}, {"cpu": 1e10}
"""Weights times pieces in a second, of a prompt and of a text: measured with SmolLM2-135M on one core."""
_ELSEWHERE = 1e12


@dataclass(frozen=True)
class PredictSchedule(Schedule):
    """What a run of `predict` does.

    Attributes:
        law: The law of one token.
        groups: How many groups the units fall into.
        choices: The fewest groups that a unit draws its own among.
        texts_per_group: The most texts that one group writes.
        length: The most tokens of a text, the end among them.
        wanted: How many texts are written.
        about_seconds: An upper estimate of how long that takes; None for a model whose size is not known.
    """

    law: TokenLaw
    groups: int
    choices: int
    texts_per_group: int
    length: int
    wanted: int
    about_seconds: float | None = None

    @property
    def seconds(self) -> float | None:
        """Return about how long the run takes if records and texts are as long as they may be."""
        return self.about_seconds

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters as JSON types."""
        return {
            "group_size": self.law.group_size,
            "groups": self.groups,
            "a_unit_draws_among": self.choices,
            "texts_per_group": self.texts_per_group,
            "tokens_per_text": self.length,
            "tokens_per_group": self.texts_per_group * self.length,
            "clip": self.law.clip,
            "temperature": self.law.temperature,
            "top_k": self.law.top_k,
            "model_steps": self.wanted * self.length * (self.law.group_size + 1),
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return that there are few groups, if so."""
        if self.groups >= _FEW_GROUPS:
            return ()
        return (
            f"All texts are written by {self.groups} groups of about {self.law.group_size}, so they will differ "
            "little in content; ask for fewer texts or allow a larger epsilon, and groups can be smaller.",
        )


def scheduled(
    order: Order, law: TokenLaw, sizes: Sequence[int], length: int, most_clip: float | None = None
) -> PredictSchedule:
    """Return the schedule for the first of ``sizes`` of a group that the budget of ``order`` allows, with ``law``.

    What is left of the budget then raises the clip of ``law``, up to ``most_clip``.

    Raise ConfigurationError if there are fewer units than a group has, or if no size fits the budget. Raise
    GuaranteeError if what is spent already leaves nothing.
    """
    possible = [size for size in sizes if size <= order.units]
    if not possible:
        raise ConfigurationError(
            f"{order.units:,} people or records are too few for a group of {sizes[0]}; this method needs several "
            "groups, so give more records."
        )
    plans = [_plan(order, replace(law, group_size=size), length) for size in possible]
    if order.epsilon is None:
        return plans[0]
    if epsilon_of(order.spent, order.delta) > order.epsilon:
        raise GuaranteeError(f"What is spent on codes costs more than epsilon {order.epsilon:g}; allow more.")
    for plan in plans:
        if _fits(order, plan):
            return _checked(order, plan if most_clip is None else _raised(order, plan, most_clip))
    raise ConfigurationError(_too_much(order, plans[-1]))


def timed(plan: PredictSchedule, network: Any, private: int, public: int) -> PredictSchedule:
    """Return ``plan`` with the time that the torch ``network`` needs for it; as it is without a network.

    ``private`` and ``public`` are the pieces of a prompt with a record and of one without.
    """
    if network is None:
        return plan
    weights = list(network.parameters())
    size, device = sum(weight.numel() for weight in weights), weights[0].device.type
    read = plan.wanted * (plan.law.group_size * private + public)
    written = plan.wanted * plan.length * (plan.law.group_size + 1)
    seconds = size * (read / _READ.get(device, _ELSEWHERE) + written / _WRITTEN.get(device, _ELSEWHERE))
    return replace(plan, about_seconds=seconds)


def choices_among(groups: int, codes: int) -> int:
    """Return the fewest groups that a unit is to draw among, where there are so many ``codes`` or more.

    Without codes these are all ``groups``. With codes it is half of an even share: more would cost less, but codes
    that are rarer would have no groups of their own.
    """
    return groups if codes == 1 else max(1, groups // (2 * codes))


def _plan(order: Order, law: TokenLaw, length: int) -> PredictSchedule:
    groups = order.units // law.group_size
    texts, choices = -(-order.wanted // groups), choices_among(groups, order.least_codes)
    events = () if law.clip is None else (Allocated(law.rho, texts * length, choices),)
    return PredictSchedule(events, law, groups, choices, texts, length, order.wanted)


def largest_rho(order: Order, choices: int) -> float:
    """Return the ρ that the budget leaves for a group, of ``choices``, beside what is spent."""
    assert order.epsilon is not None
    sigma = smallest_sigma(
        lambda sigma: (*order.spent, Allocated(0.5 / sigma**2, 1, choices)), order.epsilon, order.delta
    )  # normal noise of sigma is 1/(2 sigma²)-zCDP, so that one search serves both
    return 0.5 / sigma**2


def _fits(order: Order, plan: PredictSchedule) -> bool:
    assert order.epsilon is not None
    return epsilon_of((*order.spent, *plan.events), order.delta) <= order.epsilon


def _raised(order: Order, plan: PredictSchedule, most_clip: float) -> PredictSchedule:
    """Return ``plan`` with the largest clip up to ``most_clip``, to three decimals, that the budget allows."""
    law = plan.law
    rho = largest_rho(order, plan.choices) / (plan.texts_per_group * plan.length)
    affordable = law.group_size * (law.temperature * math.sqrt(2.0 * rho) - ROUNDING)
    clip = min(most_clip, math.floor(1000.0 * affordable) / 1000.0)
    return plan if law.clip is None or clip <= law.clip else _plan(order, replace(law, clip=clip), plan.length)


def _checked(order: Order, plan: PredictSchedule) -> PredictSchedule:
    if not _fits(order, plan):
        raise GuaranteeError("The tokens that were planned cost more than the budget; report this.")
    return plan


def _too_much(order: Order, plan: PredictSchedule) -> str:
    most = largest_rho(order, plan.choices)
    fit = int(most / (plan.length * plan.law.rho)) * plan.groups
    needed = _size_that_fits(order, plan)
    larger = "" if needed is None else f", or allow groups of {needed} (group-size), whose texts are less specific"
    return (
        f"{order.wanted:,} texts of up to {plan.length} tokens do not fit into epsilon {order.epsilon:g} with groups "
        f"of {plan.law.group_size}; {fit:,} do. Ask for fewer or shorter texts (length), allow a larger "
        f"epsilon{larger}."
    )


def _size_that_fits(order: Order, plan: PredictSchedule) -> int | None:
    """Return a size that fits where one less does not, above that of ``plan``; None if there is none."""
    below, fits = plan.law.group_size, order.units
    if below >= fits or not _fits(order, _plan(order, replace(plan.law, group_size=fits), plan.length)):
        return None
    while fits - below > 1:
        size = (below + fits) // 2
        if _fits(order, _plan(order, replace(plan.law, group_size=size), plan.length)):
            fits = size
        else:
            below = size
    return fits
