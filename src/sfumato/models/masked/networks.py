"""Networks with a prediction head that answer masked questions: by torch on any device, or by onnxruntime.

A torch network is loaded safely and put on a device in a number format. One of BERT's build is run without padding:
the same answer with less work. The pieces of all rows lie one after another, so that the linear layers, which are
most of the work, see no padding. Only attention is laid out row by row. The last layer computes the masked positions
alone. The weights and the modules are those of the transformers network. Loading checks that the answers agree with
the network's own. This is for float32 only: in bfloat16 the length of a neighbour, which decides the shape of these
products, could be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError
from sfumato.models.bert.parameters import BODIES, WORD_VECTORS, Parameters
from sfumato.models.bert.session import Arithmetic, Row, Session, laid_out
from sfumato.models.devices import inference, usable_device
from sfumato.models.local_files import pretrained
from sfumato.models.masked.answering import Answering
from sfumato.types import IntArray

_HEADS = (
    *("cls", "lm_head", "vocab_transform", "head", "predictions"),
    *("pred_layer", "lm_predictions", "generator_predictions"),
)


def loaded_masked(folder: Path) -> tuple[Any, Any]:
    """Return the masked model in ``folder`` and its fast tokenizer, checked.

    Opens no connection and runs no foreign code. Raise MissingExtraError without transformers, and ConfigurationError
    for a model that cannot be used.
    """
    network, tokenizer = pretrained(folder, "masked")
    if getattr(tokenizer, "mask_token_id", None) is None:
        raise ConfigurationError(f"The tokenizer in {folder} has no mask piece; give a masked model.")
    return network, tokenizer


@dataclass
class Placed(Answering):
    """A torch network on a device."""

    network: Any
    padding: int = 0
    """The piece that fills up a row."""
    gathers: bool = False
    """Whether the prediction head can compute the masked positions alone."""
    packed: Packed | None = None

    @property
    def positions(self) -> int:
        """Return the most pieces of an input. RoBERTa and its relatives count from the padding piece's number."""
        tables = (part for name, part in self.network.named_modules() if name.endswith("position_embeddings"))
        padding = next((getattr(table, "padding_idx", None) for table in tables), None)
        most = int(getattr(self.network.config, "max_position_embeddings", 512) or 512)
        return most if padding is None else most - int(padding) - 1

    def vectors(self, pieces: IntArray) -> NDArray[np.float32]:
        """Return the input vectors of ``pieces``, shape (n, D)."""
        table = self.network.get_input_embeddings().weight.detach().float().cpu().numpy()
        return np.asarray(table[pieces])

    def answer(self, rows: Sequence[Row], columns: IntArray | None = None) -> list[NDArray[np.float32]] | None:
        """Return logits (masks, columns) at the masks of each row; None if the device is out of memory."""
        logits = self._computed(rows, columns, lambda logits: logits.float().cpu().numpy())
        return None if logits is None else np.split(logits, _ends(rows))

    def in_place(self, rows: Sequence[Row], columns: IntArray | None = None) -> list[Any] | None:
        """Return logits (masks, columns) at the masks of each row, on the device and in its number format."""
        logits = self._computed(rows, columns, lambda logits: logits)
        return None if logits is None else list(logits.tensor_split(_ends(rows)))

    def _computed(self, rows: Sequence[Row], columns: IntArray | None, brought: Callable[[Any], Any]) -> Any:
        """Return logits (all masks, columns), ``brought`` to where they are wanted; None without the memory."""
        import torch

        pieces = len(rows) * max(max(len(row.pieces), row.length) for row in rows)
        try:
            with inference(self.network, pieces):
                logits = self._logits(rows) if self.packed is None else self.packed.logits(rows, self.device)
                if columns is not None:
                    logits = logits.index_select(1, torch.from_numpy(columns).to(self.device))
                return brought(logits)
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
            return None

    def _logits(self, rows: Sequence[Row]) -> Any:
        """Return logits (masks, pieces) of rows that are padded to one length."""
        import torch

        longest = max(max(len(row.pieces), row.length) for row in rows)
        ids = np.full((len(rows), longest), self.padding, dtype=np.int64)
        seen, kinds = np.zeros_like(ids), np.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row.pieces)] = row.pieces
            seen[number, : len(row.pieces)] = 1
            kinds[number, row.second : len(row.pieces)] = 1
        arrays = {"input_ids": ids, "attention_mask": seen}
        if getattr(self.network.config, "type_vocab_size", 0) > 1:
            arrays["token_type_ids"] = kinds
        owners = np.repeat(np.arange(len(rows)), [len(row.masks) for row in rows])
        positions = np.concatenate([row.masks for row in rows])
        tensors = {name: torch.from_numpy(array).to(self.device) for name, array in arrays.items()}
        return self._at(tensors, *(torch.from_numpy(array).to(self.device) for array in (owners, positions)))

    def _at(self, tensors: Any, owners: Any, where: Any) -> Any:
        """Return logits (masks, pieces) at the positions ``where`` of the rows ``owners``, for any architecture."""
        head = _head(self.network) if self.gathers else None
        if head is None:
            return self.network(**tensors).logits[owners, where]
        hook = head.register_forward_pre_hook(lambda _, given: (given[0][owners, where].unsqueeze(1), *given[1:]))
        try:
            return self.network(**tensors).logits[:, 0]
        finally:
            hook.remove()


def _ends(rows: Sequence[Row]) -> list[int]:
    """Return where the masks of each row but the last end, counted through all rows."""
    return list(accumulate(len(row.masks) for row in rows))[:-1]


def placed(network: Any, device: str | None, number_format: str, padding: int = 0) -> Placed:
    """Return ``network`` on ``device`` in ``number_format``. Each short cut is tested before it is used.

    Raise ConfigurationError for a network whose answer for a text depends on other texts or on chance.
    """
    import torch

    target = usable_device(device)
    result = Placed("cpu", "float32", network, padding)
    result.gathers = _head(network) is not None and _same_answer(result, replace(result, gathers=True))
    if number_format == "float32" and (packed := Packed.of(network, _head(network))):
        result.packed = packed if _same_answer(result, replace(result, packed=packed)) else None
    _refuse_neighbours(result)
    if number_format == "bfloat16":
        result.network = network.to(torch.bfloat16)
    result.network = result.network.to(target)
    result.device, result.number_format, result.stays = target, number_format, target.startswith("cuda")
    if target != "cpu" and number_format == "float32":
        _refuse_neighbours(result)  # a device computes with its own arithmetic
    return result


def _refuse_neighbours(candidate: Placed) -> None:
    """Refuse a network whose answer for a text depends on the text beside it, or changes when it is computed again.

    A record's law must not depend on other records, because no budget pays for what they would disclose of each
    other.
    """
    most = candidate.network.config.vocab_size
    short, long = ([2 + 7 * position % max(1, most - 2) for position in range(count)] for count in (8, 30))
    row, beside = Row(short, 8, [4]), Row(long, 30, [9])
    alone, again, together = (candidate.answer(rows) for rows in ([row], [row], [beside, row]))
    if alone is None or again is None or together is None:
        return
    allowed = 1e-3 * (1.0 + float(np.abs(alone[0]).max()))
    if not all(float(np.abs(alone[0] - other).max()) <= allowed for other in (again[0], together[1])):  # not for NaN
        raise ConfigurationError(
            "This model's answer for a text depends on the text beside it in a batch, or on chance, so that one "
            "record could show in another's release; use a model such as BERT or RoBERTa."
        )


def _head(network: Any) -> Any:
    return next((getattr(network, name) for name in _HEADS if hasattr(network, name)), None)


def _same_answer(plain: Placed, short: Placed) -> bool:
    """Return whether ``short``, the network with a short cut, gives the answers of the padded rows of ``plain``."""
    count = min(40, plain.network.config.vocab_size)
    rows = [Row([(2 + 3 * position) % count for position in range(9)], 5, [4, 7]), Row([2, 5, 8, 5, 11, 2], 6, [3])]
    try:
        pairs = zip(short.answer(rows) or [], plain.answer(rows) or [], strict=True)
        return all(quick.shape == full.shape and np.allclose(quick, full, atol=1e-4) for quick, full in pairs)
    except (RuntimeError, IndexError, TypeError, ValueError, AttributeError):
        return False


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
        body = getattr(network, BODIES.get(getattr(network.config, "model_type", ""), ""), None)
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

        laid = laid_out(rows, first, halves)
        lengths = laid["lengths"]
        longest = int(lengths.max())
        seen = (np.arange(longest) < lengths[:, None])[:, None, None]
        one_text = (laid[name][None] for name in ("ids", "halves", "positions"))
        arrays = (*one_text, laid["back"], laid["masks"], seen)
        return cls(len(rows), longest, *(torch.from_numpy(array).to(device) for array in arrays))


@dataclass
class OnnxNetwork(Answering):
    """A network with a prediction head, asked for the same columns in all calls."""

    parameters: Parameters
    _session: Session | None = None

    @property
    def positions(self) -> int:
        """Return the most pieces of an input."""
        return self.parameters.most

    def vectors(self, pieces: IntArray) -> NDArray[np.float32]:
        """Return the input vectors of ``pieces``, shape (n, D)."""
        return np.asarray(self.parameters.weights[WORD_VECTORS][pieces])

    def answer(self, rows: Sequence[Row], columns: IntArray | None = None) -> list[NDArray[np.float32]] | None:
        """Return logits (masks, columns) at the masks of each row; None without the memory for them."""
        if self._session is None:
            every = np.arange(len(self.parameters.weights[WORD_VECTORS]))
            arithmetic: Arithmetic = "int8" if self.number_format == "int8" else "float32"
            self._session = Session(self.parameters, every if columns is None else columns, arithmetic)
        logits = self._session.answer(rows)
        return None if logits is None else np.split(logits, _ends(rows))
