"""The masked model in training: a frozen BERT encoder, low-rank adapters on all its matrices, and a prediction head.

A matrix W of the encoder is used as W + B·A with B (out, rank) and A (rank, in). The sum is formed once a step,
which costs nothing beside the thousands of positions it serves. In the last layer only the positions to predict
are computed. Names of the trained tensors are those of transformers' ``BertForMaskedLM``, with ``.adapter_a`` and
``.adapter_b`` for the factors, so that :mod:`sfumato.models.masked.embedded` can add them to the published weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

LAYERS, HEADS, HIDDEN, EPS = 6, 12, 384, 1e-12
MATRICES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


@dataclass(frozen=True)
class Network:
    """Frozen weights by name, trained tensors by name."""

    frozen: dict[str, Tensor]
    trained: dict[str, Tensor]

    def logits(self, ids: Tensor, kinds: Tensor, where: Tensor) -> Tensor:
        """Scores (n, pieces) at the flat positions ``where`` of ``ids`` (documents, length), without padding."""
        batch, length = ids.shape
        x = self._embedded(ids, kinds)
        for layer in range(LAYERS - 1):
            x = self._layer(layer, x, x.reshape(batch, length, HIDDEN), None)
        x = self._layer(LAYERS - 1, x, x.reshape(batch, length, HIDDEN), where)
        return self._decoded(x)

    def _embedded(self, ids: Tensor, kinds: Tensor) -> Tensor:
        e = "embeddings."
        x = functional.embedding(ids, self.frozen[e + "word_embeddings.weight"])
        x = (
            x
            + functional.embedding(ids, self.trained[e + "word_embeddings.adapter_b"])
            @ self.trained[e + "word_embeddings.adapter_a"]
        )
        x = x + self.frozen[e + "position_embeddings.weight"][: ids.shape[1]]
        x = x + functional.embedding(kinds, self.trained[e + "token_type_embeddings.weight"])
        return self._normal(x.reshape(-1, HIDDEN), e + "LayerNorm")

    def _layer(self, layer: int, x: Tensor, shaped: Tensor, where: Tensor | None) -> Tensor:
        """One layer over all positions, or over those ``where`` says (attention is still over all)."""
        p = f"encoder.layer.{layer}."
        batch, length = shaped.shape[:2]
        split = (batch, length, HEADS, HIDDEN // HEADS)
        q, k, v = (self._linear(x, p + name).view(split).transpose(1, 2) for name in MATRICES[:3])
        mixed = _attended(q, k, v).transpose(1, 2).reshape(batch * length, HIDDEN)
        if where is not None:
            mixed, x = mixed[where], x[where]
        x = self._normal(x + self._linear(mixed, p + MATRICES[3]), p + "attention.output.LayerNorm")
        inner = functional.gelu(self._linear(x, p + MATRICES[4]))
        return self._normal(x + self._linear(inner, p + MATRICES[5]), p + "output.LayerNorm")

    def _decoded(self, x: Tensor) -> Tensor:
        t, c, e = self.trained, "cls.predictions.", "embeddings.word_embeddings."
        x = functional.gelu(functional.linear(x, t[c + "transform.dense.weight"], t[c + "transform.dense.bias"]))
        x = self._normal(x, c + "transform.LayerNorm")
        scores = torch.addmm(t[c + "bias"], x, self.frozen[e + "weight"].T)
        return scores + (x @ t[e + "adapter_a"].T) @ t[e + "adapter_b"].T

    def _linear(self, x: Tensor, name: str) -> Tensor:
        weight = torch.addmm(
            self.frozen[name + ".weight"], self.trained[name + ".adapter_b"], self.trained[name + ".adapter_a"]
        )
        return functional.linear(x, weight, self.trained[name + ".bias"])

    def _normal(self, x: Tensor, name: str) -> Tensor:
        return functional.layer_norm(x, (HIDDEN,), self.trained[name + ".weight"], self.trained[name + ".bias"], EPS)


def _attended(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attention over all positions, in plain products: on CPUs the fused one has a slow backward pass in bfloat16."""
    return torch.softmax(q @ k.transpose(2, 3) * (HEADS / HIDDEN) ** 0.5, dim=-1).to(v.dtype) @ v


def start(published: dict[str, Tensor], log_frequencies: Tensor, rank: int, word_rank: int, seed: int) -> Network:
    """The untrained network: the published encoder exactly, an unbiased head apart from the log frequencies."""
    draw = torch.Generator().manual_seed(seed)

    def normal(rows: int, columns: int, deviation: float) -> Tensor:
        return torch.randn(rows, columns, generator=draw) * deviation

    trained = {name: weight.clone() for name, weight in published.items() if _small(name)}
    frozen = {name: weight for name, weight in published.items() if not _small(name)}
    for layer in range(LAYERS):
        for matrix in MATRICES:
            name = f"encoder.layer.{layer}.{matrix}"
            rows, columns = frozen[name + ".weight"].shape
            trained[name + ".adapter_a"] = normal(rank, columns, 1 / math.sqrt(columns))
            trained[name + ".adapter_b"] = torch.zeros(rows, rank)
    words = len(frozen["embeddings.word_embeddings.weight"])
    trained["embeddings.word_embeddings.adapter_a"] = normal(word_rank, HIDDEN, 1 / math.sqrt(HIDDEN))
    trained["embeddings.word_embeddings.adapter_b"] = torch.zeros(words, word_rank)
    head = "cls.predictions."
    trained[head + "transform.dense.weight"] = torch.eye(HIDDEN) + normal(HIDDEN, HIDDEN, 0.02)
    trained[head + "transform.dense.bias"] = torch.zeros(HIDDEN)
    trained[head + "transform.LayerNorm.weight"] = torch.full((HIDDEN,), 1.0)
    trained[head + "transform.LayerNorm.bias"] = torch.zeros(HIDDEN)
    trained[head + "bias"] = log_frequencies.clone()
    return Network(frozen, trained)


def _small(name: str) -> bool:
    """Biases, normalisations and the two rows that tell the halves of a pair apart are trained as they are."""
    return name.endswith(".bias") or "LayerNorm" in name or "token_type" in name
