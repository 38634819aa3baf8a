"""The command line. ``main`` is what the ``sfumato`` command calls."""

from __future__ import annotations

from sfumato.cli.app import main

__all__ = ["main"]
