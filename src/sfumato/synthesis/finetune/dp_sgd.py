r"""DP-SGD over units of privacy (Abadi et al. 2016), with Poisson sampling and a fixed divisor.

Theorem. Step t releases what is computed from S_t + σ·C·Z_t alone, where S_t is the sum over the sampled units of
their gradients, each of norm at most C, and Z_t is standard normal. Each unit is sampled by a coin of its own with
probability q. One unit more changes S_t by at most C, so a step is the Poisson-subsampled Gaussian mechanism with
noise multiplier σ and rate q, for any parameters that the steps before left behind. T steps compose as T events
:class:`~sfumato.privacy.accounting.GaussianNoise`, whose loss distributions the accountant adds. All else (division,
Adam, the average of the parameters) is computed from these sums, and costs nothing.

What is easily got wrong, and is tested:

* The divisor is the *declared* batch, not the number of units that were sampled: that number is private.
* Coins, not a shuffled order: the analysis of Poisson sampling does not hold for batches of fixed size.
* The noise is drawn once a step, however many passes through the network the step takes.
* A step that samples nobody draws its noise and is counted all the same.
* A unit's gradient with a value that is no number counts as zero, and nothing says so.

Every uniform number comes from :class:`~sfumato.abstract.synthesizer.Workspace`, under this step's number. The noisy
sum is rounded to multiples of σ·C·2⁻²⁰ before it is used, so that its last bits, which depend on how sums of
floating-point numbers were rounded, are not released (Mironov 2012).

With noise Adam has no momentum. Its mean of earlier gradients, corrected for its start, gives the first few gradients
most of the weight: with T = 10 steps and a falling rate, the sum of all updates is as noisy as a plain mean of 4.5
gradients. Without momentum it is as noisy as that of 7.9. The second moment stays.

A run that is stopped resumes at its last checkpoint. Steps after that are lost, and are computed again. With the
system's randomness their coins and noise are fresh; with a keyed source they are the same coins and noise for the
same sums. Either way each step that is kept has one draw, because the parameters of lost steps are kept nowhere: a
checkpoint replaces the one before, and nothing but the last leaves the workspace.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from sfumato.abstract.synthesizer import Order, Schedule, Workspace
from sfumato.errors import ConfigurationError
from sfumato.privacy.accounting import Event, GaussianNoise, check_delta, smallest_sigma
from sfumato.privacy.sampling import bernoulli, gaussian
from sfumato.synthesis.finetune.lora import Adapter, clipped_sum
from sfumato.synthesis.finetune.rows import Row, tensors
from sfumato.types import IntArray, in_batches

_PIECES_AT_ONCE = {"cpu": 1 << 10}
_ELSEWHERE = 1 << 14
_ROWS_AT_ONCE = 64
_FINENESS = 2.0**-20
_MOMENTUM, _SQUARES, _TINY = 0.9, 0.999, 1e-8
"""Of Adam: how much of the means of gradients and of their squares each step keeps."""
_STEPS_AN_EPOCH = 10
_FEWEST = 20
"""The fewest units that a training makes any sense for."""
_RATE, _RATE_UNCLIPPED = 0.025, 0.005
_TRAINED = {"cpu": 1.6e10}
_TRAINED_ELSEWHERE = 1e12
"""Weights times pieces in a second of training: docs/benchmarks.md for CPUs; a cautious guess elsewhere."""
_WRITTEN = {"cpu": 2.4e10}
_WRITTEN_ELSEWHERE = 1e12


@dataclass(frozen=True)
class Recipe:
    """The public parameters of the steps.

    Attributes:
        steps: How many there are.
        batch: How many units a step samples on average; what its sum is divided by.
        rate: The probability with which a unit is sampled.
        clip: The largest norm of a unit's gradient; None without a guarantee.
        sigma: The standard deviation of the noise over ``clip``; 0 without a guarantee.
        learning_rate: Of the first step; it falls linearly to zero.
        momentum: How much of the mean of the gradients before each step keeps.
    """

    steps: int
    batch: int
    rate: float
    clip: float | None
    sigma: float
    learning_rate: float
    momentum: float = _MOMENTUM


@dataclass(eq=False)
class Training:
    """Steps of Adam over the trained factors of ``adapter``. ``units`` are PRIVATE, and so are the sums."""

    adapter: Adapter
    recipe: Recipe
    units: Sequence[Sequence[Row]]
    workspace: Workspace
    done: int = 0
    moments: Any = field(init=False)

    def __post_init__(self) -> None:
        import torch

        self.moments = torch.zeros((2, len(self.adapter.trained)), device=self.adapter.vector.device)

    @property
    def state(self) -> dict[str, Any]:
        """Return what the next step depends on."""
        return {"factors": self.adapter.vector, "moments": self.moments}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the ``state`` of a training with the same recipe."""
        self.adapter.vector.copy_(state["factors"])
        self.moments.copy_(state["moments"])

    def step(self) -> None:
        """Take one step: coins, gradients, noise, and one update of Adam."""
        coins = self.workspace.uniforms("finetune: who is sampled", self.done, len(self.units))
        sampled = np.flatnonzero(bernoulli(coins, self.recipe.rate))
        self._update(self._noisy(self.sum_of(sampled)) / self.recipe.batch)
        self.done += 1

    def sum_of(self, sampled: IntArray) -> Any:
        """Return the sum of the sampled units' clipped gradients, float64."""
        import torch

        total = torch.zeros(len(self.adapter.trained), dtype=torch.float64, device=self.adapter.vector.device)
        for group in _groups([self.units[index] for index in sampled]):
            total += clipped_sum(self._gradients(group), self.recipe.clip)
        return total

    def _gradients(self, group: Sequence[Sequence[Row]]) -> Any:
        """Return the gradient of each unit: the mean over its texts of the mean nats a piece, float32."""
        import torch

        device = self.adapter.vector.device
        gradients = torch.zeros((len(group), len(self.adapter.trained)), device=device)
        most = _PIECES_AT_ONCE.get(device.type, _ELSEWHERE)
        for owners, rows, width in _passes(group, most):
            weights = [1.0 / (len(row.learned) * len(group[owner])) for owner, row in zip(owners, rows, strict=True)]
            own = self.adapter.gradients(*tensors(rows, width, device), torch.tensor(weights, device=device))
            gradients.index_add_(0, torch.tensor(owners, device=device), own)
        return gradients

    def _noisy(self, total: Any) -> Any:
        """Return the sum with this step's noise, rounded; as it is without a guarantee."""
        import torch

        if self.recipe.clip is None:
            return total
        deviation = self.recipe.sigma * self.recipe.clip
        drawn = gaussian(self.workspace.uniforms("finetune: noise", self.done, len(total)))
        grid = deviation * _FINENESS
        return torch.round((total + deviation * torch.from_numpy(drawn).to(total.device)) / grid) * grid

    def _update(self, mean: Any) -> None:
        """Take Adam's step along the negative of ``mean``."""
        gradient, betas = mean.float(), (self.recipe.momentum, _SQUARES)
        for moment, beta, power in zip(self.moments, betas, (1, 2), strict=True):
            moment.mul_(beta).add_(gradient**power, alpha=1.0 - beta)
        first, second = (
            moment / (1.0 - beta ** (self.done + 1)) for moment, beta in zip(self.moments, betas, strict=True)
        )
        rate = self.recipe.learning_rate * (1.0 - self.done / self.recipe.steps)
        self.adapter.trained.sub_(rate * first / (second.sqrt() + _TINY))


def _groups(units: Sequence[Sequence[Row]]) -> Iterator[list[Sequence[Row]]]:
    """Yield units of similar width, as many as have at most so many rows at once, or one unit."""
    group: list[Sequence[Row]] = []
    for unit in sorted((unit for unit in units if unit), key=lambda unit: max(row.width for row in unit)):
        if group and sum(map(len, group)) + len(unit) > _ROWS_AT_ONCE:
            yield group
            group = []
        group.append(unit)
    if group:
        yield group


def _passes(group: Sequence[Sequence[Row]], most: int) -> Iterator[tuple[list[int], list[Row], int]]:
    """Yield rows of one width, with the index of the unit of each, at most ``most`` pieces at a time."""
    by_width: dict[int, list[tuple[int, Row]]] = {}
    for owner, unit in enumerate(group):
        for row in unit:
            by_width.setdefault(row.width, []).append((owner, row))
    for width, entries in sorted(by_width.items()):
        for part in in_batches(entries, max(1, most // width)):
            yield [owner for owner, _ in part], [row for _, row in part], width


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
    recipe = Recipe(count, size, rate, float(clip), sigma, float(first), momentum=0.0)
    return recipe, (GaussianNoise(sigma, count, rate),)


def estimated_seconds(device: str, weights: int, trained_pieces: float, written_pieces: float) -> float:
    """Return about how long a network with so many ``weights`` needs for so many pieces."""
    training = weights * trained_pieces / _TRAINED.get(device, _TRAINED_ELSEWHERE)
    return training + weights * written_pieces / _WRITTEN.get(device, _WRITTEN_ELSEWHERE)
