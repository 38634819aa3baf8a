"""How far a long run is: a bar with time left on a terminal, elsewhere a line now and then. Always standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sfumato.types import Progress as Told
from sfumato.types import Stages

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
