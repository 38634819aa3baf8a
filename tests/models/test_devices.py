"""A device that this machine lacks is refused when a model is named, before any of it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sfumato.errors import ConfigurationError
from sfumato.models import local_files
from sfumato.models.causal.gguf import smollm2
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.models.encoders.tunable import TunableModel
from sfumato.models.masked.embedded import EmbeddedSource, embedded_masked
from sfumato.models.masked.model import MaskedNetwork

pytestmark = pytest.mark.models
MODELS: dict[str, Callable[[str], Any]] = {
    "embedded": lambda device: embedded_masked(device=device),
    "masked": lambda device: MaskedNetwork("no-folder", device=device),
    "causal": lambda device: TransformersCausal("no-folder", device=device),
    "smollm2": lambda device: smollm2(device=device),
    "encoder": lambda device: SentenceEncoder(device=device),
    "tuned": lambda device: TunableModel(device=device),
}


@pytest.mark.parametrize("device", ["nowhere", "meta:x"])
@pytest.mark.parametrize("name", MODELS)
def test_nothing_is_loaded_for_a_device_that_is_not_there(
    name: str, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for reader in ("parameters", "load"):
        monkeypatch.setattr(EmbeddedSource, reader, lambda *_: pytest.fail("a model was loaded"))
    monkeypatch.setattr(local_files, "local_folder", lambda *_: pytest.fail("a model was looked for"))
    with pytest.raises(ConfigurationError, match=f"The device '{device}' cannot be used on this machine"):
        MODELS[name](device)


@pytest.mark.parametrize("name", MODELS)
def test_the_processor_is_always_there(name: str) -> None:
    assert MODELS[name]("cpu").device == "cpu"
