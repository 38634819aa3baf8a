"""The law behind SanText, TEM and the inner step of CluSanT, made fast: P(y|x) ∝ exp(-s · min(d(x, y), γ)).

A full matrix of probabilities does not fit in memory, so a draw takes two steps that together have exactly this
law. Outputs are cut into blocks. For every input, the total weight of each block is computed at its first draw and
kept (20 kB an input). A draw picks a block by those totals, then a member of the block by weights that are computed
for the draw. Draws are sorted by block so that vectors are read once.

The most likely outcome of an input comes first (:mod:`sfumato.privacy.quick_draws`): most draws of a steep law are
decided by two comparisons. If the sum of all weights is known from the certificate, that takes the distances to one
block only, so that most inputs never need the totals of their blocks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.distances import Distance
from sfumato.privacy.kernels import compiled, order_by
from sfumato.privacy.quick_draws import FrequentInputs, LikeliestOutcomes
from sfumato.privacy.sampling import SORTED, LawTable, check_resolution, draw_once
from sfumato.runtime import in_threads, slices
from sfumato.types import FloatArray, IntArray

_BLOCKS = 2048
_TABLE_BYTES = 800_000_000
_ROWS_AT_ONCE = 128
_WEIGHTS_AT_ONCE = 1 << 17
_HEADS_AT_ONCE = 4096
_TRIED = 3


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

    def weights(self, vectors: FloatArray, inputs: IntArray, groups: IntArray) -> FloatArray:
        """Return the weights of the members of ``groups`` (n,), for each row ``inputs`` (n,) of ``vectors``.

        The shape is (n, largest group among ``groups``), padded with 0.
        """
        scales = np.atleast_1d(np.asarray(self.scale, dtype=np.float64))
        return self.metric.weights_in_groups(vectors, inputs, self.outputs, self.starts, groups, scales, self.limit)

    def draw(self, vectors: FloatArray, inputs: IntArray, groups: IntArray, uniforms: FloatArray) -> IntArray:
        """Return positions in ``outputs``, one for each row ``inputs`` (n,) of ``vectors``, shape (n,).

        ``groups`` (n,) holds the group of each, and ``uniforms`` (n,) decide.
        """
        picked = np.empty(len(groups), dtype=np.int64)
        widest = int(np.diff(self.starts).max())
        if widest == 1:
            return self.starts[groups]
        by_group = order_by(groups, len(self.starts) - 1)

        def pick(part: slice) -> None:
            draws = by_group[part]
            weights = self.weights(vectors, inputs[draws], groups[draws])
            picked[draws] = self.starts[groups[draws]] + draw_once(weights, uniforms[draws])

        for _ in in_threads(pick, slices(len(groups), max(1, _WEIGHTS_AT_ONCE // widest))):
            pass
        return picked


class DistanceLaw:
    """P(y|x) ∝ exp(-scale · min(d(x, y), limit)) for inputs ``vectors`` (V, D) and outputs ``vectors[outputs]``.

    ``canonical`` (V,) maps every input to the one whose table row it shares (equal vectors share one law). Weights
    and their sums are right to the relative ``error``.
    """

    def __init__(
        self,
        vectors: FloatArray,
        outputs: IntArray,
        canonical: IntArray,
        scale: float,
        limit: float = np.inf,
        metric: Distance | None = None,
        error: float = 1e-6,
    ) -> None:
        self.vectors, self.outputs, self.canonical = vectors, outputs, canonical
        self._error = error
        self._log_sums: FloatArray | None = None
        self.scale, self.limit, self.metric = float(scale), float(limit), metric or Distance()
        size = -(-len(outputs) // _BLOCKS)
        self._size = size
        # draw_once takes the members of a larger block in another order, in which the largest need not be the last
        self._led = size <= SORTED and len(outputs) > 2 * size
        self._starts = np.append(np.arange(0, len(outputs), size), len(outputs)).astype(np.int64)
        everything = len(outputs) == len(vectors)
        self._members = GroupLaw(
            vectors if everything else vectors[outputs], self._starts, self.scale, self.limit, self.metric
        )
        self._lock = Lock()
        self._begin()

    def _begin(self) -> None:
        self._likeliest = LikeliestOutcomes.empty(len(self.vectors), self._error)
        self._inside = FrequentInputs(self._members, len(self.vectors))
        self._forget()

    def _forget(self) -> None:
        blocks = len(self._starts) - 1
        self._row = np.full(len(self.vectors), -1, dtype=np.int64)
        self._rows = 0
        self._table = LawTable.empty(0, blocks)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for derived in ("_row", "_rows", "_table", "_lock", "_likeliest", "_inside"):
            del state[derived]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = Lock()
        self._begin()

    @property
    def most_rows(self) -> int:
        """Return how many inputs may have a table row at once."""
        return max(_ROWS_AT_ONCE, _TABLE_BYTES // (12 * (len(self._starts) - 1)))

    def log_weights(self, token: int) -> FloatArray:
        """Return ``-scale · min(d(token, y), limit)`` for every output, shape (Y,)."""
        distances = self.metric.block(self.vectors[token : token + 1], self._members.outputs)[0]
        return np.asarray(-self.scale * np.minimum(distances, self.limit), dtype=np.float64)

    def knowing(self, log_sums: FloatArray) -> DistanceLaw:
        """Return the same law with ``log_sums`` (V,), log Σ exp(-scale · min(d, limit)) of every input, if they hold.

        Some of them are computed again. The outputs must be the inputs, in their order.
        """
        tried = np.unique(np.linspace(0, len(log_sums) - 1, _TRIED).astype(np.int64))
        again = [float(np.log(np.exp(self.log_weights(int(token))).sum())) for token in tried]
        if np.abs(log_sums[tried] - again).max() <= 4.0 * self._error:
            self._log_sums = log_sums
        return self

    def draw(self, tokens: IntArray, uniforms: FloatArray) -> IntArray:
        """Return one output (an index into ``vectors``) for each of ``tokens`` (n,); ``uniforms`` is (n, 2)."""
        inputs = self.canonical[tokens]
        with self._lock:
            if self._led and self._log_sums is not None:
                new = self._likeliest.missing(inputs)
                self._lead(new, new // self._size, np.exp(self._log_sums[new]), np.zeros(len(new), dtype=np.bool_))
            drawn, others = self._likeliest.decide(inputs, uniforms)
        if len(others) == len(drawn):
            drawn = self._drawn_by_blocks(inputs, uniforms)
        elif len(others):
            drawn[others] = self._drawn_by_blocks(inputs[others], uniforms[others])
        return self.outputs[drawn]

    def _drawn_by_blocks(self, inputs: IntArray, uniforms: FloatArray) -> IntArray:
        """Return the place among the outputs of one draw for each of ``inputs`` (n,), the whole way."""
        drawn = np.empty(len(inputs), dtype=np.int64)
        for part in slices(len(inputs), self.most_rows):
            with self._lock:  # no thread may read rows while another adds, moves or drops them
                rows = self._rows_for(inputs[part])  # first: it may put another table in place
                blocks = self._table.draw(rows, uniforms[part, 0])
            drawn[part] = self._inside.draw(self.vectors, inputs[part], blocks, uniforms[part, 1])
        return drawn

    def _lead(self, inputs: IntArray, blocks: IntArray, sums: FloatArray, last: NDArray[np.bool_]) -> None:
        """Enter the most likely outcomes of ``inputs`` (m,) in ``blocks`` (m,); ``sums`` (m,) are of all weights.

        ``last`` (m,) says which of the blocks are known to come last.
        """
        for part in slices(len(inputs), _HEADS_AT_ONCE):
            weights = self._members.weights(self.vectors, inputs[part], blocks[part])
            self._likeliest.put(inputs[part], self._starts[blocks[part]], weights, sums[part], last[part])

    def _lead_by_rows(self, inputs: IntArray) -> None:
        """Enter the most likely outcomes of ``inputs`` that lack them: in their last blocks, if these lead."""
        inputs = inputs[self._likeliest.bounds[inputs, 0] > 1.0]
        sums = self._table.cumulative[self._row[inputs], -3:]
        leads = np.diff(sums) @ [-1.0, 1.0] > 16.0 * self._error * sums[:, -1]
        inputs, sums = inputs[leads], sums[leads, -1]
        blocks = self._table.order[self._row[inputs], -1].astype(np.int64)
        self._lead(inputs, blocks, sums, np.ones(len(inputs), dtype=np.bool_))

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
        if self._led:
            self._lead_by_rows(inputs)
