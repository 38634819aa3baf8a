"""Names of a format, as a set."""

from __future__ import annotations


def entries(words: str) -> frozenset[str]:
    """Return the names of entries that ``words`` lists."""
    return frozenset(f"/{word}" for word in words.split())
