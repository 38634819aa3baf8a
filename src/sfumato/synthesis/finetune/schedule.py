"""What a fine-tuning will do and cost, fixed from what is public."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from sfumato.abstract.synthesizer import Order, Schedule
from sfumato.errors import ConfigurationError
from sfumato.privacy.accounting import Event, GaussianNoise, check_delta, smallest_sigma
from sfumato.synthesis.finetune.dp_sgd import Recipe

_STEPS_AN_EPOCH = 10
_FEWEST = 20
"""The fewest units that a training makes any sense for."""

_RATE, _RATE_UNCLIPPED = 0.015, 0.005

_TRAINED = {"cpu": 1.6e10}
_TRAINED_ELSEWHERE = 1e12
"""Weights times pieces in a second of training: docs/benchmarks.md for CPUs; a cautious guess elsewhere."""

_WRITTEN = {"cpu": 2.4e10}
_WRITTEN_ELSEWHERE = 1e12


@dataclass(frozen=True)
class FinetuneSchedule(Schedule):
    """The steps of a fine-tuning.

    Attributes:
        recipe: The parameters of the steps.
        trained: How many numbers are trained.
        about_seconds: An upper estimate of how long training and writing take.
    """

    recipe: Recipe
    trained: int
    about_seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters of the run as JSON types."""
        return {
            **asdict(self.recipe),
            "trained_parameters": self.trained,
            "events": [event.as_dict() for event in self.events],
        }

    @property
    def seconds(self) -> float:
        """Return about how long the run takes if every text is as long as it may be."""
        return self.about_seconds

    @property
    def noise_share(self) -> float:
        """Return the norm of the noise in the mean of all steps, over the largest norm of that mean."""
        recipe = self.recipe
        return recipe.sigma * math.sqrt(self.trained) / (recipe.batch * math.sqrt(recipe.steps))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return a warning where the noise drowns what the records could add up to."""
        if self.noise_share <= 1.0:
            return ()
        return (
            f"Over all steps the noise is {self.noise_share:.1f} times as large as the most that the records could "
            "teach, so the synthetic records will be little better than the base model's own; take more records, a "
            "larger epsilon or more epochs.",
        )


def scheduled(
    order: Order, batch: int | None, epochs: float, steps: int | None, clip: float, learning_rate: float | None
) -> tuple[Recipe, tuple[Event, ...]]:
    """Return the recipe for ``order`` and its events, with the smallest noise that its ε allows.

    Raise ConfigurationError if there are fewer units than a step samples, and GuaranteeError if no noise is enough.
    """
    size = max(1, round(order.units / _STEPS_AN_EPOCH)) if batch is None else batch
    if order.units < size or order.units < _FEWEST:
        raise ConfigurationError(
            f"There are {order.units:,} people or records, fewer than a step takes part of on average "
            f"({max(size, _FEWEST):,}); give more, or a smaller batch (--set batch=N)."
        )
    rate = size / order.units
    count = max(1, round(epochs / rate)) if steps is None else steps
    first = learning_rate if learning_rate is not None else _RATE if order.epsilon is not None else _RATE_UNCLIPPED
    if order.epsilon is None:
        return Recipe(count, size, rate, None, 0.0, float(first)), ()
    check_delta(order.delta, order.units)
    sigma = smallest_sigma(
        lambda multiplier: (*order.spent, GaussianNoise(multiplier, count, rate)), order.epsilon, order.delta
    )
    return Recipe(count, size, rate, float(clip), sigma, float(first)), (GaussianNoise(sigma, count, rate),)


def estimated_seconds(device: str, weights: int, trained_pieces: float, written_pieces: float) -> float:
    """Return about how long a network with so many ``weights`` needs for so many pieces."""
    training = weights * trained_pieces / _TRAINED.get(device, _TRAINED_ELSEWHERE)
    return training + weights * written_pieces / _WRITTEN.get(device, _WRITTEN_ELSEWHERE)
