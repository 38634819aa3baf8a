"""The command line. ``main`` is what the ``sfumato`` command calls."""

from __future__ import annotations

import sys

from sfumato.missing import missing

__all__ = ["main"]


def main() -> None:
    """Run the command line. Without a package that every command needs, say so."""
    lost = None
    try:
        from sfumato.cli.app import main as run
    except ImportError as error:
        lost = missing(error)
        if lost is None:
            raise
    if lost is not None:
        print(f"Error: {lost}", file=sys.stderr)  # noqa: T201 (what prints may be missing)
        sys.exit(2)
    run()
