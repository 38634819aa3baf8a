"""Types that every room uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
T = TypeVar("T")


class Uniforms(Protocol):
    """The random numbers of n draws, as fractions or as words. They share no bits."""

    def __call__(self, width: int) -> FloatArray:
        """Return fresh uniforms in (0, 1), shape (n, width)."""

    def words(self, width: int) -> NDArray[np.uint64]:
        """Return fresh uniform 64-bit words, shape (n, width)."""


Progress = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1."""


def unit_rows(rows: FloatArray) -> FloatArray:
    """Return the vectors ``rows``, shape (n, d), each at length 1; a zero vector stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0))


def part_of(progress: Progress | None, first: float, share: float) -> Progress:
    """Return a progress for a part of the work: the ``share`` of it that begins at ``first``."""
    return lambda done: None if progress is None else progress(min(1.0, first + share * done))


def in_batches(items: Sequence[T], size: int, progress: Progress | None = None) -> Iterator[Sequence[T]]:
    """Yield ``items`` in batches of ``size``; ``progress`` hears of each when the next one is wanted."""
    for first in range(0, len(items), size):
        yield items[first : first + size]
        if progress is not None:
            progress(min(1.0, (first + size) / len(items)))


Stages = Callable[[str, float], None]
"""``stages(stage, share)``: told what is being done, and the share of it that is done, from 0 to 1."""


def silent(stage: str, share: float) -> None:
    """Report nothing: :data:`Stages` for a caller who gave none."""
