"""torch networks with a prediction head: loaded safely, put on a device in a number format, run in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError, OutputError
from sfumato.models.devices import usable_device
from sfumato.models.inference import inference
from sfumato.models.loading import pretrained
from sfumato.models.masked.rows import Packed

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


class Shape(NamedTuple):
    """The part of a row's shape that the row alone decides: its padded length and its number of masks."""

    length: int
    masks: int


class Row(NamedTuple):
    """``pieces`` of an input, the index of its second half, the indices of its masks, and its least padded length."""

    pieces: list[int]
    second: int
    masks: list[int]
    length: int = 0

    def lengthened(self, length: int) -> Row:
        """Return the same row, to be padded to ``length`` pieces."""
        return self._replace(length=length)

    @classmethod
    def idle(cls, shape: Shape, piece: int) -> Row:
        """Return a row that fills up a batch."""
        return cls([piece] * shape.length, shape.length, [0] * shape.masks, shape.length)


@dataclass
class Placed:
    """A network on a device. ``most`` is the batch limit (pieces) after running out of memory.

    It is kept by shape: in bfloat16 the number of rows in a batch must not depend on the other questions.
    """

    network: Any
    device: str
    number_format: str
    gathers: bool = False
    """Whether the prediction head can compute the masked positions alone."""
    packed: Packed | None = None
    most: dict[Shape | None, int] = field(default_factory=dict)

    def answer(self, rows: Sequence[Row], padding: int, columns: Any = None) -> list[NDArray[np.float32]] | None:
        """Return logits (masks, columns) at the masks of each row; None if the device is out of memory."""
        import torch

        counts = [len(row.masks) for row in rows]
        pieces = len(rows) * max(max(len(row.pieces), row.length) for row in rows)
        try:
            with inference(self.network, pieces):
                logits = self._logits(rows, padding) if self.packed is None else self.packed.logits(rows, self.device)
                if columns is not None:
                    logits = logits.index_select(1, columns)
                return np.split(logits.float().cpu().numpy(), np.cumsum(counts)[:-1])
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
            return None

    def _logits(self, rows: Sequence[Row], padding: int) -> Any:
        """Return logits (masks, pieces) of rows that are padded to one length."""
        import torch

        longest = max(max(len(row.pieces), row.length) for row in rows)
        ids = np.full((len(rows), longest), padding, dtype=np.int64)
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

    def shrink(self, shape: Shape | None, tried: int, least: int) -> int:
        """Return half of the pieces ``tried``, the batch limit from now on.

        Raise OutputError if a row of ``least`` pieces is already too much.
        """
        if tried <= least:
            raise OutputError("The GPU has too little memory for one text of this length; use --device cpu.")
        self.most[shape] = max(least, tried // 2)
        return self.most[shape]

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


def placed(network: Any, device: str | None, number_format: str) -> Placed:
    """Return ``network`` on ``device`` in ``number_format``. Each short cut is tested before it is used.

    Raise ConfigurationError for a network whose answer for a text depends on other texts or on chance.
    """
    import torch

    target = usable_device(device)
    result = Placed(network, "cpu", "float32")
    result.gathers = _head(network) is not None and _same_answer(result, replace(result, gathers=True))
    if number_format == "float32" and (packed := Packed.of(network, _head(network))):
        result.packed = packed if _same_answer(result, replace(result, packed=packed)) else None
    _refuse_neighbours(result)
    if number_format == "bfloat16":
        result.network = network.to(torch.bfloat16)
    result.network = result.network.to(target)
    result.device, result.number_format = target, number_format
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
    alone, again, together = (candidate.answer(rows, 0) for rows in ([row], [row], [beside, row]))
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
        pairs = zip(short.answer(rows, 0) or [], plain.answer(rows, 0) or [], strict=True)
        return all(quick.shape == full.shape and np.allclose(quick, full, atol=1e-4) for quick, full in pairs)
    except (RuntimeError, IndexError, TypeError, ValueError, AttributeError):
        return False
