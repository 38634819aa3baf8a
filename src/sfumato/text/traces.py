"""Remove marked texts from a rewritten document."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.errors import InputError
from sfumato.text.marks import Span
from sfumato.text.occurrences import Occurrences, name_of

NOTHING = ("[REMOVED]", "[...]", "")
"""Replacements for a marked text, tried in this order if the label does not remove it."""

STAYS = "a marked text cannot be removed from it; mark more of the text around it."


class Traces:
    """Finds the ``marked`` texts of a record, with a label each, in a rewriting of the record."""

    def __init__(self, marked: Mapping[str, str]) -> None:
        self._labels: dict[str, str] = {}
        for text, label in marked.items():
            self._labels.setdefault(name_of(text), label)
        self._known = Occurrences(marked, loose=True)

    def find(self, text: str) -> list[Span]:
        """Return the spans of the marked texts in ``text``, however they are spelled: sorted, disjoint."""
        spans: list[Span] = []
        for start, end, name in sorted(self._known.find(text), key=lambda match: (match[0], -match[1])):
            if spans and start < spans[-1].end:
                spans[-1] = spans[-1]._replace(end=max(end, spans[-1].end))
            else:
                spans.append(Span(start, end, self._labels[name]))
        return spans

    def cleaned(self, text: str) -> tuple[str, int]:
        """Return ``text`` with a label in brackets for each marked text, and the number of marked texts.

        The result is searched again until no marked text appears in it. Raise InputError if a marked text cannot be
        removed.
        """
        count = 0
        for fallback in (None, *NOTHING):
            spans = self.find(text)
            count += len(spans) if fallback is None else 0
            for span in reversed(spans):
                replacement = f"[{span.label}]" if fallback is None else fallback
                text = text[: span.start] + replacement + text[span.end :]
        if self.find(text):
            raise InputError(STAYS)
        return text, count
