"""A detector for tests: it marks what a field of the document says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.abstract.detector import Detector
from sfumato.text.document import Document
from sfumato.text.marks import Span, Spans


@dataclass(frozen=True)
class Marked(Detector):
    """Marks (start, end, label) of each of the ``spans``."""

    description = "what is marked"
    unprotected = "the rest"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        return [
            Spans.checked([Span(*one) for one in document.metadata["spans"]], len(document.text), "here")
            for document in documents
        ]
