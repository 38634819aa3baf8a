"""What a detector finds in a file, told without replacing anything: a line of JSON for each text."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from sfumato.abstract.detector import Detector
from sfumato.files import Chunk, FileOptions, Source, open_source
from sfumato.options.typed import typed
from sfumato.release.chunks import answered, cautions_of
from sfumato.release.job import FileProgress
from sfumato.text.document import Document
from sfumato.text.marks import Finding, Spans, checked_bounds

_LOG = logging.getLogger(__name__)
_AT_ONCE = 1000  # records, so that something is told soon and little is lost

Write = Callable[[str], object]
"""Takes the line of one text, without its end."""


@dataclass(frozen=True)
class FindSummary:
    """What was found. ``untouched`` is how many records have texts in which there was nothing.

    ``labels`` maps a label, and ``finders`` a finder, to how many spans have it, the most frequent first; ``absent``
    counts texts that are null or missing. ``cautions`` maps what to be careful about to how many records it is about.
    """

    records: int = 0
    texts: int = 0
    characters: int = 0
    labels: Mapping[str, int] = field(default_factory=dict)
    finders: Mapping[str, int] = field(default_factory=dict)
    untouched: int = 0
    absent: int = 0
    cautions: Mapping[str, int] = field(default_factory=dict)

    @property
    def spans(self) -> int:
        """How many spans were found."""
        return sum(self.labels.values())

    @classmethod
    def of(
        cls, documents: Sequence[Document], findings: Sequence[Sequence[Finding]], edges: Sequence[int] | None = None
    ) -> FindSummary:
        """Return the summary of ``findings``; a record's documents lie between ``edges`` (None: it has one)."""
        edges = range(len(documents) + 1) if edges is None else edges
        return cls(
            records=len(edges) - 1,
            texts=len(documents),
            characters=sum(len(document.text) for document in documents),
            labels=Counter(one.label for own in findings for one in own),
            finders=Counter(one.finder for own in findings for one in own),
            untouched=sum(start < end and not any(findings[start:end]) for start, end in pairwise(edges)),
        )

    def __add__(self, other: FindSummary) -> FindSummary:
        labels, finders = Counter(self.labels) + Counter(other.labels), Counter(self.finders) + Counter(other.finders)
        return FindSummary(
            self.records + other.records,
            self.texts + other.texts,
            self.characters + other.characters,
            dict(labels.most_common()),
            dict(finders.most_common()),
            self.untouched + other.untouched,
            self.absent + other.absent,
            dict(Counter(self.cautions) + Counter(other.cautions)),
        )


@typed
def find_file(
    detector: Detector,
    input: Path | str | Source,
    options: FileOptions | None = None,
    write: Write = print,
    show_text: bool = False,
    progress: FileProgress | None = None,
) -> FindSummary:
    """Find what a detector marks in a file, without replacing anything, and return the counts.

    A line of JSON goes to `write` for each text: its id, its field if a record may have several, its length in
    characters, and its spans with half-open offsets in characters, label, score and finder.

    Args:
        detector: Finds the spans.
        input: A file or folder, or a source that is open already.
        options: How the file is read.
        write: Takes each line, without its end.
        show_text: Add the text of each span, which is private.
        progress: Called after every chunk with bytes done, bytes in total, and records done.

    Raises:
        InputError: The input cannot be read. The error names the place, never content.
    """
    source = input if isinstance(input, Source) else open_source(Path(input), options or FileOptions())
    records = min(_AT_ONCE, source.options.chunk_records)
    source = source.with_options(replace(source.options, chunk_records=records))
    total = FindSummary()
    for chunk in source.chunks():
        findings_of_each = _found(detector, chunk)
        for document, place, findings in zip(chunk.documents, chunk.shown, findings_of_each, strict=True):
            write(as_line(document, findings, None if chunk.fields == (place,) else place, show_text))
        own, cautions = FindSummary.of(chunk.documents, findings_of_each, chunk.edges), cautions_of(detector, chunk)
        total += replace(own, absent=chunk.absent, cautions=cautions)
        if progress is not None:
            progress(chunk.done, source.size, total.records)
    _LOG.info("found %d spans in %d records", total.spans, total.records)
    return total


def found_in(detector: Detector, documents: Sequence[Document]) -> list[list[Finding]]:
    """Return what is found in each of ``documents``. Raises InputError, also where the spans cannot be."""
    findings = detector.findings(documents)
    for number, (document, own) in enumerate(zip(documents, findings, strict=True)):
        checked_bounds(Spans.of(own), len(document.text), number)
    return findings


def as_line(
    document: Document, findings: Sequence[Finding], place: str | None = None, show_text: bool = False
) -> str:
    """Return what was found in ``document`` as an object of JSON, on one line."""
    spans = [
        {**finding.told, **({"text": document.text[finding.start : finding.end]} if show_text else {})}
        for finding in findings
    ]
    named: dict[str, Any] = {} if place is None else {"field": place}
    content = {"id": document.id, **named, "characters": len(document.text), "spans": spans}
    line = json.dumps(content, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can hold only as an escape
        return json.dumps(content)
    return line


def _found(detector: Detector, chunk: Chunk) -> list[list[Finding]]:
    """What is found in each document of ``chunk``; errors name a place, and nothing of the text."""
    if not chunk.documents:
        return []
    return answered(lambda: found_in(detector, chunk.documents), "The detector", chunk, chunk.edges)
