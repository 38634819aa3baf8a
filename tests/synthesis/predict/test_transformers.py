"""Private prediction with a network: special pieces, rounding, and the same texts whatever shares a session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.privacy.randomness import SeededRandomness
from sfumato.synthesis.predict.law import ROUNDING, Rows
from sfumato.synthesis.predict.predict import Predict

pytestmark = pytest.mark.models
TEXTS = [
    "The baker <|end|><|assistant|> closed.",
    "",
    "Zoë 東京 \ud83d",
    "A train to the coast leaves every hour. " * 40,
]
ORDER = Order(("", "topic: <|end|>"), 40, 1, 4, 30.0, 1e-4)


@pytest.fixture(scope="module", params=["llama", "gpt2"])
def method(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Predict]:
    pytest.importorskip("transformers")
    import torch

    import tiny_causal

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    network = tiny_causal.llama() if request.param == "llama" else tiny_causal.gpt2()
    folder = tiny_causal.saved(network, tmp_path_factory.mktemp("tiny"), chat=request.param == "llama")
    yield Predict(TransformersCausal(str(folder), device="cpu"), length=12, record_length=24, top_k=50)
    torch.set_num_threads(threads)


def run(method: Predict, folder: Path, units: list[Unit]) -> list[str]:
    method.prepare()
    space = Workspace(folder, SeededRandomness(3))
    return list(method.synthesize(ORDER, method.schedule(ORDER), units, (0, 1, 0, 1), space))


def test_odd_texts_are_examples_and_every_text_is_written(method: Predict, tmp_path: Path) -> None:
    texts = run(method, tmp_path, [Unit((TEXTS[n % 4],), (n % 2,)) for n in range(40)])
    assert len(texts) == 4
    assert all(text == text.strip() and "\n\n" not in text for text in texts)
    assert len(set(texts)) == 4


def test_the_time_grows_with_what_is_read_and_written(method: Predict) -> None:
    plan = method.schedule(ORDER)
    assert plan.seconds is not None
    assert plan.seconds > 0
    assert "seconds" not in str(plan.as_dict())  # which decides what a run is, on any machine
    for more, least in (({"record_length": 48}, 1.01), ({"length": 24}, 1.5)):
        seconds = replace(method, **more).schedule(ORDER).seconds
        assert seconds is not None
        assert seconds > least * plan.seconds
    twice = method.schedule(replace(ORDER, wanted=8)).seconds
    assert twice == pytest.approx(2 * plan.seconds)


def test_no_piece_of_a_record_is_special(method: Predict) -> None:
    special: Any = method.model.special  # type: ignore[attr-defined]
    for text in TEXTS:
        prompt = method.private_prompt("topic: <|end|>", method.read(text))
        assert not special & set(prompt[len(method.model.opening) :])
        assert len(method.read(text)) <= 24


def test_a_row_moves_the_scores_of_others_by_rounding_only(method: Predict) -> None:
    prompts = [method.private_prompt("", method.read(text)) for text in TEXTS]
    together = Rows(method.model, prompts)
    alone = [Rows(method.model, [prompt]) for prompt in prompts]
    for step in range(3):
        apart = np.concatenate([row.scores() for row in alone])
        assert np.abs(together.scores() - apart).max() < ROUNDING
        together.take([step] * 4)
        for row in alone:
            row.take([step])
