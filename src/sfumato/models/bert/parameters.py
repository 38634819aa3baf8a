"""The sizes and weights of a network of BERT's build, read from safetensors without torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError

Weights = Mapping[str, NDArray[np.float32]]

BODIES = {"bert": "bert", "roberta": "roberta", "xlm-roberta": "roberta", "camembert": "roberta"}
_HEADS = {
    "cls.predictions.transform.dense": "head.dense",
    "cls.predictions.transform.LayerNorm": "head.norm",
    "cls.predictions.bias": "head.bias",
    "cls.predictions.decoder.weight": "head.decoder",
    "cls.predictions.decoder.bias": "head.bias",
    "lm_head.dense": "head.dense",
    "lm_head.layer_norm": "head.norm",
    "lm_head.bias": "head.bias",
    "lm_head.decoder.weight": "head.decoder",
    "lm_head.decoder.bias": "head.bias",
}
"""Names of the parts of a prediction head in transformers' files, and ours."""

_IGNORED = ("pooler.", "position_ids", "cls.seq_relationship.")
WORD_VECTORS = "embeddings.word_embeddings.weight"


@dataclass(frozen=True, eq=False)
class Parameters:
    """A network of BERT's build.

    ``weights`` have transformers' names without the body's prefix, and ``head.dense``, ``head.norm``, ``head.bias``
    and ``head.decoder`` for a masked-language-model head. ``first`` is the number of a text's first position, and
    ``most`` the number of positions. ``halves`` says whether the network takes the half of the pair that a piece
    belongs to.
    """

    weights: Weights
    heads: int
    layers: int
    epsilon: float
    first: int
    most: int
    halves: bool

    @classmethod
    def of(cls, settings: Mapping[str, Any], published: Weights, origin: Path | str) -> Parameters | None:
        """Return the network of ``config.json`` and the weights in the files; None if it has another build.

        ``origin`` is for errors. Raise ConfigurationError for weights that are missing or are not numbers.
        """
        body = BODIES.get(str(settings.get("model_type")))
        if body is None or not _is_plain(settings):
            return None
        weights = _renamed(published, body)
        if settings.get("tie_word_embeddings", True) and WORD_VECTORS in weights:
            weights["head.decoder"] = weights[WORD_VECTORS]
        layers = int(settings["num_hidden_layers"])
        heads = int(settings["num_attention_heads"])
        first = 0 if body == "bert" else int(settings.get("pad_token_id", 1)) + 1
        missing = [name for name in _needed(layers) if name not in weights]
        if missing:
            raise ConfigurationError(
                f"The model in {origin} lacks weights ({missing[0]} and {len(missing) - 1} more); give another."
            )
        for name, weight in weights.items():
            if not bool(np.isfinite(weight).all()):
                raise ConfigurationError(
                    f"The weights {name} of {origin} hold values that are not numbers; fetch the model again."
                )
        positions = len(weights["embeddings.position_embeddings.weight"])
        epsilon, halves = float(settings.get("layer_norm_eps", 1e-12)), int(settings.get("type_vocab_size", 2)) > 1
        return cls(weights, heads, layers, epsilon, first, positions - first, halves)

    @property
    def has_head(self) -> bool:
        """Return whether the files hold a masked-language-model head."""
        return {"head.dense.weight", "head.norm.weight", "head.bias", "head.decoder"} <= self.weights.keys()

    @property
    def size(self) -> int:
        """Return the number of weights that a piece is multiplied with."""
        return sum(weight.size for name, weight in self.weights.items() if name.startswith("encoder."))


def read_parameters(folder: Path) -> Parameters | None:
    """Return the network in ``folder``; None if it has another build, or no float32 or float16 safetensors.

    Raise ConfigurationError if a file cannot be read.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if not isinstance(settings, dict) or settings.get("model_type") not in BODIES:
            return None
        published: dict[str, NDArray[Any]] = {}
        for path in sorted(folder.glob("*.safetensors")):
            published.update(load_file(path))
    except (OSError, ValueError, SafetensorError) as error:
        raise ConfigurationError(f"The model in {folder} cannot be loaded: {type(error).__name__}.") from None
    except (KeyError, TypeError):  # a kind of number that numpy lacks
        return None
    return Parameters.of(settings, {name: weight.astype(np.float32) for name, weight in published.items()}, folder)


def _is_plain(settings: Mapping[str, Any]) -> bool:
    """Return whether the settings ask for nothing but the plain build."""
    return (
        settings.get("hidden_act", "gelu") == "gelu"
        and settings.get("position_embedding_type", "absolute") in (None, "absolute")
        and not settings.get("is_decoder")
        and not settings.get("quantization_config")
        and {"num_hidden_layers", "num_attention_heads"} <= settings.keys()
    )


def _renamed(published: Weights, body: str) -> dict[str, NDArray[np.float32]]:
    weights = {}
    for name, weight in published.items():
        if any(part in name for part in _IGNORED):
            continue
        own = name.removeprefix(f"{body}.").replace("LayerNorm.gamma", "LayerNorm.weight")
        own = own.replace("LayerNorm.beta", "LayerNorm.bias")
        for given, ours in _HEADS.items():
            if own == given or own.startswith(f"{given}."):
                own = ours + own.removeprefix(given)
        weights[own] = weight
    return weights


def _needed(layers: int) -> list[str]:
    """Return the names of the weights of a body."""
    parts = [f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type")]
    modules = ["embeddings.LayerNorm"]
    for layer in range(layers):
        modules += [f"encoder.layer.{layer}.attention.self.{name}" for name in ("query", "key", "value")]
        modules += [f"encoder.layer.{layer}.attention.output.{name}" for name in ("dense", "LayerNorm")]
        modules += [
            f"encoder.layer.{layer}.{name}" for name in ("intermediate.dense", "output.dense", "output.LayerNorm")
        ]
    return parts + [f"{module}.{end}" for module in modules for end in ("weight", "bias")]
