"""Units of distance, as people read them."""

from __future__ import annotations

_WORDS = {"e-fold": "e-fold (a ratio of 2.72)"}


def in_words(unit: str) -> str:
    """Return ``unit``, with a few words beside it if not everyone knows it."""
    return _WORDS.get(unit, unit)
