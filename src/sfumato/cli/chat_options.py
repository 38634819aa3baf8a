"""Options of commands that may ask a language model: which one, what is kept, what is noted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato import registry
from sfumato.abstract.chat import Price, Question, ScriptedChat
from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.chat import ChatChoice, no_chat_model
from sfumato.building.offers import Offer
from sfumato.building.option_groups import AskingOptions
from sfumato.cli.flags import typed_again
from sfumato.cli.options import counted
from sfumato.errors import ConfigurationError, InputError
from sfumato.files import Source
from sfumato.options.option import options_of

_TOKEN = 4  # characters, roughly, of English
CHAT_MODEL = f"Language model: {options_of(AskingOptions)[0].option.help}."
"""What every command says of --chat-model."""


@dataclass(frozen=True)
class EndpointOptions:
    """A language model and how its endpoint is asked, as they were typed."""

    chat_model: Annotated[str | None, typer.Option(help=CHAT_MODEL)] = None
    chat_at_once: Annotated[
        int | None, typer.Option(help=f"Questions to the endpoint at a time ({ChatChoice.at_once}).")
    ] = None
    chat_timeout: Annotated[
        float | None, typer.Option(help=f"Seconds that it may be silent ({ChatChoice.timeout:g}).")
    ] = None

    def asked(self, named: ChatChoice) -> ChatChoice:
        """Return the model that was ``named``, asked in this way. Raises ConfigurationError."""
        given: dict[str, Any] = {"at_once": self.chat_at_once, "timeout": self.chat_timeout}
        return replace(named, **{name: value for name, value in given.items() if value is not None})

    def refuse(self, method: str) -> None:
        """Raise ConfigurationError for an option that was typed: ``method`` asks no language model."""
        for flag in typed_again(self)[:1]:
            raise ConfigurationError(f"{flag} is for what asks a language model, and {method} asks none.")


@dataclass(frozen=True)
class ChatOptions(EndpointOptions):
    """The options about a language model, as they were typed."""

    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep no answers of the language model.")] = False
    chat_price: Annotated[str | None, typer.Option(help="Price of a million tokens: IN,OUT.")] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Estimate what a language model is asked.")] = False

    @property
    def cost(self) -> Price | None:
        """Return what a million tokens cost, where that was said."""
        return Price.read(self.chat_price) if self.chat_price else None

    def choice(self, who: str, votes: int = ChatChoice.votes, seed: int = ChatChoice.seed) -> ChatChoice:
        """Return the model. Raises ConfigurationError where none is named, or what was said of it cannot be."""
        if self.chat_model is None:
            raise no_chat_model(who)
        named = ChatChoice(self.chat_model, votes, not self.no_cache, price=self.cost, seed=seed)
        return self.asked(named)


@dataclass(frozen=True)
class NotedChatOptions(ChatOptions):
    """The same for a release, which notes beside it what the language model found."""

    rounds: Annotated[Path | None, typer.Option(help="Notes of what the model found (private).")] = None

    def given(self, offer: Offer) -> dict[str, Any]:
        """Return the option with the language model of the method of ``offer``, if it or a detector asks one.

        A dry run gets a model that only counts questions. Refuses what does not fit.
        """
        offer.check_asking()
        if not offer.asks:
            self.refuse(offer.name)
            return {}
        choice = self.choice(offer.who_asks)
        return {"chat_model": dry(offer) if self.dry_run else choice}


def told_first(notice: str) -> None:
    """Say on standard error where private text goes."""
    from rich.console import Console

    Console(stderr=True, highlight=False, soft_wrap=True).print(notice, markup=False)


def dry(offer: Offer) -> ChatUse:
    """Return a stand-in that is no model: method and detectors answer their own questions, which are counted."""
    kinds = [offer.method, *(registry.detector_class(name) for name in offer.detectors)]
    answers: list[Callable[[Question], str | None]] = [kind.dry_run_answer for kind in kinds]

    def script(question: Question) -> str | None:
        return next((answer for one in answers if (answer := one(question)) is not None), None)

    return ChatUse(ScriptedChat(script, "dry run", tokens=lambda text: -(-len(text) // _TOKEN)))


def estimated(sanitizer: Sanitizer, source: Source, price: Price | None) -> str:
    """Return in a sentence what ``sanitizer``, made with :func:`dry`, would ask about ``source``."""
    from sfumato.evaluation.bench import Estimated

    for chunk in source.chunks():
        for document in chunk.documents:
            try:
                sanitizer.sanitize(document)
            except InputError:
                continue  # it was asked about, and the run will say why there is no release
    assert sanitizer.chat is not None
    return Estimated(sanitizer.chat.model.spent).sentence(price)


def told(use: ChatUse, price: Price | None) -> list[str]:
    """What the user should know of the answers at the end: what was asked, what was of no use, what was kept."""
    counts, spent = use.journal.counts(), use.model.spent
    cost = "" if price is None else f", a cost of {price.of(spent):,.2f}"
    lines = [
        f"{counted(counts['questions'], 'question')} about {counted(counts['texts'], 'text')} to {use.name} "
        f"({use.place}): {counts['failed']:,} without an answer, {counts['unreadable']:,} that could not be read, "
        f"{counts['refused']:,} refused claims; {spent.tokens_in + spent.tokens_out:,} tokens now{cost}."
    ]
    if counts["kept"]:
        lines.append(f"In {counted(counts['kept'], 'text')} nothing was found, and only what was marked has changed.")
    if use.journal.path is not None:
        lines.append(f"Rounds: {use.journal.path} (private!)")
    return lines
