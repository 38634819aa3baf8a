"""How the lists of this room are written down."""

from __future__ import annotations


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of ``text``."""
    return tuple(text.split())


def phrases_of(text: str) -> tuple[str, ...]:
    """Return the phrases of ``text``, which commas and line breaks part."""
    return tuple(phrase.strip() for line in text.split("\n") for phrase in line.split(",") if phrase.strip())
