"""Private texts as rows of pieces: the control code and a line break, then the text and the end piece to be learned.

No text and no value of a code can become a special piece, because both are read as text. A text of more pieces than
the public length is cut there, and then has no end. An empty text has only its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sfumato.abstract.models import CausalModel
from sfumato.abstract.synthesizer import Unit
from sfumato.errors import ConfigurationError
from sfumato.synthesis.finetune.lora import UNWANTED

_STEP = 16
"""Rows are padded to a multiple of so many pieces, by their own length alone."""


class Row(NamedTuple):
    """The pieces of one text: those ``before`` it, which are only read, and those to be learned. PRIVATE."""

    before: tuple[int, ...]
    learned: tuple[int, ...]

    @property
    def width(self) -> int:
        """Return the length that the row is padded to, which no other row has a part in."""
        read = len(self.before) + len(self.learned) - 1
        return -(-read // _STEP) * _STEP


def prompts(model: CausalModel, codes: Sequence[str]) -> list[tuple[int, ...]]:
    """Return what stands before a text of each code: the pieces that every text begins with, the code, a line break.

    Where a model begins its texts with no piece of its own, the end of a text before is the beginning.
    """
    start = tuple(model.opening) or (end_piece(model),)
    return [(*start, *(model.pieces(f"{code}\n") if code else ())) for code in codes]


def end_piece(model: CausalModel) -> int:
    """Return the piece that ends a text. Raise ConfigurationError for a model without one."""
    if model.end is None:
        raise ConfigurationError("The model has no piece that ends a text; give another causal model.")
    return int(model.outcomes[model.end])


def rows_of(model: CausalModel, codes: Sequence[str], units: Sequence[Unit], length: int) -> list[list[Row]]:
    """Return the rows of each unit, with at most ``length`` pieces to be learned."""
    before, end = prompts(model, codes), end_piece(model)
    return [
        [
            Row(before[code], tuple([*model.pieces(text), end][:length]))
            for text, code in zip(unit.texts, unit.codes, strict=True)
        ]
        for unit in units
    ]


def tensors(rows: Sequence[Row], width: int, device: Any) -> tuple[Any, Any]:
    """Return the pieces that are read and the pieces wanted after them, both of shape (rows, width)."""
    import numpy as np
    import torch

    ids = np.zeros((len(rows), width), dtype=np.int64)
    targets = np.full((len(rows), width), UNWANTED, dtype=np.int64)
    for number, row in enumerate(rows):
        pieces = [*row.before, *row.learned]
        ids[number, : len(pieces) - 1] = pieces[:-1]
        targets[number, len(row.before) - 1 : len(pieces) - 1] = row.learned
    return torch.from_numpy(ids).to(device), torch.from_numpy(targets).to(device)
