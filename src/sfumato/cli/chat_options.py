"""What ``sfumato sanitize`` needs for methods that ask a language model: which one, what is kept, what is noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from sfumato import registry
from sfumato.abstract.asking import ChatUse
from sfumato.abstract.chat import Price, Question, ScriptedChat
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.chat import ChatChoice
from sfumato.building.chat_runs import answers_folder, chat_of_run
from sfumato.building.heuristics import DISCLOSURES
from sfumato.cli.options import counted
from sfumato.detectors import disclosures
from sfumato.errors import ConfigurationError, InputError
from sfumato.evaluation.studies.asking import Estimated
from sfumato.files import Source
from sfumato.heuristics import abstraction, iterative, paraphrase
from sfumato.release.companions import rounds_place

ChatModelName = Annotated[
    str | None,
    typer.Option(
        "--chat-model",
        help="abstraction, iterative, paraphrase: NAME at SFUMATO_CHAT_URL, or local:FOLDER, local:smollm2.",
    ),
]
AtOnce = Annotated[int | None, typer.Option("--chat-at-once", help="Questions to the endpoint at a time (8).")]
Timeout = Annotated[float | None, typer.Option("--chat-timeout", help="Seconds that it may be silent (60).")]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Keep no answers of the language model, which may be private.")
]
CostOf = Annotated[
    str | None, typer.Option("--chat-price", help="What a million tokens cost, as IN,OUT; for the costs.")
]
RoundsFile = Annotated[
    Path | None,
    typer.Option("--rounds", help="Where it is noted what the language model found (OUTPUT.rounds.jsonl; private!)."),
]
Attributes = Annotated[
    list[str] | None,
    typer.Option("--attribute", help="iterative: what is not to be told, e.g. 'place of birth' (repeatable)."),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what the language model would be asked, and ask nothing.")
]
_TOKEN = 4  # characters, roughly, of English


@dataclass(frozen=True)
class Talk:
    """The options about a language model, as they were given."""

    model: str | None = None
    at_once: int | None = None
    timeout: float | None = None
    no_cache: bool = False
    price: str | None = None
    rounds: Path | None = None
    dry_run: bool = False

    def needed(self, method: str, detect: Sequence[str], workers: int) -> bool:
        """Whether ``method`` or a detector of ``detect`` asks a language model. Refuses what does not fit."""
        if DISCLOSURES in detect and not registry.is_editing(method):
            raise ConfigurationError(
                "--detect disclosures works with methods without a guarantee, such as redaction."
            )
        if DISCLOSURES not in detect and not registry.asks(method):
            self._refuse(method)
            return False
        if workers > 1:
            raise ConfigurationError(
                "A language model is asked by one process; leave out --workers, and say with --chat-at-once how many "
                "questions go out at a time."
            )
        self.choice(method if registry.asks(method) else f"--detect {DISCLOSURES}")
        return True

    def _refuse(self, method: str) -> None:
        given = {
            "chat-model": self.model, "chat-at-once": self.at_once, "chat-timeout": self.timeout,
            "no-cache": self.no_cache or None, "chat-price": self.price, "rounds": self.rounds,
            "dry-run": self.dry_run or None,
        }  # fmt: skip
        for name, value in given.items():
            if value is not None:
                raise ConfigurationError(f"--{name} is for what asks a language model, and {method} asks none.")

    @property
    def cost(self) -> Price | None:
        """What a million tokens cost, where that was said."""
        return Price.read(self.price) if self.price else None

    def choice(self, who: str) -> ChatChoice:
        """The model. Raises ConfigurationError where none is named, or what was said of it cannot be."""
        if self.model is None:
            raise ConfigurationError(
                f"{who} asks a language model; name one with --chat-model: NAME at SFUMATO_CHAT_URL, local:FOLDER or "
                "local:smollm2."
            )
        at_once = 8 if self.at_once is None else self.at_once
        timeout = 60.0 if self.timeout is None else self.timeout
        return ChatChoice(self.model, keep=not self.no_cache, at_once=at_once, timeout=timeout, price=self.cost)

    def use(
        self, method: str, input: Path, output: Path, replace: bool, resume: bool, beside: Sequence[Path] = ()
    ) -> ChatUse:
        """The model, ready to be asked. Says first on standard error where private text goes.

        ``beside`` are other files of this run.
        """
        choice = self.choice(method)
        notice = choice.notice(answers_folder(output))
        Console(stderr=True, highlight=False, soft_wrap=True).print(notice, markup=False)
        return chat_of_run(choice, rounds_place(output, self.rounds), input, output, replace, resume, beside)

    def pretended(self) -> ChatUse:
        """A model that is none: it gives readable answers and counts the questions."""
        return ChatUse(ScriptedChat(_pretended, "pretended", tokens=lambda text: -(-len(text) // _TOKEN)))


def estimated(sanitizer: Sanitizer, source: Source, price: Price | None) -> str:
    """Return in a sentence what ``sanitizer``, made with :meth:`Talk.pretended`, would ask about ``source``."""
    for chunk in source.chunks():
        for document in chunk.documents:
            try:
                sanitizer.sanitize(document)
            except InputError:
                continue  # it was asked about, and the run will say why there is no release
    assert sanitizer.chat is not None
    return Estimated(sanitizer.chat.model.spent).sentence(price)


def for_method(method: str, attributes: list[str] | None) -> dict[str, Any]:
    """Keyword arguments for ``method``; ConfigurationError for attributes that it does not take."""
    if not attributes:
        return {}
    if method.lower() != "iterative":
        raise ConfigurationError(f"--attribute belongs to -m iterative, not to {method}; leave it out.")
    return {"attributes": tuple(attributes)}


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


def _pretended(question: Question) -> str | None:
    known = (disclosures.pretended, abstraction.pretended, iterative.pretended, paraphrase.pretended)
    return next((answer for one in known if (answer := one(question)) is not None), None)
