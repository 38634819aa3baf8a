"""The method as a whole: schedule, training, checkpoints, writing, and the saved model."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripted_models import ScriptedCausal
from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.errors import ConfigurationError, GuaranteeError, InputError, OutputError
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.options.option import undescribed
from sfumato.privacy.accounting import GaussianNoise, epsilon_of
from sfumato.privacy.randomness import SeededRandomness, SystemRandomness
from sfumato.synthesis.finetune.dp_sgd import Training
from sfumato.synthesis.finetune.finetune import Finetune
from sfumato.synthesis.finetune.tuned import FACTS, WEIGHTS

from .conftest import made_units

pytestmark = pytest.mark.models


def small(model: Any, **options: Any) -> Finetune:
    return Finetune(model, **{"rank": 2, "batch": 20, "steps": 4, "length": 16, "learning_rate": 0.05, **options})


def test_events_are_the_steps_and_fit_the_budget(model: TransformersCausal, order: Order) -> None:
    spent = (GaussianNoise(20.0),)
    schedule = small(model).schedule(replace(order, spent=spent))
    assert schedule.events == (GaussianNoise(schedule.recipe.sigma, 4, 20 / 60),)
    together = epsilon_of((*spent, *schedule.events), order.delta)
    assert 0.98 * 8.0 < together <= 8.0


def test_default_steps_follow_from_the_declared_units(model: TransformersCausal, order: Order) -> None:
    recipe = small(model, batch=None, steps=None, epochs=2.0).schedule(replace(order, units=5000)).recipe
    assert (recipe.batch, recipe.steps, recipe.rate) == (500, 20, 0.1)


def test_without_a_guarantee_there_is_no_event_noise_or_clip(model: TransformersCausal, order: Order) -> None:
    schedule = small(model).schedule(replace(order, epsilon=None))
    assert (schedule.events, schedule.recipe.sigma, schedule.recipe.clip) == ((), 0.0, None)


def test_too_few_units_are_refused(model: TransformersCausal, order: Order) -> None:
    with pytest.raises(ConfigurationError, match="fewer than a step"):
        small(model).schedule(replace(order, units=19))


def test_a_delta_that_shows_somebody_is_refused(model: TransformersCausal, order: Order) -> None:
    with pytest.raises(ConfigurationError, match="delta"):
        small(model).schedule(replace(order, delta=0.02))


def test_a_budget_that_is_spent_already_is_refused(model: TransformersCausal, order: Order) -> None:
    with pytest.raises(GuaranteeError):
        small(model).schedule(replace(order, spent=(GaussianNoise(0.2),)))


def test_noise_that_drowns_the_records_is_said(model: TransformersCausal, order: Order) -> None:
    few = small(model).schedule(replace(order, epsilon=0.5))
    assert len(few.warnings) == 1
    many = small(model, batch=50_000, steps=50).schedule(replace(order, units=1_000_000, delta=1e-7))
    assert many.warnings == ()
    assert json.dumps(many.as_dict())
    assert many.seconds > 0


def test_a_text_that_does_not_fit_the_window_is_refused(model: TransformersCausal, order: Order) -> None:
    with pytest.raises(ConfigurationError, match="window"):
        small(model, length=600).schedule(order)


def test_a_model_without_a_network_is_refused(order: Order) -> None:
    with pytest.raises(ConfigurationError, match="network"):
        small(ScriptedCausal()).schedule(order)


def test_options_are_described_and_checked(model: TransformersCausal) -> None:
    assert undescribed(Finetune) == ()
    for wrong in ({"rank": 0}, {"batch": 1.5}, {"clip": 0.0}, {"top_p": 1.5}, {"temperature": float("nan")}):
        with pytest.raises(ConfigurationError):
            small(model, **wrong)


def run(method: Finetune, order: Order, workspace: Workspace, units: list[Unit] | None = None) -> Any:
    units = made_units(60) if units is None else units
    return method.trained(order, method.schedule(order), units, workspace)


def test_training_moves_the_factors_and_the_network_stays(
    model: TransformersCausal, order: Order, workspace: Workspace
) -> None:
    before = {name: weight.clone() for name, weight in model.network.named_parameters()}
    method = small(model)
    method._adapter.initialise(1)
    ups = [method._adapter.up(layer) for layer in method._adapter.layers]
    assert all(not up.any() for up in ups)
    run(method, order, workspace)
    assert all(up.any() for up in ups)
    assert all((weight == before[name]).all() for name, weight in model.network.named_parameters())


def test_without_a_guarantee_it_learns_the_records(
    model: TransformersCausal, order: Order, workspace: Workspace
) -> None:
    units = [Unit(("the old baker",), (0,))] * 60
    free = replace(order, epsilon=None)
    tuned = run(small(model, steps=60, top_p=0.5), free, workspace, units)
    texts = list(tuned.write([0] * 20))
    assert texts.count("the old baker") >= 15


def test_a_second_training_does_not_change_the_first_model(
    model: TransformersCausal, order: Order, workspace: Workspace, tmp_path: Path
) -> None:
    method = small(model)
    first = run(method, order, workspace)
    factors, texts = first.adapter.vector.clone(), list(first.write([0, 1] * 4))
    other = tmp_path / "other"
    other.mkdir()
    second = run(method, order, replace(workspace, folder=other, randomness=SeededRandomness(4)), made_units(40))
    assert (second.adapter.vector != factors).any()
    assert (first.adapter.vector == factors).all()
    assert list(first.write([0, 1] * 4)) == texts


@pytest.mark.parametrize("stop", [0, 1, 3, 4])
def test_a_resumed_training_is_the_training_that_was_not_stopped(
    model: TransformersCausal, order: Order, workspace: Workspace, stop: int,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    whole = run(small(model), order, workspace).adapter.vector.clone()
    other = tmp_path / "other"
    other.mkdir()
    again = replace(workspace, folder=other)
    step = Training.step

    def stopped(training: Training) -> None:
        if training.done == stop:
            raise KeyboardInterrupt
        step(training)

    with monkeypatch.context() as patched:
        patched.setattr(Training, "step", stopped)
        if stop < 4:
            with pytest.raises(KeyboardInterrupt):
                run(small(model), order, again)
        else:
            run(small(model), order, again)
    resumed = run(small(model), order, again).adapter.vector
    assert (resumed == whole).all()


def test_the_systems_randomness_draws_a_lost_step_afresh(
    model: TransformersCausal, order: Order, workspace: Workspace
) -> None:
    system = replace(workspace, randomness=SystemRandomness())
    first = run(small(model), order, system).adapter.vector.clone()
    (workspace.folder / "finetune.safetensors").unlink()
    assert (run(small(model), order, system).adapter.vector != first).any()


@pytest.mark.parametrize("what", ["input", "steps", "codes", "setting", "epsilon"])
def test_another_run_is_not_resumed(model: TransformersCausal, order: Order, workspace: Workspace, what: str) -> None:
    run(small(model), order, workspace)
    units, method = made_units(60), small(model)
    if what == "input":
        units[7] = Unit(("another text",), (0,))
    elif what == "steps":
        method = small(model, steps=5)
    elif what == "codes":
        order = replace(order, codes=("topic: move", "topic: other"))
    elif what == "epsilon":
        order = replace(order, epsilon=4.0)
    else:
        workspace = replace(workspace, setting="other")
    with pytest.raises(ConfigurationError, match="another input"):
        run(method, order, workspace, units)


def test_under_one_key_other_records_draw_other_noise(
    model: TransformersCausal, order: Order, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two releases that shared their noise would disclose the difference of their sums."""
    monkeypatch.setattr(Training, "sum_of", lambda training, _: 0 * training.adapter.trained.double())
    noise: list[Any] = []
    monkeypatch.setattr(Training, "_update", lambda _, mean: noise.append(mean))
    for last in ("a text", "a text", "another text"):
        run(small(model, steps=1), order, workspace, [*made_units(59), Unit((last,), (0,))])
        (workspace.folder / "finetune.safetensors").unlink()
    assert (noise[0] == noise[1]).all()
    assert (noise[0] != noise[2]).float().mean() > 0.9


def test_a_broken_checkpoint_is_an_error_without_content(
    model: TransformersCausal, order: Order, workspace: Workspace
) -> None:
    run(small(model), order, workspace)
    path = workspace.folder / "finetune.safetensors"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(OutputError, match="cannot be read"):
        run(small(model), order, workspace)


def test_only_the_owner_reads_the_checkpoint_and_it_is_the_only_file(
    model: TransformersCausal, order: Order, workspace: Workspace
) -> None:
    run(small(model), order, workspace)
    (path,) = workspace.folder.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert b"baker" not in path.read_bytes()


def test_texts_are_of_the_seed_and_not_of_their_neighbours(
    model: TransformersCausal, order: Order, workspace: Workspace
) -> None:
    tuned = run(small(model), order, workspace)
    texts = list(tuned.write([0, 1, 0, 1, 1]))
    assert len(texts) == 5
    assert len(set(texts)) > 1
    assert list(tuned.write([0, 1, 0, 1, 1])) == texts
    assert list(tuned.write([1, 1], first=3)) == texts[3:]


def test_a_synthesis_goes_on_from_a_finished_training(
    model: TransformersCausal, order: Order, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    method, units = small(model), made_units(60)
    schedule = method.schedule(order)
    shares: list[float] = []
    texts = list(method.synthesize(order, schedule, units, [0, 1, 1], workspace, shares.append))
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    monkeypatch.setattr(Training, "step", lambda _: pytest.fail("a step was paid twice"))
    assert list(method.synthesize(order, schedule, units, [0, 1, 1], workspace)) == texts


def test_no_special_piece_is_written(model: TransformersCausal, order: Order, workspace: Workspace) -> None:
    tuned = run(small(model), order, workspace)
    assert not any("<|" in text for text in tuned.write([0] * 50))


@pytest.fixture
def kept(model: TransformersCausal, order: Order, workspace: Workspace, tmp_path: Path) -> tuple[Any, Path]:
    tuned = run(small(model), order, workspace)
    tuned = replace(tuned, facts={**tuned.facts, "statement": {"epsilon": 8.0}})
    tuned.save(tmp_path / "model")
    return tuned, tmp_path / "model"


def test_a_saved_model_writes_the_same_texts(kept: tuple[Any, Path], folder: Path) -> None:
    tuned, place = kept
    texts = list(tuned.write([0, 1, 1]))
    tuned.adapter.vector.zero_()
    base = TransformersCausal(str(folder), device="cpu")
    again = Finetune(base).from_saved(place, tuned.seed)
    assert list(again.write([0, 1, 1])) == texts
    assert again.codes == tuned.codes
    assert again.facts["statement"] == {"epsilon": 8.0}
    assert again.facts["schedule"]["steps"] == 4


def test_only_the_owner_reads_it(kept: tuple[Any, Path]) -> None:
    for name in (WEIGHTS, FACTS):
        assert stat.S_IMODE((kept[1] / name).stat().st_mode) == 0o600


def test_another_base_model_is_refused(kept: tuple[Any, Path], tmp_path: Path, model: TransformersCausal) -> None:
    import tiny_causal

    other = tiny_causal.saved(tiny_causal.gpt2(), tmp_path / "gpt2", chat=False)
    with pytest.raises(ConfigurationError, match="fine-tuned from"):
        Finetune(TransformersCausal(str(other), device="cpu")).from_saved(kept[1])


@pytest.mark.parametrize("harm", ["flipped", "missing", "no json", "other rank", "other form"])
def test_a_model_that_was_changed_is_refused(kept: tuple[Any, Path], model: TransformersCausal, harm: str) -> None:
    place = kept[1]
    weights, facts = place / WEIGHTS, place / FACTS
    if harm == "flipped":
        content = bytearray(weights.read_bytes())
        content[-1] ^= 1
        weights.write_bytes(bytes(content))
    elif harm == "missing":
        weights.unlink()
    elif harm == "no json":
        facts.write_text("[")
    else:
        told = json.loads(facts.read_text())
        told["rank" if harm == "other rank" else "form"] = 3
        facts.write_text(json.dumps(told))
    with pytest.raises(InputError, match="model"):
        Finetune(model).from_saved(place)


def test_seeds_differ(model: TransformersCausal, order: Order, workspace: Workspace) -> None:
    """A keyed source draws by the setting of the workspace."""
    first = run(small(model), order, workspace).adapter.vector.clone()
    (workspace.folder / "finetune.safetensors").unlink()
    other = replace(workspace, randomness=SeededRandomness(4))
    assert (run(small(model), order, other).adapter.vector != first).any()


def test_a_training_with_noise_has_no_momentum(model: TransformersCausal, order: Order) -> None:
    assert small(model).schedule(order).recipe.momentum == 0.0
    assert small(model).schedule(replace(order, epsilon=None)).recipe.momentum == 0.9
