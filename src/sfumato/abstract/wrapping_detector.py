"""Detectors that are made of another one, and say what they do not change as that one does."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.abstract.detector import Detector
from sfumato.text.document import Document
from sfumato.text.marks import Finding, Spans


@dataclass(frozen=True)
class Around(Detector):
    """A detector around another ``detector``. A subclass has findings of its own, and says what it changes.

    Its adjacency is that of any detector that reads content, unless it says otherwise.
    """

    detector: Detector

    @property
    def description(self) -> str:
        """Return that of the detector."""
        return self.detector.description

    @property
    def unprotected(self) -> str:
        """Return that of the detector."""
        return self.detector.unprotected

    @property
    def setting(self) -> str:
        """Return that of the detector."""
        return self.detector.setting

    @property
    def known_labels(self) -> frozenset[str] | None:
        """Return those of the detector."""
        return self.detector.known_labels

    @property
    def public_labels(self) -> bool:
        """Return whether the labels of the detector may be shown."""
        return self.detector.public_labels

    @property
    def spans_field(self) -> str | None:
        """Return that of the detector."""
        return self.detector.spans_field

    def may_name(self, label: str) -> bool:
        """Return whether the detector may have ``label`` shown."""
        return self.detector.may_name(label)

    @abstractmethod
    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the spans of each document with score and finder."""

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the spans of each document. Raise as :meth:`findings`."""
        return [Spans.of(findings) for findings in self.findings(documents)]
