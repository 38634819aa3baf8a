"""Presidio logs the words of a text at DEBUG. While it works for sfumato, no line of it passes.

No level is set, because that would hold for the whole process, in which another program may use Presidio itself.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
