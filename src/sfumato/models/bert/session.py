"""A network of BERT's build on the processor: an ONNX graph over rows of pieces, answered by onnxruntime.

The pieces of all rows are one list, so that the linear layers, which are most of the work, see no padding. Only
attention is laid out row by row. With a head, the last layer and the head compute the masked positions alone. Devlin
et al. 2019 and Liu et al. 2019 describe the build.

Linear layers compute in float32 or with integer products. In int8 each row of states has a scale of its own, 127 over
its largest number, and so has each column of the weights. A row is a piece of one record. So neither the scale nor
the product of a record depends on the records beside it, as a scale for a whole batch would. The products of bytes
add up exactly in 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError
from sfumato.models.bert.parameters import WORD_VECTORS, Parameters
from sfumato.runtime import processors
from sfumato.types import IntArray

_SMALL = 16
INPUTS = {
    **dict.fromkeys(("ids", "positions", "halves", "back"), ("pieces",)),
    **{"places": ("rows", "longest"), "lengths": ("rows",)},
    **dict.fromkeys(("masks", "masks_back"), ("masks",)),
}
"""Inputs and their shapes: numbers of pieces, positions and halves of the pair (pieces,); the piece at each place of
the layout for attention, and back; the lengths of the rows; the masked pieces, in the list and in the layout."""
MICROSOFT = "com.microsoft"  # onnxruntime's own operators
Arithmetic = Literal["float32", "int8"]
_ZERO = 128  # the byte that stands for 0
_LEAST = 1e-30  # a row of zeros is divided by it


class Session:
    """Answers of ``network`` for rows of pieces, with the ``arithmetic`` of its layers.

    Without ``columns`` they are states (pieces, hidden) of all pieces, one row after the other. With them, numbers of
    pieces (V,), they are logits (masks, V). Threads may share it. Raises MissingExtraError without onnxruntime, and
    ConfigurationError where the sums of bytes are not exact.
    """

    def __init__(
        self, network: Parameters, columns: IntArray | None = None, arithmetic: Arithmetic = "float32"
    ) -> None:
        if arithmetic == "int8":
            _check_bytes()
        self._first, self._halves, self._scored = network.first, network.halves, columns is not None
        self._session = _started(*graph_of(network, columns, arithmetic))

    def answer(self, rows: Sequence[Row]) -> NDArray[np.float32] | None:
        """Return states or logits of ``rows``; None if there is too little memory for so many."""
        laid = laid_out(rows, self._first, self._halves)
        given = {name: value for name, value in laid.items() if self._scored or not name.startswith("masks")}
        try:
            answered: NDArray[np.float32] = self._session.run(None, given)[0]
        except Exception as error:  # the library has one kind of error for all
            if "allocate memory" in str(error):
                return None
            raise
        return answered


def _started(model: Any, weights: dict[str, NDArray[Any]]) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = processors()
    options.log_severity_level = 4  # its warnings are about its own optimisations
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # others need the cores meanwhile
    outside = {tensor.name for tensor in model.graph.initializer if tensor.external_data}
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(weights[name]) for name in outside}
    options.add_external_initializers(list(values), list(values.values()))
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def _check_bytes() -> None:
    """Refuse a processor whose products of bytes do not add up exactly: older ones saturate at 16 bits."""
    from onnx import TensorProto, helper

    rows, columns = np.full((5, 64), 255, dtype=np.uint8), np.full((64, 16), 127, dtype=np.int8)
    kinds = {"a": TensorProto.UINT8, "b": TensorProto.INT8, "c": TensorProto.INT32}
    told = [helper.make_tensor_value_info(name, kind, None) for name, kind in kinds.items()]
    made = helper.make_graph([helper.make_node("MatMulInteger", ["a", "b"], ["c"])], "bytes", told[:2], told[2:])
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    if not (_started(model, {}).run(None, {"a": rows, "b": columns})[0] == 255 * 127 * 64).all():
        raise ConfigurationError("This processor has no exact arithmetic of bytes; use --set number_format=float32.")


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
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT32 if name == "lengths" else TensorProto.INT64, dimensions)
        for name, dimensions in INPUTS.items()
        if columns is not None or not name.startswith("masks")
    ]
    outputs, constants = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)], graph.weights.items()
    made = helper.make_graph(graph.nodes, "network", inputs, outputs, [_declared(*item) for item in constants])
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
    tables = {"ids": "word", "positions": "position", "halves": "token_type"}
    words, positions, halves = (
        graph.node("Gather", graph.constant(table, network.weights[f"embeddings.{table}_embeddings.weight"]), name)
        for name, table in tables.items()
    )
    total = graph.node("Add", words, graph.node("Add", positions, halves))
    return _normalised(graph, network, total, "embeddings.LayerNorm")


def _layer(graph: Graph, network: Parameters, number: int, states: str, last: bool) -> str:
    """Add a layer. The last one before a head continues with the masked positions alone."""
    name = f"encoder.layer.{number}"
    hidden = network.weights[WORD_VECTORS].shape[1]
    three = _linear(graph, network, states, *(f"{name}.attention.self.{part}" for part in ("query", "key", "value")))
    laid = graph.node("Gather", three, "places")
    ends = [graph.constant(f"end_{number * hidden}", np.array([number * hidden])) for number in range(4)]
    axis = graph.constant("axis", np.array([2]))
    parts = [graph.node("Slice", laid, start, end, axis) for start, end in pairwise(ends)]
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


@dataclass
class Graph:
    """Nodes and constants, in the order in which they are added."""

    arithmetic: Arithmetic = "float32"
    weights: dict[str, NDArray[Any]] = field(default_factory=dict)
    nodes: list[Any] = field(default_factory=list)
    _bytes: dict[str, tuple[str, str]] = field(default_factory=dict)

    def constant(self, name: str, value: Any) -> str:
        """Add a constant under ``name``, or keep the one that has it, and return the name."""
        self.weights.setdefault(name, np.ascontiguousarray(value))
        return name

    def node(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add an operator with one output, and return the output's name."""
        from onnx import helper

        output = f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def linear(self, states: str, name: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """Add ``states @ weight.T + bias``; ``weight`` has shape (outputs, inputs)."""
        if self.arithmetic == "int8":
            product = self._by_bytes(states, name, weight)
        else:
            product = self.node("MatMul", states, self.constant(f"{name}.weight", weight.T))
        return self.node("Add", product, self.constant(f"{name}.bias", bias))

    def _by_bytes(self, states: str, name: str, weight: NDArray[np.float32]) -> str:
        columns = np.maximum(np.abs(weight).max(axis=1), np.float32(_LEAST)) / np.float32(127)
        rounded = np.clip(np.rint(weight / columns[:, None]), -127, 127).astype(np.int8)
        rows, steps = self._in_bytes(states)
        product = self.node(
            "MatMulIntegerToFloat", rows, self.constant(f"{name}.bytes", rounded.T),
            self.constant("one", np.float32(1)), self.constant(f"{name}.steps", columns),
            self.constant("zero", np.uint8(_ZERO)), domain=MICROSOFT,
        )  # fmt: skip
        return self.node("Mul", product, steps)

    def _in_bytes(self, states: str) -> tuple[str, str]:
        """Return ``states`` in bytes and the step of each row, made once for all layers that read them."""
        if states not in self._bytes:
            last = self.constant("last", np.array([1]))
            highest = self.node("ReduceMax", states, last, keepdims=1)
            lowest = self.node("Neg", self.node("ReduceMin", states, last, keepdims=1))
            least = self.constant("least", np.float32(_LEAST))
            steps = self.node(
                "Mul", self.node("Max", highest, lowest, least), self.constant("step", np.float32(1 / 127))
            )
            moved = self.node("Add", self.node("Div", states, steps), self.constant("half", np.float32(_ZERO + 0.5)))
            self._bytes[states] = self.node("Cast", moved, to=2), steps  # to bytes, by leaving out the fraction
        return self._bytes[states]


class Shape(NamedTuple):
    """The part of a row's shape that the row alone decides: its padded length and its number of masks."""

    length: int
    masks: int


class Row(NamedTuple):
    """``pieces`` of an input, the index of its second half, the indices of its masks, and its least padded length."""

    pieces: Sequence[int]
    second: int
    masks: Sequence[int] = ()
    length: int = 0

    @classmethod
    def idle(cls, shape: Shape, piece: int) -> Row:
        """Return a row that fills up a batch."""
        return cls([piece] * shape.length, shape.length, [0] * shape.masks, shape.length)


def laid_out(rows: Sequence[Row], first: int, halves: bool) -> dict[str, NDArray[np.integer]]:
    """Return the inputs of the graph for ``rows``, by name (see ``sfumato.models.bert.session.INPUTS``).

    ``first`` is the number of a text's first position, and ``halves`` whether the network tells the halves apart.
    """
    lengths = np.array([len(row.pieces) for row in rows])
    longest, starts = int(lengths.max()), np.cumsum(lengths) - lengths
    owners = np.repeat(np.arange(len(rows)), lengths)
    positions = np.arange(len(owners)) - starts[owners]
    second = (halves & (positions >= np.array([row.second for row in rows])[owners])).astype(np.int64)
    back = owners * longest + positions
    places = np.zeros((len(rows), longest), dtype=np.int64)  # padding shows the first piece, which no attention sees
    places[owners, positions] = np.arange(len(owners))
    masks = np.concatenate(
        [start + np.asarray(row.masks, dtype=np.int64) for start, row in zip(starts, rows, strict=True)]
    )
    return {
        "ids": np.concatenate([np.asarray(row.pieces, dtype=np.int64) for row in rows]),
        "positions": positions + first,
        "halves": second,
        "places": places,
        "back": back,
        "lengths": lengths.astype(np.int32),
        "masks": masks,
        "masks_back": back[masks],
    }
