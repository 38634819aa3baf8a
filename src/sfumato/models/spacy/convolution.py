"""The encoder of a spaCy pipeline in blocks of words that fit the processor's cache.

spaCy's encoder of windows is a chain of layers. Each multiplies a word and its neighbours by a matrix, takes the
largest of several pieces, normalises them and adds the word itself. thinc writes every step of a whole batch to
memory; here one block passes through all layers, and all steps behind the product are one loop.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.kernels import compiled

Floats = NDArray[np.float32]
_BLOCK = 512
_LEAST_VARIANCE = np.float32(1e-8)  # thinc's
_STEPS = ["expand_window", "maxout", "layernorm", "dropout"]


class _Layer(NamedTuple):
    """One layer of the chain; rows of ``weights`` and ``bias`` lie piece by piece."""

    weights: Floats
    bias: Floats
    gain: Floats
    shift: Floats


def convolve_in_blocks(model: Any) -> None:
    """Make the chains of convolutions in ``model``, a thinc model, run in blocks. Other layers stay as they are."""
    from thinc.api import Model

    for outer in list(model.walk()):
        if outer.name.startswith("with_array(") and len(outer.layers) == 1 and type(outer.ops).__name__ == "NumpyOps":
            layers = _layers(outer.layers[0])
            if layers and outer.attrs.get("pad", 0) >= len(layers):
                inner: Any = Model("in_blocks", _forward, layers=[outer.layers[0]], attrs={"layers": layers})
                outer.layers[0] = inner


def _layers(chain: Any) -> tuple[_Layer, ...]:
    """Return the layers of a chain of convolutions over one neighbour on each side; () for any other model."""
    parts = chain.layers if chain.name.count("residual(") > 1 else [chain]
    layers = [_layer(part) for part in parts]
    return tuple(layer for layer in layers if layer is not None) if None not in layers else ()


def _layer(part: Any) -> _Layer | None:
    """Return a residual layer of spaCy's MaxoutWindowEncoder; None if it is any other."""
    if not part.name.startswith("residual(") or len(part.layers) != 1:
        return None
    steps = [step for step in part.walk(order="dfs_pre") if not step.layers]
    if [step.name for step in steps] != _STEPS or steps[0].attrs.get("window_size") != 1:
        return None
    outputs, pieces, inputs = steps[1].get_param("W").shape
    if inputs != 3 * outputs:
        return None
    weights = steps[1].get_param("W").transpose(1, 0, 2).reshape(pieces * outputs, inputs)
    bias = steps[1].get_param("b").reshape(outputs, pieces).T.ravel()
    gain, shift = steps[2].get_param("G"), steps[2].get_param("b")
    return _Layer(*(np.ascontiguousarray(array, dtype=np.float32) for array in (weights, bias, gain, shift)))


def _forward(model: Any, rows: Any, is_train: bool) -> tuple[Any, Any]:
    """Return the output of the chain for ``rows``, one for each word. For prediction only."""
    if is_train:
        raise NotImplementedError("A pipeline that was made faster cannot be trained; load it with spacy.load.")
    layers: tuple[_Layer, ...] = model.attrs["layers"]
    far, result = len(layers), np.empty_like(rows)
    edges = [*range(0, len(rows), _BLOCK), len(rows)]
    for start, end in pairwise(edges):
        first = max(0, start - far)  # each layer reads one neighbour more
        block = np.ascontiguousarray(rows[first : end + far], dtype=np.float32)
        for layer in layers:
            block = _normalised(block, _with_neighbours(block) @ layer.weights.T, layer.bias, layer.gain, layer.shift)
        result[start:end] = block[start - first : end - first]
    return result, None


def _with_neighbours(rows: Floats) -> Floats:
    """Return each row behind the one before and followed by the one after; zeros where there is none."""
    count, width = rows.shape
    wide = np.zeros((count, 3 * width), dtype=np.float32)
    wide[1:, :width], wide[:, width : 2 * width], wide[:-1, 2 * width :] = rows[:-1], rows, rows[1:]
    return wide


@compiled
def _normalised(rows: Floats, products: Floats, bias: Floats, gain: Floats, shift: Floats) -> Floats:
    """Return ``rows`` plus the normalised largest pieces of ``products``."""
    count, width = rows.shape
    pieces, result, largest = products.shape[1] // width, np.empty_like(rows), np.empty(width, dtype=np.float32)
    for row in range(count):
        for column in range(width):
            largest[column] = products[row, column] + bias[column]
        for piece in range(1, pieces):
            for column in range(width):
                value = products[row, piece * width + column] + bias[piece * width + column]
                largest[column] = max(largest[column], value)
        mean = np.float32(0)
        for column in range(width):
            mean += largest[column]
        mean /= np.float32(width)
        variance = np.float32(0)
        for column in range(width):
            variance += (largest[column] - mean) * (largest[column] - mean)
        scale = np.float32(1) / np.sqrt(variance / np.float32(width) + _LEAST_VARIANCE)
        for column in range(width):
            result[row, column] = rows[row, column] + (largest[column] - mean) * scale * gain[column] + shift[column]
    return result
