"""One step of DP-SGD: who is sampled, what is summed, noise and divisor, and the usual mistakes seen."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sfumato.abstract.synthesizer import Unit, Workspace
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.privacy.sampling import bernoulli
from sfumato.synthesis.finetune.dp_sgd import Recipe, Training, _groups, _passes
from sfumato.synthesis.finetune.lora import Adapter, clipped_sum
from sfumato.synthesis.finetune.rows import rows_of
from sfumato.types import FloatArray, IntArray

from .conftest import made_units

pytestmark = pytest.mark.models
RECIPE = Recipe(steps=50, batch=10, rate=0.25, clip=0.5, sigma=2.0, learning_rate=0.01)


@pytest.fixture
def training(model: TransformersCausal, workspace: Workspace) -> Training:
    adapter = Adapter(model.network, 2, 4.0)
    adapter.initialise(1)
    return Training(adapter, RECIPE, rows_of(model, ("a", "b"), made_units(40), 16), workspace)


def test_it_is_the_sum_of_each_units_clipped_gradient(training: Training) -> None:
    sampled = np.arange(0, 40, 3)
    alone = sum(training.sum_of(np.array([index])) for index in sampled)
    together = training.sum_of(sampled)
    assert float((together - alone).norm() / alone.norm()) < 1e-5


def test_one_unit_adds_at_most_the_clip(training: Training) -> None:
    norms = [float(training.sum_of(np.array([index])).norm()) for index in range(10)]
    assert max(norms) <= 0.5
    assert max(norms) > 0.4999, "the bound is reached, or this shows nothing"


def test_a_person_is_clipped_as_one(model: TransformersCausal, training: Training) -> None:
    texts = ("the old baker", "she told the bank", "the tram " * 20, "")
    person = rows_of(model, ("a", "b"), [Unit(texts, (0, 1, 0, 1))], 64)
    records = [
        rows_of(model, ("a", "b"), [Unit((text,), (code,))], 64)[0]
        for text, code in zip(texts, (0, 1, 0, 1), strict=True)
    ]
    training = replace(training, units=[*person, *records], recipe=replace(RECIPE, clip=None))
    mean = sum(training.sum_of(np.array([index])) for index in range(1, 5)) / 4
    assert float((training.sum_of(np.array([0])) - mean).norm() / mean.norm()) < 1e-5
    clipped = replace(training, recipe=RECIPE).sum_of(np.array([0]))
    assert float((clipped - 0.5 * mean / mean.norm()).norm()) < 1e-5


def test_a_person_with_most_of_the_records_adds_no_more(model: TransformersCausal, training: Training) -> None:
    many = rows_of(model, ("a", "b"), made_units(1, texts=300), 16)
    assert float(replace(training, units=many).sum_of(np.array([0])).norm()) <= 0.5


def test_a_unit_without_texts_adds_nothing(model: TransformersCausal, training: Training) -> None:
    training = replace(training, units=[[], *training.units])
    assert not training.sum_of(np.array([0])).any()


def test_a_gradient_that_is_no_number_adds_nothing_and_the_step_goes_on(
    training: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    gradients = Adapter.gradients

    def odd(adapter: Adapter, ids: Any, targets: Any, weights: Any) -> Any:
        found = gradients(adapter, ids, targets, weights)
        found[0, 0] = math.nan
        return found

    sound = training.sum_of(np.array([3, 5, 7]))
    monkeypatch.setattr(Adapter, "gradients", odd)
    assert not training.sum_of(np.array([3])).any()
    spoilt = training.sum_of(np.array([3, 5, 7]))
    assert np.isfinite(spoilt.numpy()).all()
    assert (spoilt != sound).any()
    training.step()
    assert np.isfinite(training.adapter.vector.numpy()).all()


def test_passes_hold_every_row_once_and_rows_of_one_width(model: TransformersCausal) -> None:
    units = rows_of(model, ("a", "b"), made_units(150, texts=3), 40)
    seen = 0
    for group in _groups(units):
        for owners, rows, width in _passes(group, 128):
            assert {row.width for row in rows} == {width}
            assert len(rows) * width <= 128 or len(rows) == 1
            assert all(row in group[owner] for owner, row in zip(owners, rows, strict=True))
            seen += len(rows)
    assert seen == 450


def still(training: Training) -> Training:
    """A training whose sums are zero, so that what a step adds is its noise alone."""
    training.__dict__["sum_of"] = lambda sampled: _zero(training)
    return training


def _zero(training: Training) -> Any:
    import torch

    return torch.zeros(len(training.adapter.trained), dtype=torch.float64)


def means(training: Training, steps: int) -> FloatArray:
    """What each step hands to Adam, shape (steps, trained)."""
    seen: list[FloatArray] = []
    training.__dict__["_update"] = lambda mean: seen.append(mean.numpy())
    for _ in range(steps):
        training.step()
    return np.array(seen)


def noise_is_right(found: FloatArray, deviation: float) -> bool:
    """Whether numbers are normal with this deviation: variance within 5 standard errors, and a Kolmogorov test."""
    from scipy.stats import kstest

    flat = found.ravel() / deviation
    error = math.sqrt(2.0 / len(flat))
    return abs(flat.var() - 1.0) < 5.0 * error and kstest(flat, "norm").pvalue > 1e-4


EXPECTED = RECIPE.sigma * 0.5 / RECIPE.batch


def test_its_deviation_is_sigma_times_clip_over_the_declared_batch(training: Training) -> None:
    assert noise_is_right(means(still(training), 20), EXPECTED)


@pytest.mark.parametrize("mistake", ["an eighth", "every pass", "actual batch", "no clip"])
def test_wrong_noise_is_seen(training: Training, mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    still(training)
    if mistake == "an eighth":
        training.recipe = replace(RECIPE, sigma=RECIPE.sigma / 8)
    elif mistake == "no clip":
        training.recipe = replace(RECIPE, clip=1.0)
    elif mistake == "every pass":
        noisy = training._noisy
        training.__dict__["_noisy"] = lambda total: noisy(total) + replace(training, done=99)._noisy(total)
    else:
        noisy = training._noisy
        training.__dict__["_noisy"] = lambda total: noisy(total) * RECIPE.batch / max(1, _sampled(training))
    assert not noise_is_right(means(training, 20), EXPECTED)


def test_it_is_drawn_once_whatever_the_number_of_passes(training: Training, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int, int]] = []
    uniforms = Workspace.uniforms

    def counted(workspace: Workspace, purpose: str, number: int, count: int) -> FloatArray:
        asked.append((purpose, number, count))
        return uniforms(workspace, purpose, number, count)

    monkeypatch.setattr(Workspace, "uniforms", counted)
    monkeypatch.setattr("sfumato.synthesis.finetune.dp_sgd._ROWS_AT_ONCE", 2)
    training.step()
    trained = len(training.adapter.trained)
    assert asked == [("finetune: who is sampled", 0, 40), ("finetune: noise", 0, trained)]


def test_steps_share_no_noise(training: Training) -> None:
    first, second = means(still(training), 2)
    assert (first == second).mean() < 0.01
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.2


def test_an_empty_step_draws_its_noise_and_counts(training: Training) -> None:
    training.recipe = replace(RECIPE, rate=1e-12)
    assert noise_is_right(means(training, 20), EXPECTED)
    assert training.done == 20


def test_the_sum_is_rounded_to_a_public_grid(training: Training) -> None:
    grid = RECIPE.sigma * 0.5 * 2.0**-20
    found = means(training, 3) * RECIPE.batch / grid
    assert np.abs(found - np.round(found)).max() < 1e-6
    assert np.abs(found).max() > 1e5


def test_without_a_guarantee_there_is_none(training: Training) -> None:
    training.recipe = replace(RECIPE, clip=None, sigma=0.0)
    assert not means(still(training), 3).any()


def _sampled(training: Training) -> int:
    coins = training.workspace.uniforms("finetune: who is sampled", training.done, len(training.units))
    return int(bernoulli(coins, RECIPE.rate).sum())


def sampling_is_poisson(sampled: Callable[[int], IntArray], units: int, steps: int, rate: float) -> bool:
    """Whether sizes vary as a binomial's do, units fare alike, and two units meet as often as by chance."""
    taken = np.zeros((steps, units))
    for step in range(steps):
        taken[step, sampled(step)] = 1.0
    sizes = taken.sum(axis=1)
    spread = sizes.var() / (units * rate * (1.0 - rate))
    shares = taken.mean(axis=0)
    error = math.sqrt(rate * (1.0 - rate) / steps)
    again = (taken[1:] * taken[:-1]).mean() / rate**2
    return bool(
        abs(spread - 1.0) < 5.0 * math.sqrt(2.0 / steps)
        and np.abs(shares - rate).max() < 5.0 * error
        and abs(again - 1.0) < 0.1
    )


STEPS, UNITS, RATE = 400, 40, 0.25


def test_each_unit_has_a_coin_of_its_own(training: Training) -> None:
    seen: list[IntArray] = []
    training.__dict__["sum_of"] = lambda sampled: (seen.append(sampled), _zero(training))[1]
    training.recipe = replace(RECIPE, steps=10_000)
    for _ in range(STEPS):
        training.step()
    assert sampling_is_poisson(lambda step: seen[step], UNITS, STEPS, RATE)


@pytest.mark.parametrize("mistake", ["fixed size", "shuffled epochs", "double rate"])
def test_wrong_sampling_is_seen(mistake: str) -> None:
    dice = np.random.default_rng(1)
    order = dice.permutation(UNITS)

    def sampled(step: int) -> IntArray:
        if mistake == "fixed size":
            return dice.choice(UNITS, 10, replace=False)
        if mistake == "double rate":
            return np.flatnonzero(dice.random(UNITS) < 0.5)
        if step % 4 == 0:
            dice.shuffle(order)
        return order[10 * (step % 4) : 10 * (step % 4) + 10]

    assert not sampling_is_poisson(sampled, UNITS, STEPS, RATE)


def test_bernoulli_is_exact_at_the_ends() -> None:
    uniforms = np.array([2.0**-120, 0.25, 0.2500001, 1.0])
    assert bernoulli(uniforms, 0.25).tolist() == [True, True, False, False]
    assert bernoulli(uniforms, 1.0).all()
    assert not bernoulli(uniforms, 0.0).any()


def test_the_step_is_adams(training: Training) -> None:
    """The update of torch's own Adam, for the same gradients and falling rates."""
    import torch

    weight = torch.nn.Parameter(training.adapter.trained.clone())
    adam = torch.optim.Adam([weight], lr=1.0)
    dice = torch.Generator().manual_seed(1)
    for step in range(5):
        gradient = torch.randn(len(weight), generator=dice, dtype=torch.float64)
        adam.param_groups[0]["lr"] = RECIPE.learning_rate * (1.0 - step / RECIPE.steps)
        weight.grad = gradient.float()
        adam.step()
        training._update(gradient)
        training.done += 1
    assert torch.allclose(training.adapter.trained, weight.detach(), atol=1e-6)


def test_clipped_sum_is_what_the_training_uses(training: Training, monkeypatch: pytest.MonkeyPatch) -> None:
    """A training without clipping adds more than the bound, so the tests above have power."""
    monkeypatch.setattr(
        "sfumato.synthesis.finetune.dp_sgd.clipped_sum", lambda gradients, bound: clipped_sum(gradients, None)
    )
    assert max(float(training.sum_of(np.array([index])).norm()) for index in range(10)) > 0.5


@pytest.mark.parametrize(("momentum", "least", "most"), [(0.9, 4.4, 4.5), (0.0, 7.8, 7.9)])
def test_without_momentum_more_gradients_share_in_the_sum_of_updates(
    model: TransformersCausal, workspace: Workspace, momentum: float, least: float, most: float
) -> None:
    """The weight of each gradient in the sum of all updates, seen with a second moment that is held at 1."""
    import torch

    steps = 10
    adapter, weights = Adapter(model.network, 2, 4.0), []
    for number in range(steps):
        training = Training(adapter, replace(RECIPE, steps=steps, momentum=momentum), [], workspace)
        adapter.vector.zero_()
        for step in range(steps):
            mean = torch.full((len(adapter.trained),), float(step == number), dtype=torch.float64)
            training.moments[1] = (1.0 - 0.999 ** (step + 1) - 0.001 * float(step == number)) / 0.999
            training._update(mean)
            training.done += 1
        weights.append(-float(adapter.trained[0]))
    told = np.array(weights)
    assert least < told.sum() ** 2 / (told**2).sum() < most
