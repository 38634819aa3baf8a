"""Types that every room uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Uniforms(Protocol):
    """The random numbers of n draws, as fractions or as words. They share no bits."""

    def __call__(self, width: int) -> FloatArray:
        """Return fresh uniforms in (0, 1), shape (n, width)."""

    def words(self, width: int) -> NDArray[np.uint64]:
        """Return fresh uniform 64-bit words, shape (n, width)."""


Progress = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1."""

Stages = Callable[[str, float], None]
"""``stages(stage, share)``: told what is being done, and the share of it that is done, from 0 to 1."""


def silent(stage: str, share: float) -> None:
    """Report nothing: :data:`Stages` for a caller who gave none."""


def part_of(progress: Progress, number: int, count: int, done: float) -> None:
    """Report the share ``done`` of one of ``count`` equal parts of the work, those before ``number`` being done."""
    progress((number + done) / count)
