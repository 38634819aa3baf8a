"""A mark and the words beside it, which decide whether it helps to tell who a text is about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import regex

from sfumato.detectors.found import Found
from sfumato.detectors.names import first_names

_FAR = 90
_SENTENCE = regex.compile(r"[.!?;][\"'”’)\]]*+\s++(?=\p{Lu})|\n\s*+\n")


@dataclass(frozen=True)
class Mark:
    """What a finder marked, and what stands before and after it in its sentence (at most 90 characters each).

    ``finder`` is who marked it.
    """

    text: str
    label: str
    score: float
    before: str
    after: str
    finder: str = ""

    @classmethod
    def of(cls, text: str, found: Found) -> Mark:
        """Return ``found`` with its neighbourhood in ``text``."""
        before = text[max(0, found.start - _FAR) : found.start]
        after = text[found.end : found.end + _FAR]
        begins = [stop.end() for stop in _SENTENCE.finditer(before)]
        stop = _SENTENCE.search(after)
        words = text[found.start : found.end]
        sentence = before[begins[-1] :] if begins else before
        rest = after[: stop.start()] if stop else after
        return cls(words, found.label, found.score, sentence, rest, found.finder)

    @property
    def is_value(self) -> bool:
        """Whether the mark is the value of a key: ``Occupation: nurse``."""
        return _KEY.search(self.before) is not None

    @property
    def is_line(self) -> bool:
        """Whether the mark ends a line that it began, or nearly so, as under a name on a card."""
        return _LINE_BEFORE.search(self.before) is not None and _LINE_AFTER.match(self.after) is not None

    @property
    def may_be_name(self) -> bool:
        """Whether the mark may be a name whatever its label: one word with a capital that needs none there."""
        if not (self.text.isalpha() and self.text.istitle()) or _ARTICLE_BEFORE.search(self.before):
            return False
        return self.before.strip() != "" or self.text.casefold() in first_names()


_ARTICLE_BEFORE = regex.compile(r"\b(?i:the|an?|his|her|its|their|our|my)\s+(?:\p{L}+\s+)?\Z")
_LINE_BEFORE = regex.compile(r"(?:\A|\n)[^\n.:!?]{0,40}\Z")
_LINE_AFTER = regex.compile(r"[^\S\n]*+(?:\n|\Z)")
_KEY = regex.compile(r"[:=]\s*+\Z")

Reader = Callable[[Mark], bool]
"""Says whether a mark tells nobody apart."""


def words_of(pattern: str) -> Any:
    """Return ``pattern`` compiled, whatever the case of its letters."""
    return regex.compile(pattern, regex.IGNORECASE)
