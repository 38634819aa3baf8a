"""The models that mechanisms and detectors use: encoders, masked and causal language models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.score_law import AnyScores
from sfumato.types import FloatArray, IntArray, Progress

T = TypeVar("T")


class Encoder(Protocol):
    """Turns phrases into vectors; deterministic and public."""

    @property
    def id(self) -> str:
        """Return the name and content hash of the model."""

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """Return the vectors of ``phrases``, shape (n, dimensions), float64.

        They have unit length if the model normalises. ``progress`` receives the finished share.
        """


MASKED = -1
"""The mask among the pieces of a :class:`Cloze`."""


class Cloze(NamedTuple):
    """One question to a masked model, in pieces: which word belongs where :data:`MASKED` is in ``copy``?

    ``context`` is a separate first half before the copy (empty: there is none).
    """

    context: Sequence[int]
    copy: Sequence[int]


class MaskedModel(Protocol):
    """Scores the public candidate words for a mask. Deterministic, except for rounding that depends on the batch."""

    @property
    def id(self) -> str:
        """Return the name, content hash and number format of the model: everything that decides its scores."""

    @property
    def words(self) -> Sequence[str]:
        """Return the public candidate words (V): whole words of the model's vocabulary, the same for every input."""

    @property
    def word_pieces(self) -> IntArray:
        """Return the piece of each candidate word, shape (V,)."""

    @property
    def window(self) -> int:
        """Return the most pieces that the two parts of a :class:`Cloze` may have together."""

    @property
    def rows(self) -> int:
        """Return how many questions are worth asking at once on the model's device."""

    def pieces(self, units: Sequence[str]) -> list[list[int]]:
        """Return the pieces of each unit of text, never a special piece.

        A unit that begins with a space follows one.
        """

    def scores(self, questions: Sequence[Cloze]) -> NDArray[np.floating[Any]]:
        """Return a score for each candidate word at each mask of each question in turn, shape (masks, V).

        Raise MissingExtraError if the model is not installed.
        """


@runtime_checkable
class KeepsScores(Protocol):
    """A masked model that can leave scores on the device that computed them."""

    def scores_in_place(self, questions: Sequence[Cloze]) -> AnyScores:
        """Return the scores of :meth:`MaskedModel.scores`, where they were computed."""


def scores_in_place(model: MaskedModel, questions: Sequence[Cloze]) -> AnyScores:
    """Return the scores of ``model``, on its device if it can leave them there."""
    return model.scores_in_place(questions) if isinstance(model, KeepsScores) else model.scores(questions)


def is_steady(model: MaskedModel) -> bool:
    """Return whether ``model`` says that a question has the same scores to the last bit whatever is asked beside it.

    What does not say so is not steady.
    """
    return getattr(model, "steady", False) is True


def repeatable(method: T) -> T:
    """Return ``method`` with its model as draws by a key or a seed need it: alike on every processor.

    A number format that was chosen for this machine is left; one that somebody named stays.
    """
    model = getattr(method, "model", None)
    same = getattr(model, "repeatable", model)
    return method if same is model else replace(method, model=same)  # type: ignore[type-var]


def choice_of(method: Any) -> dict[str, str]:
    """Return the reason for the number format of the model of ``method``, for a statement, if nobody named one."""
    choice = getattr(getattr(method, "model", None), "choice", "")
    return {"number_format": choice} if choice else {}


class CausalSession(Protocol):
    """Rows of pieces that a causal model continues together, one piece of each at a time."""

    def scores(self) -> NDArray[np.floating[Any]]:
        """Return a score for each outcome as the next piece of each unfinished row, in order, shape (rows, V)."""

    def take(self, outcomes: Sequence[int | None]) -> None:
        """Take the outcome drawn for each of these rows; None ends a row."""


class CausalModel(Protocol):
    """Scores the next piece of a text. Deterministic, except for rounding that depends on the batch."""

    @property
    def id(self) -> str:
        """Return the name, content hash and number format of the model: everything that decides its scores."""

    @property
    def outcomes(self) -> IntArray:
        """Return the public pieces that may be drawn (V): all pieces that are not special, and the end piece."""

    @property
    def end(self) -> int | None:
        """Return the index in :attr:`outcomes` of the piece that ends an answer; None for a model without one."""

    @property
    def window(self) -> int:
        """Return the most pieces that a row may have, prompt and answer together."""

    @property
    def rows(self) -> int:
        """Return how many rows are worth advancing at once on the model's device."""

    @property
    def opening(self) -> Sequence[int]:
        """Return the pieces that every text begins with; may be empty."""

    def pieces(self, text: str) -> list[int]:
        """Return the pieces of ``text``, never a special piece: text that looks like one is read as text."""

    def text(self, pieces: Sequence[int]) -> str:
        """Return the text of ``pieces``."""

    def prompt(self, instruction: str, text: Sequence[int]) -> list[int]:
        """Return pieces that give ``instruction`` for the pieces ``text``, in the model's chat form if it has one.

        ``text`` cannot end its turn: its pieces are used unchanged, and the form is laid around them.
        """

    def begin(self, prompts: Sequence[Sequence[int]]) -> CausalSession:
        """Return a session with a row for each prompt; no prompt may be empty.

        Raise MissingExtraError if the model is not installed.
        """
