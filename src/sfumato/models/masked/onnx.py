"""A masked model of BERT's build on the processor, run by onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.models.bert.linear import Arithmetic
from sfumato.models.bert.parameters import WORD_VECTORS, Parameters
from sfumato.models.bert.rows import Row
from sfumato.models.bert.session import Session
from sfumato.models.masked.answering import Answering
from sfumato.types import IntArray


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
        ends = np.cumsum([len(row.masks) for row in rows])[:-1]
        return None if logits is None else np.split(logits, ends)
