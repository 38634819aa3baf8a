"""How a run goes: what stays of a record, what is replaced, by how many processes, with which random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import LedgerKey, LedgerOfRun, SubjectField
from sfumato.errors import ConfigurationError
from sfumato.files import FileOptions
from sfumato.ledger import Budget, Head, Ledger
from sfumato.ledger.ledger import kept_ledger
from sfumato.privacy.randomness import PinnedRandomness, Randomness, SeededRandomness, SystemRandomness
from sfumato.release.files import no_run_key
from sfumato.release.options import RunOptions
from sfumato.storage.keys import read_secret


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

    def randomness(self) -> Randomness:
        """Return where random numbers come from. Raises ConfigurationError."""
        if self.seed is not None and self.pin is not None:
            raise ConfigurationError(
                "--seed and --pin exclude each other: a seed is for tests, a key for private runs."
            )
        if self.seed is not None:
            return SeededRandomness(self.seed)
        return SystemRandomness() if self.pin is None else PinnedRandomness(read_secret(self.pin, "the key file"))

    def options(self, files: FileOptions, to_stream: bool) -> RunOptions:
        """Return how the run goes over ``files``. Raises ConfigurationError."""
        engine: Any = self.engine
        options = RunOptions(files, self.workers, self.force, self.resume, private=to_stream, engine=engine)
        if options.engine != "processes" and self.pin is None and self.seed is None:
            raise no_run_key()
        return options

    def check_pin(self, id_field: str | None, kind: str) -> None:
        """Refuse a pin where a record has no id of its own."""
        if self.pin is not None and id_field is None and kind != "folder":
            raise ConfigurationError(
                "--pin needs --id-field: draws are tied to the record's id, and a record's place in the file is none "
                "(two files would share their draws)."
            )

    @contextmanager
    def opened_ledger(
        self, to_stream: bool, url: str | None = None, key: Path | None = None, budget: Budget | None = None
    ) -> Iterator[Ledger | None]:
        """Give the ledger that is named here or, by ``url`` and ``key``, in a policy with this ``budget``; or None.

        Raises ConfigurationError for a budget that no ledger keeps.
        """
        url, key = self.ledger or url, self.ledger_key or key
        if url is None and budget is None and (self.ledger_key or self.expect_head):
            raise ConfigurationError("--ledger-key and --expect-head are for a ledger; name one with --ledger.")
        if url is not None and to_stream:
            raise ConfigurationError("A ledger charges for an output with a name; name one with -o.")
        with kept_ledger(url, key, budget, list(map(Head.parse, self.expect_head or ()))) as ledger:
            yield ledger


def check_streams(to_stream: bool, options: RunOptions, asks: bool = False) -> None:
    """Refuse what needs a file beside the input or the output, where that is a stream."""
    if options.resume:
        raise ConfigurationError("A run from or to a stream cannot be resumed; leave out --resume, or name files.")
    if to_stream and options.files.on_error == "quarantine":
        raise ConfigurationError("Records are set aside in a file beside the output; name one with -o.")
    if to_stream and asks:
        raise ConfigurationError("What a language model found is noted beside the output; name a file with -o.")
