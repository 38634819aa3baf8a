"""The few ideas everything else is made of. Read this file first.

``Detector`` finds the spans to protect, ``Mechanism`` replaces a token of its public vocabulary by a draw from a
law that it can show, ``Encoder`` turns phrases into vectors. The Sanitizer (``sanitizer.py``) joins them.

``ContextualMechanism`` rewrites documents with a ``MaskedModel`` or a ``CausalModel`` that sees the whole text; each
document under way is a ``Course``. The Rewriter (``rewriting.py``) leads many of them forward together.

``Editing`` replaces spans without a guarantee; the Editor (``editing.py``) sees to it that no original comes back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.clipped_softmax import ClippedSoftmax
from sfumato.document import Document, Marks, Spans
from sfumato.guarantee import Certificate, Guarantee
from sfumato.vocabulary import SourceFile, Vocabulary

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Uniforms = Callable[[int], FloatArray]
"""``uniforms(width)`` gives an (n, width) array of fresh uniforms in (0, 1), a row for each draw asked for."""

Progress = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1."""


class Detector(ABC):
    """Finds the spans to protect."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What is protected, in a few words, for the privacy statement."""

    @property
    @abstractmethod
    def unprotected(self) -> str:
        """What this detector leaves as it stands, for the privacy statement."""

    @abstractmethod
    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """The spans of each document, sorted and disjoint. An InputError holds its index, never its text."""

    @property
    def setting(self) -> str:
        """The settings of this detector, spelled the same in every process, for ``--resume``."""
        return _settings(self)

    def mark(self, documents: Sequence[Document]) -> Marks:
        """The same spans by column; a fast detector may have them without :meth:`detect`."""
        return Marks.of(documents, self.detect(documents))


def _settings(thing: Any) -> str:
    """Name and settings of ``thing``; the order of a set, which differs between processes, does not matter."""
    if is_dataclass(thing):
        settings = {field.name: _settings(getattr(thing, field.name)) for field in fields(thing) if field.compare}
        return f"{type(thing).__qualname__} {settings}"
    if isinstance(thing, tuple | list):
        return repr([_settings(one) for one in thing])
    return repr(sorted(map(repr, thing)) if isinstance(thing, set | frozenset) else thing)


class Mechanism(ABC):
    """Replaces tokens of a public vocabulary by random tokens of the same vocabulary.

    A mechanism is built for one vocabulary and one epsilon and is frozen from then on. Tokens are indices into
    ``vocabulary.tokens``. Nothing here ever sees a private text: unknown words were mapped before.
    """

    name: ClassVar[str]
    draws_at_once: ClassVar[int] = 1 << 19
    """How many draws the caller should ask for at once, so that memory stays flat."""

    shows: ClassVar[tuple[str, ...]] = ()
    """What this mechanism lets everybody see beside the draws, for the statement."""

    vocabulary: Vocabulary
    epsilon: float

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What one draw promises."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Every public parameter, for the statement."""

    @abstractmethod
    def certify(self, progress: Progress | None = None) -> Certificate:
        """The numerical certificate of :attr:`guarantee` on the actual vocabulary.

        The first call may take minutes on a large vocabulary; the answer is cached by the vocabulary's hash.
        Raises :class:`~sfumato.errors.GuaranteeError` where the claim does not hold.
        """

    @abstractmethod
    def law(self, token: int) -> FloatArray:
        """``P(. | token)`` over the whole vocabulary, shape (V,), summing to 1.

        Raises :class:`~sfumato.errors.GuaranteeError` where the law has no closed form (noise mechanisms).
        """

    @abstractmethod
    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """One independent draw for each of ``tokens`` (n,), as indices (n,)."""

    @property
    def protected(self) -> IntArray | None:
        """The tokens that the guarantee covers, ascending (None: all). Unknown words become one of them."""
        return None

    def spends(self, tokens: IntArray) -> NDArray[np.bool_]:
        """Which of ``tokens`` (n,) cost a draw: all, but for those that a public rule keeps as they are."""
        return np.ones(len(tokens), dtype=np.bool_)


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


class Layout(NamedTuple):
    """A document and what is to be rewritten in it: ``spans`` sorted and disjoint, a label each."""

    text: str
    spans: Sequence[tuple[int, int]]
    labels: Sequence[str]


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
        """Which documents are hard to tell apart."""

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


class Editing(ABC):
    """Replaces marked spans by a rule or a model, without a guarantee: what it leaves has to be measured.

    Nothing here has an ε, and no statement of it prints one.
    """

    name: ClassVar[str]
    shows: ClassVar[tuple[str, ...]] = ()
    """What this method lets everybody see beside what every release shows, for the statement."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Every public parameter, for the statement and for ``--resume``. No key, no private text."""

    @property
    def sources(self) -> Sequence[SourceFile]:
        """The public files that it takes replacements from; a private input among them is refused."""
        return ()

    @property
    def together(self) -> int:
        """How many documents are worth working on at once."""
        return 256

    def keeps(self, label: str) -> bool:
        """Whether spans with this label are left as they stand, as if nothing had marked them: none are."""
        return False

    def prepare(self, progress: Progress | None = None) -> None:  # noqa: B027 (most need nothing)
        """Load what is needed, so that nothing is read before it is there."""

    @abstractmethod
    def replacements(
        self, documents: Sequence[Document], layouts: Sequence[Layout], seeds: Sequence[int]
    ) -> list[list[str]]:
        """What stands in the place of each span of each document. ``seeds`` (64 bits each) are fresh or keyed.

        An output that is, or holds, a marked original of its document is not used (:mod:`sfumato.editing`).
        """
