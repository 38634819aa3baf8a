"""Select candidates by their noisy votes, and refuse texts that are nearly the same."""

from __future__ import annotations

import numpy as np

from sfumato.types import FloatArray, IntArray

NEAR = 0.97
"""The cosine from which two texts count as one."""


def resampled(votes: IntArray, count: int, uniform: float, sharpness: float = 1.0) -> IntArray:
    """Return how often each candidate is chosen, ``count`` times in all, by its noisy ``votes`` if they are above 0.

    Its chance is in proportion to that power of its votes that ``sharpness`` gives. At 1 a candidate that is nearest
    to everything, because it says little, crowds out the others; less keeps more kinds of text.
    Systematic resampling: one uniform in (0, 1] decides, and a candidate's number is its expectation, rounded up or
    down. If no count is above 0, all candidates are alike. Reads noisy votes alone, so that it costs nothing.
    """
    weights = np.where(votes > 0, np.maximum(votes, 1).astype(np.float64) ** sharpness, 0.0)
    reached = np.cumsum(weights if weights.any() else np.ones(len(votes)))
    places = (np.arange(count) + uniform) * (float(reached[-1]) / count)
    indices = np.minimum(np.searchsorted(reached, places, side="left"), len(votes) - 1)
    return np.bincount(indices, minlength=len(votes)).astype(np.int64)


class Distinct:
    """Texts no two of which are nearly the same, by the cosine of their vectors."""

    def __init__(self, dimensions: int) -> None:
        self.texts: list[str] = []
        self._vectors = np.empty((64, dimensions))

    def add(self, text: str, vector: FloatArray) -> bool:
        """Take ``text``, unless one that is nearly the same is there already. Return whether it was taken."""
        size = float(np.linalg.norm(vector))
        unit = vector / size if size > 0.0 else vector
        taken = len(self.texts)
        if text in self.texts or (taken and float((self._vectors[:taken] @ unit).max()) >= NEAR):
            return False
        if taken == len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.empty_like(self._vectors)])
        self._vectors[taken] = unit
        self.texts.append(text)
        return True
