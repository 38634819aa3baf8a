"""Marked texts of a document, each once for all its mentions, and what may not replace them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sfumato.language.en.words import stop_words
from sfumato.text.layout import Layout
from sfumato.text.occurrences import Occurrences, folded, name_of

WORD = re.compile(r"\w+(?:['’]\w+)*")
_PEOPLE = frozenset({"PERSON", "PER", "NAME", "FULL_NAME", "PATIENT", "DOCTOR"})
_MOST_WORDS = 12  # of a replacement: longer phrases become this long


class Marked(NamedTuple):
    """A text that was marked, in any spelling: its label, its words, and the numbers of the spans that hold it."""

    text: str
    label: str
    words: Sequence[str]
    spans: Sequence[int]


def marked(layout: Layout) -> list[Marked]:
    """Return the marked texts of a document, in the order of their first mentions."""
    texts: dict[str, Marked] = {}
    for number, ((start, end), label) in enumerate(zip(layout.spans, layout.labels, strict=True)):
        text = layout.text[start:end]
        words = WORD.findall(text)[:_MOST_WORDS] or [text]
        texts.setdefault(name_of(text) or text, Marked(text, label, words, [])).spans.append(number)  # type: ignore[attr-defined]
    return list(texts.values())


class Refused:
    """The texts that may not appear in a document once it is distorted: its marked texts, in any spelling."""

    def __init__(self, layout: Layout) -> None:
        texts = {layout.text[start:end] for start, end in layout.spans}
        self.words = frozenset(text.casefold() for text in texts)
        self._inside = Occurrences(texts)

    def refuses(self, candidate: str, replaced: Marked) -> bool:
        """Return whether ``candidate`` is or holds a marked text, or shares a name with the person ``replaced``."""
        if not candidate.strip() or candidate.casefold() in self.words:
            return True
        if any(self._inside.find(candidate)):
            return True
        return replaced.label.upper() in _PEOPLE and bool(_names(WORD.findall(candidate)) & _names(replaced.words))


def _names(words: Sequence[str]) -> set[str]:
    return {folded(word).text for word in words} - stop_words()
