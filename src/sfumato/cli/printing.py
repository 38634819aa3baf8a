"""Standard output and standard error that any name can be printed on, and how far a long run is.

Both may be full or closed. A run shows a bar with time left on a terminal, elsewhere a line now and then, always on
standard error.
"""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TextIO

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sfumato.errors import InputError, OutputError, SfumatoError
from sfumato.types import Progress as Told
from sfumato.types import Stages


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


_SECONDS = 30.0  # between two lines, where no terminal shows a bar
_TELLING = 0.03  # the least share from which the time left can be told
_BYTES_OF_A_DRAW = 6.0  # a word and a space, until the file has told


class _Lines:
    """A line whenever ``seconds`` have gone by; none for what is done sooner."""

    def __init__(self, title: str, seconds: float) -> None:
        self._title, self._seconds, self._started = title, seconds, time.monotonic()
        self._next = self._started + seconds

    def __call__(self, share: float, more: str = "") -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._seconds
        gone, share = now - self._started, min(1.0, max(0.0, share))
        left = f", about {_duration(gone * (1 - share) / share)} left" if share >= _TELLING else ""
        typer.echo(f"{self._title}: {share:.0%}{more} after {_duration(gone)}{left}", err=True)


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole} s" if whole < 120 else f"{round(whole / 60)} min" if whole < 7200 else f"{whole / 3600:.1f} h"


@contextmanager
def progress_bar(title: str, silent: bool) -> Iterator[Told | None]:
    """A bar with time left, lines where there is no terminal; nothing where it is ``silent``."""
    console = Console(stderr=True)
    if silent:
        yield None
        return
    if not console.is_terminal:
        yield _Lines(title, _SECONDS)
        return
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda share: bar.update(task, completed=share)


@contextmanager
def staged(silent: bool) -> Iterator[Stages]:
    """Yield what shows a bar for each stage of some work, one after the other."""
    with ExitStack() as bars:
        current: list[tuple[str, Told | None]] = []

        def stages(stage: str, share: float) -> None:
            if not current or current[0][0] != stage:
                bars.close()
                current[:] = [(stage, bars.enter_context(progress_bar(stage, silent)))]
            told = current[0][1]
            if told is not None:
                told(share)

        yield stages


@contextmanager
def file_bar(silent: bool, size: int, title: str = "Sanitizing") -> Iterator[FileBar | None]:
    """The same for a file of ``size`` bytes."""
    console = Console(stderr=True)
    if silent:
        yield None
        return
    if not console.is_terminal:
        yield FileBar(_lines(_Lines(title, _SECONDS)), size)
        return
    columns = (
        TextColumn(title), BarColumn(), TextColumn("{task.fields[records]} records{task.fields[rate]}"),
        TimeElapsedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, records=0, rate="")
        yield FileBar(
            lambda done, total, records, rate: bar.update(
                task, completed=done, total=total, records=records, rate=rate
            ),
            size,
        )


def _lines(told: _Lines) -> Callable[[float, int, int, str], None]:
    return lambda done, total, records, rate: told(done / max(1, total), f" ({records:,} records{rate})")


class FileBar:
    """Told about every chunk of a run, and by a language model about every step."""

    def __init__(self, show: Callable[[float, int, int, str], None], size: int) -> None:
        self._show, self._size, self._records, self._rate = show, size, 0, ""
        self._drawn, self._started = 0, time.monotonic()
        self._before, self._done = 0, 0

    def __call__(self, done: int, total: int, records: int) -> None:
        """``done`` of ``total`` bytes were read, and so many records are finished."""
        self._before, self._done, self._records = self._drawn, done, records
        self._show(done, total, records, self._rate)

    def draws(self, count: int) -> None:
        """So many more draws were made. How far that is, is guessed from the bytes of a draw so far."""
        self._drawn += count
        rate = self._drawn / max(1e-9, time.monotonic() - self._started)
        each = self._done / self._before if self._before else _BYTES_OF_A_DRAW
        there = min(self._size, self._done + each * (self._drawn - self._before))
        self._rate = f", {self._drawn:,} words, {rate:,.0f} a second"
        self._show(there, self._size, self._records, self._rate)
