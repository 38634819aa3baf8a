"""One pattern for any of many words, arranged by their common beginnings: a hundred alternatives cost little more
than a few.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import regex

_END = ""


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of ``words`` as it is written, which takes the longest one that matches."""
    tree: dict[str, Any] = {}
    for word in words:
        branch = tree
        for character in word:
            branch = branch.setdefault(character, {})
        branch[_END] = {}
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
    """Return the words of a list that white space separates."""
    return frozenset(text.split())
