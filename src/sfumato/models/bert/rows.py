"""Rows of pieces, laid end to end for a network of BERT's build."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Shape(NamedTuple):
    """The part of a row's shape that the row alone decides: its padded length and its number of masks."""

    length: int
    masks: int


class Row(NamedTuple):
    """``pieces`` of an input, the index of its second half, the indices of its masks, and its least padded length."""

    pieces: Sequence[int]
    second: int
    masks: Sequence[int] = ()
    length: int = 0

    def lengthened(self, length: int) -> Row:
        """Return the same row, to be padded to ``length`` pieces."""
        return self._replace(length=length)

    @classmethod
    def idle(cls, shape: Shape, piece: int) -> Row:
        """Return a row that fills up a batch."""
        return cls([piece] * shape.length, shape.length, [0] * shape.masks, shape.length)


def laid_out(rows: Sequence[Row], first: int, halves: bool) -> dict[str, NDArray[np.integer]]:
    """Return the inputs of the graph for ``rows``, by name (see ``sfumato.models.bert.session.INPUTS``).

    ``first`` is the number of a text's first position, and ``halves`` whether the network tells the halves apart.
    """
    lengths = np.array([len(row.pieces) for row in rows])
    longest, starts = int(lengths.max()), np.cumsum(lengths) - lengths
    owners = np.repeat(np.arange(len(rows)), lengths)
    positions = np.arange(len(owners)) - starts[owners]
    second = halves & (positions >= np.array([row.second for row in rows])[owners])
    back = owners * longest + positions
    places = np.zeros((len(rows), longest), dtype=np.int64)  # padding shows the first piece, which no attention sees
    places[owners, positions] = np.arange(len(owners))
    masks = np.concatenate(
        [start + np.asarray(row.masks, dtype=np.int64) for start, row in zip(starts, rows, strict=True)]
    )
    return {
        "ids": np.concatenate([np.asarray(row.pieces, dtype=np.int64) for row in rows]),
        "positions": positions + first,
        "halves": second.astype(np.int64),
        "places": places,
        "back": back,
        "lengths": lengths.astype(np.int32),
        "masks": masks,
        "masks_back": back[masks],
    }
