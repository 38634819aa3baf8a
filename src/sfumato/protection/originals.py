"""The texts of an input, record by record, what was released of each, and the marked values of each by kind.

The latter are what a register of names, dates and places would hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import InputError
from sfumato.files import FileOptions, open_release, open_source
from sfumato.files.counts import NAMES
from sfumato.files.options import UTF8
from sfumato.kinds.labels import DIRECT
from sfumato.text.document import Document, name_of_person, readable
from sfumato.text.marks import Spans
from sfumato.types import Progress


@dataclass(frozen=True, eq=False)
class Originals:
    """The texts of an input, record by record, with everything that a detector may read of them.

    ``documents`` are all texts in order; ``keys`` say which record and which field each belongs to. ``subject`` is
    the field that names a person, if there is one.
    """

    documents: Sequence[Document] = field(repr=False)
    keys: Sequence[tuple[str, ...]] = field(repr=False)
    subject: str | None = None

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def ids(self) -> list[str]:
        """Return a name for each text: the record's id, with the field where a record has several texts."""
        ids = [document.id for document in self.documents]
        return ids if len(set(ids)) == len(ids) else ["/".join(key) for key in self.keys]

    @property
    def people(self) -> list[list[int]]:
        """Return the places of the texts of each person: by the subject, else by the record."""
        groups: dict[object, list[int]] = {}
        numbers = self.record_of
        for place in range(len(self)):
            name = self.subject_of(place)
            owner = ("person", name) if name else ("record", numbers[place])
            groups.setdefault(owner, []).append(place)
        return list(groups.values())

    def subject_of(self, place: int) -> str:
        """Return the name of the person of a text; empty without one, or without a field that names people."""
        value = None if self.subject is None else self.documents[place].metadata.get(self.subject)
        return "" if value is None else name_of_person(value)

    @property
    def owners(self) -> list[int]:
        """Return the number of the person of each text, in the order of :attr:`people`."""
        owners = {place: person for person, places in enumerate(self.people) for place in places}
        return [owners[place] for place in range(len(self))]

    @property
    def record_of(self) -> list[int]:
        """Return the number of the record of each text: the texts of one record follow one another."""
        numbers: list[int] = []
        for place, key in enumerate(self.keys):
            same = place > 0 and len(key) > 1 and key[1:] == self.keys[place - 1][1:]
            numbers.append(numbers[-1] + (not same) if numbers else 0)
        return numbers

    def at(self, places: Sequence[int]) -> Originals:
        """Return the texts at ``places`` alone."""
        documents = [self.documents[place] for place in places]
        return replace(self, documents=documents, keys=[self.keys[place] for place in places])


def read_originals(path: Path, files: FileOptions) -> Originals:
    """Return the texts of an input. Raise InputError."""
    documents, keys = [], []
    for document in (document for chunk in open_source(path, files).chunks() for document in chunk.documents):
        documents.append(replace(document, text=readable(document.text)))
        keys.append(document.names)
    return Originals(documents, keys, files.subject_field)


def of_release(files: FileOptions) -> FileOptions:
    """Return how a release of an input that is read as ``files`` say is read."""
    return replace(files, spans_field=None, subject_field=None, keep=None, encoding=UTF8, adjustable=False)


def read_release(
    path: Path, input: Path, files: FileOptions, originals: Originals, private: Path
) -> list[str | None]:
    """Return the released text of ``input`` for each of ``originals``, None if there is none. Raise InputError.

    Which document a number was is in the ``private`` folder.
    """
    names = private / f"{path.name}{NAMES}"
    there = {
        document.names: readable(document.text)
        for chunk in open_release(path, input, of_release(files), files, names).chunks()
        for document in chunk.documents
    }
    return [there.get(key) for key in originals.keys]


_AT_ONCE = 256


@dataclass(frozen=True)
class Marked:
    """The values of each record, by kind: those that are replaced, and those that the policy keeps."""

    replaced: Sequence[Mapping[str, tuple[str, ...]]]
    kept: Sequence[Mapping[str, tuple[str, ...]]]

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds that are replaced in some record, the most frequent first."""
        return _by_frequency(self.replaced)

    @cached_property
    def every_kind(self) -> tuple[str, ...]:
        """Return the kinds that are marked in some record, the most frequent first."""
        return _by_frequency(self.every)

    @cached_property
    def every(self) -> tuple[Mapping[str, tuple[str, ...]], ...]:
        """Return all values of each record, by kind, whether the policy replaces or keeps them."""
        return tuple(
            {kind: (*drawn.get(kind, ()), *kept.get(kind, ())) for kind in {**drawn, **kept}}
            for drawn, kept in zip(self.replaced, self.kept, strict=True)
        )

    def direct(self, place: int) -> dict[str, tuple[str, ...]]:
        """Return the direct identifiers that are marked in a text, whether the policy replaces or keeps them."""
        return {kind: own for kind, own in self.every[place].items() if kind in DIRECT}


def _by_frequency(records: Sequence[Mapping[str, tuple[str, ...]]]) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for record in records:
        for kind, values in record.items():
            counts[kind] = counts.get(kind, 0) + len(values)
    return tuple(sorted(counts, key=lambda kind: (-counts[kind], kind)))


def marked(
    sanitizer: Sanitizer, documents: Sequence[Document], records: Sequence[int],
    progress: Progress | None = None,
) -> Marked:  # fmt: skip
    """Return the values that ``sanitizer`` marks in ``documents``, of these ``records`` (a number each).

    Raise InputError as its detector does.
    """
    replaced: list[Mapping[str, tuple[str, ...]]] = []
    kept: list[Mapping[str, tuple[str, ...]]] = []
    for places in batches(records):
        first, batch = places[0], [documents[place] for place in places]
        try:
            marks = sanitizer.detector.detect(batch)
            staying = sanitizer.staying(batch, marks)
        except InputError as error:
            error.document = None if error.document is None else error.document + first
            raise
        for document, spans, kept_here in zip(batch, marks, staying, strict=True):
            drawn, stays = dict[str, tuple[str, ...]](), dict[str, tuple[str, ...]]()
            for value, kind, is_kept in _values(sanitizer, document.text, spans, kept_here):
                into = stays if is_kept else drawn
                into[kind] = (*into.get(kind, ()), value)
            replaced.append(drawn)
            kept.append(stays)
        if progress is not None:
            progress((places[-1] + 1) / len(documents))
    return Marked(replaced, kept)


def _values(sanitizer: Sanitizer, text: str, spans: Spans, kept: Sequence[bool]) -> Iterator[tuple[str, str, bool]]:
    """Yield what is marked in ``text``, its kind, and whether it is ``kept``: by its kind, or as a measure."""
    for span, stays in zip(spans, kept, strict=True):
        value = text[span.start : span.end]
        yield value, sanitizer.kind(span.label, value), stays


def batches(records: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of a few hundred texts at once; those of one record stay together."""
    batch: list[int] = []
    for _, own in groupby(range(len(records)), records.__getitem__):
        batch += own
        if len(batch) >= _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
