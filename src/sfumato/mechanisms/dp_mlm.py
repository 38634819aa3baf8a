"""DP-MLM (Meisenbacher et al., DP-MLM: Differentially Private Text Rewriting Using Masked Language Models, 2024).

Algorithms 1 and 2: word after word of a document is masked in a second copy of it, which follows the original
("original [SEP] copy"); the model scores the candidate words at the mask; one is drawn and takes its place in the
copy. Algorithm 3 also adds and deletes words by public coins.

Analysis. One draw is the law of :mod:`sfumato.privacy.rank_law`, or as in the paper that of
:mod:`sfumato.privacy.clipped_softmax` (its Theorem 1, with the exact constant). Either loss holds for any two
documents with the same layout and any draws before. Draws compose: n draws cost n·ε for the document (paper, §4.3).
The coins of Algorithm 3 do not depend on the text; with additions a document is charged for 2n draws, its worst case.

Differences from the paper and its code. The law by rank unless the softmax is asked for; exact calibration of the
latter (the paper: τ = ε/2). Outcomes are whole words, the same for every input. Similarity and antonyms (Appendix A)
enter the scores where they are asked for, and filter no outcome: :mod:`sfumato.mechanisms._closeness`. Every word is
rewritten, stop words too, unless the detector leaves them (``--detect content-words``). Punctuation and white space
are kept as layout; case comes from the candidate and a public rule. Long documents are read through a window around
the position. The space before a deleted word is deleted with it. By default (``block`` = 1) the order is the paper's,
word after word. With a larger one about ``block`` words in each window are drawn in one pass; none of them then sees
the others' outcomes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np

from sfumato.abstract.contextual import ContextualMechanism, HowScoresDecide, score_law
from sfumato.abstract.mechanism import EpsilonOfDraw, ScaleRule
from sfumato.abstract.models import MaskedModel
from sfumato.errors import ConfigurationError
from sfumato.mechanisms._closeness import Closeness, checked
from sfumato.mechanisms._masked_rewrite import Edits, MaskedBatch, MaskedRewrite, Rewriting
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.options.option import Option, Part
from sfumato.privacy.guarantee import checked_epsilon
from sfumato.privacy.score_law import ScoreLaw
from sfumato.text.marks import Layout
from sfumato.types import FloatArray

Beside = Literal["original", "none"]
"""What the model sees beside the copy: the original, as in the paper, or nothing, as in its first figure."""


@dataclass(frozen=True, eq=False)
class DPMLM(ContextualMechanism):
    """Rewrites marked words one at a time with a masked model that sees the document. ε is the price of one draw.

    ``scoring`` says how scores decide; ``addition`` and ``deletion`` are Algorithm 3's probabilities; ``block``
    says how many words in a window of the model are drawn in one pass; ``batch`` says how many documents advance
    together. Without ``context`` the model sees the copy alone, whose words the draws have replaced so far.
    ``similarity`` and ``antonyms`` are Appendix A.
    """

    model: Annotated[MaskedModel, Part("the language model")]
    epsilon: EpsilonOfDraw
    scoring: HowScoresDecide
    calibration: ScaleRule = "exact"
    addition: Annotated[float, Option("probability that a word is added")] = 0.0
    deletion: Annotated[float, Option("probability that a word is deleted")] = 0.0
    block: Annotated[int, Option("words of a document that are drawn in one pass")] = 1
    batch: Annotated[int | None, Option("documents that advance together")] = None
    context: Annotated[Beside, Option("what the model sees beside the copy")] = "original"
    similarity: Annotated[
        float | None, Option("adds the likeness to the word to this times the model's score (paper: 0.003)")
    ] = None
    antonyms: Annotated[
        str | None, Option("pairs of opposites, the least likely to replace one another", file=True)
    ] = None
    name: ClassVar[str] = "dp-mlm"
    needs: ClassVar[tuple[str, ...]] = ("masked-model",)
    default_model: ClassVar[str | None] = "embedded"
    visible: ClassVar[tuple[str, ...]] = (
        "how many words were added or deleted, by public coins, where that was asked for",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        for name, share in (("addition", self.addition), ("deletion", self.deletion)):
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0.0 <= share <= 1.0:
                raise ConfigurationError(f"{name} is a probability from 0 to 1, not {share!r}.")
        for number in (self.block, 1 if self.batch is None else self.batch):
            if type(number) is not int or number < 1:
                raise ConfigurationError("block and batch are whole numbers from 1 on.")
        if self.context not in get_args(Beside):
            raise ConfigurationError(f"context is original or none, not {self.context!r}.")
        checked(self.similarity, self.antonyms)

    @cached_property
    def score_law(self) -> ScoreLaw:
        """Return the law over the candidate words."""
        scoring = self.scoring if self._closeness is None else self._closeness.law_scoring()
        return score_law(scoring, len(self.model.words), self.calibration)

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        parameters = {
            "epsilon": self.epsilon,
            "calibration": self.calibration,
            "model": self.model.id,
            "candidate_words": len(self.model.words),
            **self.score_law.parameters,
            "window_pieces": self.model.window,
        }
        if self.addition or self.deletion:
            parameters |= {"addition": self.addition, "deletion": self.deletion}
        if self.context != "original":
            parameters["context"] = self.context
        if self._closeness is not None:
            parameters |= self._closeness.parameters
        if self.block > 1:
            parameters["block"] = self.block
            parameters["order"] = "blocks of words drawn at once, another law than the paper's order word by word"
        return parameters

    @property
    def unchanged(self) -> Mapping[str, Any]:
        """Return how often a draw gives its word back: at most, and over public text as the model was asked there.

        The public text was asked word by word, beside itself, and by the model's scores alone.
        """
        often = self.score_law.unchanged(self.epsilon)
        as_asked = self.context == "original" and self._closeness is None and self.block == 1
        return often if as_asked or "at_most" not in often else {"at_most": often["at_most"]}

    @property
    def adjacency(self) -> str:
        """Return what may differ between two documents that are marked alike."""
        return "any text at the marked places"

    @property
    def proof(self) -> str:
        """Return where the proof is."""
        return self.score_law.proof("Meisenbacher et al. 2024, Theorem 1", "docs/mechanisms.md#dp-mlm")

    def draws(self, layout: Layout) -> int:
        """Return how many draws a document is charged for: one a marked word, two if words may be added."""
        return len(layout.spans) * (2 if self.addition else 1)

    @property
    def coins(self) -> int:
        """Return how many public coins a word needs: two under Algorithm 3."""
        return 2 if self.addition or self.deletion else 0

    @property
    def batch_size(self) -> int:
        """Return how many documents advance together."""
        return self.batch or self.model.rows

    def law(self, layout: Layout, position: int) -> tuple[Sequence[str], FloatArray]:
        """Return the law of the marked word ``position`` (from 0), masked with the others of its pass.

        The words drawn before it are taken from the original, and no word is added or deleted. Raise
        :class:`~sfumato.errors.ConfigurationError` if the text has no such word.
        """
        if not 0 <= position < len(layout.spans):
            raise ConfigurationError(
                f"There is no word {position}; the text has {len(layout.spans)}, counted from 0."
            )
        state = self._rewrite(layout, np.ones((len(layout.spans), 2)))
        question, mask = state.question_about(position)
        scores = self.model.scores([question])[mask : mask + 1]
        if self._closeness is not None:
            start, end = layout.spans[position]
            scores = self._closeness.rescored(scores, [layout.text[start:end]])
        return self.model.words, self.score_law.law(scores, self.epsilon)[0]

    def begin(self, layouts: Sequence[Layout], coins: Sequence[FloatArray]) -> MaskedBatch:
        """Begin documents that take a pass each at a time, ``batch`` of them at once."""
        states = [self._rewrite(layout, given) for layout, given in zip(layouts, coins, strict=True)]
        return MaskedBatch(self.model, states, self.batch_size, self._closeness)

    def _rewrite(self, layout: Layout, coins: FloatArray) -> MaskedRewrite:
        edits = Edits(self.deletion, self.addition) if self.coins else None
        return MaskedRewrite(self.model, layout, coins, Rewriting(self.block, edits, self.context == "original"))

    @cached_property
    def _closeness(self) -> Closeness | None:
        """Return what is added to the model's scores, if anything is."""
        if self.similarity is None and self.antonyms is None:
            return None
        file = None if self.antonyms is None else Path(self.antonyms)
        return Closeness(self.model.words, self.scoring, self.similarity, file, SentenceEncoder())
