"""Ideas of rewriting in context.

``ContextualMechanism`` rewrites documents with a ``MaskedModel`` or a ``CausalModel`` that sees the whole text; each
document under way is a ``Course``. The Rewriter (``rewriting.py``) leads many of them forward together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.ideas import FloatArray, IntArray, Layout
from sfumato.privacy.clipped_softmax import ClippedSoftmax
from sfumato.privacy.guarantee import Guarantee

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


class Course(ABC):
    """A document under way: it asks for scores, and is told what was drawn from them."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether every draw was made."""

    @abstractmethod
    def take(self, outcomes: Sequence[int]) -> None:
        """The outcomes of the draws that were asked for last, in order."""

    @abstractmethod
    def parts(self) -> list[str]:
        """Text that was left as it stood (even places) and what was put in (odd places), in turns."""

    @property
    @abstractmethod
    def labels(self) -> Sequence[str]:
        """A label for each odd place of :meth:`parts`."""


class Group(ABC):
    """Documents that advance together, a step of each at a time."""

    @abstractmethod
    def scores(self) -> tuple[NDArray[np.floating[Any]], list[int]]:
        """Scores for the next draws, shape (n, V), and the number in the group of the document each is for.

        n is 0 once all documents are finished.
        """

    @abstractmethod
    def take(self, outcomes: IntArray) -> None:
        """What was drawn, shape (n,)."""

    @property
    @abstractmethod
    def courses(self) -> Sequence[Course]:
        """The documents, in the order they were given."""


class ContextualMechanism(ABC):
    """Rewrites documents by draws whose scores may depend on the whole document.

    Every draw is made by the engine from :attr:`softmax`, which is all that the guarantee rests on.
    """

    name: ClassVar[str]
    shows: ClassVar[tuple[str, ...]] = ()
    assumes: ClassVar[tuple[str, ...]] = (
        "model, outcomes and clip range are public",
        "draws are independent",
        "the scores of one text hold nothing of another, up to rounding",
    )
    whole: ClassVar[bool] = False
    """Whether all of the document is written anew, and the marked words are only counted."""

    model: Any
    epsilon: float

    @property
    @abstractmethod
    def softmax(self) -> ClippedSoftmax:
        """The law of one draw."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Every public parameter, for the statement and for ``--resume``."""

    @property
    @abstractmethod
    def adjacency(self) -> str:
        """Return which documents are hard to tell apart; of those that are marked alike, unless all is rewritten."""

    @property
    @abstractmethod
    def proof(self) -> str:
        """Where the proof is."""

    @property
    def guarantee(self) -> Guarantee:
        """ε-LDP for one draw at :attr:`epsilon`."""
        return Guarantee(
            definition="LDP",
            epsilon=self.epsilon,
            unit="one draw (a document, and each word in it, costs the sum over its draws)",
            adjacency=self.adjacency,
            distance=None,
            proof=self.proof,
            assumes=self.assumes,
            rho=0.5 * self.softmax.scale(self.epsilon) ** 2,
        )

    @abstractmethod
    def draws(self, layout: Layout) -> int:
        """The most draws that a document can take: a public function of its layout. What it is charged for."""

    @abstractmethod
    def law(self, layout: Layout, position: int) -> tuple[Sequence[str], FloatArray]:
        """The outcomes and their probabilities (V,) for one draw, everything before it as it stands in the document.

        Raises :class:`~sfumato.errors.ConfigurationError` where there is no such ``position`` (from 0).
        """

    @property
    def coins(self) -> int:
        """How many public coins (uniforms) a marked span needs before the draws; 0 for none."""
        return 0

    @property
    def together(self) -> int:
        """How many documents are worth working on at once."""
        return 32

    @abstractmethod
    def begin(self, layouts: Sequence[Layout], coins: Sequence[FloatArray]) -> Group:
        """Start on ``layouts``, longest first; ``coins`` holds uniforms (spans, :attr:`coins`) for each.

        How many of them are under way at once is the mechanism's choice, and changes no law.
        """
