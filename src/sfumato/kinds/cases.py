"""The case of a phrase: as listed, with one capital, with capitals for its words, in capitals, in small letters."""

from __future__ import annotations

import regex

LISTED, CAPITAL, TITLE, UPPER, LOWER = "listed", "Capital", "Title Case", "CAPITALS", "lower"
CASES = (LISTED, CAPITAL, TITLE, UPPER, LOWER)
"""In the order in which they are looked for: a phrase in which two of them look the same has the first."""

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}\p{N}]*(?:['’]\p{L}+)?")
_SMALL = frozenset(["a", "an", "and", "as", "at", "by", "for", "in", "of", "on", "or", "the", "to", "with"])


def case_key(text: str) -> str:
    """Return what the spellings of ``text`` in any case share: "ı" and "I" differ, but not in capitals."""
    return text.upper().casefold()


def cased(phrase: str, case: str) -> str:
    """Return ``phrase``, as it is listed, in ``case``."""
    if case == UPPER:
        return phrase.upper()
    if case == LOWER:
        return phrase.lower()
    if case == CAPITAL:
        return phrase[:1].upper() + phrase[1:]
    return str(_WORD.sub(_with_capital, phrase)) if case == TITLE else phrase


def _with_capital(word: regex.Match[str]) -> str:
    text = word.group()
    return str(text if word.start() and text in _SMALL else text[:1].upper() + text[1:])


def case_of(phrase: str, text: str) -> str:
    """Return the first case in which ``phrase``, as it is listed, is written ``text``; without one, the nearest."""
    for case in CASES:
        if cased(phrase, case) == text:
            return case
    return UPPER if text.isupper() else LISTED


def uncased(text: str, proper: bool) -> tuple[str, str]:
    """Return ``text``, which no list holds, as a list might hold it, and its case.

    Lists have proper names with capitals, and other phrases in small letters. A single word in capitals is an
    abbreviation.
    """
    if text.isupper() and " " in text:
        listed = cased(text.lower(), TITLE) if proper else text.lower()
        return (listed, UPPER) if listed.upper() == text else (text, LISTED)
    if proper:
        return text, LISTED
    for case in (LISTED, CAPITAL, TITLE):
        if cased(text.lower(), case) == text:
            return text.lower(), case
    return text, LISTED
