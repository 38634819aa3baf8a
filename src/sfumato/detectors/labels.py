"""Refuses labels that a detector never gives: a misspelt one would silently protect nothing."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from sfumato.errors import ConfigurationError


def check_labels(named: Collection[str], known: Collection[str], who: str) -> None:
    """Raise ConfigurationError, suggesting the nearest, if ``named`` holds a label that ``who`` never gives."""
    unknown = sorted(set(named) - set(known))
    if not unknown:
        return
    near = difflib.get_close_matches(unknown[0].upper(), sorted(known), n=1)
    meant = f"; did you mean {near[0]}?" if near else "."
    raise ConfigurationError(f"{who} gives no label {', '.join(unknown)}{meant} It gives {', '.join(sorted(known))}.")
