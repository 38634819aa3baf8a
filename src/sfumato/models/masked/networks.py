"""torch networks with a prediction head: loaded safely, put on a device in a number format, asked in batches."""

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
    """The masked model in ``folder`` with its fast tokenizer, checked; opens no connection, runs no foreign code."""
    network, tokenizer = pretrained(folder, "masked")
    if getattr(tokenizer, "mask_token_id", None) is None:
        raise ConfigurationError(f"The tokenizer in {folder} has no mask piece.")
    return network, tokenizer


class Shape(NamedTuple):
    """The shape of a row that is decided by the row alone: its padded length and its number of masks."""

    length: int
    masks: int


class Row(NamedTuple):
    """Pieces of an input, where its second half begins, where its masks are, and what it is padded to at least."""

    pieces: list[int]
    second: int
    masks: list[int]
    length: int = 0

    def lengthened(self, length: int) -> Row:
        """The same row, to be padded to ``length``."""
        return self._replace(length=length)

    @classmethod
    def idle(cls, shape: Shape, piece: int) -> Row:
        """A row that fills up a batch."""
        return cls([piece] * shape.length, shape.length, [0] * shape.masks, shape.length)


@dataclass
class Placed:
    """A network on a device. ``most`` is how many pieces it takes at once, where more were too much.

    It is kept by shape: in bfloat16 a batch's number of rows must not depend on what else was asked.
    """

    network: Any
    device: str
    number_format: str
    gathers: bool = False
    """Whether the prediction head can be asked for the masked positions alone."""
    packed: Packed | None = None
    most: dict[Shape | None, int] = field(default_factory=dict)

    def answer(self, rows: Sequence[Row], padding: int, columns: Any = None) -> list[NDArray[np.float32]] | None:
        """Logits (masks, columns) at the masks of each row; None where the device is out of memory."""
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
        """Logits (masks, pieces) of rows that are padded to one length."""
        import torch

        longest = max(max(len(row.pieces), row.length) for row in rows)
        ids = np.full((len(rows), longest), padding, dtype=np.int64)
        seen, kinds = np.zeros_like(ids), np.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row.pieces)] = row.pieces
            seen[number, : len(row.pieces)] = 1
            kinds[number, row.second : len(row.pieces)] = 1
        given = {"input_ids": ids, "attention_mask": seen}
        if getattr(self.network.config, "type_vocab_size", 0) > 1:
            given["token_type_ids"] = kinds
        owners = np.repeat(np.arange(len(rows)), [len(row.masks) for row in rows])
        where = np.concatenate([row.masks for row in rows])
        tensors = {name: torch.from_numpy(one).to(self.device) for name, one in given.items()}
        return self._at(tensors, *(torch.from_numpy(one).to(self.device) for one in (owners, where)))

    def shrink(self, shape: Shape | None, tried: int, least: int) -> int:
        """Half of what was ``tried``, from now on. Raises OutputError where a row of ``least`` pieces is too much."""
        if tried <= least:
            raise OutputError("The GPU has too little memory for one text of this length; use --device cpu.")
        self.most[shape] = max(least, tried // 2)
        return self.most[shape]

    def _at(self, tensors: Any, owners: Any, where: Any) -> Any:
        """Logits (masks, pieces) at the places ``where`` of the rows ``owners``, whatever the architecture."""
        head = _head(self.network) if self.gathers else None
        if head is None:
            return self.network(**tensors).logits[owners, where]
        hook = head.register_forward_pre_hook(lambda _, given: (given[0][owners, where].unsqueeze(1), *given[1:]))
        try:
            return self.network(**tensors).logits[:, 0]
        finally:
            hook.remove()


def placed(network: Any, device: str | None, number_format: str) -> Placed:
    """``network`` on ``device`` in ``number_format``; the short cuts that it can be asked by are tried out."""
    import torch

    where = usable_device(device)
    made = Placed(network, "cpu", "float32")
    made.gathers = _head(network) is not None and _same_answer(made, replace(made, gathers=True))
    if number_format == "float32" and (packed := Packed.of(network, _head(network))):
        made.packed = packed if _same_answer(made, replace(made, packed=packed)) else None
    _refuse_neighbours(made)
    if number_format == "bfloat16":
        made.network = network.to(torch.bfloat16)
    made.network = made.network.to(where)
    made.device, made.number_format = where, number_format
    if where != "cpu" and number_format == "float32":
        _refuse_neighbours(made)  # the arithmetic there is another
    return made


def _refuse_neighbours(made: Placed) -> None:
    """Refuse a network whose answer for one text depends on the text beside it, or changes when asked again.

    A record's law must not depend on other records: what they would learn of each other no budget pays for.
    """
    most = made.network.config.vocab_size
    short, long = ([2 + 7 * place % max(1, most - 2) for place in range(count)] for count in (8, 30))
    row, beside = Row(short, 8, [4]), Row(long, 30, [9])
    alone, again, together = (made.answer(rows, 0) for rows in ([row], [row], [beside, row]))
    if alone is None or again is None or together is None:
        return
    allowed = 1e-3 * (1.0 + float(np.abs(alone[0]).max()))
    if not all(float(np.abs(alone[0] - other).max()) <= allowed for other in (again[0], together[1])):  # nor NaN
        raise ConfigurationError(
            "This model's answer for a text depends on the text beside it in a batch, or on chance, so that records "
            "would show in each other; use a model such as BERT or RoBERTa."
        )


def _head(network: Any) -> Any:
    return next((getattr(network, name) for name in _HEADS if hasattr(network, name)), None)


def _same_answer(plain: Placed, short: Placed) -> bool:
    """Whether the network answers by a short cut what it answers when all positions of padded rows are computed."""
    count = min(40, plain.network.config.vocab_size)
    rows = [Row([(2 + 3 * at) % count for at in range(9)], 5, [4, 7]), Row([2, 5, 8, 5, 11, 2], 6, [3])]
    try:
        pairs = zip(short.answer(rows, 0) or [], plain.answer(rows, 0) or [], strict=True)
        return all(one.shape == other.shape and np.allclose(one, other, atol=1e-4) for one, other in pairs)
    except (RuntimeError, IndexError, TypeError, ValueError, AttributeError):
        return False
