"""One pattern for any of many words, arranged by their common beginnings: a hundred alternatives cost as few."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import regex

_END = ""


def any_of(words: Iterable[str]) -> str:
    """A pattern for each of ``words`` as it is written, of which the longest is taken that stands there."""
    tree: dict[str, Any] = {}
    for word in words:
        at = tree
        for character in word:
            at = at.setdefault(character, {})
        at[_END] = {}
    return _pattern(tree)


def _pattern(tree: dict[str, Any]) -> str:
    if len(tree) == 1 and _END not in tree:  # no choice: without a group, so that depth stays small
        [(character, below)] = tree.items()
        return f"{regex.escape(character)}{_pattern(below)}"
    branches = [regex.escape(character) + _pattern(below) for character, below in sorted(tree.items()) if character]
    if not branches:
        return ""
    return f"(?:{'|'.join(branches)}){'?' if _END in tree else ''}"


def words_of(text: str) -> frozenset[str]:
    """Return the words of a list that white space parts."""
    return frozenset(text.split())
