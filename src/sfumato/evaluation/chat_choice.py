"""Which language model an evaluation asks, where its answers are kept, and what it would cost to ask it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.abstract import CausalModel, Progress
from sfumato.attacks import prompted
from sfumato.chat import ChatModel, Price, Question, ScriptedChat, Spent, costs, shortfall
from sfumato.errors import ConfigurationError
from sfumato.evaluation import quality
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Skipped, Study
from sfumato.evaluation.run import Measured
from sfumato.model_builder import SMOLLM2
from sfumato.models.causal import TransformersCausal
from sfumato.models.endpoint import Endpoint
from sfumato.models.gguf import smollm2
from sfumato.models.local_chat import LocalChat

LOCAL = "local:"
ANSWERS = "answers"
_TOKEN = 4  # characters, roughly, of English


@dataclass(frozen=True)
class ChatChoice:
    """The model ``name``: ``local:`` and a folder, ``smollm2`` or the name of a fetched model is one on this machine.

    Any other name is that of a model at the endpoint SFUMATO_CHAT_URL, asked ``at_once`` questions at a time, which
    may be silent for ``timeout`` seconds. ``votes`` is how often a judge is asked about each claim. ``keep`` keeps
    answers in the folder ``answers`` of the results. Raises ConfigurationError for what cannot be.
    """

    name: str
    votes: int = 3
    keep: bool = True
    at_once: int = 8
    timeout: float = 60.0
    price: Price | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.name.removeprefix(LOCAL).strip():
            raise ConfigurationError(f"A chat model has a name: that of a model at an endpoint, or {LOCAL}smollm2.")
        for count, what in ((self.votes, "votes of a judge"), (self.at_once, "questions at once")):
            if count < 1:
                raise ConfigurationError(f"The number of {what} is at least 1.")
        if not (self.timeout > 0.0 and math.isfinite(self.timeout)):
            raise ConfigurationError("The time that a chat model may take is a number of seconds above 0.")

    @property
    def local(self) -> bool:
        """Whether the model is on this machine, so that no question leaves it."""
        return self.name.startswith(LOCAL)

    @property
    def setting(self) -> dict[str, Any]:
        """What decides figures, for the results; of a folder its name, as a path tells of the machine."""
        name = f"{LOCAL}{Path(self.name.removeprefix(LOCAL)).name}" if self.local else self.name
        return {"chat_model": name, "votes": self.votes}

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells this model from another of its name: its files or its address. Not for the results."""
        if self.local:
            return (causal_model(self.name.removeprefix(LOCAL)).id,)
        return (str(Endpoint(self.name).url),)

    def made(self, folder: Path, ready: bool = True) -> ChatModel:
        """The model, its answers kept in ``folder``/answers unless that was turned off.

        It is asked one question without private text first, so that a model that is down, missing or misspelt is
        told before hours of work. Raises ConfigurationError or MissingExtraError.
        """
        place = folder / ANSWERS if self.keep else None
        model: ChatModel
        if self.local:
            model = LocalChat(causal_model(self.name.removeprefix(LOCAL)), place, self.seed)
        else:
            model = Endpoint(self.name, folder=place, at_once=self.at_once, timeout=self.timeout)
        model.price = self.price
        if ready:
            model.ready()
        return model

    def notice(self, folder: Path) -> str:
        """What a user must know before text goes anywhere: where to, what is kept, and how to turn that off."""
        where = "stay on this machine" if self.local else Endpoint(self.name).way
        kept = (
            f"its answers are kept in {folder / ANSWERS} and may hold private text (--no-cache keeps none)"
            if self.keep else "its answers are not kept"
        )  # fmt: skip
        return f"Questions to {self.name} hold text of the records and {where}; {kept}."


def causal_model(name: str) -> CausalModel:
    """The causal model ``name`` on this machine: ``smollm2``, a folder, or the name of a fetched one."""
    return smollm2() if name == SMOLLM2 else TransformersCausal(name)


@dataclass(frozen=True, eq=False)
class Asking:
    """``study``, which asks ``model``: what that cost goes into its facts, and too many missing answers are told."""

    study: Measured
    model: ChatModel

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """The study of these pairs."""
        before = self.model.spent.copy()
        found = self.study.run(pairs, progress)
        why = shortfall(self.model.spent.since(before))
        told = [] if why is None else [Skipped("what rests on missing answers", why)]
        facts = {**found.facts, "chat": costs(self.model, before)}
        return replace(found, skipped=[*found.skipped, *told], facts=facts)


@dataclass(frozen=True)
class Estimated:
    """How much a model would be asked: questions exactly, tokens at four characters each."""

    spent: Spent = field(default_factory=Spent)

    def sentence(self, price: Price | None = None) -> str:
        """For the console."""
        one = self.spent
        cost = "" if price is None else f", a cost of about {price.of(one):,.2f}"
        return (
            f"The language model would be asked about {one.questions:,} questions: some {one.tokens_in:,} tokens in, "
            f"{one.tokens_out:,} out{cost}."
        )


def estimate(studies: Callable[[ChatModel], Mapping[str, Measured]], pairs: Pairs) -> Estimated:
    """What ``studies`` would ask: they are run on ``pairs`` with a model that pretends, and nothing is asked.

    Questions are counted exactly, unless a model splits the records: it may find more or fewer facts than there are
    sentences, and each is asked about. Takes as long as the evaluation without the model.
    """
    pretender = ScriptedChat(_pretended, "pretended", tokens=lambda text: -(-len(text) // _TOKEN))
    for study in studies(pretender).values():
        study.run(pairs)
    return Estimated(pretender.spent)


def _pretended(question: Question) -> str | None:
    answer = prompted.pretended(question)
    return quality.pretended(question) if answer is None else answer
