"""Linear layers in an ONNX graph, in float32 or with integer products.

In int8 each row of states has a scale of its own, 127 over its largest number, and so has each column of the weights.
A row is a piece of one record. So neither the scale nor the product of a record depends on the records beside it, as
a scale for a whole batch would. The products of bytes add up exactly in 32 bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

MICROSOFT = "com.microsoft"  # onnxruntime's own operators
Arithmetic = Literal["float32", "int8"]
_ZERO = 128  # the byte that stands for 0
_LEAST = 1e-30  # a row of zeros is divided by it


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
        product = (
            self._exact(states, name, weight)
            if self.arithmetic == "float32"
            else self._by_bytes(states, name, weight)
        )
        return self.node("Add", product, self.constant(f"{name}.bias", bias))

    def _exact(self, states: str, name: str, weight: NDArray[np.float32]) -> str:
        return self.node("MatMul", states, self.constant(f"{name}.weight", weight.T))

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
