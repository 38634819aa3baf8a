"""The documents of one record, what is replaced in each, and the spellings of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice

from sfumato.errors import InputError
from sfumato.text.document import Document, records
from sfumato.text.layout import Layout
from sfumato.text.marks import Spans, checked_bounds
from sfumato.text.occurrences import Names, Occurrences, disjoint


@dataclass(frozen=True, eq=False)
class MarkedRecord:
    """One record of a batch. Private: it holds the texts.

    ``first`` is the number of its first document in the batch; there is one of ``layouts`` for each of ``documents``.
    ``names`` folds each marked text once, whoever asks.
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
