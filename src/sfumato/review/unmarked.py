"""What could be a miss: capitals inside sentences and numbers that no mark holds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import regex

from sfumato.text.marks import Finding
from sfumato.text.sentences import GAP_END, begins_sentence

_CAPITAL_OR_NUMBER = regex.compile(r"(?<![\p{L}\p{M}\p{N}])(?:\p{Lu}[\p{L}\p{M}’'-]*|\p{Nd}[\p{Nd}.,:/-]*)")
_NO_NAME = frozenset({"I", "I'm", "I’m", "I've", "I’ve", "I'd", "I’d", "I'll", "I’ll"})
_REST = regex.compile(r"[\p{L}\p{M}\p{N}]*(?:[’'./:-][\p{L}\p{M}\p{N}]+)*")
_AFTER_A_WORD = ".,:/-’'"


def unmarked(text: str, marks: Sequence[Finding]) -> int:
    """Return how many capitalised words inside sentences, and how many numbers, lie outside all ``marks``."""
    return sum(1 for _ in _words(text, marks))


def unmarked_phrases(text: str, marks: Sequence[Finding]) -> list[tuple[int, int]]:
    """Return the bounds of the words that :func:`unmarked` counts, each to its end: "G2P1" and not only "G".

    Words with one blank between are one phrase. No phrase overlaps a mark.
    """
    phrases: list[tuple[int, int]] = []
    starts = [mark.start for mark in marks]
    for start, counted in _words(text, marks):
        after = bisect_right(starts, start)
        free = starts[after] if after < len(starts) else len(text)
        rest = _REST.match(text, start + len(text[start:counted].rstrip(_AFTER_A_WORD)), free)
        end = rest.end() if rest else counted
        if phrases and text[phrases[-1][1] : start] in ("", " "):
            phrases[-1] = phrases[-1][0], max(end, phrases[-1][1])
        else:
            phrases.append((start, end))
    return phrases


def _words(text: str, marks: Sequence[Finding]) -> Iterator[tuple[int, int]]:
    starts = [mark.start for mark in marks]
    for match in _CAPITAL_OR_NUMBER.finditer(text):
        start, end = match.span()
        before = bisect_right(starts, end - 1) - 1
        if before >= 0 and marks[before].end > start:
            continue
        if not match.group()[0].isdigit():
            gap = text[max(0, start - GAP_END) : start]
            if match.group() in _NO_NAME or begins_sentence(gap, start <= GAP_END):
                continue
        yield start, end
