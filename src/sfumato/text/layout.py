"""A document and what is to be replaced in it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sfumato.errors import InputError
from sfumato.text.document import Document, Release
from sfumato.text.occurrences import Occurrences, disjoint, name_of
from sfumato.text.traces import NOTHING, STAYS


class Layout(NamedTuple):
    """A document and what is to be rewritten in it: ``spans`` sorted and disjoint, a label each."""

    text: str
    spans: Sequence[tuple[int, int]]
    labels: Sequence[str]


def carried(layout: Layout, beside: Sequence[Layout] = ()) -> Layout:
    """Return the same with every marked text marked wherever else it appears as whole words, however it is spelled.

    ``beside`` are other texts of the same record: what is marked in them is marked here as well.
    """
    text, known = layout.text, dict[str, str]()
    for one in (layout, *beside):
        for (start, end), label in zip(one.spans, one.labels, strict=True):
            known.setdefault(name_of(one.text[start:end]), label)
    marked = Occurrences(texts_of([layout, *beside]), loose=True)
    spans, found = dict(zip(layout.spans, layout.labels, strict=True)), bool(marked)
    while found:  # what is marked may free a word that it stood against
        found = False
        edges = [0, *(edge for span in sorted(spans) for edge in span), len(text)]
        for start, end in zip(edges[::2], edges[1::2], strict=True):  # what no span covers
            for first, last, name in disjoint(marked.find(text[start:end])):
                spans[start + first, start + last] = known[name]
                found = True
    ordered = sorted(spans)
    return Layout(text, ordered, [spans[span] for span in ordered])


def texts_of(layouts: Sequence[Layout]) -> set[str]:
    """The texts that are marked."""
    return {layout.text[start:end] for layout in layouts for start, end in layout.spans}


def joined(
    number: int,
    document: Document,
    layout: Layout,
    made: Sequence[str],
    everywhere: bool,
    marked: Collection[str] | None = None,
) -> Release:
    """The release, in which no marked text stands, nor across a seam. Raises InputError where that cannot be.

    ``marked`` are the texts that must not stand in it (None: those of ``layout``). Unless ``everywhere``, what stands
    wholly in text that was not marked is left.
    """
    known = Occurrences(texts_of([layout]) if marked is None else marked)
    edges = [0, *(edge for span in layout.spans for edge in span), len(document.text)]
    gaps = [document.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    tried = [iter((output, f"[{label}]", *NOTHING)) for output, label in zip(made, layout.labels, strict=True)]
    outputs = [next(one) for one in tried]
    while True:
        parts = [part for pair in zip(gaps, [*outputs, ""], strict=True) for part in pair][:-1]
        release = Release.joined(document.id, parts, list(layout.labels), 0)
        found = [range(at, at + 1) for at, one in enumerate(outputs) if any(known.find(one))]
        found += _standing(known, release)
        if everywhere and any(not places for places in found):
            raise InputError(STAYS, number)
        guilty = sorted({place for places in found for place in places})
        if not guilty:
            return release
        try:
            for at in guilty:
                outputs[at] = next(tried[at])
        except StopIteration:
            raise InputError(STAYS, number) from None


def _standing(known: Occurrences, release: Release) -> list[range]:
    """For each marked text that stands in ``release`` the places whose outputs take part in it or touch it."""
    starts, ends = list(release.bounds[::2]), list(release.bounds[1::2])
    return [range(bisect_left(ends, start), bisect_right(starts, end)) for start, end, _ in known.find(release.text)]
