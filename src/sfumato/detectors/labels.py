"""Labels that somebody names are labels that a detector gives: a misspelt one would protect nothing, silently."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from sfumato.errors import ConfigurationError


def check_labels(named: Collection[str], known: Collection[str], who: str) -> None:
    """Raises ConfigurationError, suggesting the nearest, where ``named`` holds one that ``who`` never gives."""
    unknown = sorted(set(named) - set(known))
    if not unknown:
        return
    near = difflib.get_close_matches(unknown[0].upper(), sorted(known), n=1)
    meant = f"; did you mean {near[0]}?" if near else "."
    raise ConfigurationError(f"{who} gives no label {', '.join(unknown)}{meant} It gives {', '.join(sorted(known))}.")
