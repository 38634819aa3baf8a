"""What could be a miss: capitals inside sentences and numbers that no mark holds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import regex

from sfumato.text.marks import Finding
from sfumato.text.sentences import GAP_END, begins_sentence

_CAPITAL_OR_NUMBER = regex.compile(r"(?<![\p{L}\p{M}\p{N}])(?:\p{Lu}[\p{L}\p{M}’'-]*|\p{Nd}[\p{Nd}.,:/-]*)")
_NO_NAME = frozenset({"I", "I'm", "I’m", "I've", "I’ve", "I'd", "I’d", "I'll", "I’ll"})


def unmarked(text: str, marks: Sequence[Finding]) -> int:
    """Return how many capitalised words inside sentences, and how many numbers, lie outside all ``marks``."""
    starts = [mark.start for mark in marks]
    count = 0
    for match in _CAPITAL_OR_NUMBER.finditer(text):
        start, end = match.span()
        before = bisect_right(starts, end - 1) - 1
        if before >= 0 and marks[before].end > start:
            continue
        if match.group()[0].isdigit():
            count += 1
        elif match.group() not in _NO_NAME:
            gap = text[max(0, start - GAP_END) : start]
            count += not begins_sentence(gap, start <= GAP_END)
    return count
