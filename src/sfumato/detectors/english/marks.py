"""A mark and the words beside it, which decide whether it helps to identify a person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import regex

from sfumato.detectors.english.names import first_names
from sfumato.detectors.found import Found

_FAR = 90
_SENTENCE = regex.compile(r"[.!?;][\"'”’)\]]*+\s++(?=\p{Lu})|\n\s*+\n")


@dataclass(frozen=True)
class Mark:
    """A text that ``finder`` marked, with the rest of its sentence: at most 90 characters before and after."""

    text: str
    label: str
    score: float
    before: str
    after: str
    finder: str = ""

    @classmethod
    def of(cls, text: str, span: Found) -> Mark:
        """Return ``span`` with its neighbourhood in ``text``."""
        before = text[max(0, span.start - _FAR) : span.start]
        after = text[span.end : span.end + _FAR]
        begins = [stop.end() for stop in _SENTENCE.finditer(before)]
        stop = _SENTENCE.search(after)
        words = text[span.start : span.end]
        sentence = before[begins[-1] :] if begins else before
        rest = after[: stop.start()] if stop else after
        return cls(words, span.label, span.score, sentence, rest, span.finder)

    @property
    def is_value(self) -> bool:
        """Return whether the mark is the value of a key: ``Occupation: nurse``."""
        return _KEY.search(self.before) is not None

    @property
    def is_line(self) -> bool:
        """Return whether the mark fills a line, or nearly so, as under a name on a card."""
        return _LINE_BEFORE.search(self.before) is not None and _LINE_AFTER.match(self.after) is not None

    @property
    def may_be_name(self) -> bool:
        """Return whether the mark may be a name under any label: one word whose capital its place does not
        require.
        """
        if not (self.text.isalpha() and self.text.istitle()) or _ARTICLE_BEFORE.search(self.before):
            return False
        return self.before.strip() != "" or self.text.casefold() in first_names()


_ARTICLE_BEFORE = regex.compile(r"\b(?i:the|an?|his|her|its|their|our|my)\s+(?:\p{L}+\s+)?\Z")
_LINE_BEFORE = regex.compile(r"(?:\A|\n)[^\n.:!?]{0,40}\Z")
_LINE_AFTER = regex.compile(r"[^\S\n]*+(?:\n|\Z)")
_KEY = regex.compile(r"[:=]\s*+\Z")

Reader = Callable[[Mark], bool]
"""Returns whether a mark identifies nobody."""


def any_case(pattern: str) -> Any:
    """Return ``pattern`` compiled, so that case makes no difference."""
    return regex.compile(pattern, regex.IGNORECASE)
