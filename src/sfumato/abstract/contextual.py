"""Rewriting in context.

A ``ContextualMechanism`` rewrites documents with a ``MaskedModel`` or a ``CausalModel`` that sees the whole text.
Each document in progress is a ``RewriteState``. :mod:`sfumato.engines.contextual_batch` advances many together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from sfumato.abstract.method import Method
from sfumato.errors import ConfigurationError
from sfumato.options.option import Part
from sfumato.privacy.clipped_softmax import ClippedSoftmax, ClipRange
from sfumato.privacy.guarantee import Calibration, Guarantee
from sfumato.privacy.rank_law import RankLaw
from sfumato.privacy.rank_profile import RankGains
from sfumato.privacy.score_law import AnyScores, ScoreLaw, Scores
from sfumato.text.marks import Layout
from sfumato.types import FloatArray, IntArray

Scoring = ClipRange | RankGains
"""What is publicly known of a model's scores: the range they are clipped to, or what their ranks are worth."""

HowScoresDecide = Annotated[Scoring, Part("the public range that scores are clipped to, or what ranks are worth")]
"""The annotation of a field for it."""


def score_law(scoring: Scoring, outcomes: int, calibration: Calibration) -> ScoreLaw:
    """Return the law over so many ``outcomes``: the clipped softmax for a range, the law by rank for gains.

    Raise ConfigurationError for the paper's calibration of a law that is in no paper.
    """
    if isinstance(scoring, ClipRange):
        return ClippedSoftmax(scoring, outcomes, calibration)
    if calibration != "exact":
        raise ConfigurationError(
            f"The law by rank has no {calibration} calibration; give --set law=softmax, or leave out the calibration."
        )
    return RankLaw(scoring, outcomes)


class RewriteState(ABC):
    """A document in progress: it requests scores, and takes the outcomes drawn from them."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Return whether every draw was made."""

    @abstractmethod
    def take(self, outcomes: Sequence[int]) -> None:
        """Take the outcomes of the latest requested draws, in order."""

    @abstractmethod
    def parts(self) -> list[str]:
        """Return text that was kept (even indices) and outputs (odd indices), in turns."""

    @property
    @abstractmethod
    def labels(self) -> Sequence[str]:
        """Return a label for each odd index of :meth:`parts`."""


class RewriteBatch(ABC):
    """Documents that advance together, a step of each at a time."""

    @abstractmethod
    def scores(self) -> tuple[AnyScores, list[int]]:
        """Return scores for the next draws, shape (n, V), and for each draw the index of its document in the batch.

        n is 0 once all documents are finished.
        """

    @property
    def steady(self) -> bool:
        """Return whether :meth:`alone` would give every row of :meth:`scores` again, bit for bit.

        Only a batch that knows this may say so: the engine then computes no row by itself.
        """
        return False

    @abstractmethod
    def alone(self, row: int) -> Scores:
        """Return the scores of a ``row`` of the latest :meth:`scores`, shape (V,), computed beside no other text."""

    @abstractmethod
    def take(self, outcomes: IntArray) -> None:
        """Take the drawn outcomes, shape (n,)."""

    @property
    @abstractmethod
    def states(self) -> Sequence[RewriteState]:
        """Return the documents, in the order they were given."""


class ContextualMechanism(Method, ABC):
    """Rewrites documents by draws whose scores may depend on the whole document.

    The engine makes every draw from :attr:`score_law`. The guarantee rests on nothing else.
    """

    assumes: ClassVar[tuple[str, ...]] = (
        "model, outcomes and what decides their law (clip range, or gains by rank) are public",
        "draws are independent",
        "the law of a text's draw depends on no other text, up to rounding of scores",
    )
    rewrites_whole_text: ClassVar[bool] = False
    """Whether the whole document is rewritten, and the marked words are only counted."""
    model: Any
    epsilon: float

    @property
    @abstractmethod
    def score_law(self) -> ScoreLaw:
        """Return the law of one draw."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter, for the statement and for ``--resume``."""

    @property
    @abstractmethod
    def adjacency(self) -> str:
        """Return which documents are hard to distinguish.

        Only those that are marked alike, unless all text is rewritten.
        """

    @property
    @abstractmethod
    def proof(self) -> str:
        """Return where the proof is."""

    @property
    def guarantee(self) -> Guarantee:
        """Return the ε-LDP of one draw at :attr:`epsilon` nats."""
        return Guarantee(
            definition="LDP",
            epsilon=self.epsilon,
            unit="one draw (a document, and each word in it, costs the sum over its draws)",
            adjacency=self.adjacency,
            distance=None,
            proof=self.proof,
            assumes=self.assumes,
            rho=self.score_law.rho(self.epsilon),
        )

    def renyi(self, orders: FloatArray) -> FloatArray:
        """Return a bound on the Rényi divergence of one draw at :attr:`epsilon`, for ``orders`` (A,), in nats."""
        return self.score_law.renyi(self.epsilon, orders)

    @abstractmethod
    def draws(self, layout: Layout) -> int:
        """Return the most draws that a document can take: a public function of its layout.

        The document is charged for so many draws.
        """

    @abstractmethod
    def law(self, layout: Layout, position: int) -> tuple[Sequence[str], FloatArray]:
        """Return the outcomes and their probabilities (V,) for one draw, given the document's own text before it.

        Raise :class:`~sfumato.errors.ConfigurationError` if there is no such ``position`` (from 0).
        """

    @property
    def unchanged(self) -> Mapping[str, Any]:
        """Return how often a draw gives its word back, by the law alone; empty where nothing says it."""
        return {}

    @property
    def coins(self) -> int:
        """Return how many public coins (uniforms) a marked span needs before the draws; 0 for none."""
        return 0

    @property
    def batch_size(self) -> int:
        """Return how many documents are worth working on at once."""
        return 32

    @abstractmethod
    def begin(self, layouts: Sequence[Layout], coins: Sequence[FloatArray]) -> RewriteBatch:
        """Start on ``layouts``, longest first; ``coins`` holds uniforms (spans, :attr:`coins`) for each.

        The mechanism chooses how many of them are in progress at once. The choice changes no law.
        """
