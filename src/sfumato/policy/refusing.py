"""Refuse what a policy cannot say, without repeating it: a policy may turn out to be a file of private records.

Only keys are quoted, and only those that look like keys: at most 40 small letters, digits, hyphens and underscores.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from sfumato.errors import ConfigurationError

_KEY = re.compile(r"[a-z0-9_-]{1,40}")


def quoted(key: str) -> str:
    """Return how an error names a key."""
    return f"the key {key}" if _KEY.fullmatch(key) else "a key that is no plain name"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name, which it does not repeat: the nearest, and all known."""
    names = sorted(known)
    by_lower = {other.lower(): other for other in names}
    near = difflib.get_close_matches(name[:40].lower(), list(by_lower), n=1, cutoff=0.6)
    return (f"; did you mean {by_lower[near[0]]}?" if near else ".") + f" Known: {', '.join(names) or 'none'}."


def check_known(name: str, known: Iterable[str], what: str) -> None:
    """Raise ConfigurationError, which names the nearest, if ``name`` is not ``known``; ``what`` opens it."""
    names = list(known)
    if name not in names:
        raise ConfigurationError(f"{what}{nearest(name, names)}")


def placed(error: ConfigurationError, place: str) -> ConfigurationError:
    """Return ``error`` with the place in front."""
    return ConfigurationError(f"{place}: {error}")
