"""Which marks of a detector a release replaces, and which stay: by their kind, or as measures.

The engine, an attack that looks for replaced values, and the page of a review ask here alone, so that they agree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sfumato.text.document import Document
from sfumato.text.marks import Layout, MarkedRecord, Spans, layout_of, marked_records
from sfumato.text.measures import KINDS as MEASURED
from sfumato.text.measures import Measures
from sfumato.text.occurrences import whole_letters


@dataclass(frozen=True)
class Marking:
    """Says what is replaced of what is marked.

    Attributes:
        kind_of: Returns the kind of a span from its label and its text; None where the label is the kind.
        keeps: Returns whether spans of a kind stay.
        as_found: Whether spans are replaced as they are marked.
        everywhere: Whether a text that is marked once is marked wherever else its record holds it.
        measures: Says which marks are doses, laboratory values and the like, which stay; None if none does.
    """

    kind_of: Callable[[str, str], str] | None
    keeps: Callable[[str], bool]
    as_found: bool = False
    everywhere: bool = True
    measures: Measures | None = None

    def records(self, documents: Sequence[Document], detected: Sequence[Spans]) -> list[MarkedRecord]:
        """Return the records of ``documents`` with what is replaced of what was ``detected``, by kind. Private."""
        layouts = [self._layout(*row) for row in zip(range(len(documents)), documents, detected, strict=True)]
        if self.as_found or not self.everywhere:
            return marked_records(documents, layouts)
        records = [record.everywhere() for record in marked_records(documents, layouts)]
        if self.measures is None:
            return records
        return [record if MEASURED.isdisjoint(record.labels) else self.measures.without(record) for record in records]

    def staying(self, documents: Sequence[Document], detected: Sequence[Spans]) -> list[list[bool]]:
        """Return for each mark that was ``detected`` whether a release shows what is there."""
        layouts = (layout for record in self.records(documents, detected) for layout in record.layouts)
        return [
            [not _meets(layout.spans, *span) for span in spans.bounds]
            for layout, spans in zip(layouts, detected, strict=True)
        ]

    def _layout(self, number: int, document: Document, spans: Spans) -> Layout:
        """Return the spans that were found, whole letters each, by kind, except those that stay."""
        layout = layout_of(document, spans, number)
        if self.as_found:
            return layout
        bounds = whole_letters(document.text, layout.spans)
        rows = zip(bounds, layout.labels, strict=True)
        kind_of = self.kind_of or (lambda label, _: label)
        pairs = [((start, end), kind_of(label, document.text[start:end])) for (start, end), label in rows]
        replaced = [(span, kind) for span, kind in pairs if not self.keeps(kind)]
        return Layout(document.text, [span for span, _ in replaced], [kind for _, kind in replaced])


def _meets(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Return whether one of ``spans``, which are in order, overlaps the characters from ``start`` to ``end``."""
    before = bisect_left(spans, (end, 0)) - 1
    return before >= 0 and spans[before][1] > start
