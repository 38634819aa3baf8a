"""The texts that are sanitized together: what is marked in them and put in, and what their keyed draws depend on."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.privacy.randomness import Randomness, context
from sfumato.text.document import Document, name_of_person
from sfumato.text.marks import CODEC, Codes, Layout, MarkedRecord, Marks, Spans, codes_of, layout_of, marked_records
from sfumato.text.measures import KINDS as MEASURED
from sfumato.text.measures import Measures
from sfumato.text.occurrences import whole_letters
from sfumato.text.sentences import capitalised
from sfumato.types import IntArray

if TYPE_CHECKING:
    from sfumato.abstract.sanitizer import Sanitizer


@dataclass(frozen=True, slots=True)
class PlannedDraws:
    """The draws that one text will take of one treatment. Private: it depends on the text.

    Attributes:
        treatment: The first kind of the treatment; empty for a single method.
        count: How many draws are paid for. Under a budget of the document's own: 1 if there are any.
        source: A digest of everything that decides the draws if they are keyed, beside the key. Empty for
            draws that are paid for each time.
        shared: For draws that all records of a subject share: a digest of what decides each.
    """

    treatment: str
    count: int
    source: bytes = field(default=b"", repr=False)
    shared: tuple[bytes, ...] = field(default=(), repr=False)


Row = tuple[int, int]
"""Where a marked text is: the number of its record in the batch, and of the text among those marked in the record."""


@dataclass(frozen=True, eq=False)
class Spelled:
    """Texts as code points, end to end: ``edges`` bound the entries in ``codes``."""

    codes: Codes
    edges: IntArray

    @classmethod
    def of(cls, texts: Sequence[str]) -> Spelled:
        """Spell ``texts``, an entry each."""
        edges = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=edges[1:])
        return cls(codes_of("".join(texts)), edges)

    @classmethod
    def of_tokens(cls, tokens: Sequence[str]) -> Spelled:
        """Spell the V ``tokens`` of a vocabulary, then the same tokens as they are at the start of a sentence."""
        return cls.of([*tokens, *map(capitalised, tokens)])

    def entries(self, tokens: IntArray, opening: NDArray[np.bool_]) -> IntArray:
        """Return which entry spells each of ``tokens`` (n,); ``opening`` (n,) says which begin a sentence."""
        return tokens + opening * (len(self.edges) // 2)


@dataclass(frozen=True, eq=False)
class Outputs:
    """What is put in: ``entries`` of ``spelled`` at ``places``, both (m,)."""

    spelled: Spelled
    places: IntArray
    entries: IntArray

    @classmethod
    def of(cls, places: IntArray, texts: Sequence[str]) -> Outputs:
        """Return what puts one of ``texts`` at each of ``places``."""
        return cls(Spelled.of(texts), places, np.arange(len(places)))

    @property
    def texts(self) -> list[str]:
        """Return the text at each place."""
        edges, codes = self.spelled.edges, self.spelled.codes
        bounds = zip(edges[self.entries].tolist(), edges[self.entries + 1].tolist(), strict=True)
        return [codes[start:end].tobytes().decode(CODEC, "surrogatepass") for start, end in bounds]


class Made(NamedTuple):
    """What a treatment made of a batch: what it puts in at its places, and how many draws each document paid for.

    A treatment of whole texts has ``rewritten`` instead: for each document text that was kept and outputs in turns,
    with the labels of the outputs.
    """

    outputs: Sequence[Outputs]
    spent: IntArray
    rewritten: Sequence[tuple[Sequence[str], Sequence[str]]] = ()


@dataclass(frozen=True, eq=False)
class Batch:
    """The ``documents`` that ``sanitizer`` sanitizes together, and where their random numbers come from. Private."""

    sanitizer: Sanitizer
    documents: Sequence[Document] = field(repr=False)
    randomness: Randomness
    on_draws: Callable[[int], None] | None = None

    @cached_property
    def records(self) -> list[MarkedRecord]:
        """Return the records of the documents, with what is replaced in each."""
        return self.sanitizer.records(self.documents)

    @cached_property
    def layouts(self) -> list[Layout]:
        """Return what is replaced in each document."""
        return [layout for record in self.records for layout in record.layouts]

    @cached_property
    def marks(self) -> Marks:
        """Return what is replaced, by column: as the detector marks it where nothing else is asked."""
        if self.sanitizer.as_found and not self.sanitizer.in_context:
            return self.sanitizer.detector.mark(self.documents)
        return Marks.of(self.documents, [Spans(layout.spans, layout.labels) for layout in self.layouts])

    @cached_property
    def owners(self) -> IntArray:
        """Return the number of the document of each place, shape (n,)."""
        return np.repeat(np.arange(len(self.documents)), self.marks.counts)

    @property
    def kinds(self) -> list[str]:
        """Return the kind at each place."""
        return [kind for record in self.records for kind in record.labels]

    @cached_property
    def texts(self) -> list[str]:
        """Return the marked text at each place."""
        return [text for record in self.records for text in record.texts]

    @cached_property
    def rows(self) -> list[Row]:
        """Return where each place is."""
        return [(number, own) for number, record in enumerate(self.records) for own in range(len(record.texts))]

    def by_record(self, places: IntArray) -> dict[int, list[int]]:
        """Return the positions in ``places`` that belong to each record, by its number."""
        grouped: dict[int, list[int]] = {}
        for position, place in enumerate(places.tolist()):
            grouped.setdefault(self.rows[place][0], []).append(position)
        return grouped

    def around(self, place: int) -> tuple[str, str]:
        """Return the text between marks before and after the mark at ``place``, with signs for other marks."""
        owner = int(self.owners[place])
        layout: Layout = self.layouts[owner]
        return layout.around(place - int(self._first_places[owner]))

    @cached_property
    def _first_places(self) -> IntArray:
        """Return the first place of each document."""
        return np.searchsorted(self.owners, np.arange(len(self.documents)))

    def paid(self, spent: dict[int, int]) -> IntArray:
        """Return what each document paid for, where the first of a record pays what the record ``spent``."""
        paid = np.zeros(len(self.documents), dtype=np.int64)
        for record, count in spent.items():
            paid[self.records[record].first] = count
        return paid

    def plans(self, kind: str, planned: dict[int, tuple[int, list[bytes]]]) -> Iterator[tuple[int, PlannedDraws]]:
        """Yield what each record will draw for ``kind``, with the number of its first document.

        ``planned`` holds the number of draws, and a digest of each that the record's subject shares.
        """
        for record, (count, shared) in planned.items():
            source = hashlib.sha256(context(kind, self.key(record))).digest()
            yield self.records[record].first, PlannedDraws(kind, count, source, tuple(shared))

    @property
    def setting(self) -> str:
        """Return a hash of everything public that decides a release."""
        return self.sanitizer.setting

    def key(self, record: int) -> bytes:
        """Return what every keyed draw of ``record`` depends on."""
        return self._keys[record]

    @cached_property
    def _keys(self) -> list[bytes]:
        """Return what every keyed draw of a record depends on: the setting, its origin, and all of its marked texts.

        All of them, because draws that a changed record shares with its original would disclose where it changed.
        """
        return [self._key(record) for record in self.records]

    def _key(self, record: MarkedRecord) -> bytes:
        names = [context(*document.names) for document in record.documents]
        marked = context(*(part for pair in zip(record.texts, record.labels, strict=True) for part in pair))
        return context(self.setting, *names, hashlib.sha256(marked).digest())

    def contexts(self, records: Sequence[int], parts: Sequence[Sequence[str | int]]) -> list[bytes] | None:
        """Return the contexts of draws for ``records``, told apart by ``parts``; None if randomness is not keyed."""
        if not self.randomness.keyed:
            return None
        return [context(self._keys[record], *own) for record, own in zip(records, parts, strict=True)]

    def subject(self, record: int) -> str:
        """Return the name of a record's person. Raise InputError naming the document where it has none."""
        field_name = self.sanitizer.subject_field
        first = self.records[record].documents[0]
        name = first.metadata.get(field_name) if field_name else None
        if isinstance(name, bool) or not isinstance(name, str | int) or not name_of_person(name):
            raise InputError(
                f"the field {field_name!r}, which names the person of a record, is missing or empty; correct "
                "the record, or draw for each record.",
                self.records[record].first,
            )
        return name_of_person(name)


Labelled = tuple[tuple[int, int], str]
"""The bounds of a mark, and its label or kind."""


@dataclass(frozen=True)
class Marking:
    """Says what is replaced of what is marked, and what stays: by its kind, or as a measure.

    The engine, an attack that looks for replaced values, and the page of a review ask here alone, so that they agree.

    Attributes:
        kind_of: Returns the kind of a span from its label and its text; None where the label is the kind.
        keeps: Returns whether spans of a kind stay.
        as_found: Whether spans are replaced as they are marked.
        everywhere: Whether a text that is marked once is marked wherever else its record holds it.
        measures: Says which marks are doses, laboratory values and the like, which stay; None if none does.
        parted: Returns bounds and kind of the marks of a text with these bounds and labels, where marks that nothing
            reads become marks that are read; None leaves the detector's.
    """

    kind_of: Callable[[str, str], str] | None
    keeps: Callable[[str], bool]
    as_found: bool = False
    everywhere: bool = True
    measures: Measures | None = None
    parted: Callable[[str, Iterable[Labelled]], list[Labelled]] | None = None

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
        if self.parted is None:
            pairs = [((start, end), kind_of(label, document.text[start:end])) for (start, end), label in rows]
        else:
            pairs = self.parted(document.text, rows)
        replaced = [(span, kind) for span, kind in pairs if not self.keeps(kind)]
        return Layout(document.text, [span for span, _ in replaced], [kind for _, kind in replaced])


def _meets(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Return whether one of ``spans``, which are in order, overlaps the characters from ``start`` to ``end``."""
    before = bisect_left(spans, (end, 0)) - 1
    return before >= 0 and spans[before][1] > start
