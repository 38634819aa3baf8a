"""What is marked in texts: spans and findings, the records that hold them, and the spans of many texts by column."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from operator import eq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.language.people import OTHER_MARK, OTHER_NAME
from sfumato.text.document import Document, records
from sfumato.text.occurrences import Names, Occurrences, disjoint
from sfumato.types import IntArray

WORD = "WORD"
CODEC = f"utf-32-{sys.byteorder[0]}e"
"""Four bytes a code point, in the order of this machine; use it with ``surrogatepass``."""
_BETWEEN = "\n"
_REACH = 200

Codes = NDArray[np.uint32]


class Span(NamedTuple):
    """A labelled span of a text. Detectors return spans.

    Attributes:
        start: Where it starts, in characters.
        end: Where it ends (half-open).
        label: Its label.
    """

    start: int
    end: int
    label: str = WORD


class Finding(NamedTuple):
    """A span (``start``, ``end``, ``label``) with its ``finder`` and score.

    Attributes:
        start: Where it starts, in characters.
        end: Where it ends (half-open).
        label: Its label.
        score: The finder's certainty, from 0 to 1 on the finder's own scale; None if the finder gives none.
        finder: The name of the finder.
        rank: What decides which of several overlapping findings gives the label, if that is not the score.
    """

    start: int
    end: int
    label: str = WORD
    score: float | None = None
    finder: str = ""
    rank: float | None = None

    @property
    def told(self) -> dict[str, int | float | str | None]:
        """Return what a file of findings holds: everything except the rank."""
        return {name: value for name, value in self._asdict().items() if name != "rank"}


class Doubts(NamedTuple):
    """What a detector does not mark although it may be an identifier, for a person who reviews its marks.

    Attributes:
        words: Words with their chance as score, in reading order.
        others: The sum of the chances of all other words.
    """

    words: Sequence[Finding] = ()
    others: float = 0.0

    def outside(self, marks: Sequence[Finding]) -> Doubts:
        """Return the doubts about words that no mark of ``marks`` overlaps; these are in reading order."""
        starts = [mark.start for mark in marks]
        free = [word for word in self.words if not _overlaps(word, marks, starts)]
        return Doubts(free, self.others)

    @property
    def expected(self) -> float:
        """Return how many words are expected to be identifiers."""
        return self.others + sum(word.score or 0.0 for word in self.words)


def _overlaps(word: Finding, marks: Sequence[Finding], starts: Sequence[int]) -> bool:
    before = bisect_left(starts, word.end) - 1
    return before >= 0 and marks[before].end > word.start


@dataclass(frozen=True, slots=True)
class Spans:
    """The spans of one document, in reading order and disjoint, stored by column.

    ``bounds`` holds start and end of each. ``labels`` is one label for all of them, or a label each.
    """

    bounds: Sequence[tuple[int, int]]
    labels: str | Sequence[str] = WORD

    def __len__(self) -> int:
        return len(self.bounds)

    def __iter__(self) -> Iterator[Span]:
        for (start, end), label in zip(self.bounds, self.each_label(), strict=True):
            yield Span(start, end, label)

    def each_label(self) -> Sequence[str]:
        """Return one label for each span."""
        return [self.labels] * len(self.bounds) if isinstance(self.labels, str) else self.labels

    @classmethod
    def of(cls, spans: Iterable[Span | Finding]) -> Spans:
        """Return ``spans``, which must be in reading order and disjoint, by column."""
        listed = list(spans)
        return cls([(span.start, span.end) for span in listed], [span.label for span in listed])

    @classmethod
    def checked(cls, spans: Sequence[Span], length: int, place: str) -> Spans:
        """Return ``spans`` in reading order; refuse any that overlap, are empty, or lie outside a text of ``length``.

        ``place`` opens the error: it says where the spans were read, and not whose they are. Raise
        :class:`InputError`.
        """
        ordered = sorted(spans)
        end_before = 0
        for number, span in enumerate(ordered):
            if not (0 <= span.start < span.end <= length):
                raise InputError(
                    f"{place}: span {number} ({span.start}, {span.end}) is empty or lies outside the text of "
                    f"{length} characters; correct the offsets (half-open, in characters)."
                )
            if span.start < end_before:
                raise InputError(
                    f"{place}: span {number} ({span.start}, {span.end}) overlaps the span before it; "
                    "merge the two or keep one."
                )
            end_before = span.end
        return cls.of(ordered)


def checked_bounds(spans: Spans, length: int, document: int | None = None) -> list[int]:
    """Return the bounds of a detector's spans, end to end: start, end, start, end, ...

    Raise :class:`InputError` (about the document at the index ``document``) unless the spans are sorted, disjoint,
    not empty and inside a text of ``length`` characters, with one label each. An overlap would release its text a
    second time.

    The check costs 0.05 µs a span, so it runs after every detector.
    """
    edges = list(chain.from_iterable(spans.bounds))
    fault = ""
    if len(edges) != 2 * len(spans.bounds):
        fault = "are not pairs of a start and an end"
    elif not isinstance(spans.labels, str) and len(spans.labels) != len(spans.bounds):
        fault = "do not have one label each"
    elif edges and (edges[0] < 0 or edges[-1] > length):
        fault = "do not lie inside the text"
    elif edges != sorted(edges):
        fault = "overlap or are not sorted"
    elif any(map(eq, edges[::2], edges[1::2])):
        fault = "include an empty span"
    if fault:
        raise InputError(f"the spans found {fault}; correct the detector.", document)
    return edges


def codes_of(text: str) -> Codes:
    """Return the code points of ``text``, (characters,), lone surrogates among them."""
    return np.frombuffer(text.encode(CODEC, "surrogatepass"), dtype=np.uint32)


@dataclass(frozen=True, eq=False, repr=False)
class Marks:
    """The spans of many documents, by column.

    ``codes`` holds the documents' code points end to end with a line break before and after each. Document d is
    ``codes[origins[d] : origins[d] + lengths[d]]`` and has ``counts[d]`` spans, sorted and disjoint. ``starts`` and
    ``ends`` (n,) are indices into ``codes``. ``labels`` is one label for all spans, or the ``Spans.labels`` of each
    document.
    """

    codes: Codes
    origins: IntArray
    lengths: IntArray
    starts: IntArray
    ends: IntArray
    counts: IntArray
    labels: str | Sequence[str | Sequence[str]]

    @classmethod
    def of(cls, documents: Sequence[Document], spans: Sequence[Spans]) -> Marks:
        """Return the columns of ``spans``, a :class:`Spans` for each document.

        Raise :class:`InputError` if spans overlap, are empty or lie outside their document.
        """
        codes, origins, lengths = laid_end_to_end([document.text for document in documents])
        counts = np.array([len(marked) for _, marked in zip(documents, spans, strict=True)], dtype=np.int64)
        pairs = enumerate(zip(documents, spans, strict=True))
        edges = [
            edge
            for number, (document, marked) in pairs
            for edge in checked_bounds(marked, len(document.text), number)
        ]
        owners = np.repeat(np.arange(len(counts)), counts)
        starts, ends = (np.array(edges, dtype=np.int64).reshape(-1, 2) + origins[owners, None]).T.copy()
        return cls(codes, origins, lengths, starts, ends, counts, [marked.labels for marked in spans])


def laid_end_to_end(texts: Sequence[str]) -> tuple[Codes, IntArray, IntArray]:
    """Return the code points of ``texts`` with a line break before and after each, their origins and lengths."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    origins = np.cumsum(lengths + len(_BETWEEN)) - lengths
    return codes_of(_BETWEEN.join(["", *texts, ""])), origins, lengths


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

    def around(self, number: int, reach: int = _REACH) -> tuple[str, str]:
        """Return the text between marks before and after the span ``number``, of about ``reach`` characters each.

        Of another mark it shows that there is one, and whether it has the same label; never what it holds.
        """
        before = "".join(reversed(list(self._pieces(number, -1, reach))))[-reach:]
        return before, "".join(self._pieces(number, 1, reach))[:reach]

    def _pieces(self, number: int, step: int, reach: int) -> Iterator[str]:
        """Yield text and marks in turns from the span ``number`` on, backwards or forwards."""
        side = 0 if step < 0 else 1
        place = self.spans[number][side]
        left = reach
        for other in range(number + step, -1 if step < 0 else len(self.spans), step):
            start, end = sorted((place, self.spans[other][1 - side]))
            start, end = max(start, end - left) if step < 0 else start, end if step < 0 else min(end, start + left)
            yield self.text[start:end]
            left -= end - start + 1
            if left <= 0:
                return
            yield OTHER_NAME if self.labels[other] == self.labels[number] else OTHER_MARK
            place = self.spans[other][side]
        yield self.text[max(0, place - left) : place] if step < 0 else self.text[place : place + left]


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

    def everywhere(self, other_than: Collection[str] = ()) -> MarkedRecord:
        """Return the same with every marked text marked wherever else it appears, in any of its documents.

        It must appear as whole words, however it is spelled. Texts with a label in ``other_than`` stay as they are.
        """
        rows = zip(self.texts, self.labels, strict=True)
        marked = Occurrences({text for text, label in rows if label not in other_than}, loose=True, names=self.names)
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
