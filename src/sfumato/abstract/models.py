"""The models that mechanisms and detectors ask: encoders, masked and causal language models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.types import FloatArray, IntArray, Progress


class Encoder(Protocol):
    """Turns phrases into vectors; deterministic and public."""

    @property
    def id(self) -> str:
        """Name and content hash of the model."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """Vectors of ``phrases``, shape (n, dimensions), float64, unit length where the model normalises."""


MASKED = -1
"""Stands for the mask among the pieces of a :class:`Cloze`."""


class Cloze(NamedTuple):
    """One question to a masked model, in pieces: what stands where :data:`MASKED` is in ``copy``?

    ``context`` is a first half that stands before the copy, apart from it (empty: there is none).
    """

    context: Sequence[int]
    copy: Sequence[int]


class MaskedModel(Protocol):
    """Scores the public candidate words for a masked place; deterministic, but for rounding by the batch."""

    @property
    def id(self) -> str:
        """Name, content hash and number format of the model: what decides its scores."""

    @property
    def words(self) -> Sequence[str]:
        """The public candidate words (V): whole words of the model's vocabulary, the same for every input."""

    @property
    def word_pieces(self) -> IntArray:
        """The piece of each candidate word, shape (V,)."""

    @property
    def window(self) -> int:
        """Most pieces that the two parts of a :class:`Cloze` may have together."""

    @property
    def rows(self) -> int:
        """How many questions are worth asking at once on the device that the model runs on."""

    def pieces(self, units: Sequence[str]) -> list[list[int]]:
        """The pieces of each unit of text; a unit that begins with a space follows one. Never a special piece."""

    def scores(self, questions: Sequence[Cloze]) -> NDArray[np.floating[Any]]:
        """A score for each candidate word at each mask of each question in turn, shape (masks, V).

        Raises MissingExtraError where the model is not there.
        """


class CausalSession(Protocol):
    """Rows of pieces that a causal model continues together, a piece of each at a time."""

    def scores(self) -> NDArray[np.floating[Any]]:
        """A score for each outcome as the next piece of each row still going, in order, shape (rows, V)."""

    def take(self, outcomes: Sequence[int | None]) -> None:
        """What was drawn for each of these rows; None where a row goes no further."""


class CausalModel(Protocol):
    """Scores the next piece of a text; deterministic, but for rounding by the batch."""

    @property
    def id(self) -> str:
        """Name, content hash and number format of the model: what decides its scores."""

    @property
    def outcomes(self) -> IntArray:
        """The public pieces that may be drawn (V): the vocabulary without special pieces, and the end piece."""

    @property
    def end(self) -> int | None:
        """Where the piece that ends an answer stands among :attr:`outcomes`; None for a model without one."""

    @property
    def window(self) -> int:
        """Most pieces that a row may have, prompt and answer together."""

    @property
    def rows(self) -> int:
        """How many rows are worth advancing at once on the device that the model runs on."""

    @property
    def opening(self) -> Sequence[int]:
        """The pieces that every text begins with; may be empty."""

    def pieces(self, text: str) -> list[int]:
        """The pieces of ``text``, never a special one: text that looks like one is read as text."""

    def text(self, pieces: Sequence[int]) -> str:
        """The text of ``pieces``."""

    def prompt(self, instruction: str, text: Sequence[int]) -> list[int]:
        """Pieces that ask for ``instruction`` on the pieces ``text``, in the model's chat form where it has one.

        ``text`` cannot end its turn: it goes in as it is, and the form is laid around it.
        """

    def begin(self, prompts: Sequence[Sequence[int]]) -> CausalSession:
        """A session with a row for each prompt; none may be empty. MissingExtraError where the model is not there."""
