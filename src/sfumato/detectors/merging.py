"""Unites spans that overlap, so that nothing that was found is left outside."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.text.marks import Span, Spans


def merged(spans: Iterable[Span]) -> Spans:
    """Return the union of ``spans``: sorted, disjoint. Spans that only touch stay apart.

    A union has the label of its earliest span, of the longest among those that start there.
    """
    union: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end, span.label)):
        if union and span.start < union[-1].end:
            last = union[-1]
            union[-1] = Span(last.start, max(last.end, span.end), last.label)
        else:
            union.append(span)
    return Spans([(span.start, span.end) for span in union], [span.label for span in union])
