"""Exact privacy loss of finite laws, over all pairs of tokens.

Vocabularies are public and finite, so the loss can be computed (design: guarantees, section 2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.calibration import Pair, Worst, refuse_nan
from sfumato.privacy.distances import Distance
from sfumato.privacy.kernels import compiled
from sfumato.runtime import in_threads, slices
from sfumato.types import FloatArray, IntArray

Done = Callable[[float], None]
R = TypeVar("R")

_EDGE = 1024
_KEPT = 8


def widest_pair(log_laws: FloatArray) -> Pair:
    """Return the two rows of ``log_laws`` (X, Y) with the largest log ratio at some output, the likelier first."""
    output = int(np.argmax(log_laws.max(axis=0) - log_laws.min(axis=0)))
    return int(np.argmax(log_laws[:, output])), int(np.argmin(log_laws[:, output]))


@compiled
def _weight_sums(
    distances: FloatArray, scale: float, limit: float, by_row: FloatArray, by_column: FloatArray
) -> None:
    for i in range(len(distances)):
        for j in range(distances.shape[1]):
            weight = np.exp(-scale * min(distances[i, j], limit))
            by_row[i] += weight
            by_column[j] += weight


def equal_rows(vectors: FloatArray, pairs: IntArray) -> NDArray[np.bool_]:
    """Return which of ``pairs`` (P, 2) name two equal rows, number by number, shape (P,)."""
    return np.asarray((vectors[pairs[:, 0]] == vectors[pairs[:, 1]]).all(axis=1), dtype=np.bool_)


@compiled
def _differ(x: FloatArray, y: FloatArray) -> bool:
    return bool(np.any(x != y))


@compiled
def _worst_in_block(
    distances: FloatArray,
    x: FloatArray,
    y: FloatArray,
    scale: float,
    limit: float,
    log_z: FloatArray,
    log_z_other: FloatArray,
) -> tuple[float, int, int, float]:
    """Return the largest (scale·min(d, limit) + |log Z(x) - log Z(x')|) / d in a block, its indices, the largest d.

    Equal vectors share one law. Unequal vectors with a computed distance of 0, or NaN, have an infinite loss.
    """
    best, best_i, best_j, largest = 0.0, 0, 0, 0.0
    for i in range(len(distances)):
        for j in range(distances.shape[1]):
            d = distances[i, j]
            largest = max(largest, d)
            loss = scale * min(d, limit) + abs(log_z[i] - log_z_other[j])
            if loss > best * d or not 0.0 < d < np.inf:
                if 0.0 < d < np.inf:
                    best, best_i, best_j = loss / d, i, j
                elif d != 0.0 or _differ(x[i], y[j]):
                    best, best_i, best_j = np.inf, i, j
    return best, best_i, best_j, largest


class DistanceLoss:
    """Exact loss of P(y|x) ∝ exp(-s · min(d(x, y), γ)) over a vocabulary whose outputs are its inputs.

    For a pair x, x' the log ratio is largest at y = x or y = x' (there the two distances differ by exactly
    min(d(x, x'), γ), the most that the triangle inequality allows, min(d, γ) being a metric), so

        loss(x, x') = s · min(d, γ) + |log Z(x) - log Z(x')|,      ε*(s) = max loss(x, x') / d(x, x').

    ``passes`` counts full passes over all pairs: two a check, O(V²) time, bounded memory, each unordered pair once.
    ``diameter`` is the largest distance seen by the last check.
    """

    def __init__(
        self, vectors: FloatArray, metric: Distance, limit: float = np.inf, progress: Done | None = None
    ) -> None:
        self._vectors, self._metric, self._limit, self._progress = vectors, metric, float(limit), progress
        parts = slices(len(vectors), _EDGE)
        self._blocks = [(a, b) for number, a in enumerate(parts) for b in parts[number:]]
        self.passes, self.diameter = 0, 0.0
        self._log_sums: dict[float, FloatArray] = {}

    def checked_log_sums(self, scale: float) -> FloatArray | None:
        """Return ``log Z(x)`` (V,) at a ``scale`` that :meth:`worst` was asked about; None for any other."""
        return self._log_sums.get(scale)

    def log_normalizers(self, scale: float) -> FloatArray:
        """Return ``log Z(x)`` for every token, shape (V,)."""
        sums = np.zeros(len(self._vectors))

        def block(parts: tuple[slice, slice]) -> tuple[FloatArray, FloatArray]:
            rows, columns = parts
            distances = self._metric.block(self._vectors[rows], self._vectors[columns])
            by_row, by_column = np.zeros(len(distances)), np.zeros(distances.shape[1])
            _weight_sums(distances, scale, self._limit, by_row, by_column)
            return by_row, by_column

        for (rows, columns), (by_row, by_column) in zip(self._blocks, self._over(block), strict=True):
            sums[rows] += by_row
            if columns != rows:
                sums[columns] += by_column
        return np.log(sums)

    def worst(self, scale: float) -> Worst:
        """Return the exact ε*(scale), and the pairs that came closest.

        Raise :class:`GuaranteeError` if a normaliser is not a number. A distance that is not a number makes the loss
        infinite.
        """
        log_z = self.log_normalizers(scale)
        refuse_nan(log_z - log_z, "The normalisers")  # infinities too
        self._log_sums[scale] = log_z

        def block(places: tuple[slice, slice]) -> tuple[float, int, int, float]:
            rows, columns = places
            apart = self._metric.block(self._vectors[rows], self._vectors[columns])
            best, i, j, largest = _worst_in_block(
                apart, self._vectors[rows], self._vectors[columns], scale, self._limit, log_z[rows], log_z[columns]
            )
            return best, rows.start + i, columns.start + j, largest

        ranked = sorted(self._over(block), reverse=True)
        self.diameter = max(largest for *_, largest in ranked)
        return Worst(ranked[0][0], np.array([[i, j] for _, i, j, _ in ranked[:_KEPT]], dtype=np.int64))

    def follow(self, pairs: IntArray) -> Callable[[float], float]:
        """The largest loss among ``pairs`` as a function of the scale."""
        ends, inverse = np.unique(pairs, return_inverse=True)
        places = inverse.reshape(pairs.shape)
        distances = np.minimum(self._metric.block(self._vectors[ends], self._vectors), self._limit)
        apart = np.array(
            [self._metric.block(self._vectors[i : i + 1], self._vectors[j : j + 1])[0, 0] for i, j in pairs]
        )
        proper = (apart > 0.0) & (apart < np.inf)
        copies = (apart == 0.0) & equal_rows(self._vectors, pairs)

        def loss(scale: float) -> float:
            log_z = np.log(np.exp(-scale * distances).sum(axis=1))
            gaps = np.abs(log_z[places[:, 0]] - log_z[places[:, 1]])
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = (scale * np.minimum(apart, self._limit) + gaps) / apart
            return float(np.max(np.where(proper, ratios, np.where(copies, 0.0, np.inf)), initial=0.0))

        return loss

    def _over(self, block: Callable[[tuple[slice, slice]], R]) -> list[R]:
        self.passes += 1
        return list(in_threads(block, self._blocks, self._progress))
