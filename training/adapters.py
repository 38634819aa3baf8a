"""Adapters as the package ships them: the factors as bytes with a scale for each rank, everything else in fp16.

A factor of rank r is kept as ``NAME`` (int8) and ``NAME.scale`` (fp16, one number for each of the r directions), as
:mod:`sfumato.models.masked.embedded` reads them. Half the bytes of fp16 are twice the rank in the same file.
"""

from __future__ import annotations

import torch
from torch import Tensor

_FACTORS = (".adapter_a", ".adapter_b")


def packed(trained: dict[str, Tensor]) -> dict[str, Tensor]:
    """The trained tensors as they are shipped."""
    kept = {}
    for name, tensor in trained.items():
        if name.endswith(_FACTORS):
            scale = (tensor.abs().amax(dim=_other(name), keepdim=True) / 127).clamp_min(2.0**-14).half()
            kept[name] = (tensor / scale.float()).round().clamp(-127, 127).to(torch.int8).contiguous()
            kept[name + ".scale"] = scale.contiguous()
        else:
            kept[name] = tensor.half().contiguous()
    return kept


def whole(kept: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of a shipped file in float32, of this form or all in fp16."""
    scales = {name: tensor.float() for name, tensor in kept.items() if name.endswith(".scale")}
    return {
        name: tensor.float() * scales.get(name + ".scale", torch.ones(())) for name, tensor in kept.items()
        if name not in scales
    }  # fmt: skip


def begin_with(trained: dict[str, Tensor], earlier: dict[str, Tensor]) -> None:
    """Set ``trained`` to ``earlier``; directions beyond its rank stay as drawn, and change nothing at first."""
    for name, tensor in earlier.items():
        if name.endswith(".adapter_a"):
            trained[name][: len(tensor)] = tensor
        elif name.endswith(".adapter_b"):
            trained[name][:, : tensor.shape[1]] = tensor
        else:
            trained[name].copy_(tensor)


def _other(name: str) -> int:
    """The dimension of a factor that is not the rank."""
    return 1 if name.endswith(".adapter_a") else 0
