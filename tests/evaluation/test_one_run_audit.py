"""The audit of training steps: sound steps are not refuted, and steps with a mistake are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sfumato.attacks.distinguishing import Guessed
from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.training import OneRun, numbers_of_guesses, one_run
from sfumato.privacy.randomness import SeededRandomness
from sfumato.privacy.sampling import gaussian

pytest.importorskip("torch")
pytest.importorskip("transformers")
from sfumato.evaluation.audit.training import TrainingAudit
from sfumato.synthesis.finetune import dp_sgd
from sfumato.synthesis.finetune.lora import clipped_sum

MISTAKES: dict[str, tuple[str, Callable[..., Any]]] = {
    "no noise": ("gaussian", lambda uniforms: np.zeros(len(uniforms))),
    "noise / 8": ("gaussian", lambda uniforms: gaussian(uniforms) / 8.0),
    "no clipping": ("clipped_sum", lambda gradients, _: clipped_sum(gradients, None)),
    "everybody in every step": ("bernoulli", lambda coins, _: np.ones(len(coins), dtype=bool)),
}
AUDIT = TrainingAudit(steps=20)


@pytest.mark.models
@pytest.mark.parametrize("seed", range(3))
def test_sound_training_is_not_refuted_and_something_is_seen(seed: int) -> None:
    result = AUDIT.run(seed, SeededRandomness(seed))
    assert not result.refuted
    assert 0.2 < result.bound < 2.0
    assert AUDIT.run(seed, SeededRandomness(seed)) == result


@pytest.mark.models
@pytest.mark.parametrize("name", MISTAKES)
def test_training_with_a_mistake_is_refuted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dp_sgd, *MISTAKES[name])
    result = AUDIT.run(1, SeededRandomness(1))
    assert result.refuted
    assert result.bound > 3.0


@pytest.mark.models
def test_noise_and_canaries_are_what_was_claimed() -> None:
    """More noise for a smaller claim; fewer canaries show less."""
    assert TrainingAudit(epsilon=1.0).recipe.sigma > 2 * TrainingAudit().recipe.sigma
    few = TrainingAudit(canaries=200, steps=10, epsilon=1.0).run(0, SeededRandomness(0))
    assert few.outcomes[0].canaries == 200
    assert few.most < AUDIT.run(0, SeededRandomness(0)).most


def test_a_result_is_json_and_holds_together() -> None:
    included = np.arange(1000) % 2 == 0
    told = one_run("a box", included.astype(float), included, 3.0, 1e-5)
    assert told.refuted
    assert told.bound == told.most
    content = json.loads(json.dumps(told.as_dict()))
    assert content["refuted"] is True
    assert [entry["guesses"] for entry in content["guesses"]] == list(numbers_of_guesses(1000)) == [600, 300, 100]
    nothing = one_run("a box", np.random.default_rng(0).normal(size=1000), included, 3.0, 1e-5)
    assert not nothing.refuted
    assert nothing.bound < 0.5
    assert all(remark.endswith(".") for remark in nothing.remarks)


def test_several_numbers_of_guesses_share_the_doubt() -> None:
    """With no privacy loss at all, 5 % of the bounds lie above 0 at most, though the best of three is taken."""
    draw, above = np.random.default_rng(4), 0
    for _ in range(300):
        result = one_run("noise", draw.normal(size=100), draw.random(100) < 0.5, 1.0)
        above += result.bound > 0.0
    assert above <= 24
    careless = OneRun("x", 1.0, 0.0, (Guessed(100, 60, 38),), 0.95)
    careful = OneRun("x", 1.0, 0.0, (Guessed(100, 60, 38), Guessed(100, 30, 15), Guessed(100, 10, 5)), 0.95)
    assert careful.bound < careless.bound


def test_claims_that_could_not_be_refuted_are_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"at most 4\.9"):
        TrainingAudit(epsilon=5.0)
    with pytest.raises(ConfigurationError, match="10 canaries"):
        TrainingAudit(canaries=3)
    with pytest.raises(ConfigurationError, match="finite"):
        TrainingAudit(epsilon=float("inf"))
    with pytest.raises(ConfigurationError, match="rate"):
        TrainingAudit(rate=0.0)
