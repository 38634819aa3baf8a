"""What Presidio is kept from: importing torch and transformers, which takes seconds, and logging the words of a text.

It logs them at DEBUG. While it works for sfumato, no line of it passes. No level is set, because that would hold for
the whole process, in which another program may use Presidio itself.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.abc import MetaPathFinder


class _Absent(MetaPathFinder):
    """Packages that this thread does not find; any other thread does."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self._packages, self._thread = packages, threading.get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in self._packages and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"{name} is not needed here", name=name)


@contextmanager
def without(*packages: str) -> Iterator[None]:
    """Hide ``packages`` from imports in this block, which must work without them. A loaded package stays loaded."""
    absent = _Absent(packages)
    sys.meta_path.insert(0, absent)
    try:
        yield
    finally:
        sys.meta_path.remove(absent)


_OURS: ContextVar[bool] = ContextVar("ours", default=False)
"""Whether Presidio works for sfumato."""


class _OfOthers(logging.Filter):
    """Lets a line pass if Presidio works for another program."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the line passes."""
        return not _OURS.get()


logging.getLogger("presidio-analyzer").addFilter(_OfOthers())


@contextmanager
def unlogged() -> Iterator[None]:
    """Silence Presidio in this thread."""
    token = _OURS.set(True)
    try:
        yield
    finally:
        _OURS.reset(token)
