"""Options that several commands share: which method, with what, and what every command prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from sfumato import registry
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.method import Method
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building import detectors
from sfumato.building.build import build_contextual, drawn_tokens
from sfumato.building.offers import Offer
from sfumato.building.option_groups import DetectionOptions
from sfumato.building.vocabularies import ANY, BUILTIN
from sfumato.cli.settings import (
    Language,
    Setting,
    detector_names,
    in_language,
    method_names,
    of_detectors,
    of_method,
    settings,
    values_of,
)
from sfumato.errors import ConfigurationError
from sfumato.files import FileOptions
from sfumato.options.option import DETECT, options_of
from sfumato.privacy.randomness import Randomness, SeededRandomness
from sfumato.registry import HEURISTICS
from sfumato.storage.keys import secret_of
from sfumato.types import Progress as Told

RUN_KEY = "SFUMATO_KEY"
"""Where the key of a method is looked for if no flag names a file."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no closing lines.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing output.")]
Resume = Annotated[bool, typer.Option("--resume", help="Resume a stopped run; nothing is paid twice.")]
Seed = Annotated[int | None, typer.Option(help="Reproducible and NOT private: for tests.")]
MapKey = Annotated[Path | None, typer.Option(help="Key FILE of the map (or SFUMATO_MAP_KEY).")]
SubjectField = Annotated[str | None, typer.Option(help="Field that names a record's person.")]
Label = Annotated[str | None, typer.Option(help="Label of the span, if labels have their own vocabularies.")]
LedgerOfRun = Annotated[str | None, typer.Option(help="Reserve the cost here: FILE or postgresql://...")]
LedgerKey = Annotated[Path | None, typer.Option(help="The ledger's key (its name and .key).")]


@dataclass(frozen=True)
class MethodOptions:
    """A method and its options as they were typed, for commands that look at a law."""

    mechanism: Annotated[
        str, typer.Option("--mechanism", "-m", help="One method; see `sfumato list`.", autocompletion=method_names)
    ] = ""
    epsilon: Annotated[float | None, typer.Option("--epsilon", "-e", help="Privacy loss of a draw, in nats.")] = None
    set: Setting = None
    detects: ClassVar[bool] = False

    @cached_property
    def typed(self) -> dict[str, str]:
        """Return what was set of the method, as it was typed. Raise ConfigurationError."""
        return of_method(settings(self.set), self.detects)

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
        named = {name.partition(".")[2] or ANY: file for name, file in self.typed.items()
                 if name.partition(".")[0] == "vocabulary"}  # fmt: skip
        return {label: file for label, file in named.items() if (label, file) != (ANY, BUILTIN)}

    @property
    def document_epsilon(self) -> str | None:
        """Return the budget of a document as it was typed."""
        return self.typed.get("document_epsilon")

    @property
    def key(self) -> Path | None:
        """Return the file with the secret key of the method, where one is named."""
        return Path(self.typed["key"]) if "key" in self.typed else None

    def given(self, detect: Sequence[str] | None = None) -> dict[str, Any]:
        """Return keyword arguments for :func:`sfumato.build` beside the method and epsilon.

        ``detect`` are the detectors, on which it depends whether a language model may be named. Raises
        ConfigurationError for an option that the method does not have, or a value that does not fit it.
        """
        offer = Offer(self.mechanism, None if detect is None else tuple(detect))
        found = values_of({name: text for name, text in self.typed.items() if name != "key"}, offer.options)
        if "vocabulary" in found:
            found["vocabulary"] = self.sources or BUILTIN
        offer.check({**found, **({"key": ""} if self.key else {})})
        if self.key is not None or self.method.asks_for_key(found):
            found["key"] = secret_of(self.key, RUN_KEY, "--set key=FILE")
        return found

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
        _, made = drawn_tokens(self.mechanism, self.epsilon, detect=detect, progress=told, **self.given())
        route, mechanism, _ = made.law_over(label=label)
        if label is not None and label not in made.routes and len(made.routes) > 1:
            typer.echo(f"No vocabulary for {label}; using {route}.", err=True)
        return mechanism

    def rewriter(self, told: Told | None) -> Sanitizer:
        """Return the sanitizer of a mechanism that works with a language model."""
        return build_contextual(self.mechanism, self.epsilon, progress=told, **self.given())


@dataclass(frozen=True)
class AnyMethodOptions(MethodOptions):
    """A method of any family and its options as they were typed."""

    detects: ClassVar[bool] = True


def counted(number: int, what: str) -> str:
    """A number and its noun, for people."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def existing(path: Path | None, what: str) -> Path | None:
    """``path`` if it is a file, else a sentence."""
    if path is not None and not path.is_file():
        wrong = "is not a regular file" if path.exists() else "does not exist"
        raise ConfigurationError(f"{what} {path.name} {wrong}.")
    return path


def seeded(seed: int | None) -> Randomness | None:
    """Return the randomness of a seed; None without one."""
    return None if seed is None else SeededRandomness(seed)


@dataclass(frozen=True)
class ReleaseFlags:
    """What every release of records is asked: what stays of them, who pays, and how the run goes."""

    keep_field: Annotated[list[str] | None, typer.Option(help="Only other field that is kept (repeatable).")] = None
    subject_field: SubjectField = None
    decisions: Annotated[Path | None, typer.Option(help="The file of a `sfumato review`.")] = None
    on_error: Annotated[str, typer.Option(help="A broken record: stop, or quarantine it.")] = "stop"
    workers: Annotated[int, typer.Option(help="Processes that sanitize.")] = 1
    resume: Resume = False
    force: Force = False
    ledger: LedgerOfRun = None
    ledger_key: LedgerKey = None

    @property
    def reading(self) -> dict[str, Any]:
        """Return fields of `FileOptions`; None: not named, so that a policy may say it."""
        return {"keep": self.keep_field, "subject_field": self.subject_field, "on_error": self.on_error}


@dataclass(frozen=True)
class FoundOptions:
    """Detectors and their options as they were typed."""

    detect: Annotated[
        list[str] | None,
        typer.Option(help="What is looked for; see `sfumato list` (repeatable).", autocompletion=detector_names),
    ] = None
    set: Setting = None
    language: Language = None
    alone: ClassVar[bool] = False

    @cached_property
    def typed(self) -> dict[str, str]:
        """Return what was set of the detectors, as it was typed. Raise ConfigurationError."""
        return of_detectors(settings(in_language(self.set, self.language)), self.alone)

    def names(self, usual: str) -> tuple[str, ...]:
        """Return the names of the detectors; ``usual`` is the one where none is named. Raises ConfigurationError."""
        return detectors.detector_names(self.detect or usual)

    def files(self, usual: str) -> list[Path]:
        """Return the files that the detectors are read from."""
        given = self.given(usual)
        return detectors.detector_files(given["detect"], given.get("allow", ()), given.get("deny", ()))

    def given(self, usual: str) -> dict[str, Any]:
        """Return keyword arguments for :func:`sfumato.build`. Raises ConfigurationError for what is no value."""
        names = self.names(usual)
        plain = {
            one.name: one for one in options_of(DetectionOptions) if one.name not in ("detect", "detect_options")
        }
        own = {one.name: one for name in names for one in options_of(registry.detector_class(name))}
        if self.language is not None and "language" not in own:
            raise ConfigurationError(
                f"--detect {' '.join(names)} has no language, and the public word vectors are English; take a policy "
                "(--policy clinical --language CODE), or give vectors of the language (--set vocabulary=FILE) "
                "without --language."
            )
        values = values_of(self.typed, {**own, **plain}.values(), DETECT)
        found = {name: value for name, value in values.items() if name in plain}
        options = {name: value for name, value in values.items() if name not in plain}
        return {**found, "detect": names, **({"detect_options": options} if options else {})}

    @property
    def spans_field(self) -> str | None:
        """Return the field of given spans as it was typed; None: the field that the detector reads, if any."""
        return self.typed.get("spans_field")


@dataclass(frozen=True)
class TextOptions:
    """Where the texts of a file are, and how it is read."""

    field: Annotated[list[str] | None, typer.Option(help="Text field, such as patient.note (repeatable).")] = None
    id_field: Annotated[str | None, typer.Option(help="Field with the record's id.")] = None
    lines: Annotated[bool, typer.Option("--lines", help="In .txt, each line is a document.")] = False
    quoting: Annotated[str | None, typer.Option(help="Quotation marks in cells: csv or none.")] = None
    encoding: Annotated[str, typer.Option(help="Encoding of the input; the output is UTF-8.")] = "utf-8"
    missing: Annotated[str, typer.Option(help="A record without its text: stop or pass.")] = "stop"

    def name_fields(self, read_as: FileOptions) -> bool:
        """Return whether fields of records were named, here or elsewhere in what a file is ``read_as``."""
        return bool(self.field) or read_as.of_records

    @property
    def typed(self) -> dict[str, Any]:
        """Return fields of `FileOptions`; None: not named, so that a policy may say it."""
        own = {name: value for name, value in vars(self).items() if name != "field"}
        return {**own, "fields": tuple(self.field) if self.field else None}

    def files(
        self, spans_field: str | None, keep: Sequence[str] | None = None, on_error: str = "stop",
        adjustable: bool = True,
    ) -> FileOptions:  # fmt: skip
        """Return what the readers take; ``spans_field`` holds given spans, ``keep`` are other fields that stay."""
        typed = {name: value for name, value in self.typed.items() if value is not None}
        return FileOptions(
            **typed,
            spans_field=spans_field,
            on_error=on_error,  # type: ignore[arg-type]
            keep=None if keep is None else tuple(keep),
            adjustable=adjustable,
        )
