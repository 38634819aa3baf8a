"""The network that labels pieces: the encoder of the package with weights of its own, answered by onnxruntime.

``training/detector`` made the weights. The word vectors are the encoder's; all other matrices are bytes with a step
for each row. A piece's shape and gap pick a row of one table, which stands where BERT tells the halves of a pair
apart.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.models.bert.parameters import WORD_VECTORS, Parameters
from sfumato.models.bert.session import Arithmetic, Row, Session
from sfumato.models.devices import exact_bytes
from sfumato.models.encoders.files import ENCODER_DIGEST, default_folder, verified_digest
from sfumato.models.token_classifier.card import Card, changed, packaged, unreadable
from sfumato.models.token_classifier.labels import CLASSES
from sfumato.models.token_classifier.pieces import GAPS, SHAPES, Pieces, pieces_of
from sfumato.storage.digests import digest_of_weights

STEP = ".step"
WINDOW = 190
"""Pieces of a text that are read at once; the network learned on windows of about this length."""
OVERLAP = 40
"""Pieces that two windows share; each answers for the half of them that is nearer its middle."""
_ROWS = 32
_CLS, _SEP = 101, 102
_HALVES = "embeddings.token_type_embeddings.weight"
FloatArray = NDArray[np.float32]


@dataclass(frozen=True)
class Answer:
    """Probabilities of the pieces of one text: ``classes`` (n, CLASSES) and ``telling`` (n,)."""

    pieces: Pieces
    classes: FloatArray
    telling: FloatArray


@dataclass(frozen=True)
class TokenClassifier:
    """Labels the pieces of texts. Nothing is loaded before the first text; threads may share it.

    Raises MissingExtraError for files that are missing, and ConfigurationError for files that differ from their card.
    """

    path: Path | None = None
    layers: int | None = None

    @property
    def id(self) -> str:
        """Return the name, and 16 hexadecimal digits of the SHA-256 of the weights."""
        return f"identifiers@{self.card.sha256[:16]}"

    def answers(self, texts: Sequence[str]) -> list[Answer]:
        """Return the probabilities of each text; a text does not depend on the texts beside it."""
        pieces = pieces_of(self._tokenizer, list(texts))
        answers = [
            Answer(own, np.zeros((len(own), CLASSES), dtype=np.float32), np.zeros(len(own), dtype=np.float32))
            for own in pieces
        ]
        windows = sorted(
            ((number, start, stop) for number, own in enumerate(pieces) for start, stop in windows_of(len(own))),
            key=lambda window: window[1] - window[2],
        )
        left = iter(windows)
        while batch := list(islice(left, _ROWS)):
            for (number, start, stop), logits in zip(batch, self._logits(pieces, batch), strict=True):
                skip = OVERLAP // 2 if start else 0
                inner = slice(start + skip, stop)
                # a later window answers again for the end of this one, so they are written in order of their start
                answers[number].classes[inner] = logits[skip:, :CLASSES]
                answers[number].telling[inner] = logits[skip:, CLASSES]
        for answer in answers:
            _to_probabilities(answer)
        return answers

    def _logits(self, pieces: Sequence[Pieces], batch: Sequence[tuple[int, int, int]]) -> Iterator[FloatArray]:
        rows = [_row(pieces[number], start, stop) for number, start, stop in batch]
        session, (weight, bias) = self._loaded
        states = session.answer(rows)
        if states is None:
            raise MemoryError
        begin = 0
        for row in rows:  # one by one: the last bits of a product depend on the number of its rows
            yield states[begin + 1 : begin + len(row.pieces) - 1] @ weight + bias
            begin += len(row.pieces)

    @cached_property
    def card(self) -> Card:
        """Return the card of the weights."""
        return Card.of(self.path)

    @property
    def _file(self) -> Path:
        return self.path or packaged()

    @cached_property
    def _tokenizer(self) -> Any:
        return load_tokenizer()

    @property
    def _loaded(self) -> tuple[Session, tuple[FloatArray, FloatArray]]:
        with self.__dict__.setdefault("_turn", threading.Lock()):  # setdefault: threads agree on one lock
            if "_network" not in self.__dict__:
                weights, layers = self._weights(), self.layers or self.card.layers
                parts = [f"{layers}.{head}.{part}" for part in ("weight", "bias") for head in ("classes", "telling")]
                heads = [weights[part] for part in parts]
                both = np.concatenate(heads[:2]).T, np.concatenate(heads[2:])
                network = Parameters(weights, 12, layers, 1e-12, 0, 512, True)
                self.__dict__["_network"] = Session(network, arithmetic=arithmetic()), both
            network_and_heads: tuple[Session, tuple[FloatArray, FloatArray]] = self.__dict__["_network"]
            return network_and_heads

    def _weights(self) -> dict[str, FloatArray]:
        from safetensors.numpy import load_file

        verified_digest(default_folder())
        try:
            digest = digest_of_weights(self._file)
            if digest != self.card.sha256 or self.card.encoder != ENCODER_DIGEST:
                raise changed(self._file)
            packed = load_file(self._file)
        except OSError as error:
            raise unreadable(self._file, error) from None
        weights = {
            name: value.astype(np.float32)
            * (packed[name + STEP][:, None] if name + STEP in packed else np.float32(1))
            for name, value in packed.items()
            if not name.endswith(STEP)
        }
        weights[WORD_VECTORS] = load_file(default_folder() / "model.safetensors")[WORD_VECTORS].astype(np.float32)
        shapes = weights.pop("embeddings.shape_embeddings.weight")
        gaps = weights.pop("embeddings.gap_embeddings.weight")
        table = weights[_HALVES][0] + shapes[:, None] + gaps[None, :]
        weights[_HALVES] = table.reshape(len(SHAPES) * len(GAPS), -1)
        return weights


def arithmetic() -> Arithmetic:
    """Return int8 where the processor adds up products of bytes exactly, and float32 elsewhere."""
    return "int8" if exact_bytes() else "float32"


def load_tokenizer() -> Any:
    """Return the encoder's tokenizer, which neither cuts nor fills; no text becomes a special piece."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(default_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def windows_of(count: int) -> Iterator[tuple[int, int]]:
    """Yield the windows of a text of ``count`` pieces, half-open; neighbours share ``OVERLAP`` pieces."""
    step = WINDOW - OVERLAP
    for start in range(0, max(1, count - OVERLAP) if count else 0, step):
        yield start, min(start + WINDOW, count)


def _row(pieces: Pieces, start: int, stop: int) -> Row:
    types = pieces.shapes[start:stop].astype(np.int64) * len(GAPS) + pieces.gaps[start:stop]
    ids = [_CLS, *pieces.ids[start:stop].tolist(), _SEP]
    return Row(ids, len(ids), types=[0, *types.tolist(), 0])


def _to_probabilities(answer: Answer) -> None:
    classes = answer.classes
    classes -= classes.max(axis=1, keepdims=True, initial=-np.inf)
    np.exp(classes, out=classes)
    classes /= classes.sum(axis=1, keepdims=True)
    answer.telling[:] = 1 / (1 + np.exp(-answer.telling))
