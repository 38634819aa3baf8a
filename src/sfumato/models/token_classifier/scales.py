"""What the kernels of the network read beside bytes, and the bytes of a window by head."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
Bytes = NDArray[np.uint8]
Signed = NDArray[np.int8]
Whole = NDArray[np.int32]

HEADS, SIZE = 12, 32
ZERO, MOST = 128, 64
"""The byte that stands for 0 in states, and half of what two neighbouring weights add up to at most."""


class Scales(NamedTuple):
    """What turns sums of bytes (n, outputs) into numbers: a step and a bias for each output."""

    steps: FloatArray
    bias: FloatArray


class Norm(NamedTuple):
    """The weight and the bias of a layer normalisation."""

    weight: FloatArray
    bias: FloatArray


class Parts(NamedTuple):
    """Queries (HEADS, m, SIZE), keys (HEADS, SIZE, n) and values (HEADS, n, SIZE) of a window in bytes.

    Queries (HEADS, m) and keys (HEADS, n) have a step for each piece, values (HEADS * SIZE,) one for each column.
    """

    queries: Bytes
    keys: Signed
    values: Signed
    query_steps: FloatArray
    key_steps: FloatArray
    value_steps: FloatArray
