"""Options that several commands share: which method, with what, and what every command prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato import registry
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.method import Method
from sfumato.abstract.options import Described, options_of
from sfumato.building.contextual import build_contextual
from sfumato.building.offers import Offer
from sfumato.building.option_groups import AskingOptions, DetectionOptions, TokenOptions
from sfumato.building.tokens import build_tokens
from sfumato.building.vocabularies import ANY, BUILTIN
from sfumato.cli.flags import Flags, named_values, read
from sfumato.engines.contextual import ContextualSanitizer
from sfumato.errors import ConfigurationError
from sfumato.registry import CONTEXTUAL, HEURISTICS, TOKENS
from sfumato.storage.keys import secret_of
from sfumato.types import Progress as Told

RUN_KEY = "SFUMATO_KEY"
"""Where the key of a method is looked for if no flag names a file."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no closing lines.")]
Epsilon = Annotated[
    float | None,
    typer.Option("--epsilon", "-e", help="Privacy loss allowed for each draw, in nats (per unit of distance)."),
]
ModelName = Annotated[
    str | None, typer.Option("--model", help="dp-…: embedded, smollm2, a FOLDER, or a provisioned Hugging Face name.")
]
Encoder = Annotated[str | None, typer.Option("--encoder", help="Sentence encoder (folder or name).")]


def flags_of(*families: str, but: Sequence[type[Any]] = ()) -> Iterator[tuple[str, Described]]:
    """Yield the options of every method of ``families`` that have a flag, without those of some groups."""
    left = {option.name for group in but for option in options_of(group)}
    for name, row in registry.METHODS.items():
        if row.family in families:
            yield from ((name, option) for option in Offer(name).options if option.name not in left)


def _of_laws() -> Iterator[tuple[str, Described]]:
    return flags_of(TOKENS, CONTEXTUAL, but=[TokenOptions])


@dataclass(frozen=True)
class MethodOptions:
    """A method and its options as they were typed, for commands that look at a law."""

    mechanism: Annotated[str, typer.Option("--mechanism", "-m", help="Which method; see `sfumato list`.")]
    epsilon: Annotated[
        float | None,
        typer.Option("--epsilon", "-e", help="Privacy loss of each draw, in nats, per unit of distance (8)."),
    ] = None
    flags: Annotated[Mapping[str, Any], Flags(_of_laws)] = field(default_factory=dict)
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", help="Any other option of the method as NAME=VALUE; see `sfumato list NAME` (repeatable)."
        ),
    ] = None

    @property
    def method(self) -> type[Method]:
        """Return the class of the method. Raises ConfigurationError where there is none."""
        return registry.method_class(self.mechanism)

    @property
    def family(self) -> str:
        """Return the family of the method. Raises ConfigurationError where there is none."""
        return registry.family(self.mechanism)

    @property
    def sources(self) -> dict[str, str]:
        """Return vocabulary files by label ("ANY" for all labels that are not named)."""
        return {label: file for label, file in _by_label(self.flags.get("vocabulary"), "--vocabulary").items()
                if (label, file) != (ANY, BUILTIN)}  # fmt: skip

    @property
    def document_epsilon(self) -> str | None:
        """Return the budget of a document as it was typed."""
        found: str | None = self.flags.get("document_epsilon")
        return found

    @property
    def key(self) -> Path | None:
        """Return the file with the secret key of the method, where one is named."""
        return Path(self.flags["key"]) if "key" in self.flags else None

    def given(self, detect: Sequence[str] | None = None) -> dict[str, Any]:
        """Return keyword arguments for :func:`sfumato.build` beside the method and epsilon.

        ``detect`` are the detectors, on which it depends whether a language model may be named. Raises
        ConfigurationError for an option that the method does not have, or a value that is none.
        """
        offer = self._offer(detect)
        known = {option.name: option for option in offer.options}
        extra = named_values(self.option, "--option")
        for name in extra:
            if flag := _flagged().get(name):
                raise ConfigurationError(
                    f"--option is for what has no flag; {name.replace('_', '-')} is given by {flag}."
                )
        found: dict[str, Any] = {}
        for name, typed in {**self.flags, **extra}.items():
            if name not in known:
                found[name] = typed  # refused below, in the one sentence
            elif name in _READERS:
                found |= _READERS[name](self, typed)
            else:
                found[name] = read(known[name], typed)
        offer.check(found)
        if "key" in found or self.method.asks_for_key(found):
            found["key"] = secret_of(self.key, RUN_KEY, "--key")
        return found

    def _offer(self, detect: Sequence[str] | None = None) -> Offer:
        return Offer(self.mechanism, None if detect is None else tuple(detect))

    def explaining(self) -> MethodOptions:
        """Return the same with epsilon 8 where none was given: enough to look at a law, too little for a release."""
        if self.family == HEURISTICS:
            raise ConfigurationError(
                f"{self.mechanism} has no law to show and no formal guarantee to certify; measure a release with "
                "`sfumato evaluate`."
            )
        given = self.epsilon is not None or self.document_epsilon is not None
        return self if given else replace(self, epsilon=8.0)

    def one_mechanism(self, label: str | None, told: Told | None) -> Mechanism:
        """Return the mechanism over the vocabulary for ``label`` (None: the common words, or the only one)."""
        detect = "words" if label is None else "given"
        made = build_tokens(self.mechanism, self.epsilon, detect=detect, progress=told, **self.given())
        route = made.default if label is None else made.route_of(label)
        if label is not None and label not in made.routes and len(made.routes) > 1:
            typer.echo(f"No vocabulary for {label}; using {route}.", err=True)
        return made.routes[route].mechanism

    def rewriter(self, told: Told | None) -> ContextualSanitizer:
        """Return the engine of a mechanism that works with a language model."""
        return build_contextual(self.mechanism, self.epsilon, progress=told, **self.given())


def _without_chat() -> Iterator[tuple[str, Described]]:
    return flags_of(TOKENS, CONTEXTUAL, HEURISTICS, but=[AskingOptions])  # named with the rest about language models


@dataclass(frozen=True)
class AnyMethodOptions(MethodOptions):
    """A method of any family and its options as they were typed."""

    epsilon: Epsilon = None
    flags: Annotated[Mapping[str, Any], Flags(_without_chat)] = field(default_factory=dict)


def _operators(_: MethodOptions, typed: Sequence[str]) -> dict[str, Any]:
    """An operator for all labels, and those by label."""
    by_label = _by_label(typed, "--operator")
    every = by_label.pop(ANY, None)
    return {**({} if every is None else {"operator": every}), **({"operators": by_label} if by_label else {})}


_READERS: Mapping[str, Any] = {
    "vocabulary": lambda options, _: {"vocabulary": options.sources or BUILTIN},
    "operator": _operators,
    "key": lambda _, typed: {"key": typed},
}
"""Flags whose values are more than one option, or no value of it yet."""


@cache
def _flagged() -> dict[str, str]:
    """What --option must not override, with the flag that gives it (and is checked)."""
    every = [option for _, option in flags_of(TOKENS, CONTEXTUAL, HEURISTICS)]
    return {
        **{option.name: option.option.flag for option in (*every, *options_of(DetectionOptions))},
        **{"mechanism": "--mechanism", "epsilon": "--epsilon", "operators": "--operator", "progress": "--quiet"},
    }


def _by_label(given: Sequence[str] | None, flag: str) -> dict[str, str]:
    """Values by label, as LABEL=VALUE says; a value without one is for "ANY". Raises ConfigurationError."""
    found: dict[str, str] = {}
    for one in given or ():
        label, equals, value = one.partition("=")
        if not (equals and label and (label == label.upper())):
            label, value = ANY, one
        if found.setdefault(label, value) != value:
            which = "all labels" if label == ANY else f"the label {label}"
            raise ConfigurationError(f"{flag} gives two values for {which}; keep one.")
    return found


def counted(number: int, what: str) -> str:
    """A number and its noun, for people."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def existing(path: Path | None, what: str) -> Path | None:
    """``path`` if it is a file, else a sentence."""
    if path is not None and not path.is_file():
        wrong = "is not a regular file" if path.exists() else "does not exist"
        raise ConfigurationError(f"{what} {path.name} {wrong}.")
    return path
