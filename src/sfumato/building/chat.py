"""Which language model is asked, where its answers are kept, and what a user must know before it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato.abstract.chat import ChatModel, Price
from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.models import CausalModel
from sfumato.building.models import SMOLLM2
from sfumato.errors import ConfigurationError, OptionError
from sfumato.models.causal.gguf import smollm2
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.models.chat.endpoint import Endpoint
from sfumato.models.chat.local import LocalChat
from sfumato.options.typed import typed

LOCAL = "local:"
ANSWERS = "answers"
_MOST = 1_000


@typed
@dataclass(frozen=True)
class ChatChoice:
    """Which language model is asked, and how. Questions hold private text.

    Attributes:
        name: `local:` and a folder, `local:smollm2`, or `local:` and the name of a fetched model: it is on this
            machine. Any other name is that of a model at the endpoint SFUMATO_CHAT_URL.
        votes: How often a judge is asked about each claim.
        keep: Keep its answers, which may hold private text, in a folder `answers` beside the results.
        at_once: How many questions the endpoint gets at a time.
        timeout: How many seconds the endpoint may be silent.
        price: What a million tokens cost, for the costs.
        seed: The seed of a model on this machine.

    Raises:
        ConfigurationError: A value cannot work.
    """

    name: str
    votes: int = 5
    keep: bool = True
    at_once: int = 8
    timeout: float = 60.0
    price: Price | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.name.removeprefix(LOCAL).strip():
            raise ConfigurationError(f"A chat model has a name: that of a model at an endpoint, or {LOCAL}smollm2.")
        for count, what in ((self.votes, "votes of a judge"), (self.at_once, "questions at once")):
            if not 1 <= count <= _MOST:
                raise ConfigurationError(f"The number of {what} is at least 1, and at most {_MOST:,}.")
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


def no_chat_model(who: str) -> OptionError:
    """Return the error where ``who`` asks a language model and nobody named one."""
    return OptionError(
        f"{who} asks a language model; name one with {{chat_model}}: NAME at SFUMATO_CHAT_URL, local:FOLDER or "
        "local:smollm2."
    )


def causal_model(name: str) -> CausalModel:
    """The causal model ``name`` on this machine: ``smollm2``, a folder, or the name of a fetched one."""
    return smollm2() if name == SMOLLM2 else TransformersCausal(name)


def chat_use(who: str, model: str | ChatChoice | ChatModel | ChatUse | None, ready: bool = True) -> ChatUse:
    """Return ``model`` as methods and detectors ask it; no answers are kept of one that is named here.

    A named model is asked first whether it is ``ready``. Raise ConfigurationError where there is none.
    """
    if model is None:
        raise no_chat_model(who)
    if isinstance(model, ChatUse):
        return model
    choice = ChatChoice(model) if isinstance(model, str) else model
    made = replace(choice, keep=False).made(Path(), ready) if isinstance(choice, ChatChoice) else choice
    return ChatUse(made, whereabouts(made))


def whereabouts(model: ChatModel) -> str:
    """Where the questions to ``model`` go, for the statement: host and port alone."""
    if isinstance(model, LocalChat):
        return "this machine"
    return model.place if isinstance(model, Endpoint) else "not known: a model of the caller's own"
