"""The version of this program: part of every statement, and of what a keyed draw depends on."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

try:
    VERSION = installed("sfumato")
except PackageNotFoundError:  # a source tree that was not installed
    VERSION = "0+unknown"
