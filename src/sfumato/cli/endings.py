"""Signals that ask a run to end: SIGTERM and SIGHUP unwind it, as Ctrl-C does, so that it removes its locks."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Ended(SystemExit):
    """A signal asked the run to end; the code is that of a process that the signal ends."""


@contextmanager
def unwinding() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise :class:`Ended` in the block, where they would end the process on the spot."""
    if threading.current_thread() is not threading.main_thread():  # where no handler can be set
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDINGS}
    try:
        for number, handler in before.items():
            if handler is signal.SIG_DFL:  # nohup has the run ignore SIGHUP
                signal.signal(number, _leave)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ignore_endings() -> None:
    """Ignore a request to end from here on: the run ends in any case, and a second signal must not stop that."""
    if threading.current_thread() is threading.main_thread():
        for number in _ENDINGS:
            signal.signal(number, signal.SIG_IGN)


def _leave(number: int, _: FrameType | None) -> None:
    ignore_endings()
    raise Ended(128 + number)
