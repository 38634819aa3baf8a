"""The masked model that needs no network: all-MiniLM-L6-v2 from its wheel, adapters and a head from this package.

The wheel holds a sentence encoder. ``data/masked.safetensors`` (fp16) holds what makes it predict words: low-rank
changes to its matrices (weight + B·A), trained biases and normalisations, and a masked-language-model head whose
decoder is the word embeddings. How it was trained and how well it predicts: docs/embedded-model.md. It is the offline
default; ``roberta-base`` is the model for quality.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.encoders.files import default_folder, verified_digest
from sfumato.models.loading import checked
from sfumato.models.local_files import INSTALL, quiet
from sfumato.models.local_model import NumberFormat
from sfumato.models.masked.transformers import TransformersMasked
from sfumato.storage.digests import digest_of

NAME = "embedded"
_PIECES = 128  # of an input: what it was trained on


@dataclass(frozen=True)
class EmbeddedSource:
    """Adapters and head beside the package, the encoder in its wheel; both are checked by SHA-256."""

    @property
    def id(self) -> str:
        """Name and 16 digits of the SHA-256 of adapters and head; the encoder's is pinned."""
        return f"sfumato-minilm@{_card()['sha256'][:16]}"

    def load(self) -> tuple[Any, Any]:
        """The network and its tokenizer. Raises MissingExtraError or ConfigurationError for files that differ."""
        folder, adapters = default_folder(), _file("masked.safetensors")
        verified_digest(folder)
        if digest_of(adapters) != _card()["sha256"]:
            raise ConfigurationError(f"{adapters} is not the one that was released; reinstall sfumato.")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                from safetensors.torch import load_file
                from transformers import AutoTokenizer, BertConfig, BertForMaskedLM
        except ImportError:
            raise MissingExtraError(f"Models need the models extra; {INSTALL}") from None
        with quiet():
            network = BertForMaskedLM(BertConfig.from_pretrained(folder))
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, use_fast=True)
        merged = _merged(load_file(folder / "model.safetensors"), load_file(adapters))
        missing, unexpected = network.load_state_dict(merged, strict=False)
        if unexpected or set(missing) - {"cls.predictions.decoder.weight", "cls.predictions.decoder.bias"}:
            raise ConfigurationError(f"{adapters} does not fit the encoder; reinstall sfumato.")
        network.tie_weights()
        return checked(network, adapters), tokenizer


def embedded_masked(
    number_format: NumberFormat = "float32", device: str | None = None, limit: int | None = None
) -> TransformersMasked:
    """The masked model that ships with sfumato; arguments as those of :class:`TransformersMasked`."""
    most = _PIECES if limit is None else min(limit, _PIECES)
    return TransformersMasked(NAME, number_format, device, most, EmbeddedSource())


def _merged(published: dict[str, Any], trained: dict[str, Any]) -> dict[str, Any]:
    """Weights by transformers' names: the published ones, those that were trained, and the low-rank changes added."""
    found = {
        name: one.float() for name, one in published.items() if "position_ids" not in name and "pooler" not in name
    }
    for name, one in trained.items():
        if name.endswith(".adapter_b"):
            base = name.removesuffix(".adapter_b")
            found[f"{base}.weight"] = found[f"{base}.weight"] + one.float() @ trained[f"{base}.adapter_a"].float()
        elif not name.endswith(".adapter_a"):
            found[name] = one.float()
    return {name if name.startswith("cls.") else f"bert.{name}": one for name, one in found.items()}


def _card() -> dict[str, Any]:
    card: dict[str, Any] = json.loads(_file("masked.json").read_text(encoding="utf-8"))
    return card


def _file(name: str) -> Path:
    return Path(str(resources.files("sfumato") / "data" / name))
