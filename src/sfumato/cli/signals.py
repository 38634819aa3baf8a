"""What stops a run: signals that unwind it, and what is then said of what is kept and how it resumes."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from types import FrameType

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Ended(SystemExit):
    """A signal asked the run to end; the code is that of a process that the signal ends."""


@contextmanager
def unwinding() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise :class:`Ended` in the block, where they would end the process on the spot."""
    if threading.current_thread() is not threading.main_thread():  # where no handler can be set
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    try:
        for number, handler in before.items():
            if handler is signal.SIG_DFL:  # nohup has the run ignore SIGHUP
                signal.signal(number, _leave)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ignore_signals() -> None:
    """Ignore a request to end from here on: the run ends in any case, and a second signal must not stop that."""
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)


def _leave(number: int, _: FrameType | None) -> None:
    ignore_signals()
    raise Ended(128 + number)


_AGAIN = "type the same again."
_KEPT = f"what was finished is kept: {_AGAIN}"
_OF_COMMAND = {
    "sanitize": "what was finished is kept: type the same again with --resume.",
    "evaluate": _KEPT,
    "compare": _KEPT,
    "review": _KEPT,
}
_GONE = (
    "nothing of this run can be resumed, because its draws for subjects came from a key that ended with it: type the "
    "same again, with --pin if it is to be resumed when it stops."
)
_PAID = "what it has paid for is kept: type the same again with --resume, which pays nothing again."
_said: ContextVar[Callable[[], str]] = ContextVar("said")


def kept() -> str:
    """Return what to say of an interrupted run."""
    return _said.get()()


def begin(command: str | None) -> None:
    """Note that ``command`` begins; an interruption then advises what suits it."""
    _said.set(lambda: _OF_COMMAND.get(command or "", _AGAIN))


def never_resumes() -> None:
    """Note that the run that begins here cannot be resumed."""
    _said.set(lambda: _GONE)


def paid_in(folder: Path) -> None:
    """Note that the run that begins here keeps what it pays for in ``folder``, from when it has paid."""
    _said.set(partial(_of_paid, folder))


def _of_paid(folder: Path) -> str:
    return _PAID if folder.exists() else f"nothing of it is kept: {_AGAIN}"
