"""The layers of the network: products of bytes by onnxruntime, and between them the kernels of this package.

A product of bytes is a sum of whole numbers, which has no rounding. So the answers have the same bits on every
processor, and no window depends on the windows beside it. Devlin et al. 2019 describe the build.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.models.token_classifier.kernels import (
    added,
    embedded,
    grown,
    in_bytes,
    mixed,
    parted,
    probabilities,
    shares,
)
from sfumato.models.token_classifier.scales import MOST, ZERO, Bytes, FloatArray, Norm, Scales, Signed, Whole


class Matrix(NamedTuple):
    """A linear layer: its weights (inputs, outputs) in bytes, and the scales of its outputs."""

    weights: Signed
    scales: Scales

    @classmethod
    def of(cls, weights: Signed, steps: FloatArray, bias: FloatArray) -> Matrix:
        """Return the layer of ``weights`` (outputs, inputs) in bytes, with a step and a bias for each output.

        The weights of two neighbouring inputs add up to at most 2 * ``MOST``. An output with more is rounded again.
        """
        signless = np.abs(weights).view(np.uint8)
        pairs = (signless[:, ::2] + signless[:, 1::2]).max(axis=1)
        large = np.flatnonzero(pairs > 2 * MOST)
        if len(large):
            factors = np.float32(2 * MOST - 1) / pairs[large]
            weights, steps = weights.copy(), steps.copy()
            weights[large] = np.rint(weights[large] * factors[:, None])
            steps[large] /= factors
        return cls(np.ascontiguousarray(weights.T), Scales(steps, bias))


class Layer(NamedTuple):
    """A layer of the encoder."""

    parts: Matrix
    join: Matrix
    join_norm: Norm
    grow: Matrix
    shrink: Matrix
    shrink_norm: Norm


class Window(NamedTuple):
    """Consecutive rows of a block, and those of them that are answered, both half-open."""

    start: int
    stop: int
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Network:
    """The network from the vectors of pieces to probabilities. Threads may share it.

    ``table`` (kinds, hidden) and ``positions`` (positions, hidden) are added to the vectors of words. ``head`` has
    shape (hidden, classes + 1).
    """

    table: FloatArray
    positions: FloatArray
    norm: Norm
    layers: Sequence[Layer]
    head: FloatArray
    head_bias: FloatArray

    def answer(self, words: FloatArray, kinds: NDArray[np.integer], windows: Sequence[Window]) -> FloatArray:
        """Return the probabilities (rows, classes + 1) of the rows that the ``windows`` of a block answer for."""
        places = np.concatenate([np.arange(window.stop - window.start) for window in windows])
        states = embedded(words, self.table[kinds], self.positions[places], self.norm)
        for layer in self.layers[:-1]:
            states = _after(
                layer, states, [window._replace(first=window.start, last=window.stop) for window in windows]
            )
        return probabilities(_after(self.layers[-1], states, windows), self.head, self.head_bias)


def _after(layer: Layer, states: FloatArray, windows: Sequence[Window]) -> FloatArray:
    """Return the states of the answered rows after ``layer``."""
    rounded, steps = in_bytes(states)
    sums = product(rounded, layer.parts.weights)
    attended = [_attended(sums[own.start : own.stop], steps[own.start : own.stop], layer, own) for own in windows]
    rounded, steps = (np.concatenate(part) for part in zip(*attended, strict=True))
    kept = np.concatenate([states[window.first : window.last] for window in windows])
    sums = product(rounded, layer.join.weights)
    states = added(sums, steps, layer.join.scales, kept, layer.join_norm)
    rounded, steps = in_bytes(states)
    rounded, steps = grown(product(rounded, layer.grow.weights), steps, layer.grow.scales)
    return added(product(rounded, layer.shrink.weights), steps, layer.shrink.scales, states, layer.shrink_norm)


def _attended(sums: Whole, steps: FloatArray, layer: Layer, window: Window) -> tuple[Bytes, FloatArray]:
    """Return what the answered rows of a window gather from all its rows, in bytes with their steps."""
    parts = parted(sums, steps, layer.parts.scales, window.first - window.start, window.last - window.start)
    scores = product(parts.queries, parts.keys)
    share, totals = shares(scores, parts.query_steps, parts.key_steps)
    values = product(share, parts.values, zero=0)
    return mixed(values, totals, parts.value_steps, layer.parts.scales.bias[-len(parts.value_steps) :])


def product(states: Bytes, weights: Signed, zero: int = ZERO) -> Whole:
    """Return the sums of ``states - zero`` (…, n, inputs) times ``weights`` (…, inputs, outputs)."""
    [sums] = _session().run(None, {"states": states, "weights": weights, "zero": _ZEROS[zero]})
    answered: Whole = sums
    return answered


_ZEROS = {zero: np.array(zero, dtype=np.uint8) for zero in (0, ZERO)}
_PRODUCT = (
    b'\x08\t:t\n,\n\x06states\n\x07weights\n\x04zero\x12\x04sums"\rMatMulInteger\x12\x07productZ\x0e\n\x06states'
    b"\x12\x04\n\x02\x08\x02Z\x0f\n\x07weights\x12\x04\n\x02\x08\x03Z\x0c\n\x04zero\x12\x04\n\x02\x08\x02b\x0c\n\x04sums"
    b"\x12\x04\n\x02\x08\x06B\x04\n\x00\x10\x12"
)
"""MatMulInteger as onnx writes it, whose import would take longer than all of a short text."""


@cache
def _session() -> Any:
    """Return a session that multiplies bytes, by one thread: the texts share the processors."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    return onnxruntime.InferenceSession(_PRODUCT, options, providers=["CPUExecutionProvider"])
