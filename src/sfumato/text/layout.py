"""A document and what is to be replaced in it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from sfumato.errors import InputError
from sfumato.text.document import Document, Release
from sfumato.text.occurrences import Occurrences
from sfumato.text.traces import NOTHING, STAYS


class Layout(NamedTuple):
    """A document and what is to be rewritten in it: ``spans`` sorted and disjoint, a label each."""

    text: str
    spans: Sequence[tuple[int, int]]
    labels: Sequence[str]


def texts_of(layouts: Sequence[Layout]) -> set[str]:
    """Return the texts that are marked."""
    return {layout.text[start:end] for layout in layouts for start, end in layout.spans}


def joined(
    number: int,
    document: Document,
    layout: Layout,
    made: Sequence[str],
    everywhere: bool,
    known: Occurrences | None = None,
) -> Release:
    """Return the release, in which no marked text appears, nor across a seam. Raises InputError where that cannot be.

    ``known`` finds the texts that must not appear in it (None: those of ``layout``). Unless ``everywhere``, what lies
    wholly in text that was not marked is left.
    """
    known = Occurrences(texts_of([layout])) if known is None else known
    edges = [0, *(edge for span in layout.spans for edge in span), len(document.text)]
    gaps = [document.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    tried = [iter((output, f"[{label}]", *NOTHING)) for output, label in zip(made, layout.labels, strict=True)]
    outputs = [next(ways) for ways in tried]
    while True:
        parts = [part for pair in zip(gaps, [*outputs, ""], strict=True) for part in pair][:-1]
        release = Release.joined(document.id, parts, list(layout.labels), 0)
        found = [range(index, index + 1) for index, output in enumerate(outputs) if any(known.find(output))]
        found += _standing(known, release)
        if everywhere and any(not places for places in found):
            raise InputError(STAYS, number)
        guilty = sorted({place for places in found for place in places})
        if not guilty:
            return release
        try:
            for index in guilty:
                outputs[index] = next(tried[index])
        except StopIteration:
            raise InputError(STAYS, number) from None


def _standing(known: Occurrences, release: Release) -> list[range]:
    """Return, for each marked text in ``release``, the outputs that take part in it or touch it."""
    starts, ends = list(release.bounds[::2]), list(release.bounds[1::2])
    return [range(bisect_left(ends, start), bisect_right(starts, end)) for start, end, _ in known.find(release.text)]
