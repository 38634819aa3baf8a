"""The network that labels pieces of texts: it reads windows of them, several at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.models.encoders.files import default_folder
from sfumato.models.token_classifier.card import Card, packaged
from sfumato.models.token_classifier.labels import CLASSES, NO_NUMBER
from sfumato.models.token_classifier.layers import Network, Window
from sfumato.models.token_classifier.pieces import GAPS, Pieces, pieces_of
from sfumato.models.token_classifier.weights import Words, read
from sfumato.runtime import in_threads

WINDOW = 190
"""Pieces of a text that are read at once; the network learned on windows of about this length."""
OVERLAP = 20
"""Pieces that two windows share; each answers for the half of them that is nearer its middle."""
_ROWS = 224
"""Pieces that are read by one product: more leave the nearest cache, and fewer take as long as more."""
_CLS, _SEP = 101, 102


@dataclass(frozen=True)
class Answer:
    """Probabilities of the pieces of one text: ``classes`` (n, CLASSES) and ``telling`` (n,)."""

    pieces: Pieces
    classes: NDArray[np.float32]
    telling: NDArray[np.float32]


class _Run(NamedTuple):
    """The pieces of a text that one window reads, and those of them that it answers for, both half-open."""

    text: int
    start: int
    stop: int
    first: int
    last: int

    @property
    def rows(self) -> int:
        """Return the number of rows, with the two that frame an input."""
        return self.stop - self.start + 2


@dataclass(frozen=True)
class TokenClassifier:
    """Labels the pieces of texts. Nothing is loaded before the first text; threads may share it.

    Raises MissingExtraError for files that are missing, and ConfigurationError for files that differ from their card.
    """

    path: Path | None = None
    layers: int | None = None
    others: bool = False
    """Whether the weights of the package are those for languages other than English."""

    @property
    def id(self) -> str:
        """Return the name, and 16 hexadecimal digits of the SHA-256 of the card, which holds that of the weights."""
        return f"identifiers{'-others' * self.others}@{self.card.digest[:16]}"

    def answers(self, texts: Sequence[str]) -> list[Answer]:
        """Return the probabilities of each text; a text does not depend on the texts beside it."""
        answers = [
            Answer(own, np.zeros((len(own), CLASSES), dtype=np.float32), np.zeros(len(own), dtype=np.float32))
            for own in pieces_of(self._tokenizer, list(texts))
        ]
        runs = [run for number, answer in enumerate(answers) for run in _runs(number, len(answer.pieces))]
        for _ in in_threads(lambda block: self._write(answers, block), list(_blocks(runs))):
            pass
        return answers

    def _write(self, answers: Sequence[Answer], block: Sequence[_Run]) -> None:
        """Write the probabilities of the runs of a block into ``answers``."""
        network, words = self._loaded
        ids, kinds = zip(*(_framed(answers[run.text].pieces, run) for run in block), strict=True)
        bounds = pairwise(np.cumsum([0, *(run.rows for run in block)]).tolist())
        windows = [
            Window(start, stop, start + 1 + run.first - run.start, start + 1 + run.last - run.start)
            for run, (start, stop) in zip(block, bounds, strict=True)
        ]
        told = network.answer(words.vectors(np.concatenate(ids)), np.concatenate(kinds), windows)
        if not np.isfinite(told).all():
            raise ValueError(NO_NUMBER)
        ends = np.cumsum([run.last - run.first for run in block])
        for run, own in zip(block, np.split(told, ends[:-1]), strict=True):
            answers[run.text].classes[run.first : run.last] = own[:, :CLASSES]
            answers[run.text].telling[run.first : run.last] = own[:, CLASSES]

    @cached_property
    def card(self) -> Card:
        """Return the card of the weights."""
        return Card.of(self.path, self.others)

    @property
    def _file(self) -> Path:
        return self.path or packaged(self.others)

    @cached_property
    def _tokenizer(self) -> Any:
        return load_tokenizer()

    @property
    def _loaded(self) -> tuple[Network, Words]:
        with self.__dict__.setdefault("_turn", threading.Lock()):  # setdefault: threads agree on one lock
            if "_network" not in self.__dict__:
                self.__dict__["_network"] = read(self._file, self.card, self.layers or self.card.layers)
            network: tuple[Network, Words] = self.__dict__["_network"]
            return network


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


def _runs(text: int, count: int) -> Iterator[_Run]:
    """Yield the runs that together answer for each of the ``count`` pieces of a text once."""
    half = OVERLAP // 2
    for start, stop in windows_of(count):
        yield _Run(text, start, stop, start + half if start else 0, stop - half if stop < count else count)


def _blocks(runs: Sequence[_Run]) -> Iterator[list[_Run]]:
    """Yield the runs, long ones first, in blocks of at most ``_ROWS`` rows."""
    block: list[_Run] = []
    rows = 0
    for run in sorted(runs, key=lambda run: -run.rows):
        if block and rows + run.rows > _ROWS:
            yield block
            block, rows = [], 0
        block.append(run)
        rows += run.rows
    if block:
        yield block


def _framed(pieces: Pieces, run: _Run) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of the pieces of a run, and of the kinds of them, within the pieces that frame an input."""
    own = slice(run.start, run.stop)
    ids, kinds = np.array([_CLS, *pieces.ids[own], _SEP]), np.zeros(run.rows, dtype=np.int64)
    kinds[1:-1] = pieces.shapes[own].astype(np.int64) * len(GAPS) + pieces.gaps[own]
    return ids, kinds
