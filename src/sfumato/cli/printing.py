"""Standard output and standard error that any name can be printed on, and that may be full or closed."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from sfumato.errors import OutputError, SfumatoError


def accept_every_name() -> None:
    """Let the names of files be printed that are no text here: what cannot be encoded is shown by its number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


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
