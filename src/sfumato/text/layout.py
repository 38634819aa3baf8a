"""A document and what is to be replaced in it, and a release without a marked text left in it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

from sfumato.errors import InputError
from sfumato.text.document import Document, Release, records
from sfumato.text.marks import Span, Spans, checked_bounds
from sfumato.text.occurrences import Names, Occurrences, disjoint, name_of

NOTHING = ("[REMOVED]", "[...]", "")
"""Replacements for a marked text, tried in this order if the label does not remove it."""

STAYS = "a marked text cannot be removed from it; mark more of the text around it."


class Layout(NamedTuple):
    """A ``text`` and what is to be rewritten in it: ``spans`` sorted and disjoint, with their ``labels``."""

    text: str
    spans: Sequence[tuple[int, int]]
    labels: Sequence[str]

    def parts(self, outputs: Sequence[str]) -> list[str]:
        """Return, in turns, text that is kept and ``outputs``, one for each span."""
        edges = [0, *(edge for span in self.spans for edge in span), len(self.text)]
        gaps = [self.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
        return [part for pair in zip(gaps, [*outputs, ""], strict=True) for part in pair][:-1]


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


@dataclass(frozen=True, eq=False)
class MarkedRecord:
    """One record of a batch. Private: it holds the texts.

    ``first`` is the number of its first document in the batch; there is one of ``layouts`` for each of ``documents``.
    ``names`` folds each marked text once, no matter who asks.
    """

    first: int
    documents: Sequence[Document]
    layouts: Sequence[Layout] = field(repr=False)
    names: Names = field(default_factory=Names, repr=False)

    @cached_property
    def texts(self) -> list[str]:
        """Return what is marked, a text for each span, document by document."""
        return [layout.text[start:end] for layout in self.layouts for start, end in layout.spans]

    @cached_property
    def labels(self) -> list[str]:
        """Return the label of each of :attr:`texts`."""
        return list(chain.from_iterable(layout.labels for layout in self.layouts))

    @cached_property
    def whole(self) -> str:
        """Return the texts of all documents as one."""
        return "\n".join(layout.text for layout in self.layouts)

    def by_document(self, outputs: Sequence[str]) -> list[list[str]]:
        """Return ``outputs``, one for each of :attr:`texts`, as a list for each document."""
        left = iter(outputs)
        return [list(islice(left, len(layout.spans))) for layout in self.layouts]

    def everywhere(self) -> MarkedRecord:
        """Return the same with every marked text marked wherever else it appears, in any of its documents.

        It must appear as whole words, however it is spelled.
        """
        marked = Occurrences(set(self.texts), loose=True, names=self.names)
        if not marked:
            return self
        layouts = [self._carried(layout, marked) for layout in self.layouts]
        return MarkedRecord(self.first, self.documents, layouts, self.names)

    def _carried(self, layout: Layout, marked: Occurrences) -> Layout:
        text, labels, more = layout.text, dict[str, str](), True
        spans = dict(zip(layout.spans, layout.labels, strict=True))
        while more:  # what is marked may free a word that it stood against
            more = False
            edges = [0, *(edge for span in sorted(spans) for edge in span), len(text)]
            for start, end in zip(edges[::2], edges[1::2], strict=True):  # what no span covers
                for first, last, name in disjoint(marked.find(text[start:end])):
                    labels = labels or self._labels_for(layout)
                    spans[start + first, start + last] = labels[name]
                    more = True
        if not labels:
            return layout
        ordered = sorted(spans)
        return Layout(text, ordered, [spans[span] for span in ordered])

    def _labels_for(self, layout: Layout) -> dict[str, str]:
        """Return the label of each name: the one it has first in ``layout``, else in the other documents."""
        labels: dict[str, str] = {}
        for other in (layout, *self.layouts):
            for (start, end), label in zip(other.spans, other.labels, strict=True):
                labels.setdefault(self.names[other.text[start:end]], label)
        return labels


def layout_of(document: Document, spans: Spans, number: int = 0) -> Layout:
    """Return ``document`` with the ``spans`` that a detector found in it.

    Raise InputError naming its ``number`` for marks that do not fit, and for labels that are no text.
    """
    checked_bounds(spans, len(document.text), number)
    labels = list(spans.each_label())
    if not all(isinstance(label, str) for label in labels):
        raise InputError("the spans found hold a label that is no text; correct the detector.", number)
    return Layout(document.text, list(spans.bounds), labels)


def marked_records(documents: Sequence[Document], layouts: Sequence[Layout]) -> list[MarkedRecord]:
    """Return the records of ``documents``, of which each has one of ``layouts``; a text is folded once for all."""
    names = Names()
    return [
        MarkedRecord(own.start, documents[own.start : own.stop], layouts[own.start : own.stop], names)
        for own in records(documents)
    ]
