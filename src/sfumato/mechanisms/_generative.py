"""What DP-Prompt and DP-Paraphrase share: a causal model rewrites each document, a drawn piece at a time.

Analysis. One draw is the law of :mod:`sfumato.privacy.rank_law`, or with the papers that of
:mod:`sfumato.privacy.clipped_softmax`, over the model's outcomes (all pieces that are not special, and the end
piece), for any scores. The number of draws is public: it depends on the number of marked words, rounded up. So any
two documents that get the same segments and draws differ by at most ε in each draw, given all draws before, and n
draws cost n·ε. A row stops when it drew its end piece. Stopping depends on draws only, and the row is charged for all
its draws all the same.

Only the text of the drawn pieces is released, segments in order, white space made single spaces so that a document
stays one line. No layout, no text and no case of the private document is copied.

Long documents are cut into segments of equal numbers of words, each with a prompt and draws of its own. The number of
segments and their charge follow from the number of words. A cut is moved to the end of a sentence near by, and a
prompt that is too long for the model's window is cut: both decide only what a prompt holds.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.contextual import ContextualMechanism, HowScoresDecide, RewriteBatch, RewriteState, score_law
from sfumato.abstract.mechanism import EpsilonOfDraw, ScaleRule
from sfumato.abstract.models import CausalModel, CausalSession
from sfumato.errors import ConfigurationError
from sfumato.options.option import Option, Part
from sfumato.privacy.guarantee import checked_epsilon
from sfumato.privacy.score_law import ScoreLaw
from sfumato.text.marks import Layout
from sfumato.types import FloatArray, IntArray

_WAVE = 16
_LEAST_WORDS = 8
_LEAST_ROOM = 16
_SENTENCE_ENDS = re.compile(r"[.!?…][\"'”’)\]»]*\s|\n")


class Writing:
    """A segment that is being written: its prompt, what was drawn, and how many draws are left."""

    def __init__(self, prompt: list[int], draws: int, end: int | None) -> None:
        self.prompt, self.drawn, self._left, self._end = prompt, list[int](), draws, end

    @property
    def finished(self) -> bool:
        """Return whether the end was drawn or no draw is left."""
        return self._left == 0

    def take(self, outcome: int) -> None:
        """Put ``outcome`` behind what was drawn; the end piece leaves no draw."""
        self._left = 0 if outcome == self._end else self._left - 1
        if outcome != self._end:
            self.drawn.append(outcome)


class GenerativeRewrite(RewriteState):
    """One document under way: its segments, of which up to 16 are written side by side.

    That number is the same in every batch, so the number of a draw in its document does not depend on other
    documents.
    """

    def __init__(self, model: CausalModel, prompts: Sequence[list[int]], draws: int) -> None:
        self._model = model
        self._segments = [Writing(prompt, draws, model.end) for prompt in prompts]

    @property
    def finished(self) -> bool:
        """Return whether every segment is written."""
        return all(segment.finished for segment in self._segments)

    @property
    def waiting(self) -> list[Writing]:
        """Return the segments that await a draw, in order."""
        first = next((i for i, segment in enumerate(self._segments) if not segment.finished), 0) // _WAVE * _WAVE
        return [segment for segment in self._segments[first : first + _WAVE] if not segment.finished]

    def take(self, outcomes: Sequence[int]) -> None:
        """Take an outcome for each waiting segment."""
        for segment, outcome in zip(self.waiting, outcomes, strict=True):
            segment.take(outcome)

    def parts(self) -> list[str]:
        """Return nothing of the original, and all that was drawn as one line."""
        pieces = self._model.outcomes
        texts = [self._model.text([int(pieces[outcome]) for outcome in segment.drawn]) for segment in self._segments]
        return ["", " ".join(" ".join(texts).split()), ""]

    @property
    def labels(self) -> Sequence[str]:
        """Return one label for the text."""
        return ["TEXT"]


class GenerativeBatch(RewriteBatch):
    """Documents of which some are in a session of the model; when all their rows have ended, the next ones enter."""

    def __init__(self, model: CausalModel, states: Sequence[GenerativeRewrite], at_once: int) -> None:
        self._model, self._states, self._at_once = model, states, at_once
        self._session: CausalSession | None = None
        self._rows: list[tuple[int, Writing]] = []

    @property
    def states(self) -> Sequence[GenerativeRewrite]:
        """Return the documents, in the order in which they were given."""
        return self._states

    def scores(self) -> tuple[NDArray[np.floating[Any]], list[int]]:
        """Return scores for the next piece of each segment under way."""
        if not self._rows:
            self._enter()
        if self._session is None:
            return np.empty((0, len(self._model.outcomes)), dtype=np.float32), []
        return self._session.scores(), [number for number, _ in self._rows]

    def _enter(self) -> None:
        """Begin a session with the next segments of as many documents as the batch holds."""
        for number, state in enumerate(self._states):
            waiting = state.waiting
            if self._rows and len(self._rows) + len(waiting) > self._at_once:
                break
            self._rows += [(number, segment) for segment in waiting]
        prompts = [segment.prompt for _, segment in self._rows]
        self._session = self._model.begin(prompts) if prompts else None

    def alone(self, row: int) -> NDArray[np.floating[Any]]:
        """Return the scores of a row, computed from its prompt and what was drawn, in a session of its own."""
        segment, pieces = self._rows[row][1], self._model.outcomes
        drawn = [int(pieces[outcome]) for outcome in segment.drawn]
        return np.asarray(self._model.begin([[*segment.prompt, *drawn]]).scores()[0])

    def take(self, outcomes: IntArray) -> None:
        """Hand the outcomes back to the documents that asked."""
        drawn: dict[int, list[int]] = {}
        for (number, _), outcome in zip(self._rows, outcomes.tolist(), strict=True):
            drawn.setdefault(number, []).append(outcome)
        for number, own in drawn.items():
            self._states[number].take(own)
        if self._session is not None:
            pairs = zip(self._rows, outcomes.tolist(), strict=True)
            self._session.take([None if segment.finished else outcome for (_, segment), outcome in pairs])
        self._rows = [(number, segment) for number, segment in self._rows if not segment.finished]


@dataclass(frozen=True, eq=False)
class Generative(ContextualMechanism):
    """Rewrites documents with a causal model. ε is the price of one draw.

    ``scoring`` says how scores decide. A segment of at most ``segment`` words gets ``tokens`` draws, or else
    ``tokens_per_word`` draws for each of its words, their number rounded up to a power of two from 8 on. ``batch`` is
    the number of segments that advance together.
    """

    model: Annotated[CausalModel, Part("the language model")]
    epsilon: EpsilonOfDraw
    scoring: HowScoresDecide
    calibration: ScaleRule = "exact"
    tokens_per_word: Annotated[float, Option("draws for each word of a segment, before rounding up")] = 1.3
    tokens: Annotated[int | None, Option("draws for each segment, in place of draws for each word")] = None
    segment: Annotated[int, Option("most words of a segment")] = 120
    batch: Annotated[int | None, Option("segments that advance together")] = None
    visible: ClassVar[tuple[str, ...]] = (
        "how many words a document has, rounded up to a power of two, and in how many segments it was cut",
    )
    rewrites_whole_text: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("causal-model",)
    _theorem: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        if type(self.tokens_per_word) not in (int, float) or not 0.0 < self.tokens_per_word <= 16.0:
            raise ConfigurationError(
                f"tokens_per_word is a number above 0 and up to 16, not {self.tokens_per_word!r}."
            )
        if type(self.segment) is not int or self.segment < _LEAST_WORDS:
            raise ConfigurationError(f"A segment has {_LEAST_WORDS} words or more, not {self.segment}.")
        if (self.batch or 1) > 1 and getattr(self.model, "number_format", "float32") == "bfloat16":
            raise ConfigurationError("In bfloat16 a text can be seen in the scores of another; leave out batch.")
        for number in (self.tokens, self.batch):
            if number is not None and (type(number) is not int or number < 1):
                raise ConfigurationError("tokens and batch are whole numbers from 1 on.")

    @cached_property
    def score_law(self) -> ScoreLaw:
        """Return the law over the outcomes of the model."""
        return score_law(self.scoring, len(self.model.outcomes), self.calibration)

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        lengths = {"tokens_per_word": self.tokens_per_word} if self.tokens is None else {"tokens": self.tokens}
        return {
            "epsilon": self.epsilon,
            "calibration": self.calibration,
            "model": self.model.id,
            "outcomes": len(self.model.outcomes),
            **self.score_law.parameters,
            "window_pieces": self.model.window,
            **lengths,
            "segment_words": self.segment,
            "of_longer_segments": "what does not fit the window is not read",
        }

    @property
    def adjacency(self) -> str:
        """Return which documents are hard to tell apart."""
        return "any two documents with the same numbers of segments and of draws"

    @property
    def proof(self) -> str:
        """Return where the proof is."""
        return self.score_law.proof(self._theorem, f"docs/mechanisms.md#{self.name}")

    @abstractmethod
    def prompt(self, pieces: Sequence[int]) -> list[int]:
        """Return the prompt for a segment that consists of ``pieces``."""

    def draws(self, layout: Layout) -> int:
        """Return the draws of all segments: a function of how many words are marked, at least 8."""
        return self.segments(len(layout.spans)) * self.length(len(layout.spans))

    def segments(self, words: int) -> int:
        """Return into how many segments a document of so many words is cut."""
        return max(1, -(-words // self.segment))

    def length(self, words: int) -> int:
        """Return how many draws each segment of a document of so many words has."""
        if self.tokens is not None:
            return self.tokens
        most = max(_LEAST_WORDS, -(-words // self.segments(words)))
        return math.ceil(self.tokens_per_word * (1 << (most - 1).bit_length()))

    def law(self, layout: Layout, position: int) -> tuple[Sequence[str], FloatArray]:
        """Return outcomes and law of draw ``position`` (from 0), given the original's own pieces as the draws before
        it.

        Raise :class:`~sfumato.errors.ConfigurationError` if the text has no such draw.
        """
        if not 0 <= position < self.draws(layout):
            raise ConfigurationError(f"There is no draw {position}; the text has {self.draws(layout)}, from 0.")
        segment, step = divmod(position, self.length(len(layout.spans)))
        text = self.texts(layout)[segment]
        row = [*self.fitted(text, self.length(len(layout.spans))), *self.model.pieces(text)[:step]]
        law = self.score_law.law(self.model.begin([row]).scores(), self.epsilon)[0]
        names = [self.model.text([int(piece)]) for piece in self.model.outcomes]
        if self.model.end is not None:
            names[self.model.end] = "[end]"
        return names, law

    def texts(self, layout: Layout) -> list[str]:
        """Return the texts of the segments: cut between words, at the end of a sentence if one is near by."""
        words = len(layout.spans)
        count = self.segments(words)
        cuts = [_near_by(layout, words * cut // count, self.segment // 6) for cut in range(1, count)]
        edges = [0, *(layout.spans[cut][0] for cut in cuts), len(layout.text)]
        return [layout.text[first:last].strip() for first, last in pairwise(edges)]

    def fitted(self, text: str, draws: int) -> list[int]:
        """Return the prompt for ``text``, cut so that ``draws`` pieces fit behind it.

        Raise :class:`~sfumato.errors.ConfigurationError` if the window leaves no room for a text.
        """
        room = self.model.window - len(self.prompt([])) - draws
        if room < _LEAST_ROOM:
            raise ConfigurationError(
                f"The window of {self.model.window} pieces has no room for a text and {draws} draws; give a smaller "
                "segment, fewer tokens or another model."
            )
        return self.prompt(self.model.pieces(text)[:room])

    def begin(self, layouts: Sequence[Layout], coins: Sequence[FloatArray]) -> GenerativeBatch:
        """Return documents whose segments are written side by side, ``batch`` of them at once."""
        self.fitted("", self.length(self.segment))  # refused for every text alike
        states = []
        for layout in layouts:
            draws = self.length(len(layout.spans))
            prompts = [self.fitted(text, draws) for text in self.texts(layout)]
            states.append(GenerativeRewrite(self.model, prompts, draws))
        return GenerativeBatch(self.model, states, self.batch or self.model.rows)


def _near_by(layout: Layout, cut: int, most: int) -> int:
    """Return the word nearest to ``cut``, at most ``most`` away, that begins a sentence; ``cut`` if there is none."""
    spans = layout.spans
    for away in range(most + 1):
        for word in (cut - away, cut + away):
            between = layout.text[spans[word - 1][1] : spans[word][0]] if 0 < word < len(spans) else ""
            if _SENTENCE_ENDS.search(between):
                return word
    return cut
