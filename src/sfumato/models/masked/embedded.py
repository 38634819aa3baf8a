"""The masked model that needs no network: the sentence encoder all-MiniLM-L6-v2, adapters and a head.

All of it travels with the package. ``data/masked.safetensors`` makes it predict words: it holds low-rank changes to
its matrices (weight + B·A, the factors in int8 with an fp16 scale for each direction), trained biases and
normalisations, and a masked-language-model head whose decoder is the word embeddings (fp16). docs/embedded-model.md
describes its training and its quality. It is the offline default; ``roberta-base`` is the model for quality.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.bert.parameters import Parameters, Weights
from sfumato.models.encoders.files import ENCODER_DIGEST, default_folder, verified_digest
from sfumato.models.local_files import INSTALL_TORCH, checked, quiet
from sfumato.models.local_model import NumberFormat
from sfumato.models.masked.model import MaskedNetwork
from sfumato.models.masked.pieces import Pieces, read_pieces
from sfumato.storage.digests import digest_of_weights

NAME = "embedded"
_PIECES = 128  # of an input, as in training


@dataclass(frozen=True)
class EmbeddedSource:
    """Adapters, head and encoder, all of them in this package and checked by SHA-256."""

    @property
    def id(self) -> str:
        """Return the name and 16 digits of the SHA-256 over the digests of adapters and head, and of the encoder."""
        both = f"{_card()['sha256']} {ENCODER_DIGEST}"
        return f"sfumato-minilm@{hashlib.sha256(both.encode()).hexdigest()[:16]}"

    def parameters(self) -> tuple[Parameters, Pieces]:
        """Return weights and tokenizer, read without torch.

        Raise MissingExtraError for files that are missing, and ConfigurationError for files that differ.
        """
        folder, merged = default_folder(), self._weights()
        settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        parameters, pieces = Parameters.of(settings, merged, folder), read_pieces(folder)
        if parameters is None or pieces is None or not parameters.has_head:
            raise ConfigurationError(f"{folder} does not fit this version; reinstall sfumato.")
        return parameters, pieces

    def load(self) -> tuple[Any, Any]:
        """Return the torch network and its tokenizer; errors as for :meth:`parameters`, and without transformers."""
        folder, merged = default_folder(), self._weights()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import torch
                from transformers import AutoTokenizer, BertConfig, BertForMaskedLM
        except ImportError:
            raise MissingExtraError(f"Number formats and GPUs need torch; {INSTALL_TORCH}") from None
        with quiet():
            network = BertForMaskedLM(BertConfig.from_pretrained(folder))
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, use_fast=True)
        named = {name: torch.from_numpy(weight) for name, weight in merged.items()}
        missing, unexpected = network.load_state_dict(named, strict=False)
        if unexpected or set(missing) - {"cls.predictions.decoder.weight", "cls.predictions.decoder.bias"}:
            raise ConfigurationError(f"{_file('masked.safetensors')} does not fit the encoder; reinstall sfumato.")
        network.tie_weights()
        return checked(network, folder), tokenizer

    @staticmethod
    def _weights() -> dict[str, NDArray[np.float32]]:
        """Return the merged weights by transformers' names, from files that are checked by SHA-256."""
        from safetensors.numpy import load_file

        folder, adapters = default_folder(), _file("masked.safetensors")
        verified_digest(folder)
        if digest_of_weights(adapters) != _card()["sha256"]:
            raise ConfigurationError(f"{adapters} is not the file of this version; reinstall sfumato.")
        return _merged(load_file(folder / "model.safetensors"), load_file(adapters))


def embedded_masked(
    number_format: NumberFormat = "float32", device: str | None = None, limit: int | None = None
) -> MaskedNetwork:
    """Return the masked model that ships with sfumato; the arguments are those of :class:`MaskedNetwork`."""
    most = _PIECES if limit is None else min(limit, _PIECES)
    return MaskedNetwork(NAME, number_format, device, most, EmbeddedSource())


def _merged(published: Weights, trained: dict[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """Return the weights by transformers' names: published weights, trained ones, and low-rank changes added."""
    weights = {
        name: weight.astype(np.float32, copy=False)
        for name, weight in published.items()
        if "position_ids" not in name and "pooler" not in name
    }
    for name, weight in trained.items():
        if name.endswith(".adapter_b"):
            base = name.removesuffix(".adapter_b")
            change = _factor(trained, name) @ _factor(trained, f"{base}.adapter_a")
            weights[f"{base}.weight"] = weights[f"{base}.weight"] + change
        elif ".adapter_" not in name:
            weights[name] = weight.astype(np.float32)
    return {name if name.startswith("cls.") else f"bert.{name}": weight for name, weight in weights.items()}


def _factor(trained: dict[str, NDArray[Any]], name: str) -> NDArray[np.float32]:
    """Return a factor in float32: its bytes times the scale of each direction."""
    scaled: NDArray[np.float32] = trained[name].astype(np.float32) * trained[f"{name}.scale"].astype(np.float32)
    return scaled


def _card() -> dict[str, Any]:
    card: dict[str, Any] = json.loads(_file("masked.json").read_text(encoding="utf-8"))
    return card


def _file(name: str) -> Path:
    return Path(str(resources.files("sfumato") / "data" / name))
