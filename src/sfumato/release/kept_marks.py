"""What a detector marked when a run with a ledger was planned, kept so that the draw reads the same marks. Private.

Marks lie beside the plan of their part, in the hidden folder of the run, a segment for each chunk. They belong to
texts by name and content, and count only if their digest is the one in the plan that was paid for. Where they are
missing or were altered, the detector looks again, and what it marks is compared with the plan.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.detector import Around
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import ConfigurationError
from sfumato.text.document import Document
from sfumato.text.marks import Finding, Marks, Spans, laid_end_to_end

_SIZE = 8  # bytes of the length of a segment
Bounds = NDArray[np.int32]
Key = tuple[str, ...]


class _Marked(NamedTuple):
    """The marks of one text: start and end of each span, its labels, and a digest of text, bounds and labels."""

    bounds: Bounds
    labels: str | Sequence[str]
    digest: bytes

    @classmethod
    def of(cls, key: Key, bounds: Bounds, labels: str | Sequence[str]) -> _Marked:
        named = json.dumps([*key, labels if isinstance(labels, str) else list(labels)]).encode()
        return cls(bounds, labels, hashlib.sha256(bounds.astype("<i4").tobytes() + named).digest())

    @property
    def spans(self) -> Spans:
        return Spans(list(map(tuple, self.bounds.tolist())), self.labels)


@dataclass(frozen=True)
class KeptMarks(Around):
    """Marks what ``detector`` marks, and notes it; what was kept of a text is not looked for again."""

    _noted: dict[Key, _Marked] = field(default_factory=dict, init=False, repr=False, compare=False)
    _kept: dict[Key, _Marked] = field(default_factory=dict, init=False, repr=False, compare=False)
    _planned: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    _left: list[bytes] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def adjacency(self) -> str:
        """Return that of the detector."""
        return self.detector.adjacency

    @property
    def reads_content(self) -> bool:
        """Return whether the content of a text decides what the detector marks."""
        return self.detector.reads_content

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the findings of the detector, of which nothing is kept."""
        return self.detector.findings(documents)

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the spans of each document."""
        keys = list(map(_key, documents))
        if (kept := self._of(keys)) is not None:
            return [marked.spans for marked in kept]
        spans_of_each = self.detector.detect(documents)
        for key, spans in zip(keys, spans_of_each, strict=True):
            self._noted[key] = _Marked.of(key, np.array(spans.bounds, dtype=np.int32).reshape(-1, 2), spans.labels)
        return spans_of_each

    def mark(self, documents: Sequence[Document]) -> Marks:
        """Return the marks of ``documents`` by column."""
        keys = list(map(_key, documents))
        if (kept := self._of(keys)) is not None:
            return _laid(documents, kept)
        marks = self.detector.mark(documents)
        bounds = np.stack([marks.starts, marks.ends], axis=1)
        edges, labels = [0, *np.cumsum(marks.counts).tolist()], marks.labels
        for number, (key, (first, last)) in enumerate(zip(keys, pairwise(edges), strict=True)):
            own = (bounds[first:last] - marks.origins[number]).astype(np.int32)
            self._noted[key] = _Marked.of(key, own, labels if isinstance(labels, str) else labels[number])
        return marks

    def _of(self, keys: Sequence[Key]) -> list[_Marked] | None:
        """Return what was kept of the texts with these ``keys``, and note it; None unless it is all there."""
        if not self._kept or not all(key in self._kept for key in keys):
            return None
        self._noted.update((key, self._kept[key]) for key in keys)
        return [self._kept[key] for key in keys]

    def taken(self, documents: Iterable[Document]) -> str:
        """Return one digest of what was noted of ``documents``, which are of one record, and forget it."""
        noted = [self._noted.pop(_key(document), None) for document in documents]
        return _digest(noted)

    # Between the plan and the draw.

    def segment(self, documents: Sequence[Document]) -> bytes:
        """Return what was noted of the ``documents`` of a chunk."""
        noted = {key: self._noted[key] for document in documents if (key := _key(document)) in self._noted}
        rows = [[key, len(marked.bounds), marked.labels] for key, marked in noted.items()]
        bounds = [marked.bounds for marked in noted.values()]
        columns = np.concatenate(bounds).astype("<i4").tobytes() if bounds else b""
        packed = zlib.compress(json.dumps(rows).encode() + b"\n" + columns, 1)
        return len(packed).to_bytes(_SIZE, "little") + packed

    def begin(self, content: bytes, planned: Mapping[str, str]) -> None:
        """Begin a part: ``content`` holds its segments, ``planned`` the digest of each record by its id."""
        self._left[:] = _segments(content)
        self._planned.clear()
        self._planned.update(planned)

    def turn(self) -> None:
        """Go on to the next chunk: keep its marks of those records whose digest is the planned one."""
        self._kept.clear()
        for record, marked in _records(self._left.pop(0) if self._left else b""):
            if _digest(marked.values()) == self._planned.get(record):
                self._kept.update(marked)


def _segments(content: bytes) -> Iterator[bytes]:
    """Yield the segments of a part, in the order of its chunks."""
    place = 0
    while place < len(content):
        size = int.from_bytes(content[place : place + _SIZE], "little")
        yield content[place + _SIZE : place + _SIZE + size]
        place += _SIZE + size


def watched(sanitizer: Any) -> tuple[Sanitizer, KeptMarks]:
    """Return ``sanitizer`` with a detector that notes what it marks, and the detector.

    Raise ConfigurationError for one whose detector cannot be watched: no ledger could rely on its plan.
    """
    own: Any = sanitizer
    if isinstance(sanitizer, Sanitizer) and hasattr(own, "with_parts"):  # of several engines, one for each language
        marks = KeptMarks(own.detector)
        return own.with_parts(detector=marks), marks
    if not (is_dataclass(sanitizer) and "detector" in {each.name for each in fields(sanitizer)}):
        raise ConfigurationError(
            "This method hides its detector, so no ledger can compare what it reserves with what is drawn; leave "
            "out the ledger, or make the method a dataclass with a field for its detector."
        )
    marks = KeptMarks(own.detector)
    return replace(own, detector=marks), marks


def _key(document: Document) -> Key:
    """Return what sets a text apart from all others: a digest of it, and its names, the record's id last."""
    content = hashlib.blake2b(document.text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return (content, *document.names)


def _digest(noted: Iterable[_Marked | None]) -> str:
    """Return one digest of the marks of the texts of a record."""
    return hashlib.sha256(b"".join(b"" if marked is None else marked.digest for marked in noted)).hexdigest()[:32]


def _records(segment: bytes) -> Iterator[tuple[str, dict[Key, _Marked]]]:
    """Yield the id and the marks of each record in ``segment``; nothing of one that cannot be read."""
    records: dict[str, dict[Key, _Marked]] = {}
    try:
        told, _, columns = zlib.decompress(segment).partition(b"\n")
        bounds, place = np.frombuffer(columns, dtype="<i4").reshape(-1, 2), 0
        for names, count, labels in json.loads(told):
            key = tuple(names)
            records.setdefault(key[-1], {})[key] = _Marked.of(key, bounds[place : place + count], labels)
            place += count
    except (ValueError, TypeError, KeyError, zlib.error):
        return
    yield from records.items()


def _laid(documents: Sequence[Document], kept: Sequence[_Marked]) -> Marks:
    """Return the marks ``kept`` of ``documents`` by column."""
    codes, origins, lengths = laid_end_to_end([document.text for document in documents])
    counts = np.array([len(marked.bounds) for marked in kept], dtype=np.int64)
    bounds = np.concatenate([marked.bounds for marked in kept]) if kept else np.empty((0, 2), dtype=np.int32)
    starts, ends = (bounds + np.repeat(origins, counts)[:, None]).T.copy()
    labels = [marked.labels for marked in kept]
    same = isinstance(labels[0], str) and all(label == labels[0] for label in labels) if labels else False
    return Marks(codes, origins, lengths, starts, ends, counts, labels[0] if same else labels)
