"""Ideas of rewriting in context.

``ContextualMechanism`` rewrites documents with a ``MaskedModel`` or a ``CausalModel`` that sees the whole text; each
document under way is a ``RewriteState``. :mod:`sfumato.engines.contextual` advances many of them together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.method import Method
from sfumato.abstract.options import Part
from sfumato.privacy.clipped_softmax import ClippedSoftmax, ClipRange
from sfumato.privacy.guarantee import Guarantee
from sfumato.text.layout import Layout
from sfumato.types import FloatArray, IntArray

ScoreRange = Annotated[ClipRange, Part("the public range that scores are clipped to")]
"""The annotation of a field for it."""


class RewriteState(ABC):
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


class RewriteBatch(ABC):
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
    def states(self) -> Sequence[RewriteState]:
        """The documents, in the order they were given."""


class ContextualMechanism(Method, ABC):
    """Rewrites documents by draws whose scores may depend on the whole document.

    Every draw is made by the engine from :attr:`softmax`, which is all that the guarantee rests on.
    """

    assumes: ClassVar[tuple[str, ...]] = (
        "model, outcomes and clip range are public",
        "draws are independent",
        "the scores of one text hold nothing of another, up to rounding",
    )
    rewrites_whole_text: ClassVar[bool] = False
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
    def batch_size(self) -> int:
        """How many documents are worth working on at once."""
        return 32

    @abstractmethod
    def begin(self, layouts: Sequence[Layout], coins: Sequence[FloatArray]) -> RewriteBatch:
        """Start on ``layouts``, longest first; ``coins`` holds uniforms (spans, :attr:`coins`) for each.

        How many of them are under way at once is the mechanism's choice, and changes no law.
        """
