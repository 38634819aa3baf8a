"""The idea of a detector: it finds the spans to protect."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from sfumato.abstract.method import Answering
from sfumato.text.document import Document
from sfumato.text.marks import WORD, Finding, Marks, Spans

SAME_MARKS = "two texts in which the same places are marked with the same labels and the text between is equal"
"""Which texts a guarantee is about where a detector reads what they say."""


class Detector(Answering, ABC):
    """Finds the spans to protect."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What is protected, in a few words, for the privacy statement."""

    @property
    @abstractmethod
    def unprotected(self) -> str:
        """What this detector leaves as it stands, for the privacy statement."""

    @abstractmethod
    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """The spans of each document, sorted and disjoint. An InputError holds its index, never its text."""

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the spans of :meth:`detect` with the score and the finder of each, where they are known."""
        return [[Finding(*span, None, self.finder) for span in spans] for spans in self.detect(documents)]

    @property
    def finder(self) -> str:
        """What findings name as their finder: the class, in small letters."""
        return re.sub(r"(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()

    @property
    def adjacency(self) -> str:
        """Return which texts a guarantee can be about.

        Changing one word can change which other words are marked (a tagger reads their neighbours), and that one was
        marked can tell what it is. So the guarantee is for texts that are marked alike, unless every word is.
        """
        return SAME_MARKS

    @property
    def reads_content(self) -> bool:
        """Return whether what a text says decides which of its places are marked: yes, unless every word is."""
        return True

    @property
    def setting(self) -> str:
        """The settings of this detector, spelled the same in every process, for ``--resume``."""
        return _settings(self)

    @property
    def known_labels(self) -> frozenset[str] | None:
        """Every label that a span may have; None where that is not known beforehand."""
        return None

    @property
    def public_labels(self) -> bool:
        """Whether its labels may be shown: they are its own, and neither the records' nor somebody's list's."""
        return False

    def may_name(self, label: str) -> bool:
        """Return whether a summary may name ``label``: it is its own, not a record's or somebody's list's."""
        known = self.known_labels
        return label == WORD or (self.public_labels and (known is None or label in known))

    def mark(self, documents: Sequence[Document]) -> Marks:
        """The same spans by column; a fast detector may have them without :meth:`detect`."""
        return Marks.of(documents, self.detect(documents))


def _settings(thing: Any) -> str:
    """Name and settings of ``thing``; the order of a set, which differs between processes, does not matter."""
    if is_dataclass(thing):
        settings = {field.name: _settings(getattr(thing, field.name)) for field in fields(thing) if field.compare}
        return f"{type(thing).__qualname__} {settings}"
    if isinstance(thing, tuple | list):
        return repr([_settings(one) for one in thing])
    return repr(sorted(map(repr, thing)) if isinstance(thing, set | frozenset) else thing)
