"""Marks of notes that are set high or low behind a word, as in "Schmidt" with a small 1: they are no part of it."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]{2}$")
"""A mark behind one letter is a part of a formula, or of a number."""
_TITLE = re.compile(r"(?<![^\W\d_])[DS]r$", re.IGNORECASE)
_LETTER = re.compile(r"[a-d]")
_MARK = re.compile(r"[\d*†‡§¶#](?:[\s,;\u2013-]*[\d*†‡§¶#])*[,;]?")


def is_mark(before: str, text: str, after: str = "") -> bool:
    """Say whether ``text``, set high or low behind the text ``before``, is the mark of a note.

    No letter is one within a word or at the end of a title: "Sra" with a small a.
    """
    said = text.strip()
    if text[:1].isspace() or not _WORD.search(before[-2:]):
        return False
    if _LETTER.fullmatch(said):
        return not after[:1].isalpha() and not _TITLE.search(before[-3:])
    return bool(_MARK.fullmatch(said))
