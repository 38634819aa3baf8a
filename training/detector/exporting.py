"""The weights as they ship: bytes with a step for each row of a matrix, and a card with their hash."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import torch
from network import Network
from safetensors.numpy import load_file, save_file

from sfumato.models.encoders.files import ENCODER_DIGEST
from sfumato.models.token_classifier.weights import STEP


def export(network: Network, path: Path, card: dict[str, object]) -> None:
    """Write the weights and, beside them, the card."""
    packed: dict[str, np.ndarray] = {}
    for name, tensor in network.named_parameters():
        weight = tensor.detach().float().numpy()
        name = name.replace("/", ".")
        if weight.ndim < 2 or not name.startswith(("encoder.", "embeddings.word_embeddings.")):
            packed[name] = weight.astype(np.float16) if weight.size > 4096 else weight
            continue
        step = np.maximum(np.abs(weight).max(axis=1), 1e-30) / np.float32(127)
        packed[name] = np.clip(np.rint(weight / step[:, None]), -127, 127).astype(np.int8)
        packed[name + STEP] = step.astype(np.float32)
    save_file(packed, path)
    content = path.read_bytes()
    told = {
        "sha256": hashlib.sha256(content).hexdigest(),
        "layers": network.layers,
        "encoder": ENCODER_DIGEST,
        **card,
    }
    path.with_suffix(".json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    print(f"{path}: {len(content):,} bytes", flush=True)


def begin_with(network: Network, path: Path) -> None:
    """Begin with exported weights; what they lack begins as it was.

    Classes that were added since follow the others. Heads may have stood behind another layer.
    """
    packed = load_file(path)
    heads = min(name.split(".")[0] for name in packed if name[0].isdigit())
    for name, tensor in network.named_parameters():
        name = name.replace("/", ".")
        if name[0].isdigit():
            name = f"{heads}.{name.split('.', 1)[1]}"
        if name not in packed:
            continue
        weight = packed[name].astype(np.float32)
        if name + STEP in packed:
            weight = weight * packed[name + STEP][:, None]
        tensor.data[: len(weight)].copy_(torch.from_numpy(weight))
