"""Standard input and output, ``-``, by way of a private folder: nothing comes out before all of it is made."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated

import typer

from sfumato.cli.passing import passing_folder
from sfumato.errors import ConfigurationError, OutputError
from sfumato.files import kind_of
from sfumato.files.suffixes import KINDS
from sfumato.restoring import writing
from sfumato.storage import created

STANDARD = Path("-")

Format = Annotated[
    str | None,
    typer.Option("--format", help="What - holds: txt (if nothing else says so), jsonl, csv, tsv or parquet."),
]
StatementFile = Annotated[
    Path | None, typer.Option("--statement", help="Where the statement goes with -o -, which needs one.")
]


@dataclass(frozen=True)
class Doors:
    """Where a run reads and writes. ``statement`` is where the statement goes if the release goes to a stream."""

    input: Path
    output: Path
    statement: Path | None = None

    def deliver(self, statement: Path) -> None:
        """Give the ``statement`` its place, and then the release to standard output."""
        if self.statement is None:
            return
        _copy_whole(statement, self.statement)
        stream = typer.get_binary_stream("stdout")
        try:
            with self.output.open("rb") as release:
                shutil.copyfileobj(release, stream, 1 << 20)
            stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(
                f"Standard output cannot be written ({error.strerror}); what came out is not the whole release."
            ) from None


@contextmanager
def doors(
    input: Path, output: Path, form: str | None, statement: Path | None, force: bool = False
) -> Iterator[Doors]:
    """Yield where a run reads and writes; what stands for a stream is gone when it ends.

    ``form`` is the format of a stream, where no file beside it says so. Raises ConfigurationError or OutputError.
    """
    kind = kind_of_stream([input, output], form)
    if output == STANDARD:
        if statement is None:
            raise ConfigurationError(
                "A release never goes without its statement, which has no place beside a stream; say with "
                "--statement FILE where it goes."
            )
        _check_statement(statement, input, force)
    elif statement is not None:
        raise ConfigurationError("--statement is for -o -; the statement of a file stands beside it.")
    if kind is None:
        yield Doors(input, output)
        return
    with passing_folder() as folder:
        source = _spooled(folder, kind) if input == STANDARD else input
        target = folder / f"standard-output.{kind}" if output == STANDARD else output
        yield Doors(source, target, statement)


@contextmanager
def spooled(input: Path, form: str | None) -> Iterator[Path]:
    """Yield ``input``, or for standard input a private file with what it held."""
    kind = kind_of_stream([input], form)
    if kind is None:
        yield input
        return
    with passing_folder() as folder:
        yield _spooled(folder, kind)


def kind_of_stream(paths: list[Path], form: str | None) -> str | None:
    """Return the format of the stream among ``paths``: as ``form`` says, as a file beside it does, or txt.

    None where none of them is a stream. Raises ConfigurationError for a format that cannot be.
    """
    files = [path for path in paths if path != STANDARD]
    if len(files) == len(paths):
        if form is not None:
            raise ConfigurationError("--format says what standard input or output (-) holds; leave it out.")
        return None
    if form is not None and form not in KINDS:
        raise ConfigurationError(f"--format is one of {', '.join(KINDS)}, not {form!r}.")
    if any(path.is_dir() for path in files):
        raise ConfigurationError("A folder is no stream of records; name a folder for input and output.")
    known = next((kind for path in files if (kind := kind_of(path))), None)
    if form is not None and known not in (None, form):
        raise ConfigurationError(f"--format says {form}, and the name of the file {known}; leave out --format.")
    return form or known or KINDS[0]


def _spooled(folder: Path, kind: str) -> Path:
    """Standard input as a file in ``folder``, for its owner only."""
    if sys.stdin is not None and sys.stdin.isatty():
        typer.echo("Reading standard input to its end (Ctrl-D).", err=True)
    path = folder / f"standard-input.{kind}"
    stream: IO[bytes] = typer.get_binary_stream("stdin")
    with writing(path), created(path, private=True) as file:
        shutil.copyfileobj(stream, file, 1 << 20)
    return path


def _check_statement(path: Path, input: Path, force: bool) -> None:
    if path == STANDARD or not path.parent.is_dir() or path.is_dir():
        raise OutputError("The statement needs a file in a folder that exists; name one with --statement.")
    if path.resolve() == input.resolve():
        raise OutputError("The statement would replace the input; name another file with --statement.")
    if os.path.lexists(path) and not force:
        raise OutputError(f"{path} exists; choose another place, or allow it to be replaced (--force).")


def _copy_whole(source: Path, target: Path) -> None:
    """Write a copy of ``source`` whole or not at all."""
    unfinished = target.with_name(f".{target.name}.tmp")
    try:
        with source.open("rb") as content, unfinished.open("wb") as file:
            shutil.copyfileobj(content, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise OutputError(
            f"The statement {target.name} cannot be written ({error.strerror}); nothing was released."
        ) from None
