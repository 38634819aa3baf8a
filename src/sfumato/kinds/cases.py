"""The letters of a phrase in any case: what its spellings share, and how a list might hold it."""

from __future__ import annotations

import regex

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}\p{N}]*(?:['’]\p{L}+)?")
_SMALL = frozenset(["a", "an", "and", "as", "at", "by", "for", "in", "of", "on", "or", "the", "to", "with"])


def case_key(text: str) -> str:
    """Return what the spellings of ``text`` in any case share: "ı" and "I" differ, but not in capitals."""
    return text.upper().casefold()


def titled(phrase: str) -> str:
    """Return ``phrase`` with a capital for each word, except small words within it: "University of Oslo"."""
    return str(_WORD.sub(_with_capital, phrase))


def _with_capital(word: regex.Match[str]) -> str:
    text = word.group()
    return str(text if word.start() and text in _SMALL else text[:1].upper() + text[1:])


def uncased(text: str, proper: bool) -> str:
    """Return ``text``, which no list holds, as a list might hold it.

    Lists have proper names with capitals, and other phrases in small letters. A single word in capitals is an
    abbreviation.
    """
    small = text.lower()
    if text.isupper() and " " in text:
        listed = titled(small) if proper else small
        return listed if listed.upper() == text else text
    return small if not proper and text in (small[:1].upper() + small[1:], titled(small)) else text
