"""The network in training: the encoder with two more embeddings, and two linear heads.

The embeddings of shapes and gaps begin at zero, so that the network begins as the published encoder. The word vectors
stay as published, because they are two thirds of the weights and the package has them already. What is learned about
words is added to them: a product of two thin matrices, of which the first begins at zero.
"""

from __future__ import annotations

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from sfumato.models.bert.parameters import WORD_VECTORS
from sfumato.models.encoders.files import default_folder
from sfumato.models.token_classifier.labels import CLASSES
from sfumato.models.token_classifier.pieces import GAPS, SHAPES
from sfumato.models.token_classifier.weights import GROW, SHRINK

HEADS, HIDDEN, EPSILON = 12, 384, 1e-12
RANK = 96
"""Columns of what is learned about words; the vectors of the languages that the encoder knows least gain most."""
QUERY, KEY, VALUE, MIXED, GROWN, SHRUNK = (
    *(f"attention.self.{part}" for part in ("query", "key", "value")),
    *("attention.output.dense", "intermediate.dense", "output.dense"),
)


class Network(nn.Module):
    """Logits of classes and of telling for rows of pieces; ``layers`` are the first of the encoder's six."""

    def __init__(self, layers: int = 3) -> None:
        super().__init__()
        published = load_file(default_folder() / "model.safetensors")
        self.layers = layers
        self.frozen = published[WORD_VECTORS].float()
        names = [
            name
            for name in published
            if name.startswith(("embeddings.", "encoder.layer."))
            and name not in (WORD_VECTORS, "embeddings.position_ids")
            and not any(name.startswith(f"encoder.layer.{number}.") for number in range(layers, 6))
        ]
        weights = {name: published[name].float().clone() for name in names}
        weights[GROW], weights[SHRINK] = torch.zeros(len(self.frozen), RANK), torch.randn(RANK, HIDDEN) * 0.02
        weights["embeddings.shape_embeddings.weight"] = torch.zeros(len(SHAPES), HIDDEN)
        weights["embeddings.gap_embeddings.weight"] = torch.zeros(len(GAPS), HIDDEN)
        for head, rows in (("classes", CLASSES), ("telling", 1)):
            weights[f"{layers}.{head}.weight"], weights[f"{layers}.{head}.bias"] = (
                torch.zeros(rows, HIDDEN),
                torch.zeros(rows),
            )
        self.named = weights
        for name, weight in weights.items():
            self.register_parameter(name.replace(".", "/"), nn.Parameter(weight))
        self.dropout = 0.1

    def weight(self, name: str) -> Tensor:
        """Return the trained tensor of that name."""
        parameter: Tensor = getattr(self, name.replace(".", "/"))
        return parameter

    def forward(self, ids: Tensor, shapes: Tensor, gaps: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (rows, length, CLASSES) and (rows, length).

        ``mask`` is True at pieces, False at padding.
        """
        name = "embeddings."
        states = (
            functional.embedding(ids, self.frozen)
            + functional.embedding(ids, self.weight(GROW)) @ self.weight(SHRINK)
            + self.weight(name + "position_embeddings.weight")[: ids.shape[1]]
            + self.weight(name + "token_type_embeddings.weight")[0]
            + functional.embedding(shapes, self.weight(name + "shape_embeddings.weight"))
            + functional.embedding(gaps, self.weight(name + "gap_embeddings.weight"))
        )
        states = self._dropped(self._normal(states, name + "LayerNorm"))
        for layer in range(self.layers):
            states = self._layer(f"encoder.layer.{layer}.", states, mask[:, None, None, :])
        read = self._dropped(states)
        return self._linear(read, f"{self.layers}.classes"), self._linear(read, f"{self.layers}.telling")[..., 0]

    def _layer(self, name: str, states: Tensor, mask: Tensor) -> Tensor:
        rows, length = states.shape[:2]
        split = (rows, length, HEADS, HIDDEN // HEADS)
        query, key, value = (
            self._linear(states, name + part).view(split).transpose(1, 2) for part in (QUERY, KEY, VALUE)
        )
        mixed = (
            functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
            .transpose(1, 2)
            .reshape(rows, length, HIDDEN)
        )
        states = self._normal(
            states + self._dropped(self._linear(mixed, name + MIXED)), name + "attention.output.LayerNorm"
        )
        grown = functional.gelu(self._linear(states, name + GROWN))
        return self._normal(states + self._dropped(self._linear(grown, name + SHRUNK)), name + "output.LayerNorm")

    def _linear(self, states: Tensor, name: str) -> Tensor:
        return functional.linear(states, self.weight(name + ".weight"), self.weight(name + ".bias"))

    def _normal(self, states: Tensor, name: str) -> Tensor:
        scale, bias = self.weight(name + ".weight"), self.weight(name + ".bias")
        return functional.layer_norm(states.float(), (HIDDEN,), scale, bias, EPSILON)

    def _dropped(self, states: Tensor) -> Tensor:
        return functional.dropout(states, self.dropout, self.training)


def loss_of(logits: Tensor, told: Tensor, classes: Tensor, telling: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mean losses of both heads.

    ``classes`` (rows, length) is -1 where nothing is known. Where it is 0, any class that ``allowed`` (rows, CLASSES)
    leaves open is right, and the loss is minus the logarithm of their sum.
    """
    logits = logits.float()
    known = classes >= 0
    every = torch.logsumexp(logits, -1)
    open_ones = torch.logsumexp(logits.masked_fill(~allowed[:, None, :], -1e9), -1)
    own = logits.gather(-1, classes.clamp(min=0)[..., None])[..., 0]
    losses = every - torch.where(classes == 0, open_ones, own)
    asked = telling >= 0
    answers = functional.binary_cross_entropy_with_logits(
        told.float(), telling.clamp(min=0).float(), reduction="none"
    )
    return losses[known].mean(), answers[asked].mean() if asked.any() else told.sum() * 0
