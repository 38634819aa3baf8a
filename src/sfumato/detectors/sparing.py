"""Leaves out optional imports of a library: Presidio tries to import transformers, which takes seconds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder


class _Absent(MetaPathFinder):
    """A package that this thread does not find; any other thread does."""

    def __init__(self, package: str) -> None:
        self._package, self._thread = package, threading.get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == self._package and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"{name} is not needed here", name=name)


@contextmanager
def without(package: str) -> Iterator[None]:
    """Hide ``package`` from imports in this block, which must work without it. A loaded package stays loaded."""
    absent = _Absent(package)
    sys.meta_path.insert(0, absent)
    try:
        yield
    finally:
        sys.meta_path.remove(absent)
