"""The law behind SanText, TEM and the inner step of CluSanT, made fast: P(y|x) ∝ exp(-s · min(d(x, y), γ)).

A full matrix of probabilities does not fit in memory, so a draw takes two steps that together have exactly this
law. Outputs are cut into blocks. For every input, the total weight of each block is computed at its first draw and
kept (20 kB an input). A draw picks a block by those totals, then a member of the block by weights that are computed
for the draw. Draws are sorted by block so that vectors are read once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from sfumato.privacy.distances import Distance
from sfumato.privacy.kernels import compiled, in_threads, slices
from sfumato.privacy.sampling import LawTable, check_resolution, draw_once
from sfumato.types import FloatArray, IntArray

_BLOCKS = 2048
_TABLE_BYTES = 800_000_000
_ROWS_AT_ONCE = 128
_WEIGHTS_AT_ONCE = 1 << 17


@compiled
def _block_totals(distances: FloatArray, starts: IntArray, scale: float, limit: float) -> FloatArray:
    totals = np.zeros((len(distances), len(starts) - 1))
    for i in range(len(distances)):
        for b in range(len(starts) - 1):
            for j in range(starts[b], starts[b + 1]):
                totals[i, b] += np.exp(-scale * min(distances[i, j], limit))
    return totals


@dataclass(frozen=True, eq=False)
class GroupLaw:
    """Draws inside one group of outputs: P(y|x, group) ∝ exp(-scale[group] · min(d(x, y), limit)).

    ``outputs`` (Y, D) are sorted by group; ``starts`` (groups + 1) holds the index where each begins; ``scale`` is
    one number or one a group; ``metric`` is d.
    """

    outputs: FloatArray = field(repr=False)
    starts: IntArray = field(repr=False)
    scale: float | FloatArray
    limit: float
    metric: Distance

    def draw(self, vectors: FloatArray, inputs: IntArray, groups: IntArray, uniforms: FloatArray) -> IntArray:
        """Return positions in ``outputs``, one for each row ``inputs`` (n,) of ``vectors``, shape (n,).

        ``groups`` (n,) holds the group of each, and ``uniforms`` (n,) decide.
        """
        picked = np.empty(len(groups), dtype=np.int64)
        widest = int(np.diff(self.starts).max())
        if widest == 1:
            return self.starts[groups]
        by_group = np.argsort(groups, kind="stable")
        scales = np.atleast_1d(np.asarray(self.scale, dtype=np.float64))

        def pick(part: slice) -> None:
            draws = by_group[part]
            weights = self.metric.weights_in_groups(
                vectors, inputs[draws], self.outputs, self.starts, groups[draws], scales, self.limit
            )
            picked[draws] = self.starts[groups[draws]] + draw_once(weights, uniforms[draws])

        for _ in in_threads(pick, slices(len(groups), max(1, _WEIGHTS_AT_ONCE // widest))):
            pass
        return picked


class DistanceLaw:
    """P(y|x) ∝ exp(-scale · min(d(x, y), limit)) for inputs ``vectors`` (V, D) and outputs ``vectors[outputs]``.

    ``canonical`` (V,) maps every input to the one whose table row it shares (equal vectors share one law).
    """

    def __init__(
        self,
        vectors: FloatArray,
        outputs: IntArray,
        canonical: IntArray,
        scale: float,
        limit: float = np.inf,
        metric: Distance | None = None,
    ) -> None:
        self.vectors, self.outputs, self.canonical = vectors, outputs, canonical
        self.scale, self.limit, self.metric = float(scale), float(limit), metric or Distance()
        size = -(-len(outputs) // _BLOCKS)
        self._starts = np.append(np.arange(0, len(outputs), size), len(outputs)).astype(np.int64)
        everything = len(outputs) == len(vectors)
        self._members = GroupLaw(
            vectors if everything else vectors[outputs], self._starts, self.scale, self.limit, self.metric
        )
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        blocks = len(self._starts) - 1
        self._row = np.full(len(self.vectors), -1, dtype=np.int64)
        self._rows = 0
        self._table = LawTable.empty(0, blocks)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for derived in ("_row", "_rows", "_table", "_lock"):
            del state[derived]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = Lock()
        self._forget()

    @property
    def most_rows(self) -> int:
        """Return how many inputs may have a table row at once."""
        return max(_ROWS_AT_ONCE, _TABLE_BYTES // (12 * (len(self._starts) - 1)))

    def log_weights(self, token: int) -> FloatArray:
        """Return ``-scale · min(d(token, y), limit)`` for every output, shape (Y,)."""
        distances = self.metric.block(self.vectors[token : token + 1], self._members.outputs)[0]
        return np.asarray(-self.scale * np.minimum(distances, self.limit), dtype=np.float64)

    def draw(self, tokens: IntArray, uniforms: FloatArray) -> IntArray:
        """Return one output (an index into ``vectors``) for each of ``tokens`` (n,); ``uniforms`` is (n, 2)."""
        result = np.empty(len(tokens), dtype=np.int64)
        inputs = self.canonical[tokens]
        for part in slices(len(tokens), self.most_rows):
            with self._lock:  # no thread may read rows while another adds, moves or drops them
                rows = self._rows_for(inputs[part])
                blocks = self._table.draw(rows, uniforms[part, 0])
            chosen = self._members.draw(self.vectors, inputs[part], blocks, uniforms[part, 1])
            result[part] = self.outputs[chosen]
        return result

    def _rows_for(self, inputs: IntArray) -> IntArray:
        """Return the table row of each input; add the missing rows first."""
        missing = np.unique(inputs[self._row[inputs] < 0])
        if self._rows + len(missing) > self.most_rows:
            self._forget()
            missing = np.unique(inputs)
        if len(missing):
            self._add(missing)
        return self._row[inputs]

    def _add(self, inputs: IntArray) -> None:
        needed = self._rows + len(inputs)
        if needed > len(self._table.order):
            self._table = self._table.resized(min(max(needed, 2 * self._rows), self.most_rows))

        def fill(part: slice) -> None:
            distances = self.metric.block(self.vectors[inputs[part]], self._members.outputs)
            farthest = min(float(distances.max()), self.limit)
            check_resolution(-self.scale * farthest - math.log(len(self.outputs)), "The law of a token")
            rows = slice(self._rows + part.start, self._rows + part.stop)
            self._table.put(rows, _block_totals(distances, self._starts, self.scale, self.limit))

        for _ in in_threads(fill, slices(len(inputs), _ROWS_AT_ONCE)):
            pass
        self._row[inputs] = np.arange(self._rows, needed)
        self._rows = needed
