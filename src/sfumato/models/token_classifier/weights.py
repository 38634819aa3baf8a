"""The weights of the network, read from their file and from the encoder of the package.

``training/detector`` made the file. The word vectors are the encoder's; the file may hold two narrow matrices, whose
product is added to them. All matrices of layers are bytes with a step for each row. A piece's shape and gap pick a
row of one table, which stands where BERT tells the halves of a pair apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.models.bert.parameters import WORD_VECTORS
from sfumato.models.encoders.files import ENCODER_DIGEST, default_folder, verified_digest
from sfumato.models.token_classifier.card import Card, changed, packaged, unreadable
from sfumato.models.token_classifier.layers import Layer, Matrix, Network
from sfumato.models.token_classifier.scales import FloatArray, Norm
from sfumato.privacy.kernels import compiled_alike
from sfumato.storage.digests import digest_of_weights

STEP = ".step"
GROW, SHRINK = (f"embeddings.word_embeddings.{part}" for part in ("grow", "shrink"))
"""Names of the matrices (vocabulary, r) and (r, hidden) whose product is added to the published word vectors."""


class Words(NamedTuple):
    """The vectors of words: ``published`` (vocabulary, hidden), and what was learned, ``grow`` @ ``shrink``."""

    published: NDArray[np.float16]
    grow: NDArray[np.integer] | None = None
    grow_steps: FloatArray | None = None
    shrink: FloatArray | None = None

    def vectors(self, ids: NDArray[np.integer]) -> FloatArray:
        """Return the vectors (n, hidden) of pieces."""
        vectors: FloatArray = self.published[ids].astype(np.float32)
        if self.grow is None or self.grow_steps is None or self.shrink is None:
            return vectors
        return _extended(vectors, self.grow[ids] * self.grow_steps[ids, None], self.shrink)


@compiled_alike
def _extended(vectors: FloatArray, factors: FloatArray, learned: FloatArray) -> FloatArray:
    """Return ``vectors`` (n, hidden) after ``factors`` (n, r) @ ``learned`` (r, hidden) is added."""
    for row in range(len(vectors)):
        vector = vectors[row]
        for rank in range(len(learned)):
            factor, direction = factors[row, rank], learned[rank]
            for column in range(len(vector)):
                vector[column] += factor * direction[column]
    return vectors


def _base_of(card: Card) -> Path:
    """Return the weights that those of ``card`` differ from. Raise ConfigurationError if they are other ones."""
    if digest_of_weights(packaged()) != card.base:
        raise changed(packaged())
    return packaged()


def _added(packed: Mapping[str, NDArray[Any]], base: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the weights of which ``packed`` has the bytes as differences from ``base``, which wrap around."""
    return {name: own + base[name] if own.dtype == np.int8 else own for name, own in packed.items()}


def read(path: Path, card: Card, layers: int) -> tuple[Network, Words]:
    """Return the first ``layers`` of the network in the file ``path``, and the vectors of words.

    Raise MissingExtraError for a file that cannot be read, and ConfigurationError for one that is not that of
    ``card``.
    """
    from safetensors import safe_open
    from safetensors.numpy import load_file

    verified_digest(default_folder())
    try:
        if digest_of_weights(path) != card.sha256 or card.encoder != ENCODER_DIGEST:
            raise changed(path)
        packed = load_file(path)
        if card.base:
            packed = _added(packed, load_file(_base_of(card)))
    except OSError as error:
        raise unreadable(path, error) from None
    with safe_open(default_folder() / "model.safetensors", "numpy") as published:
        vectors = published.get_tensor(WORD_VECTORS)
    words = Words(vectors)
    if GROW in packed:
        words = Words(vectors, packed[GROW], packed[GROW + STEP], _number(packed, SHRINK))
    return _network(packed, layers), words


def _network(packed: Mapping[str, NDArray[Any]], layers: int) -> Network:
    def number(name: str) -> FloatArray:
        return _number(packed, f"embeddings.{name}_embeddings.weight")

    table = number("token_type")[0] + number("shape")[:, None] + number("gap")[None, :]
    heads = [f"{layers}.{head}" for head in ("classes", "telling")]
    return Network(
        np.ascontiguousarray(table.reshape(-1, table.shape[-1])),
        number("position"),
        _norm(packed, "embeddings"),
        [_layer(packed, f"encoder.layer.{layer}") for layer in range(layers)],
        np.ascontiguousarray(np.concatenate([_number(packed, f"{head}.weight") for head in heads]).T),
        np.concatenate([_number(packed, f"{head}.bias") for head in heads]),
    )


def _layer(packed: Mapping[str, NDArray[Any]], name: str) -> Layer:
    def matrix(*names: str) -> Matrix:
        parts = [[packed[f"{name}.{each}.{end}"] for each in names] for end in ("weight", "weight" + STEP, "bias")]
        return Matrix.of(*(np.concatenate(part) for part in parts))

    return Layer(
        matrix(*(f"attention.self.{part}" for part in ("query", "key", "value"))),
        matrix("attention.output.dense"),
        _norm(packed, f"{name}.attention.output"),
        matrix("intermediate.dense"),
        matrix("output.dense"),
        _norm(packed, f"{name}.output"),
    )


def _norm(packed: Mapping[str, NDArray[Any]], name: str) -> Norm:
    return Norm(*(_number(packed, f"{name}.LayerNorm.{end}") for end in ("weight", "bias")))


def _number(packed: Mapping[str, NDArray[Any]], name: str) -> FloatArray:
    """Return a tensor in float32."""
    number: FloatArray = packed[name].astype(np.float32)
    return number * packed[name + STEP][:, None] if name + STEP in packed else number
