"""What a detector marked, noted for each text, so that the two passes of a run with a ledger can be compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.wrapping_detector import Around
from sfumato.errors import ConfigurationError
from sfumato.text.document import Document
from sfumato.text.marks import Finding, Marks, Spans


@dataclass(frozen=True)
class NotedMarks(Around):
    """Marks what ``detector`` marks, and notes a digest of the bounds and labels in each text. Private.

    The text itself does not change between the passes. So equal digests say that the same draws are made: of the same
    values, by the same treatments, from the same numbers if they are keyed.
    """

    _noted: dict[tuple[str, ...], bytes] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def adjacency(self) -> str:
        """Return that of the detector."""
        return self.detector.adjacency

    @property
    def reads_content(self) -> bool:
        """Return whether the content of a text decides what the detector marks."""
        return self.detector.reads_content

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the spans of the detector, and note them."""
        found = self.detector.detect(documents)
        for document, spans in zip(documents, found, strict=True):
            self._note(document, np.array(spans.bounds, dtype="<i8").reshape(-1, 2), spans.labels)
        return found

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the findings of the detector, and note them."""
        found = self.detector.findings(documents)
        for document, own in zip(documents, found, strict=True):
            spans = Spans.of(own)
            self._note(document, np.array(spans.bounds, dtype="<i8").reshape(-1, 2), spans.labels)
        return found

    def mark(self, documents: Sequence[Document]) -> Marks:
        """Return the marks of the detector, and note them."""
        marks = self.detector.mark(documents)
        bounds = np.stack([marks.starts, marks.ends], axis=1).astype("<i8")
        edges = [0, *np.cumsum(marks.counts).tolist()]
        labels = marks.labels
        for number, (document, (first, last)) in enumerate(zip(documents, pairwise(edges), strict=True)):
            own = labels if isinstance(labels, str) else labels[number]
            self._note(document, bounds[first:last] - marks.origins[number], own)
        return marks

    def _note(self, document: Document, bounds: np.ndarray, labels: str | Sequence[str]) -> None:
        named = [labels] * len(bounds) if isinstance(labels, str) else list(labels)
        self._noted[document.names] = hashlib.sha256(bounds.tobytes() + json.dumps(named).encode()).digest()

    def taken(self, documents: Iterable[Document]) -> str:
        """Return one digest of what was noted of ``documents`` last, and forget it."""
        noted = [self._noted.pop(document.names, b"") for document in documents]
        return hashlib.sha256(b"".join(noted)).hexdigest()[:32]


def noting(sanitizer: Any) -> tuple[Sanitizer, NotedMarks]:
    """Return ``sanitizer`` with a detector that notes what it marks, and the detector.

    Raise ConfigurationError for one whose detector cannot be watched: no ledger could rely on its plan.
    """
    if not (is_dataclass(sanitizer) and "detector" in {each.name for each in fields(sanitizer)}):
        raise ConfigurationError(
            "This method hides its detector, so no ledger can compare what it reserves with what is drawn; leave "
            "out the ledger, or make the method a dataclass with a field for its detector."
        )
    own: Any = sanitizer
    noted = NotedMarks(own.detector)
    return replace(own, detector=noted), noted
