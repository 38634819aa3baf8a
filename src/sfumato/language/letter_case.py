"""The case of a word or of a number in words: lower, Capitalised or UPPER."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[a-z]+")


def in_case_of(name: str, text: str) -> str | None:
    """Return ``name``, which is in lower case, in the case of ``text``; None where that has no single case.

    The name of a field carries its case in this way: "month", "Month" and "MONTH". "Twenty-Two" counts as
    "Twenty-two", because "Thirty" does not show which of them is meant.
    """
    if text == text.lower():
        return name
    if text == text.upper():
        return name.upper()
    if text == capitalised(text.lower()) or text == _WORD.sub(_titled, text.lower()):
        return capitalised(name)
    return None


def _titled(match: re.Match[str]) -> str:
    return match.group() if match.group() == "and" else capitalised(match.group())


def cased(text: str, name: str) -> str:
    """Return ``text``, which is in lower case, in the case of the field ``name``."""
    if name == name.lower():
        return text
    return text.upper() if name == name.upper() else capitalised(text)


def capitalised(text: str) -> str:
    """Return ``text`` with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def case_key(text: str) -> str:
    """Return what the spellings of ``text`` in any case share: "ı" and "I" differ, but not in capitals."""
    return text.upper().casefold()


def bare(text: str) -> str:
    """Return ``text`` without accents, which are often missing in capitals."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(sign for sign in parts if not unicodedata.combining(sign)))


def capitalised_like(word: str, like: str) -> str:
    """Return ``word`` with the capitals of ``like``: all, the first, or its own."""
    if len(like) > 1 and like.isupper():
        return word.upper()
    return capitalised(word) if like[:1].isupper() else word
