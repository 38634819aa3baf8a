"""Accents that a text may lack: in capitals, from a keyboard without them, or as signs of their own."""

from __future__ import annotations

import unicodedata


def plain(text: str) -> str:
    """Return ``text`` in small letters without accents, with single blanks and straight apostrophes."""
    letters = text if text.isascii() else unicodedata.normalize("NFD", text.replace("’", "'"))
    return " ".join("".join(letter for letter in letters if not unicodedata.combining(letter)).lower().split())


def any_accents(pattern: str) -> str:
    """Let each letter with an accent in ``pattern`` match it as a capital, in two signs, and without the accent.

    Letters in the brackets of ``pattern`` have to be in ASCII.
    """
    return pattern if pattern.isascii() else "".join(map(_spellings, pattern))


def _spellings(letter: str) -> str:
    if letter.isascii() or not letter.isalpha() or letter.lower() == letter.upper():
        return letter
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if not marks:
        return f"[{letter.lower()}{letter.upper()}]" if len(letter.upper()) == 1 else letter
    return f"(?:{letter.lower()}|{letter.upper()}|{base}[\u0300-\u036f]{{0,2}})"
