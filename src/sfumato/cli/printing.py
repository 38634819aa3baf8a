"""Standard output and standard error that any name can be printed on, and that may be full or closed."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TextIO

import typer

from sfumato.errors import InputError, OutputError, SfumatoError


def accept_every_name() -> None:
    """Let the names of files be printed that are no text here: what cannot be encoded is shown by its number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def fill_closed() -> None:
    """Open nothing under the numbers of streams that are closed: a file that got one would be printed into."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free


def standard_input() -> IO[bytes]:
    """Return standard input as bytes. Raise InputError if it is closed."""
    if sys.stdin is None:
        raise InputError("Standard input is closed; name a file, or give the command something to read.")
    return typer.get_binary_stream("stdin")


def check_output_open() -> None:
    """Raise OutputError if standard output is closed."""
    if sys.stdout is None:
        raise OutputError("Standard output is closed; name a file with -o.")


def standard_output() -> IO[bytes]:
    """Return standard output as bytes. Raise OutputError if it is closed."""
    check_output_open()
    return typer.get_binary_stream("stdout")


@contextmanager
def printing(*outputs: Path) -> Iterator[None]:
    """Say that ``outputs`` are complete where standard output cannot be written."""
    try:
        yield
    except (BrokenPipeError, SfumatoError):
        raise
    except OSError as error:
        names = " and ".join(map(str, outputs))
        verb = "are" if len(outputs) > 1 else "is"
        raise OutputError(
            f"{names} {verb} complete, but what was to be printed about it is lost: standard output cannot be "
            f"written ({error.strerror or type(error).__name__})."
        ) from None


def tell(facts: Any, lines: Iterable[str], as_json: bool, quiet: bool = False, err: bool = False) -> None:
    """Print ``facts`` as one JSON object, or ``lines`` for people unless it is to be ``quiet``.

    It is printed on standard error (``err``) where standard output holds something else.
    """
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False), err=err)
    elif not quiet:
        for line in lines:
            typer.echo(line, err=err)


def broken(stream: TextIO | None) -> bool:
    """Whether what was printed on ``stream`` cannot be written; if so, nothing more is tried with it."""
    if stream is None:
        return False
    try:
        stream.flush()
    except (OSError, ValueError):
        silence(stream)
        return True
    return False


def silence(stream: TextIO) -> None:
    """Send what is still to be written on ``stream`` nowhere, so that the end of the process does not fail on it."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def named(output: Any) -> Any:
    """Return ``output``, which an option names. Raise OutputError for standard output, where nothing is streamed."""
    if str(output) == "-":
        raise OutputError("- is standard output, which this command does not write to; name a file or a folder.")
    return output
