"""Chat models: one small interface, its cost, and strict reading of answers.

A chat model judges, splits and rewrites where a person with a prompt would. What it is asked may hold private text,
so a back end sends nothing anywhere unless the user named an endpoint (:mod:`sfumato.models.endpoint`).
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question:
    """What a chat model is asked: a system prompt, a user's turn, and how freely it may answer.

    ``vote`` tells repeated questions apart, so that each gets an answer of its own.
    """

    system: str
    user: str
    temperature: float = 0.0
    most_tokens: int = 512
    vote: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: text, and what it took. ``cached`` where it was known from before and took nothing now."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    cached: bool = False


@dataclass
class Spent:
    """What a chat model has cost so far."""

    questions: int = 0
    cached: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    unreadable: int = 0

    def add(self, answer: Answer | None) -> None:
        """Count one answer; None where there was none."""
        self.questions += 1
        if answer is None:
            self.failed += 1
            return
        self.cached += answer.cached
        self.tokens_in += answer.tokens_in
        self.tokens_out += answer.tokens_out

    def as_json(self) -> dict[str, int]:
        """For the results."""
        return dict(vars(self))


class ChatModel(ABC):
    """Answers questions, many at once."""

    spent: Spent

    @property
    @abstractmethod
    def id(self) -> str:
        """Which model it is, for the results and for the cache."""

    @abstractmethod
    def replies(self, questions: Sequence[Question]) -> list[Answer | None]:
        """An answer for each question, in order; None where there was none after all retries."""


@dataclass
class ScriptedChat(ChatModel):
    """A chat model whose answers a function gives; ``None`` fails. For tests, and to see what would be asked."""

    script: Callable[[Question], str | None]
    name: str = "scripted"
    spent: Spent = field(default_factory=Spent)
    asked: list[Question] = field(default_factory=list)

    @property
    def id(self) -> str:
        """Its name."""
        return self.name

    def replies(self, questions: Sequence[Question]) -> list[Answer | None]:
        """What the script says; a token a word."""
        found: list[Answer | None] = []
        for question in questions:
            self.asked.append(question)
            text = self.script(question)
            words = len(f"{question.system} {question.user}".split())
            found.append(None if text is None else Answer(text, words, len(text.split())))
            self.spent.add(found[-1])
        return found


def read(model: ChatModel, answers: Sequence[Answer | None], reader: Callable[[str], T]) -> list[T | None]:
    """What ``reader`` makes of each answer; None where there is none or it raises ValueError, which is counted."""
    found: list[T | None] = []
    for answer in answers:
        try:
            found.append(None if answer is None else reader(answer.text))
        except ValueError:
            model.spent.unreadable += 1
            found.append(None)
    return found


_FENCE = re.compile(r"^\s*```(?:json)?\s*\n(.*?)\n\s*```\s*$", re.DOTALL)


def json_object(text: str) -> Mapping[str, Any]:
    """The one JSON object that ``text`` is, in a code fence or not. Raises ValueError for anything else."""
    fenced = _FENCE.match(text)
    found = json.loads(fenced[1] if fenced else text)
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def whole_number(text: str, least: int, most: int) -> int:
    """The whole number that ``text`` is, and nothing else, from ``least`` to ``most``. Raises ValueError."""
    found = int(text.strip().rstrip("."))
    if not least <= found <= most:
        raise ValueError("out of range")
    return found
