"""Chat models: one small interface and its cost.

A chat model judges, splits and rewrites texts by prompts. A question may hold private text, so a back end sends
nothing anywhere unless the user named an endpoint (:mod:`sfumato.models.chat.endpoint`).
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
"""Questions for a model at once: enough to keep it busy, few enough for progress to be visible."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a chat model: a system prompt, a user's turn, and how freely the model may answer.

    ``temperature`` is 0 for the most likely answer. ``most_tokens`` limits the answer, in tokens. ``vote``
    distinguishes repeated questions, so that each gets a separate answer.
    """

    system: str
    user: str
    temperature: float = 0.0
    most_tokens: int = 512
    vote: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its text, and the tokens read (``tokens_in``) and written (``tokens_out``) for it.

    ``cached`` says that it was kept from before and cost nothing now.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    cached: bool = False


@dataclass
class Spent:
    """The cost of a chat model so far: ``questions``, and the tokens of answers that were not cached.

    ``cached`` questions cost nothing, ``failed`` ones got no answer, and the answers of ``unreadable`` ones had
    another form. ``tokens_in`` were read and ``tokens_out`` were written.
    """

    questions: int = 0
    cached: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    unreadable: int = 0

    def add(self, answer: Answer | None) -> None:
        """Count one answer; None for a question without one."""
        self.questions += 1
        if answer is None:
            self.failed += 1
        elif answer.cached:
            self.cached += 1
        else:
            self.tokens_in += answer.tokens_in
            self.tokens_out += answer.tokens_out

    def copy(self) -> Spent:
        """Return the present counts, to be compared with later ones."""
        return replace(self)

    def since(self, before: Spent) -> Spent:
        """Return the cost after ``before``, an earlier copy."""
        return Spent(**{name: count - getattr(before, name) for name, count in vars(self).items()})

    def as_json(self) -> dict[str, int]:
        """Return the counts for the results."""
        return dict(vars(self))


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens, ``tokens_in`` read and ``tokens_out`` written, in the user's currency.

    There are no built-in prices.
    """

    tokens_in: float
    tokens_out: float

    @classmethod
    def read(cls, text: str) -> Price:
        """Return the price in ``IN,OUT``. Raise ConfigurationError for anything else."""
        try:
            price = cls(*(float(part) for part in text.split(",")))
        except (TypeError, ValueError):
            price = cls(-1.0, -1.0)
        if not (0.0 <= price.tokens_in < float("inf") and 0.0 <= price.tokens_out < float("inf")):
            raise ConfigurationError(
                "A price is IN,OUT: two numbers, the prices of a million tokens, such as 0.15,0.60."
            )
        return price

    def of(self, spent: Spent) -> float:
        """Return the cost of ``spent``, in the user's currency."""
        return (spent.tokens_in * self.tokens_in + spent.tokens_out * self.tokens_out) / 1e6


class ChatModel(ABC):
    """Answers questions, many at once.

    ``spent`` counts the cost so far; ``greeting`` is asked before hours of work.
    """

    spent: Spent
    price: Price | None = None
    """The price of its tokens, if the user gave one."""

    greeting: ClassVar[Question] = Question("Answer with one word.", "Are you there?", most_tokens=16)

    @property
    @abstractmethod
    def id(self) -> str:
        """Return the name of the model, for the results and for the cache."""

    @abstractmethod
    def replies(self, questions: Sequence[Question]) -> list[Answer | None]:
        """Return an answer for each question, in order; None for a question that got no answer after all retries.

        Raise ConfigurationError if no further question can be answered.
        """

    def ready(self) -> None:
        """Ask one question that holds no private text, before hours of work.

        Raise ConfigurationError if it gets no answer.
        """
        if self.replies([self.greeting]) == [None]:
            raise ConfigurationError(f"The chat model {self.id} does not answer; choose another one.")


def costs(model: ChatModel, before: Spent) -> dict[str, Any]:
    """Return the cost of ``model`` since ``before`` (a copy of its ``spent``), for the facts of a study."""
    spent = model.spent.since(before)
    facts: dict[str, Any] = {"model": model.id, **spent.as_json()}
    return facts if model.price is None else {**facts, "cost": round(model.price.of(spent), 6)}


def shortfall(spent: Spent) -> str | None:
    """Return the reason not to trust figures that rest on these answers; None if at most half of them are missing."""
    if 2 * (spent.failed + spent.unreadable) <= spent.questions:
        return None
    return (
        f"of {spent.questions:,} questions to the language model {spent.failed:,} got no answer and "
        f"{spent.unreadable:,} one that could not be read, more than half"
    )


def unfinished(facts: Mapping[str, Any]) -> bool:
    """Return whether a study with these facts lacks answers to some questions, and should be run again.

    Answers are kept, so that a second run asks only the rest. An answer that cannot be read counts as an answer.
    """
    return bool(facts.get("chat", {}).get("failed", 0))


@dataclass
class ScriptedChat(ChatModel):
    """A chat model whose answers ``script`` gives; ``None`` fails. For tests, and to see the questions in ``asked``.

    ``tokens`` counts the tokens of a text.
    """

    script: Callable[[Question], str | None]
    name: str = "scripted"
    tokens: Callable[[str], int] = lambda text: len(text.split())
    spent: Spent = field(default_factory=Spent)
    asked: list[Question] = field(default_factory=list, repr=False)

    @property
    def id(self) -> str:
        """Return its name."""
        return self.name

    def replies(self, questions: Sequence[Question]) -> list[Answer | None]:
        """Return the script's answers. A word counts as a token, unless ``tokens`` counts otherwise."""
        answers: list[Answer | None] = []
        for question in questions:
            self.asked.append(question)
            text = self.script(question)
            read = self.tokens(f"{question.system} {question.user}")
            answers.append(None if text is None else Answer(text, read, self.tokens(text)))
            self.spent.add(answers[-1])
        return answers


def read(model: ChatModel, answers: Sequence[Answer | None], reader: Callable[[str], T]) -> list[T | None]:
    """Return the result of ``reader`` for each answer; None if there is no answer or ``reader`` raises ValueError.

    Answers that raise ValueError are counted as unreadable.
    """
    results: list[T | None] = []
    for answer in answers:
        try:
            results.append(None if answer is None else reader(answer.text))
        except ValueError:
            model.spent.unreadable += 1
            results.append(None)
    return results


def asked(
    model: ChatModel, things: Sequence[U], question: Callable[[U], Question], reader: Callable[[str], T],
    progress: Progress | None = None,
) -> list[T | None]:  # fmt: skip
    """Return the results of ``reader`` for the answers of ``model`` about each of ``things``.

    :data:`BATCH` questions are asked at a time. ``progress`` receives the finished share.
    """
    results: list[T | None] = []
    for first in range(0, len(things), BATCH):
        batch = things[first : first + BATCH]
        results += read(model, model.replies([question(thing) for thing in batch]), reader)
        if progress is not None:
            progress(len(results) / len(things))
    return results
