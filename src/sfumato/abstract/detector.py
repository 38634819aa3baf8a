"""Detectors: each finds the spans to protect."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from sfumato.abstract.method import Answering
from sfumato.errors import ConfigurationError
from sfumato.privacy.guarantee import marked_alike
from sfumato.text.document import Document
from sfumato.text.marks import WORD, Doubts, Finding, Marks, Spans
from sfumato.version import origin

SAME_MARKS = marked_alike()
"""The adjacency of a guarantee if a detector reads the content of the texts."""


class Detector(Answering, ABC):
    """Finds the spans to protect."""

    @property
    @abstractmethod
    def description(self) -> str:
        """Return what is protected, in a few words, for the privacy statement."""

    @property
    @abstractmethod
    def unprotected(self) -> str:
        """Return what this detector leaves unchanged, for the privacy statement."""

    @abstractmethod
    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the spans of each document, sorted and disjoint.

        An InputError holds the index of the document, never its text.
        """

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the spans of :meth:`detect` with the score and the finder of each, where they are known."""
        return [[Finding(*span, None, self.finder) for span in spans] for spans in self.detect(documents)]

    @property
    def finder(self) -> str:
        """Return the name that findings give for their finder: the class, in small letters."""
        return re.sub(r"(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()

    @property
    def spans_field(self) -> str | None:
        """Return the field of a record that spans are read from and released spans are written to, or None."""
        return None

    @property
    def adjacency(self) -> str:
        """Return which texts a guarantee can be about.

        Changing one word can change which other words are marked (a tagger reads their neighbours), and the fact that
        a word was marked can disclose what it is. So the guarantee is for texts that are marked alike, unless every
        word is marked.
        """
        return SAME_MARKS

    @property
    def reads_content(self) -> bool:
        """Return whether the content of a text decides which of its spans are marked: yes, unless every word is."""
        return True

    @property
    def setting(self) -> str:
        """Return class and settings of this detector, spelled the same in every process, for ``--resume``.

        Raise ConfigurationError if it is no dataclass, because then its settings are not known.
        """
        if not is_dataclass(self):
            name = type(self).__name__
            raise ConfigurationError(
                f"The detector {name} is no dataclass, so its settings are unknown; make it one."
            )
        return _settings(self)

    def cautions(self, documents: Sequence[Document]) -> Mapping[str, int]:
        """Return what to be careful about in the marks of ``documents``: sentences without text, records of each."""
        return {}

    def doubts(self, documents: Sequence[Document]) -> list[Doubts]:
        """Return which words of each document may be identifiers, with their chances; nothing where none is known."""
        return [Doubts() for _ in documents]

    @property
    def known_labels(self) -> frozenset[str] | None:
        """Return every label that a span may have; None if the labels are not known beforehand."""
        return None

    @property
    def public_labels(self) -> bool:
        """Return whether its labels may be shown: none of them comes from a record or from a user's list."""
        return False

    def may_name(self, label: str) -> bool:
        """Return whether a summary may name ``label``: it comes neither from a record nor from a user's list."""
        known = self.known_labels
        return label == WORD or (self.public_labels and (known is None or label in known))

    def mark(self, documents: Sequence[Document]) -> Marks:
        """Return the spans of :meth:`detect` by column. A fast detector may compute them without :meth:`detect`."""
        return Marks.of(documents, self.detect(documents))


def _settings(thing: Any) -> str:
    """Return the name and settings of ``thing``. The order of a set does not matter: it differs between processes."""
    if is_dataclass(thing):
        settings = {field.name: _settings(getattr(thing, field.name)) for field in fields(thing) if field.compare}
        return f"{origin(type(thing))} {settings}"
    if isinstance(thing, tuple | list):
        return repr([_settings(item) for item in thing])
    return repr(sorted(map(repr, thing)) if isinstance(thing, set | frozenset) else thing)


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

    def cautions(self, documents: Sequence[Document]) -> Mapping[str, int]:
        """Return those of the detector."""
        return self.detector.cautions(documents)

    def doubts(self, documents: Sequence[Document]) -> list[Doubts]:
        """Return those of the detector."""
        return self.detector.doubts(documents)

    @abstractmethod
    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the spans of each document with score and finder."""

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the spans of each document. Raise as :meth:`findings`."""
        return [Spans.of(findings) for findings in self.findings(documents)]
