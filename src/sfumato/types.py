"""Types that every room uses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Uniforms = Callable[[int], FloatArray]
"""``uniforms(width)`` gives an (n, width) array of fresh uniforms in (0, 1), a row for each draw asked for."""

Progress = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1."""

Stages = Callable[[str, float], None]
"""``stages(stage, share)``: told what is being done, and the share of it that is done, from 0 to 1."""


def silent(stage: str, share: float) -> None:
    """Report nothing: :data:`Stages` for a caller who gave none."""
