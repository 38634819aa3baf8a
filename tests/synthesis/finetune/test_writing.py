"""Drawing the next piece: temperature and nucleus, for few and many pieces; empty texts."""

from __future__ import annotations

import numpy as np
import pytest

from scripted_models import ScriptedCausal
from sfumato.synthesis.finetune.tuned import Decoding, nucleus


def shares(scores: list[float], temperature: float, top_p: float) -> list[float]:
    """How often each outcome is drawn over evenly spaced uniforms."""
    uniforms = (np.arange(10_000) + 0.5) / 10_000
    picked = nucleus(np.tile(np.array(scores, dtype=np.float32), (10_000, 1)), temperature, top_p, uniforms)
    return [float((picked == outcome).mean()) for outcome in range(len(scores))]


def test_all_mass_is_the_softmax() -> None:
    scores = [0.0, 2.0, 1.0, -1.0]
    for temperature in (0.5, 1.0, 2.0):
        weights = np.exp(np.array(scores) / temperature)
        assert shares(scores, temperature, 1.0) == pytest.approx(weights / weights.sum(), abs=1e-3)


def test_the_nucleus_is_the_smallest_set_with_the_mass() -> None:
    scores = np.log([0.5, 0.3, 0.15, 0.05]).tolist()
    assert shares(scores, 1.0, 0.79) == pytest.approx([0.625, 0.375, 0.0, 0.0], abs=1e-3)
    assert shares(scores, 1.0, 0.81) == pytest.approx([0.5 / 0.95, 0.3 / 0.95, 0.15 / 0.95, 0.0], abs=1e-3)
    assert shares(scores, 1.0, 1e-9) == [1.0, 0.0, 0.0, 0.0]


def test_a_flat_row_of_many_pieces_draws_beyond_the_first_thousand() -> None:
    uniforms = (np.arange(500) + 0.5) / 500
    flat = np.tile(np.linspace(0.0, 1e-3, 5000, dtype=np.float32), (500, 1))
    picked = nucleus(flat, 1.0, 0.9, uniforms)
    assert picked.min() < 1000
    assert picked.max() > 4900
    assert picked.min() >= 499, "the least probable tenth is left out"


def test_an_empty_text_is_drawn_again_and_at_last_stays_empty() -> None:
    asked: list[int] = []

    def script(prompt: list[str], written: list[str]) -> list[float]:
        if not written:
            asked.append(1)
        ends = bool(written) or len(asked) < 4
        return [-50.0 if ends else 0.0] * 12 + [0.0 if ends else -50.0]

    decoding = Decoding(5, 1.0, 1.0)
    model = ScriptedCausal(script=script)
    (text,) = decoding.write(model, [model.pieces("a")], [0], 1)
    assert text
    assert len(asked) == 4
    never = ScriptedCausal(script=lambda prompt, written: [-50.0] * 12 + [0.0])
    assert decoding.write(never, [never.pieces("a"), never.pieces("b")], [0, 1], 1) == ["", ""]


def test_a_text_is_never_longer_than_it_may_be() -> None:
    endless = ScriptedCausal(script=lambda prompt, written: [0.0] * 12 + [-500.0])
    (text,) = Decoding(5, 1.0, 1.0).write(endless, [endless.pieces("a")], [0], 1)
    assert len(text.split()) == 5
