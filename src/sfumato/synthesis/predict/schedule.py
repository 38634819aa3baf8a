"""What a run will do, from what is public alone: how large a group is, and how many tokens it may write."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfumato.abstract.synthesizer import Order, Schedule
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.accounting import Concentrated, epsilon_of, smallest_sigma
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
        texts_per_group: The most texts that one group writes.
        length: The most tokens of a text, the end among them.
        wanted: How many texts are written.
        about_seconds: An upper estimate of how long that takes; None for a model whose size is not known.
    """

    law: TokenLaw
    groups: int
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
    most = largest_rho(order)
    for plan in plans:
        if plan.texts_per_group * plan.length * plan.law.rho <= most:
            return _checked(order, plan if most_clip is None else _raised(order, plan, most, most_clip))
    raise ConfigurationError(_too_much(order, plans[-1], most))


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


def _plan(order: Order, law: TokenLaw, length: int) -> PredictSchedule:
    groups = order.units // law.group_size
    texts = -(-order.wanted // groups)
    events = () if law.clip is None else (Concentrated(law.rho, texts * length),)
    return PredictSchedule(events, law, groups, texts, length, order.wanted)


def largest_rho(order: Order) -> float:
    """Return the ρ that the budget leaves for a group, beside what is spent."""
    assert order.epsilon is not None
    sigma = smallest_sigma(
        lambda sigma: (*order.spent, Concentrated(0.5 / sigma**2)), order.epsilon, order.delta
    )  # normal noise of sigma is 1/(2 sigma²)-zCDP, so that one search serves both
    return 0.5 / sigma**2


def _raised(order: Order, plan: PredictSchedule, most: float, most_clip: float) -> PredictSchedule:
    """Return ``plan`` with the largest clip up to ``most_clip``, to three decimals, that costs ``most``."""
    law = plan.law
    rho = most / (plan.texts_per_group * plan.length)
    affordable = law.group_size * (law.temperature * math.sqrt(2.0 * rho) - ROUNDING)
    clip = min(most_clip, math.floor(1000.0 * affordable) / 1000.0)
    return plan if law.clip is None or clip <= law.clip else _plan(order, replace(law, clip=clip), plan.length)


def _checked(order: Order, plan: PredictSchedule) -> PredictSchedule:
    if order.epsilon is None or epsilon_of((*order.spent, *plan.events), order.delta) > order.epsilon:
        raise GuaranteeError("The tokens that were planned cost more than the budget; report this.")
    return plan


def _too_much(order: Order, plan: PredictSchedule, most: float) -> str:
    fit = int(most / (plan.length * plan.law.rho)) * plan.groups
    needed = next(
        (
            size
            for size in range(plan.law.group_size + 1, order.units + 1)
            if (other := _plan(order, replace(plan.law, group_size=size), plan.length)).texts_per_group
            * other.length
            * other.law.rho
            <= most
        ),
        None,
    )
    larger = "" if needed is None else f", or allow groups of {needed} (group-size), whose texts are less specific"
    return (
        f"{order.wanted:,} texts of up to {plan.length} tokens do not fit into epsilon {order.epsilon:g} with groups "
        f"of {plan.law.group_size}; {fit:,} do. Ask for fewer or shorter texts (length), allow a larger "
        f"epsilon{larger}."
    )
