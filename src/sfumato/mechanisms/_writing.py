"""Documents that a causal model rewrites: their segments under way, and which of them share a session.

Only drawn pieces pass from here into a release: nothing in this file reads the text of a document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.contextual import RewriteBatch, RewriteState
from sfumato.abstract.models import CausalModel, CausalSession
from sfumato.types import IntArray

LABEL = "TEXT"
_WAVE = 16


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
        first = next((index for index, segment in enumerate(self._segments) if not segment.finished), 0)
        first -= first % _WAVE
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
        return [LABEL]


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
