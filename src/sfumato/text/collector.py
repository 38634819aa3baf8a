"""Python's search for cycles, paused while a batch of objects is made that form none.

Every object with references counts towards the next search, and a full search reads every object of the process: with
the vocabulary and the libraries that is a tenth of a second, more than the draws of 60,000 texts take.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = (50_000, 20, 10)


@contextmanager
def search_paused() -> Iterator[None]:
    """Search for no cycles meanwhile. Threads that pause at once leave the search on, as each found it."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def search_seldom_from_now() -> None:
    """Do what :func:`search_seldom` does, until the process ends."""
    gc.set_threshold(*_SELDOM)


def end_without_search() -> None:
    """Let this process end without the last search for cycles, which takes a third of a second.

    For a process of our own: what is to be written or removed at the end must not wait for a cycle to be found.
    """
    atexit.unregister(_stay)  # it need not run twice
    atexit.register(_stay)


def _stay() -> None:
    gc.disable()
    gc.freeze()


@contextmanager
def search_seldom() -> Iterator[None]:
    """Search after 50,000 new objects meanwhile, instead of 700. For a process of our own, not for a library."""
    before = gc.get_threshold()
    search_seldom_from_now()
    try:
        yield
    finally:
        gc.set_threshold(*before)
