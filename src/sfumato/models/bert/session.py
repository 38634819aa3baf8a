"""A network of BERT's build, ready to answer on the processor with onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError
from sfumato.models.bert.graph import graph_of
from sfumato.models.bert.linear import Arithmetic
from sfumato.models.bert.parameters import Parameters
from sfumato.models.bert.rows import Row, laid_out
from sfumato.privacy.threads import processors

if TYPE_CHECKING:
    from sfumato.types import IntArray


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
    told = [
        helper.make_tensor_value_info(name, kind, None)
        for name, kind in (("a", TensorProto.UINT8), ("b", TensorProto.INT8), ("c", TensorProto.INT32))
    ]
    made = helper.make_graph([helper.make_node("MatMulInteger", ["a", "b"], ["c"])], "bytes", told[:2], told[2:])
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    if not (_started(model, {}).run(None, {"a": rows, "b": columns})[0] == 255 * 127 * 64).all():
        raise ConfigurationError("This processor has no exact arithmetic of bytes; use --number-format float32.")
