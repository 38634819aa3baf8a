"""A chunk of records sanitized: the bytes that it becomes, and what is counted of it."""

from __future__ import annotations

import os
import traceback
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from sfumato import errors
from sfumato.abstract.detector import Detector
from sfumato.errors import InputError, OutputError, SfumatoError
from sfumato.files import BadRecord, Chunk, Counts, FileOptions, Part
from sfumato.files.counts import NOTHING
from sfumato.files.kept_fields import passing_spans
from sfumato.files.keyed_rows import check_people, rows_of
from sfumato.missing import missing
from sfumato.release.kept_marks import KeptMarks
from sfumato.release.remains import Remains, direct_identifiers, remains
from sfumato.text.document import Document, Release


class BatchSanitizer(Protocol):
    """What a run asks of a sanitizer."""

    def sanitize_batch(self, documents: Sequence[Document], randomness: Any) -> Sequence[Release]:
        """Return one release a document, in order."""


@dataclass(frozen=True, slots=True)
class Releasing:
    """Everything that a process needs to sanitize a chunk of ``files``.

    ``secret`` is the key under which people are counted; it is the same for all chunks of a run. ``marks`` is the
    sanitizer's detector in a run with a ledger: it marks as was planned, and a part then says what each record paid
    for and how it was marked, which is compared with what was reserved.
    """

    sanitizer: BatchSanitizer
    randomness: Any
    files: FileOptions = field(default_factory=FileOptions)
    secret: str = ""
    marks: KeptMarks | None = None

    def part(self, chunk: Chunk) -> Part:
        """Return the chunk sanitized, as bytes of the output."""
        if self.marks is not None:
            self.marks.turn()
        left: list[Remains] = []
        chunk, releases, bad = self.sanitized(chunk, left)
        edges = chunk.edges
        if chunk.proves:
            chunk = chunk.with_values([values for own in left for values in own.direct])
        body = chunk.head + answered(lambda: chunk.render(releases), "Writing", chunk, edges)
        counts = replace(counted(chunk, releases, len(bad), len(body)), cautions=self._cautions(chunk))
        for own in left:
            counts += replace(NOTHING, returned=own.draws, remains=own.counts)
        drawn = () if self.marks is None else drawn_by(chunk, releases, self._by_document, self.marks)
        return Part(body, tuple(bad), counts, self._people(chunk, releases), drawn=drawn)

    def _cautions(self, chunk: Chunk) -> dict[str, int]:
        detector: Detector | None = getattr(self.sanitizer, "detector", None)
        return {} if detector is None else cautions_of(detector, chunk)

    @property
    def _by_document(self) -> bool:
        return bool(getattr(self.sanitizer, "spends_by_document", False))

    def _people(self, chunk: Chunk, releases: Sequence[Release]) -> dict[str, bytes] | None:
        """Return what the person of each record with a text spent: draws, or documents with a budget of their own.

        Under the name of each treatment of a policy are its own draws.
        """
        name = self.files.subject_field
        if name is None:
            return None
        spent = [min(release.draws, 1) if self._by_document else release.draws for release in releases]
        records = [(start, end) for start, end in pairwise(chunk.edges) if start < end]
        people = [str(chunk.documents[start].metadata[name]) for start, _ in records]
        rows = {"": rows_of(zip(people, (sum(spent[start:end]) for start, end in records), strict=True), self.secret)}
        for treatment in sorted({name for release in releases for name in release.draws_by}):
            own = [release.draws_by.get(treatment, 0) for release in releases]
            taken = [sum(own[start:end]) for start, end in records]
            rows[treatment] = rows_of([row for row in zip(people, taken, strict=True) if row[1]], self.secret)
        return rows

    def sanitized(
        self, chunk: Chunk, left: list[Remains] | None = None
    ) -> tuple[Chunk, Sequence[Release], list[BadRecord]]:
        """Return the chunk of the good records, a release for each of its documents, and the bad records.

        What the releases still show of the texts is added to ``left``. Raise InputError, before anything is drawn, if
        another field would pass that shows where spans were.
        """
        left = [] if left is None else left
        if chunk.passing.spans is not None:
            record, name = chunk.passing.spans
            raise passing_spans(chunk.where(record), name)
        if not chunk.documents:
            return chunk, [], chunk.bad
        try:
            return chunk, self._releases(chunk, chunk.edges, 0, len(chunk.places), left), chunk.bad
        except InputError:
            pass  # and again one by one, to say which record it is
        releases, reasons = self._one_by_one(chunk, left)
        dropped = set(reasons)
        aside = [chunk.set_aside(record, reason) for record, reason in reasons.items()]
        return chunk.without(dropped), releases, sorted(chunk.bad + aside, key=lambda bad: bad.line)

    def _sanitized(self, documents: Sequence[Document], left: list[Remains], proves: bool) -> Sequence[Release]:
        if self.files.subject_field is not None:
            check_people(documents, self.files.subject_field)
        marking: Any = self.sanitizer
        if not hasattr(marking, "sanitize_marked"):
            return self.sanitizer.sanitize_batch(documents, self.randomness)
        releases, marks = marking.sanitize_marked(documents, self.randomness)
        direct = direct_identifiers(documents, marks) if proves else ()
        left.append(replace(remains(marking, documents, releases, marks), direct=direct))
        return cast(Sequence[Release], releases)

    def _one_by_one(self, chunk: Chunk, left: list[Remains]) -> tuple[list[Release], dict[int, str]]:
        """Return the releases of the good records, and a reason for each bad one."""
        releases: list[Release] = []
        reasons: dict[int, str] = {}
        edges = chunk.edges
        for record in range(len(chunk.places)):
            try:
                releases += self._releases(chunk, edges, record, record + 1, left)
            except InputError as error:
                if self.files.on_error != "quarantine":
                    raise
                reasons[record] = str(error)
        return releases, reasons

    def _releases(
        self, chunk: Chunk, edges: Sequence[int], first: int, last: int, left: list[Remains]
    ) -> Sequence[Release]:
        """Return one release a document of the records ``first`` to ``last``, between the ``edges`` of all."""
        documents = chunk.documents[edges[first] : edges[last]]
        if not documents:
            return []
        releases = answered(
            lambda: self._sanitized(documents, left, chunk.proves),
            "The sanitizer", chunk, edges[first : last + 1], first, "nothing was released; ",
        )  # fmt: skip
        if [release.id for release in releases] != [document.id for document in documents]:
            raise OutputError(f"{chunk.file}: the sanitizer did not answer with one release a document; report it.")
        return releases


def cautions_of(detector: Detector, chunk: Chunk) -> dict[str, int]:
    """Return what to be careful about in the marks of ``chunk``; an error of the detector may quote a text."""
    if not chunk.documents:
        return {}
    return answered(lambda: dict(detector.cautions(chunk.documents)), "The detector", chunk, chunk.edges)


def drawn_by(
    chunk: Chunk, releases: Sequence[Release], by_document: bool, marks: KeptMarks
) -> list[tuple[str, dict[str, int], str]]:
    """Return the id of each record, what it paid for in each treatment, and a digest of its marks. Private."""
    rows = []
    for start, end in pairwise(chunk.edges):
        counts: Counter[str] = Counter()
        for release in releases[start:end]:
            counts.update(release.draws_by or {"": min(release.draws, 1) if by_document else release.draws})
        if start < end:
            rows.append((chunk.documents[start].names[-1], dict(counts), marks.taken(chunk.documents[start:end])))
    return rows


def counted(chunk: Chunk, releases: Sequence[Release], bad: int = 0, size: int = 0) -> Counts:
    """Return what is counted of a chunk with these ``releases``, which became ``size`` bytes."""
    edges = chunk.edges
    return Counts(
        records=len(chunk.places),
        characters=sum([len(document.text) for document in chunk.documents]),
        quarantined=bad,
        draws_per_record=_draws(releases, edges),
        size=size,
        labels=_labels(releases),
        untouched=_untouched(releases, edges),
        absent=chunk.absent,
        draws_by=_draws_by(releases, edges),
        passing=dict(chunk.passing.names),
    )


def _draws(releases: Sequence[Release], edges: Sequence[int]) -> dict[int, int]:
    """Return how many records took each number of draws; those of a record lie between two ``edges``."""
    draws = np.cumsum([0, *[release.draws for release in releases]])
    return dict(Counter(np.diff(draws[edges]).tolist()))


def _draws_by(releases: Sequence[Release], edges: Sequence[int]) -> dict[str, dict[int, int]]:
    """Return the same for each treatment that some record took draws of; the other records took none of it."""
    spent: dict[str, Counter[int]] = {}
    if not any(release.draws_by for release in releases):
        return {}
    for start, end in pairwise(edges):
        own: Counter[str] = Counter()
        for release in releases[start:end]:
            own.update(release.draws_by)
        for name, draws in own.items():
            spent.setdefault(name, Counter())[draws] += 1
    return {name: dict(counts) for name, counts in sorted(spent.items())}


def _labels(releases: Sequence[Release]) -> dict[str, int]:
    """Return how many spans have each label, if they have one each."""
    each = (release.labels for release in releases if not isinstance(release.labels, str))
    return dict(Counter(chain.from_iterable(each)))


def _untouched(releases: Sequence[Release], edges: Sequence[int]) -> int:
    """Return how many records have texts, between two ``edges``, and no replaced span in any of them."""
    spans = np.cumsum([0, *[len(release.bounds) for release in releases]])
    return int(np.count_nonzero((np.diff(edges) > 0) & (np.diff(spans[edges]) == 0)))


T = TypeVar("T")


def place_of(error: BaseException) -> str:
    """Return the kind of ``error`` and where it was raised; its message may quote private text."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"


def answered(
    ask: Callable[[], T], who: str, chunk: Chunk, edges: Sequence[int], first: int = 0, outcome: str = ""
) -> T:
    """Return what ``ask`` answers about the records of ``chunk`` from ``first`` on, whose documents ``edges`` part.

    Foreign errors are renamed, as failures of ``who`` with that ``outcome``, and sfumato's own made again: messages,
    contexts and notes of what lies under them may hold private text, and a worker process sends all of it along.
    """
    try:
        return ask()
    except SfumatoError as error:
        failure = _anew(error, chunk, edges, first)
    except Exception as error:
        last = first + len(edges) - 2
        failure = missing(error) or OutputError(
            f"{who} failed with {type(error).__name__} between {chunk.where(first)} and {chunk.where(last)}; "
            f"{outcome}report it."
        )
    # Raised outside the except block, so that no context drags the private message along.
    raise failure


def _anew(error: SfumatoError, chunk: Chunk, edges: Sequence[int], first: int) -> SfumatoError:
    """Return ``error`` with nothing but its message; an InputError also names the place in the file.

    The batch holds the documents between the ``edges`` of the records from ``first`` on.
    """
    if not isinstance(error, InputError):
        kind = next(kind for kind in type(error).__mro__ if kind.__module__ == errors.__name__)
        return cast(SfumatoError, kind(str(error)))
    if error.document is None or not 0 <= error.document < edges[-1] - edges[0]:
        return InputError(f"{chunk.where(first)}: {error.reason}")
    document = edges[0] + error.document
    record = bisect_right(edges, document) - 1
    return InputError(f"{chunk.where_text(first + record, document - edges[record])}: {error.reason}")
