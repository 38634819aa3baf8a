"""A run of evolve with a scripted model and encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from evolving import Bench, Make, Words, invented
from sfumato.abstract.chat import Question, ScriptedChat
from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.synthesizer import Order, Workspace
from sfumato.privacy.randomness import SystemRandomness
from sfumato.synthesis.evolve.method import Evolve


@pytest.fixture
def bench(tmp_path: Path) -> Make:
    def make(
        codes: Sequence[str] = ("",),
        epsilon: float | None = 4.0,
        script: Callable[[Question], str | None] = invented,
        randomness: Any = None,
        texts_per_unit: int = 1,
        encoder: Any = None,
        units: int = 200,
        **options: Any,
    ) -> Bench:
        chat = ScriptedChat(script)
        chosen = {"rounds": 3, "candidates": 8, **options}
        method = Evolve(ChatUse(chat), encoder or Words(), **chosen)
        order = Order(tuple(codes), units, texts_per_unit, 6, epsilon, 1e-5)
        return Bench(method, chat, order, Workspace(tmp_path, randomness or SystemRandomness()))

    return make
