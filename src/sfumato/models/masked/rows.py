"""A BERT or RoBERTa network run without padding: the same answer with less work.

The pieces of all rows lie one after another, so that the linear layers, which are most of the work, see no padding.
Only attention is laid out row by row. The last layer computes the masked positions alone. The weights and the modules
are those of the transformers network. Loading checks that the answers agree with the network's own. This is for
float32 only: in bfloat16 the length of a neighbour, which decides the shape of these products, could be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sfumato.models.bert.rows import Row

_BODIES = {"bert": "bert", "roberta": "roberta", "xlm-roberta": "roberta", "camembert": "roberta"}


@dataclass(frozen=True)
class Packed:
    """The parts of a network of BERT's build: ``embeddings``, ``layers``, a ``head``, its number of ``heads``.

    ``first`` is the number of a text's first position.
    """

    embeddings: Any
    layers: Sequence[Any]
    head: Any
    heads: int
    first: int
    halves: bool
    """Whether the network takes the half of the pair that a piece belongs to."""

    @classmethod
    def of(cls, network: Any, head: Any) -> Packed | None:
        """Return the parts of ``network``, or None if it has another build."""
        body = getattr(network, _BODIES.get(getattr(network.config, "model_type", ""), ""), None)
        if body is None or head is None or not hasattr(body, "encoder"):
            return None
        padding = getattr(body.embeddings.position_embeddings, "padding_idx", None)
        first = 0 if padding is None else int(padding) + 1
        halves = getattr(network.config, "type_vocab_size", 0) > 1
        return cls(body.embeddings, list(body.encoder.layer), head, network.config.num_attention_heads, first, halves)

    def logits(self, rows: Sequence[Row], device: str) -> Any:
        """Return logits (masks, pieces) at the masks of ``rows``, one row after the other."""
        laid = _Laid.out(rows, self.first, self.halves, device)
        states = self.embeddings(input_ids=laid.ids, token_type_ids=laid.kinds, position_ids=laid.positions)[0]
        for layer in self.layers[:-1]:
            states = self._after(layer, self._mixed(layer, states, laid), states)
        last = self.layers[-1]
        mixed = self._mixed(last, states, laid)
        return self.head(self._after(last, mixed[laid.masks], states[laid.masks]))

    def _mixed(self, layer: Any, states: Any, laid: _Laid) -> Any:
        """Return the output of attention for each piece, (pieces, hidden)."""
        import torch

        attention = layer.attention.self
        shape = (laid.rows, laid.longest, self.heads, -1)
        query, key, value = (
            given.new_zeros(laid.rows * laid.longest, given.shape[1])
            .index_copy_(0, laid.places, given)
            .view(shape)
            .transpose(1, 2)
            for given in (attention.query(states), attention.key(states), attention.value(states))
        )
        mixed = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=laid.seen)
        return mixed.transpose(1, 2).reshape(laid.rows * laid.longest, -1).index_select(0, laid.places)

    @staticmethod
    def _after(layer: Any, mixed: Any, states: Any) -> Any:
        states = layer.attention.output(mixed, states)
        return layer.output(layer.intermediate(states), states)


@dataclass(frozen=True)
class _Laid:
    """Rows laid end to end: pieces, halves and positions (1, n), the index of each in (rows, longest), the masks."""

    rows: int
    longest: int
    ids: Any
    kinds: Any
    positions: Any
    places: Any
    masks: Any
    seen: Any
    """The pieces that attention may see, (rows, 1, 1, longest)."""

    @classmethod
    def out(cls, rows: Sequence[Row], first: int, halves: bool, device: str) -> _Laid:
        import torch

        lengths = np.array([len(row.pieces) for row in rows])
        longest, starts = int(lengths.max()), np.cumsum(lengths) - lengths
        owners = np.repeat(np.arange(len(rows)), lengths)
        positions = np.arange(len(owners)) - starts[owners]
        ids = np.concatenate([np.asarray(row.pieces, dtype=np.int64) for row in rows])
        second = halves & (positions >= np.array([row.second for row in rows])[owners])
        masks = np.concatenate([start + np.asarray(row.masks) for start, row in zip(starts, rows, strict=True)])
        seen = (np.arange(longest) < lengths[:, None])[:, None, None]
        arrays = (
            ids[None],
            second.astype(np.int64)[None],
            positions[None] + first,
            owners * longest + positions,
            masks,
            seen,
        )
        return cls(len(rows), longest, *(torch.from_numpy(array).to(device) for array in arrays))
