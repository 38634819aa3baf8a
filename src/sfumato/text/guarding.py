"""A release, or a rewriting, without a marked text left in it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from sfumato.errors import InputError
from sfumato.text.document import Release
from sfumato.text.marks import Layout, Span
from sfumato.text.occurrences import Occurrences, name_of

NOTHING = ("[REMOVED]", "[...]", "")
"""Replacements for a marked text, tried in this order if the label does not remove it."""

STAYS = "a marked text cannot be removed from it; mark more of the text around it."


def texts_of(layouts: Sequence[Layout]) -> set[str]:
    """Return the texts that are marked."""
    return {layout.text[start:end] for layout in layouts for start, end in layout.spans}


def put_in(layout: Layout, outputs: Sequence[str], everywhere: bool = True) -> str:
    """Return the text of ``layout`` with ``outputs`` for its spans, :func:`guarded` against what they replaced."""
    release = Release.joined("", layout.parts(outputs), list(layout.labels), 0)
    return guarded(release, 0, Occurrences(texts_of([layout])), everywhere).text


def guarded(release: Release, number: int, known: Occurrences, everywhere: bool = True) -> Release:
    """Return ``release`` without the ``known`` texts, which must not appear, not even across the edge of an output.

    An output that holds one, or completes one, becomes its label in brackets or, if that does not help, something
    that says nothing. Unless ``everywhere``, an occurrence that lies wholly in unmarked text is left. Raise
    InputError about the document ``number`` if a text cannot be removed.
    """
    if not known:
        return release
    fallbacks = [iter((f"[{span.label}]", *NOTHING)) for span in release.replacements]
    while True:
        parts = list(release.parts)
        traces = [range(index, index + 1) for index, output in enumerate(parts[1::2]) if any(known.find(output))]
        traces += _touched(known, release)
        if everywhere and any(not touched for touched in traces):
            raise InputError(STAYS, number)
        guilty = sorted({index for touched in traces for index in touched})
        if not guilty:
            return release
        try:
            for index in guilty:
                parts[2 * index + 1] = next(fallbacks[index])
        except StopIteration:
            raise InputError(STAYS, number) from None
        release = release.of_parts(parts)


def _touched(known: Occurrences, release: Release) -> list[range]:
    """Return the indices of the outputs that take part in each marked text of ``release``, or touch it."""
    starts, ends = list(release.bounds[::2]), list(release.bounds[1::2])
    return [range(bisect_left(ends, start), bisect_right(starts, end)) for start, end, _ in known.find(release.text)]


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
