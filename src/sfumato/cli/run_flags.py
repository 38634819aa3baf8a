"""How a run goes: what stays of a record, what is replaced, by how many processes, with which random numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import LedgerKey, LedgerOfRun, SubjectField
from sfumato.cli.streams import STANDARD
from sfumato.errors import ConfigurationError
from sfumato.files import FileOptions
from sfumato.ledger import Head
from sfumato.privacy.randomness import Randomness, SeededRandomness
from sfumato.release.job import RunOptions
from sfumato.run.request import Named, Request


@dataclass(frozen=True)
class RunFlags:
    """How a run goes: what stays, what is replaced, by how many processes, with which random numbers."""

    keep_field: Annotated[
        list[str] | None,
        typer.Option(
            "--keep-field",
            help="Only other field that is kept (repeatable).",
        ),
    ] = None
    subject_field: SubjectField = None
    on_error: Annotated[str, typer.Option("--on-error", help="A broken record: stop, or quarantine it.")] = "stop"
    workers: Annotated[int, typer.Option("--workers", help="Processes that sanitize.")] = 1
    engine: Annotated[
        str,
        typer.Option("--engine", help="processes, or ray (actors; needs --pin)."),
    ] = "processes"
    resume: Annotated[bool, typer.Option("--resume", help="Resume a stopped run.")] = False
    force: Annotated[bool, typer.Option("--force", help="Replace an existing output.")] = False
    ledger: LedgerOfRun = None
    ledger_key: LedgerKey = None
    expect_head: Annotated[
        list[str] | None, typer.Option("--expect-head", help="A head that the ledger must hold (repeatable).")
    ] = None
    seed: Annotated[int | None, typer.Option("--seed", help="Reproducible and NOT private: for tests.")] = None
    pin: Annotated[Path | None, typer.Option("--pin", help="Secret key file: repeats give the same release.")] = None

    @property
    def reading(self) -> dict[str, Any]:
        """Return fields of `FileOptions`; None: not named, so that a policy may say it."""
        keep = None if self.keep_field is None else tuple(self.keep_field)
        return {"keep": keep, "subject_field": self.subject_field, "on_error": self.on_error}

    @property
    def seeded(self) -> Randomness | None:
        """Return the randomness of a seed; None without one."""
        return None if self.seed is None else SeededRandomness(self.seed)

    @property
    def heads(self) -> tuple[Head, ...]:
        """Return the heads that the ledger must hold. Raise ConfigurationError."""
        return tuple(map(Head.parse, self.expect_head or ()))

    def options(self, files: FileOptions, to_stream: bool) -> RunOptions:
        """Return how the run goes over ``files``. Raises ConfigurationError."""
        engine: Any = self.engine
        return RunOptions(files, self.workers, self.force, self.resume, private=to_stream, engine=engine)


def check_streams(request: Request) -> None:
    """Refuse what needs a file beside the input or the output, where that is a stream."""
    if request.options.resume:
        raise ConfigurationError("A run from or to a stream cannot be resumed; leave out --resume, or name files.")
    if request.output != STANDARD:
        return
    if request.files.on_error == "quarantine":
        raise ConfigurationError("Records are set aside in a file beside the output; name one with -o.")
    if isinstance(request.method, Named) and request.method.chat is not None:
        raise ConfigurationError("What a language model found is noted beside the output; name a file with -o.")
    if request.ledger is not None:
        raise ConfigurationError("A ledger charges for an output with a name; name one with -o.")
