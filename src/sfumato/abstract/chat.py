"""Chat models: one small interface and its cost.

A chat model judges, splits and rewrites where a person with a prompt would. What it is asked may hold private text,
so a back end sends nothing anywhere unless the user named an endpoint (:mod:`sfumato.models.chat.endpoint`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

from sfumato.errors import ConfigurationError
from sfumato.types import Progress

T = TypeVar("T")
U = TypeVar("U")
BATCH = 256
"""Questions handed to a model together: many enough for it to be busy, few enough for progress to be seen."""


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
    """What a chat model has cost so far: tokens are those of answers that were not known before."""

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
        elif answer.cached:
            self.cached += 1
        else:
            self.tokens_in += answer.tokens_in
            self.tokens_out += answer.tokens_out

    def copy(self) -> Spent:
        """What was spent up to now, to be compared with later."""
        return replace(self)

    def since(self, before: Spent) -> Spent:
        """What was spent after ``before``, a copy made earlier."""
        return Spent(**{name: count - getattr(before, name) for name, count in vars(self).items()})

    def as_json(self) -> dict[str, int]:
        """For the results."""
        return dict(vars(self))


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in and out, in whatever money the user thinks in. There are no built-in prices."""

    tokens_in: float
    tokens_out: float

    @classmethod
    def read(cls, text: str) -> Price:
        """``IN,OUT``. Raises ConfigurationError for anything else."""
        try:
            found = cls(*(float(part) for part in text.split(",")))
        except (TypeError, ValueError):
            found = cls(-1.0, -1.0)
        if not (0.0 <= found.tokens_in < float("inf") and 0.0 <= found.tokens_out < float("inf")):
            raise ConfigurationError("A price is IN,OUT: two numbers, what a million tokens cost, such as 0.15,0.60.")
        return found

    def of(self, spent: Spent) -> float:
        """What ``spent`` costs."""
        return (spent.tokens_in * self.tokens_in + spent.tokens_out * self.tokens_out) / 1e6


class ChatModel(ABC):
    """Answers questions, many at once."""

    spent: Spent
    price: Price | None = None
    """What its tokens cost, where the user said so."""

    greeting: ClassVar[Question] = Question("Answer with one word.", "Are you there?", most_tokens=16)

    @property
    @abstractmethod
    def id(self) -> str:
        """Which model it is, for the results and for the cache."""

    @abstractmethod
    def replies(self, questions: Sequence[Question]) -> list[Answer | None]:
        """An answer for each question, in order; None where there was none after all retries.

        Raises ConfigurationError where nothing can be hoped for any more.
        """

    def ready(self) -> None:
        """Ask one question that holds no private text, before hours of work. Raises ConfigurationError."""
        if self.replies([self.greeting]) == [None]:
            raise ConfigurationError(f"The chat model {self.id} does not answer; choose another one.")


def costs(model: ChatModel, before: Spent) -> dict[str, Any]:
    """What ``model`` was asked since ``before`` (a copy of its ``spent``), for the facts of a study."""
    spent = model.spent.since(before)
    found: dict[str, Any] = {"model": model.id, **spent.as_json()}
    return found if model.price is None else {**found, "cost": round(model.price.of(spent), 6)}


def shortfall(spent: Spent) -> str | None:
    """Why figures that rest on these answers are not to be trusted: more than half are missing. Else None."""
    if 2 * (spent.failed + spent.unreadable) <= spent.questions:
        return None
    return (
        f"of {spent.questions:,} questions to the language model {spent.failed:,} got no answer and "
        f"{spent.unreadable:,} one that could not be read, more than half"
    )


def unfinished(facts: Mapping[str, Any]) -> bool:
    """Whether a study with these facts got no answer to some of its questions, and should be run again.

    What was answered is kept, so that only the rest is asked then. An answer that cannot be read counts as given.
    """
    return bool(facts.get("chat", {}).get("failed", 0))


@dataclass
class ScriptedChat(ChatModel):
    """A chat model whose answers a function gives; ``None`` fails. For tests, and to see what would be asked."""

    script: Callable[[Question], str | None]
    name: str = "scripted"
    tokens: Callable[[str], int] = lambda text: len(text.split())
    spent: Spent = field(default_factory=Spent)
    asked: list[Question] = field(default_factory=list, repr=False)

    @property
    def id(self) -> str:
        """Its name."""
        return self.name

    def replies(self, questions: Sequence[Question]) -> list[Answer | None]:
        """What the script says; a token a word, unless ``tokens`` counts otherwise."""
        found: list[Answer | None] = []
        for question in questions:
            self.asked.append(question)
            text = self.script(question)
            read = self.tokens(f"{question.system} {question.user}")
            found.append(None if text is None else Answer(text, read, self.tokens(text)))
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


def asked(
    model: ChatModel, things: Sequence[U], question: Callable[[U], Question], reader: Callable[[str], T],
    progress: Progress | None = None,
) -> list[T | None]:  # fmt: skip
    """The answers of ``model`` about each of ``things``, read, :data:`BATCH` at a time so that progress moves."""
    found: list[T | None] = []
    for first in range(0, len(things), BATCH):
        some = things[first : first + BATCH]
        found += read(model, model.replies([question(one) for one in some]), reader)
        if progress is not None:
            progress(len(found) / len(things))
    return found
