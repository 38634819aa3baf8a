"""The present content of a growing vocabulary, and the check for repeated vectors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import Encoder
from sfumato.vocabularies.growing.seeds import Seeds
from sfumato.vocabularies.load import embed

_SAME = 1e-5  # distance of two vectors that differ by rounding alone, for vectors of length 1


@dataclass(eq=False)
class Known:
    """The present content of the vocabulary, over all labels.

    ``seeds`` and ``found`` are folded phrases, ``vectors`` the vectors of all phrases, and ``near`` the unit vectors
    of seeds by label.
    """

    seeds: set[str]
    found: set[str] = field(default_factory=set)
    vectors: list[NDArray[np.float64]] = field(default_factory=list)
    near: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    def place(self, seeds: Seeds, encoder: Encoder, near: bool) -> None:
        """Add the vectors of ``seeds``; with ``near`` also for :meth:`nearest`."""
        for label, phrases in seeds.phrases.items():
            vectors = np.asarray(embed(phrases, encoder))
            self.vectors.append(vectors)
            if near:
                self.near[label] = _units(vectors)

    def nearest(self, label: str, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the cosine of each of ``vectors`` (n, d) to the nearest seed of ``label``, shape (n,)."""
        return np.asarray((_units(vectors) @ self.near[label].T).max(axis=1))

    def copies(self, vectors: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which of ``vectors`` (n, d) repeat a phrase's vector, up to rounding, shape (n,)."""
        repeated = np.zeros(len(vectors), dtype=bool)
        for block in self.vectors:
            repeated |= same_vectors(vectors, block).any(axis=1)
        return repeated


def same_vectors(vectors: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which of ``vectors`` (n, d) and ``others`` (m, d) are equal, up to rounding, shape (n, m)."""
    sizes = np.square(vectors).sum(axis=1)[:, None]
    apart = sizes + np.square(others).sum(axis=1) - 2.0 * (vectors @ others.T)
    return np.asarray(apart <= _SAME**2 * np.maximum(1.0, sizes))


def _units(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0))
