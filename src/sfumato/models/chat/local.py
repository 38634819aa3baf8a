"""A chat model on this machine: any causal model, asked in the chat form of its tokenizer.

Nothing leaves the machine. At temperature 0 an answer consists of the most likely next pieces. At a higher
temperature pieces are drawn with a seed made from the question, so that it gets the same answer. These draws
protect nothing: they are not private randomness, and no guarantee rests on them.
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
from sfumato.models.chat.answers import KeptAnswers
from sfumato.types import in_batches


@dataclass
class LocalChat(ChatModel):
    """Asks ``model``. ``folder`` keeps answers; None keeps none.

    The system prompt and the user's turn form one turn, because some chat forms have no other. The text of the turn
    cannot end it. A question that leaves no room for an answer in the window fails and is not cut. An answer that
    reaches its limit ends there, so that a reader of a whole object refuses it. Raises MissingExtraError if the model
    is not on this machine.
    """

    model: CausalModel
    folder: Path | None = None
    seed: int = 0
    spent: Spent = field(default_factory=Spent)

    @property
    def id(self) -> str:
        """Return the name and content hash of the model."""
        return self.model.id

    @cached_property
    def _kept(self) -> KeptAnswers:
        return KeptAnswers(self.folder, ("local", self.model.id, str(self.seed)))

    def replies(self, questions: Sequence[Question]) -> list[Answer | None]:
        """Return answers in order, as many at once as the device takes; None for a question beyond the window."""
        answers: list[Answer | None] = [self._kept.find(question) for question in questions]
        prompts = {
            index: self.model.prompt(questions[index].system, self.model.pieces(questions[index].user))
            for index, kept in enumerate(answers) if kept is None
        }  # fmt: skip
        fitting = [index for index, prompt in prompts.items() if len(prompt) < self.model.window]
        for batch in in_batches(fitting, self.model.rows):
            rows = [self._row(questions[index], prompts[index]) for index in batch]
            _continue(self.model, rows)
            for index, row in zip(batch, rows, strict=True):
                new = Answer(self.model.text(row.written).strip(), len(row.prompt), row.drawn)
                self._kept.keep(questions[index], new)
                answers[index] = new
        for answer in answers:
            self.spent.add(answer)
        return answers

    def _row(self, question: Question, prompt: list[int]) -> _Row:
        room = min(question.most_tokens, self.model.window - len(prompt))
        digest = hashlib.sha256(json.dumps([self.seed, asdict(question)], sort_keys=True).encode()).digest()
        draw = np.random.default_rng(int.from_bytes(digest[:16], "big"))
        return _Row(prompt, room, question.temperature, draw)


@dataclass
class _Row:
    """A question in progress: its pieces, how many more the answer may have, and the answer so far."""

    prompt: list[int]
    room: int
    temperature: float
    draw: np.random.Generator
    written: list[int] = field(default_factory=list)
    drawn: int = 0

    def next(self, scores: NDArray[np.floating[Any]]) -> int:
        """Return the outcome taken under these scores (V,)."""
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
                row.written.append(int(model.outcomes[outcome]))
            outcomes.append(None if ended or row.drawn >= row.room else outcome)
        session.take(outcomes)
        going = [row for row, outcome in zip(going, outcomes, strict=True) if outcome is not None]
