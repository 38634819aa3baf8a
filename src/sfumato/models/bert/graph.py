"""A network of BERT's build as an ONNX graph over rows of pieces that lie end to end.

The pieces of all rows are one list, so that the linear layers, which are most of the work, see no padding. Only
attention is laid out row by row. With a head, the last layer and the head compute the masked positions alone.
Devlin et al. 2019 and Liu et al. 2019 describe the build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.models.bert.linear import MICROSOFT, Arithmetic, Graph
from sfumato.models.bert.parameters import WORD_VECTORS, Parameters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sfumato.types import IntArray

_SMALL = 16
INPUTS = {
    "ids": ("pieces",),
    "positions": ("pieces",),
    "halves": ("pieces",),
    "places": ("rows", "longest"),
    "back": ("pieces",),
    "lengths": ("rows",),
    "masks": ("masks",),
    "masks_back": ("masks",),
}
"""Inputs and their shapes: numbers of pieces, positions and halves of the pair (pieces,); the piece at each place of
the layout for attention, and back; the lengths of the rows; the masked pieces, in the list and in the layout."""


def graph_of(
    network: Parameters, columns: IntArray | None = None, arithmetic: Arithmetic = "float32"
) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Return the ONNX model of ``network`` and its constants by name.

    The output is ``states`` (pieces, hidden); with ``columns``, numbers of pieces (V,), it is ``logits`` (masks, V).
    ``arithmetic`` is that of the layers; the decoder always computes in float32.
    """
    from onnx import TensorProto, helper

    graph = Graph(arithmetic)
    states = _embedded(graph, network)
    for layer in range(network.layers):
        last = columns is not None and layer == network.layers - 1
        states = _layer(graph, network, layer, states, last)
    output, shape = ("states", ["pieces", "hidden"]) if columns is None else ("logits", ["masks", "words"])
    if columns is not None:
        states = _head(graph, network, states, columns)
    graph.nodes.append(helper.make_node("Identity", [states], [output]))
    whole = TensorProto.INT64
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT32 if name == "lengths" else whole, list(dimensions))
        for name, dimensions in INPUTS.items()
        if columns is not None or not name.startswith("masks")
    ]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)]
    made = helper.make_graph(
        graph.nodes, "network", inputs, outputs, [_declared(*item) for item in graph.weights.items()]
    )
    sets = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(made, opset_imports=sets, ir_version=9), graph.weights


def _declared(name: str, value: NDArray[Any]) -> Any:
    """Return the declaration of a constant. Its values are handed over in memory, those of a shape are in it."""
    from onnx import TensorProto, helper, numpy_helper

    if value.size < _SMALL:
        return numpy_helper.from_array(value, name)
    tensor = TensorProto(name=name, dims=value.shape, data_type=helper.np_dtype_to_tensor_dtype(value.dtype))
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="memory")
    return tensor


def _embedded(graph: Graph, network: Parameters) -> str:
    table = {
        "ids": graph.constant("words", network.weights[WORD_VECTORS]),
        "positions": graph.constant("positions_table", network.weights["embeddings.position_embeddings.weight"]),
        "halves": graph.constant("halves_table", network.weights["embeddings.token_type_embeddings.weight"]),
    }
    words, positions, halves = (graph.node("Gather", weights, name) for name, weights in table.items())
    total = graph.node("Add", words, graph.node("Add", positions, halves))
    return _normalised(graph, network, total, "embeddings.LayerNorm")


def _layer(graph: Graph, network: Parameters, number: int, states: str, last: bool) -> str:
    """Add a layer. The last one before a head goes on with the masked positions alone."""
    name = f"encoder.layer.{number}"
    hidden = network.weights[WORD_VECTORS].shape[1]
    three = _linear(graph, network, states, *(f"{name}.attention.self.{part}" for part in ("query", "key", "value")))
    laid = graph.node("Gather", three, "places")
    parts = (graph.node("Slice", laid, *_bounds(graph, number * hidden, hidden)) for number in range(3))
    mixed = graph.node("MultiHeadAttention", *parts, "", "lengths", domain=MICROSOFT, num_heads=network.heads)
    rows = graph.node("Reshape", mixed, graph.constant("flat", np.array([-1, hidden])))
    mixed = graph.node("Gather", rows, "masks_back" if last else "back")
    if last:
        states = graph.node("Gather", states, "masks")
    mixed = _linear(graph, network, mixed, f"{name}.attention.output.dense")
    states = _normalised(graph, network, graph.node("Add", mixed, states), f"{name}.attention.output.LayerNorm")
    grown = graph.node("Gelu", _linear(graph, network, states, f"{name}.intermediate.dense"), domain=MICROSOFT)
    shrunk = _linear(graph, network, grown, f"{name}.output.dense")
    return _normalised(graph, network, graph.node("Add", shrunk, states), f"{name}.output.LayerNorm")


def _bounds(graph: Graph, start: int, length: int) -> tuple[str, str, str]:
    """Return the inputs of a slice of the last of three axes."""
    ends = (("start", start), ("end", start + length))
    first, last = (graph.constant(f"{end}_{place}", np.array([place])) for end, place in ends)
    return first, last, graph.constant("axis", np.array([2]))


def _head(graph: Graph, network: Parameters, states: str, columns: IntArray) -> str:
    grown = graph.node("Gelu", _linear(graph, network, states, "head.dense"), domain=MICROSOFT)
    ready = _normalised(graph, network, grown, "head.norm")
    decoder = graph.constant("decoder", network.weights["head.decoder"][columns].T)
    bias = graph.constant("decoder_bias", network.weights["head.bias"][columns])
    return graph.node("Add", graph.node("MatMul", ready, decoder), bias)


def _linear(graph: Graph, network: Parameters, states: str, *names: str) -> str:
    """Add the layers ``names``, which read the same states, as one with their outputs side by side."""
    weight, bias = (
        np.concatenate([network.weights[f"{name}.{end}"] for name in names]) for end in ("weight", "bias")
    )
    return graph.linear(states, names[0], weight, bias)


def _normalised(graph: Graph, network: Parameters, states: str, name: str) -> str:
    scale, bias = (graph.constant(f"{name}.{end}", network.weights[f"{name}.{end}"]) for end in ("weight", "bias"))
    return graph.node("LayerNormalization", states, scale, bias, axis=-1, epsilon=network.epsilon)
