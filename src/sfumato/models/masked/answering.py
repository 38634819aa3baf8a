"""What answers the questions of a masked model: a network on a device, whatever runs it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import OutputError
from sfumato.models.bert.rows import Row, Shape
from sfumato.types import IntArray


@dataclass
class Answering(ABC):
    """A network on a device. ``most`` is the batch limit (pieces) after running out of memory.

    It is kept by shape: in bfloat16 the number of rows in a batch must not depend on the other questions. ``steady``
    says of a shape and a number of rows whether their answers passed :mod:`sfumato.models.masked.steadiness`.
    """

    device: str
    number_format: str
    most: dict[Shape | None, int] = field(default_factory=dict, kw_only=True)
    steady: dict[tuple[Shape, int], bool] = field(default_factory=dict, kw_only=True)
    stays: bool = field(default=False, kw_only=True)
    """Whether scores are to stay on the device until an outcome is looked up."""

    @property
    @abstractmethod
    def positions(self) -> int:
        """Return the most pieces of an input."""

    @abstractmethod
    def vectors(self, pieces: IntArray) -> NDArray[np.float32]:
        """Return the input vectors of ``pieces``, shape (n, D)."""

    @abstractmethod
    def answer(self, rows: Sequence[Row], columns: IntArray | None = None) -> list[NDArray[np.float32]] | None:
        """Return logits (masks, columns) at the masks of each row; None if the device is out of memory.

        ``columns`` are numbers of pieces, None for all. A network may ask for the same ones in every call.
        """

    def in_place(self, rows: Sequence[Row], columns: IntArray | None = None) -> list[Any] | None:
        """Return what :meth:`answer` returns, in tensors of the device where it computes with torch."""
        return self.answer(rows, columns)

    def shrink(self, shape: Shape | None, tried: int, least: int) -> int:
        """Return half of the pieces ``tried``, the batch limit from now on.

        Raise OutputError if a row of ``least`` pieces is already too much.
        """
        if tried <= least:
            where = "There is" if self.device == "cpu" else "The GPU has"
            way = "close other programs" if self.device == "cpu" else "use --device cpu"
            raise OutputError(f"{where} too little memory for one text of this length; {way}.")
        self.most[shape] = max(least, tried // 2)
        return self.most[shape]
