"""Signals that wait while code runs which an exception must not leave halfway."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold signals back that a Python function handles, until the block ends; a signal without one acts at once.

    A mask would not do: another thread could receive the signal, and its handler would run in the main thread.
    """
    if threading.current_thread() is not threading.main_thread():  # no handler runs in another thread
        yield
        return
    received: list[int] = []
    before = {number: handler for number in _STOPPING if callable(handler := signal.getsignal(number))}
    try:
        for number in before:
            signal.signal(number, lambda number, _: received.append(number))
        yield
    finally:
        for number in reversed(before):  # SIGINT last: a run that catches it must find the others back
            signal.signal(number, before[number])
        if received:
            signal.raise_signal(received[0])
