"""Leaves out optional imports of a library: Presidio tries to import torch and transformers, which takes seconds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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
