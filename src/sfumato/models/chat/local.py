"""A chat model on this machine: any causal model here, asked in the chat form of its tokenizer.

Nothing leaves the machine. An answer is the likeliest next piece each time at temperature 0; above, pieces are drawn
with a seed made of the question, so that the same question is answered the same way. These draws protect nothing:
they are no private randomness, and no guarantee rests on them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.chat import Answer, ChatModel, Question, Spent
from sfumato.abstract.models import CausalModel
from sfumato.models.chat.kept_answers import KeptAnswers


@dataclass
class LocalChat(ChatModel):
    """Asks ``model``; ``folder`` keeps answers, None keeps none.

    The system prompt and the user's turn are one turn, as some chat forms have no other; what the turn holds cannot
    end it. A question that leaves no room for an answer in the window is failed, not cut. An answer that is longer
    than allowed ends there, so that a reader that wants a whole object finds none. Raises MissingExtraError where the
    model is not on this machine.
    """

    model: CausalModel
    folder: Path | None = None
    seed: int = 0
    spent: Spent = field(default_factory=Spent)

    @property
    def id(self) -> str:
        """Name and content hash of the model."""
        return self.model.id

    @cached_property
    def _kept(self) -> KeptAnswers:
        return KeptAnswers(self.folder, ("local", self.model.id, str(self.seed)))

    def replies(self, questions: Sequence[Question]) -> list[Answer | None]:
        """Answers in order, as many at once as the device takes; None where a question does not fit the window."""
        found: list[Answer | None] = [self._kept.find(question) for question in questions]
        prompts = {
            at: self.model.prompt(questions[at].system, self.model.pieces(questions[at].user))
            for at, known in enumerate(found) if known is None
        }  # fmt: skip
        able = [at for at, prompt in prompts.items() if len(prompt) < self.model.window]
        for first in range(0, len(able), self.model.rows):
            some = able[first : first + self.model.rows]
            rows = [self._row(questions[at], prompts[at]) for at in some]
            _continue(self.model, rows)
            for at, row in zip(some, rows, strict=True):
                answer = Answer(self.model.text(row.said).strip(), len(row.prompt), row.drawn)
                self._kept.keep(questions[at], answer)
                found[at] = answer
        for one in found:
            self.spent.add(one)
        return found

    def _row(self, question: Question, prompt: list[int]) -> _Row:
        room = min(question.most_tokens, self.model.window - len(prompt))
        digest = hashlib.sha256(json.dumps([self.seed, asdict(question)], sort_keys=True).encode()).digest()
        draw = np.random.default_rng(int.from_bytes(digest[:16], "big"))
        return _Row(prompt, room, question.temperature, draw)


@dataclass
class _Row:
    """A question under way: its pieces, how many more may come, and what was said so far."""

    prompt: list[int]
    room: int
    temperature: float
    draw: np.random.Generator
    said: list[int] = field(default_factory=list)
    drawn: int = 0

    def next(self, scores: NDArray[np.floating[Any]]) -> int:
        """The outcome taken under these scores (V,)."""
        self.drawn += 1
        if self.temperature <= 0.0:
            return int(np.argmax(scores))
        weights = np.exp((scores.astype(np.float64) - scores.max()) / self.temperature)
        return int(self.draw.choice(len(weights), p=weights / weights.sum()))


def _continue(model: CausalModel, rows: Sequence[_Row]) -> None:
    """Write the answer of each of ``rows``."""
    session = model.begin([row.prompt for row in rows])
    going = list(rows)
    while going:
        outcomes: list[int | None] = []
        for row, scores in zip(going, session.scores(), strict=True):
            outcome = row.next(scores)
            ended = outcome == model.end
            if not ended:
                row.said.append(int(model.outcomes[outcome]))
            outcomes.append(None if ended or row.drawn >= row.room else outcome)
        session.take(outcomes)
        going = [row for row, outcome in zip(going, outcomes, strict=True) if outcome is not None]
