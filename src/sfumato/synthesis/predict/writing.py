"""Texts of one group, written side by side: every member of a text is a row that takes the same drawn token.

A text ends with the model's end piece, or with a blank line; which, and when, follows from drawn tokens alone.
Public rows have sessions of their own: which outcomes can be drawn must not depend on a private row, not even by
rounding. Private rows share sessions with rows of their own group only. At most one batch of texts is in memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import CausalModel
from sfumato.synthesis.predict.law import TokenLaw
from sfumato.types import FloatArray

_END = re.compile(r"\n\s*\n")


class Rows:
    """Rows of pieces in sessions of at most :attr:`CausalModel.rows` rows, as if they were one session."""

    def __init__(self, model: CausalModel, prompts: Sequence[Sequence[int]]) -> None:
        self._outcomes = len(model.outcomes)
        parts = [prompts[first : first + model.rows] for first in range(0, len(prompts), model.rows)]
        self._sessions = [model.begin(part) for part in parts]
        self._counts = [len(part) for part in parts]

    def scores(self) -> NDArray[np.floating[Any]]:
        """Return a score for each outcome as the next piece of each unfinished row, in order, shape (rows, V)."""
        live = [session.scores() for session, count in zip(self._sessions, self._counts, strict=True) if count]
        return np.concatenate(live) if live else np.empty((0, self._outcomes))

    def take(self, outcomes: Sequence[int | None]) -> None:
        """Take an outcome for each unfinished row; None ends a row."""
        first = 0
        for number, count in enumerate(self._counts):
            part = outcomes[first : first + count]
            first += count
            if part:
                self._sessions[number].take(part)
            self._counts[number] = sum(outcome is not None for outcome in part)


class Prompts(NamedTuple):
    """The prompts of one text: ``public``, without a record, and one for each member's record, ``private``."""

    public: Sequence[int]
    private: Sequence[Sequence[int]]


def write_texts(model: CausalModel, law: TokenLaw, texts: Sequence[Prompts], uniforms: FloatArray) -> list[str]:
    """Return a text for each of the ``texts`` of one group; ``uniforms`` (n, length) decide its tokens by ``law``."""
    drawn: list[list[int]] = [[] for _ in texts]
    live, members = list(range(len(texts))), len(texts[0].private)
    without = Rows(model, [text.public for text in texts])
    beside = Rows(model, [prompt for text in texts for prompt in text.private])
    for step in range(uniforms.shape[1]):
        taken: list[int | None] = []
        common = without.scores()
        own = beside.scores().reshape(len(live), members, common.shape[1])
        for row, text in enumerate(live):
            outcome = law.draw(common[row], own[row], model.end, step == 0, uniforms[text, step])
            if outcome != model.end:
                drawn[text].append(int(model.outcomes[outcome]))
            taken.append(None if outcome == model.end or _ended(model.text(drawn[text])) else outcome)
        live = [text for text, outcome in zip(live, taken, strict=True) if outcome is not None]
        if not live or step == uniforms.shape[1] - 1:
            break
        without.take(taken)
        beside.take([outcome for outcome in taken for _ in range(members)])
    return [_END.split(model.text(pieces).strip())[0].rstrip() for pieces in drawn]


def _ended(text: str) -> bool:
    """Return whether ``text`` ended with a blank line, as texts do in the prompts."""
    return _END.search(text.lstrip()) is not None
