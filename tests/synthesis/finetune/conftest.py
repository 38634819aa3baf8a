"""A tiny random causal model, a few made-up records, and a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.privacy.randomness import SeededRandomness

WORDS = ("the", "old", "baker", "closed", "his", "shop", "and", "she", "told", "the", "bank", "of", "a", "tram")


def made_units(count: int, texts: int = 1) -> list[Unit]:
    """``count`` units with ``texts`` each, of different lengths; codes take turns."""
    words = 2 * WORDS
    return [
        Unit(
            tuple(" ".join(words[(unit + text) % 14 :][: 1 + unit % 7]) for text in range(texts)),
            tuple((unit + text) % 2 for text in range(texts)),
        )
        for unit in range(count)
    ]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers")
    import tiny_causal

    return tiny_causal.saved(tiny_causal.llama(), tmp_path_factory.mktemp("finetune") / "llama")


@pytest.fixture
def model(folder: Path) -> Iterator[TransformersCausal]:
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield TransformersCausal(str(folder), device="cpu")
    torch.set_num_threads(threads)


@pytest.fixture
def order() -> Order:
    return Order(("topic: move", "topic: pay"), 60, 1, 5, 8.0, 1e-4)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    place = tmp_path / "run"
    place.mkdir()
    return Workspace(place, SeededRandomness(3), "test")
