"""The arithmetic of the network that labels words: the published build in bytes, with the same bits everywhere."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from sfumato.models.bert.parameters import WORD_VECTORS
from sfumato.models.encoders.files import default_folder
from sfumato.models.token_classifier import kernels, layers, scales
from sfumato.models.token_classifier.labels import CLASSES
from sfumato.models.token_classifier.network import TokenClassifier
from sfumato.models.token_classifier.pieces import GAPS, SHAPES, pieces_of
from sfumato.models.token_classifier.weights import GROW, SHRINK, STEP

HIDDEN, HEADS, RANK = 384, 12, 5
TEXT = "Dr Maria Larsen of Oslo called Kwame Okafor on 3 May 2021.\nInvoice 550-88213 was paid in Munich."
DIGEST = "219805c5e9c338d60322923914bc46de04dd7945eeb27f91cf7928d742b63e8d"
Weights = dict[str, NDArray[Any]]


def packed(count: int, exit: int, *, learned: bool) -> Weights:
    """Small made weights in the format of the file."""
    draw = np.random.default_rng(7)
    made: Weights = {}

    def matrix(name: str, rows: int, columns: int, spread: float) -> None:
        made[name] = draw.integers(-127, 128, (rows, columns), dtype=np.int8)
        made[name + STEP] = (spread / 73 * (0.5 + draw.random(rows))).astype(np.float32)

    def norm(name: str) -> None:
        made[f"{name}.LayerNorm.weight"] = (0.5 + draw.random(HIDDEN)).astype(np.float32)
        made[f"{name}.LayerNorm.bias"] = (draw.random(HIDDEN) - 0.5).astype(np.float32)

    for name, rows in (("position", 512), ("token_type", 2), ("shape", len(SHAPES)), ("gap", len(GAPS))):
        made[f"embeddings.{name}_embeddings.weight"] = ((draw.random((rows, HIDDEN)) - 0.5) / 8).astype(np.float16)
    norm("embeddings")
    for layer in range(count):
        for name, rows, columns in (
            *((f"attention.self.{part}", HIDDEN, HIDDEN) for part in ("query", "key", "value")),
            ("attention.output.dense", HIDDEN, HIDDEN),
            ("intermediate.dense", 4 * HIDDEN, HIDDEN),
            ("output.dense", HIDDEN, 4 * HIDDEN),
        ):
            matrix(f"encoder.layer.{layer}.{name}.weight", rows, columns, 1.5 * columns**-0.5)
            made[f"encoder.layer.{layer}.{name}.bias"] = (2 * draw.random(rows) - 1).astype(np.float32)
        norm(f"encoder.layer.{layer}.attention.output")
        norm(f"encoder.layer.{layer}.output")
    if learned:
        matrix(GROW, 30522, RANK, 0.5)
        matrix(SHRINK, RANK, HIDDEN, 0.1)
    for head, rows in (("telling", 1), ("classes", CLASSES)):
        made[f"{exit}.{head}.weight"] = ((draw.random((rows, HIDDEN)) - 0.5) / 4).astype(np.float32)
        made[f"{exit}.{head}.bias"] = (draw.random(rows) - 0.5).astype(np.float32)
    return made


def classifier(folder: Path, weights: Weights, exit: int) -> TokenClassifier:
    path = folder / "own.safetensors"
    save_file(weights, path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_suffix(".json").write_text(json.dumps({"sha256": digest, "layers": exit}), "utf-8")
    return TokenClassifier(path)


def reference(weights: Weights, exit: int, text: str) -> NDArray[np.float64]:
    """The probabilities of the pieces of a short text as Devlin et al. compute them, in float64 without bytes."""

    def number(name: str) -> NDArray[np.float64]:
        value: NDArray[np.float64] = weights[name].astype(np.float64)
        return value * weights[name + STEP][:, None] if name + STEP in weights else value

    def linear(states: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        return np.asarray(states @ number(f"{name}.weight").T + number(f"{name}.bias"))

    def normal(states: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        centred = states - states.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        return np.asarray(centred / spread * number(f"{name}.LayerNorm.weight") + number(f"{name}.LayerNorm.bias"))

    def shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
        grown = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return np.asarray(grown / grown.sum(axis=-1, keepdims=True))

    [pieces] = pieces_of(TokenClassifier()._tokenizer, [text])
    ids = [101, *pieces.ids, 102]
    states = load_file(default_folder() / "model.safetensors")[WORD_VECTORS][ids].astype(np.float64)
    if GROW in weights:
        states += number(GROW)[ids] @ number(SHRINK)
    states += number("embeddings.position_embeddings.weight")[: len(ids)]
    states += number("embeddings.token_type_embeddings.weight")[0]
    for table, own in (("shape", pieces.shapes), ("gap", pieces.gaps)):
        states += number(f"embeddings.{table}_embeddings.weight")[[0, *own, 0]]
    states = normal(states, "embeddings")
    for layer in range(exit):
        name = f"encoder.layer.{layer}"
        query, key, value = (
            linear(states, f"{name}.attention.self.{part}").reshape(len(ids), HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        mixed = shares(query @ key.transpose(0, 2, 1) * (HEADS / HIDDEN) ** 0.5) @ value
        mixed = linear(mixed.transpose(1, 0, 2).reshape(len(ids), HIDDEN), f"{name}.attention.output.dense")
        states = normal(states + mixed, f"{name}.attention.output")
        grown = linear(states, f"{name}.intermediate.dense")
        grown *= 0.5 * (1 + np.vectorize(math.erf)(grown / math.sqrt(2)))
        states = normal(states + linear(grown, f"{name}.output.dense"), f"{name}.output")
    told = 1 / (1 + np.exp(-linear(states, f"{exit}.telling")))
    return np.concatenate([shares(linear(states, f"{exit}.classes")), told], axis=1)[1:-1]


def probabilities(made: TokenClassifier, text: str = TEXT) -> NDArray[np.float32]:
    [answer] = made.answers([text])
    return np.concatenate([answer.classes, answer.telling[:, None]], axis=1)


def digest(made: TokenClassifier) -> str:
    return hashlib.sha256(probabilities(made, TEXT * 12).tobytes()).hexdigest()


def digest_of_telling(made: TokenClassifier) -> str:
    """Return the digest of the probabilities that no number of classes changes."""
    return hashlib.sha256(np.ascontiguousarray(probabilities(made, TEXT * 12)[:, CLASSES]).tobytes()).hexdigest()


@pytest.mark.models
@pytest.mark.parametrize(("count", "exit", "learned"), [(4, 3, True), (3, 3, False), (2, 1, True)])
def test_the_network_is_the_published_build(count: int, exit: int, learned: bool, tmp_path: Path) -> None:
    weights = packed(count, exit, learned=learned)
    answered, expected = probabilities(classifier(tmp_path, weights, exit)), reference(weights, exit, TEXT)
    assert answered.shape == expected.shape
    error = np.abs(answered - expected).mean()
    assert error < 0.002
    last = f"encoder.layer.{exit - 1}"
    for name in (GROW, f"{last}.attention.self.value.bias", f"{last}.output.LayerNorm.bias"):
        if name in weights:  # a network that leaves something out is further away
            without = reference({**weights, name: np.zeros_like(weights[name])}, exit, TEXT)
            assert np.abs(answered - without).mean() > 1.5 * error, name


# --- the same bits everywhere ---


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> TokenClassifier:
    return classifier(tmp_path_factory.mktemp("made"), packed(3, 2, learned=True), 2)


def in_child(command: list[str], made: TokenClassifier, **environment: str) -> str:
    """The digest in a new process."""
    source, places = Path(__file__), [path for path in sys.path if path]
    script = (
        f"import sys; sys.path[:0] = {[str(source.parent), *places]!r}\nfrom pathlib import Path\n"
        f"import test_token_network as tests\nprint(tests.digest(tests.TokenClassifier(Path({str(made.path)!r}))))"
    )
    run = subprocess.run(
        [*command, "-c", script], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


@pytest.mark.models
def test_the_bits_are_pinned(made: TokenClassifier) -> None:
    """Computed on AMD Zen 4, and alike for an emulated Haswell, which lacks AVX-512 and exact products of bytes."""
    assert digest_of_telling(made) == DIGEST


@pytest.mark.models
@pytest.mark.parametrize("threads", ["1", "2"])
def test_threads_change_no_bit(made: TokenClassifier, threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = digest(made)
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    assert digest(made) == expected


@pytest.mark.models
def test_instructions_of_the_processor_change_no_bit(made: TokenClassifier) -> None:
    assert in_child([sys.executable], made, NUMBA_CPU_NAME="generic") == digest(made)


SATURATING = """
import numpy as np
from sfumato.models.token_classifier.layers import product
states, weights = np.full((3, 64), 255, dtype=np.uint8), np.full((64, 16), 127, dtype=np.int8)
assert (product(states, weights, zero=0) != 255 * 127 * 64).any(), "this processor is exact"
"""


@pytest.mark.models
@pytest.mark.skipif(not shutil.which("qemu-x86_64"), reason="emulates an older processor")
def test_an_older_processor_multiplies_alike() -> None:
    """It adds up pairs of products in 16 bits, which shows where weights are larger than ours."""
    check = "\n".join((
        f"import sys; sys.path[:0] = {[str(Path(__file__).parent), *filter(None, sys.path)]!r}",
        SATURATING,
        "import test_token_network as tests; tests.check_products(tests.layers.product)",
    ))  # fmt: skip
    python = str(Path(sys.executable).resolve())
    command = ["qemu-x86_64", "-cpu", "Haswell", python, "-c", check]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def check_products(product: Callable[..., NDArray[Any]], scale: float = 1.0) -> None:
    """Products of our weights, keys and shares are exact, for the states that make their sums largest."""
    draw = np.random.default_rng(3)
    plain = draw.integers(-60, 61, (48, 96), dtype=np.int8)
    plain[1::4, ::7] = 127
    plain[2::4, ::2] = plain[2::4, 1::2] = -127  # neighbours of one sign and size
    weights = layers.Matrix.of(plain, *np.ones((2, 48), np.float32)).weights
    weights = np.clip(weights * scale, -127, 127).astype(np.int8)
    for sign in (1, -1):
        states = np.where(sign * weights.T > 0, 255, 0).astype(np.uint8)
        exact = (states.astype(np.int64) - scales.ZERO) @ weights.astype(np.int64)
        assert (product(states, weights) == exact).all()
    edge = np.full((5, 32), scales.MOST, dtype=np.int8)
    states = np.full((3, 5), 255, dtype=np.uint8)
    assert (product(states, edge, zero=0) == 5 * 255 * scales.MOST).all()


def saturating(states: NDArray[np.uint8], weights: NDArray[np.int8], zero: int = scales.ZERO) -> NDArray[np.int64]:
    """The product of a processor that adds up pairs in 16 bits."""
    if len(weights) % 2:
        states, weights = np.pad(states, ((0, 0), (0, 1))), np.pad(weights, ((0, 1), (0, 0)))
    pairs = states.astype(np.int64)[:, :, None] * weights.astype(np.int64)
    pairs = np.clip(pairs.reshape(len(states), -1, 2, weights.shape[1]).sum(axis=2), -(2**15), 2**15 - 1)
    return np.asarray(pairs.sum(axis=1) - zero * weights.astype(np.int64).sum(axis=0))


def test_no_pair_of_products_exceeds_16_bits() -> None:
    check_products(layers.product)
    check_products(saturating)
    with pytest.raises(AssertionError):
        check_products(saturating, scale=1.05)


def test_the_product_is_the_operator_of_onnx() -> None:
    from onnx import TensorProto, helper

    kinds = {"states": TensorProto.UINT8, "weights": TensorProto.INT8, "zero": TensorProto.UINT8}
    given = [helper.make_tensor_value_info(name, kind, None) for name, kind in kinds.items()]
    taken = [helper.make_tensor_value_info("sums", TensorProto.INT32, None)]
    graph = helper.make_graph([helper.make_node("MatMulInteger", list(kinds), ["sums"])], "product", given, taken)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    assert model.SerializeToString(deterministic=True) == layers._PRODUCT


def test_the_curves_are_near_those_of_mathematics() -> None:
    numbers = np.linspace(-12, 12, 4001, dtype=np.float32)
    exact = np.array([0.5 * x * (1 + math.erf(x / math.sqrt(2))) for x in numbers.tolist()])
    near = np.abs(numbers) <= 4
    curve = np.array([kernels._gelu(x) for x in numbers])
    assert np.abs(curve - exact)[near].max() < 5e-5
    assert np.abs(curve - exact).max() < 1e-3
    below = np.linspace(-126, 0, 4001, dtype=np.float32)
    powers = np.array([kernels._power(x) for x in below], dtype=np.float64)
    assert np.abs(powers / 2.0 ** below.astype(np.float64) - 1).max() < 4e-6
    assert 0 <= kernels._power(np.float32(-1e6)) < 1e-37
    assert kernels._power(np.float32(0)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("numbers", [[0.0], [-1.5, -0.25], [3.0, -7.0], [-0.0, 0.0], [1e-38, -1e-38]])
def test_the_largest_number_is_found_by_its_bits(numbers: list[float]) -> None:
    given = np.array(numbers, dtype=np.float32)
    orders = [kernels._order(bits) for bits in given.view(np.int32)]
    assert kernels._ordered(np.int32(max(orders))) == given.max()
    assert kernels._widest(given) == max(np.abs(given).max(), np.float32(1e-30))
