"""Marks that may identify a person: a network that has learned, formats, and attributes of people.

The network was trained on labelled text in twelve languages (``training/detector``); its weights travel with the
package. Patterns find what has a format: codes, dates, addresses of the net, values of fields. Overlapping spans are
united, so that no finder can shorten what another found. All words in a script that the network cannot read are
marked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from sfumato.abstract.detector import Detector
from sfumato.detectors.languages import check_language
from sfumato.errors import ConfigurationError
from sfumato.options.option import Option
from sfumato.text.document import Document
from sfumato.text.marks import Doubts, Finding, Spans

if TYPE_CHECKING:
    from sfumato.detectors.identifier_finder import IdentifierFinder

WARN, REFUSE = "warn", "refuse"
LEVELS = ("low", "medium", "high")
"""How much is marked: only what identifies most, what helps to identify, or all that may."""


@dataclass(frozen=True)
class Identifiers(Detector):
    """Everything that identifies directly, and most of what identifies together with other facts.

    ``labels`` keeps only spans with one of these labels. ``strict`` decides how much of what is found is marked; the
    levels are three points of a measured curve. ``language`` is the code of the texts' language, or ``auto``: each
    record is read in the language that its words show. A language that the network has not learned, that a record
    does not show, or that is not the one that is set, is warned of or refused.
    """

    language: Annotated[str, Option("language of the texts, or auto: by record")] = "en"
    labels: Annotated[Collection[str] | None, Option("only spans with one of these labels")] = None
    strict: Annotated[str, Option("how much of what is found is marked: low, medium or high")] = "medium"
    unknown_language: Annotated[str, Option("records in a language that is not learned: warn or refuse")] = WARN

    def __post_init__(self) -> None:
        if isinstance(self.labels, str) or (self.labels is not None and not self.labels):
            raise ConfigurationError("labels must be a set with at least one label.")
        if self.labels is not None:
            object.__setattr__(self, "labels", frozenset(self.labels))
        if self.strict not in LEVELS:
            raise ConfigurationError(f"strict is one of {', '.join(LEVELS)}, not {self.strict!r}.")
        check_language(self.language)
        if self.unknown_language not in (WARN, REFUSE):
            raise ConfigurationError(f"unknown_language is warn or refuse, not {self.unknown_language!r}.")

    @property
    def description(self) -> str:
        """Return what is protected."""
        kinds = "" if self.labels is None else f" ({', '.join(sorted(self.labels))} only)"
        return (
            "names, places, organisations, dates, ages, amounts, codes, addresses and personal attributes that a "
            f"trained network or a rule finds, and words in scripts that are not read{kinds}"
        )

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        left = (
            "everything that no finder marks: a missed name stays in the text as it stands, and what a text tells "
            "without naming it (events, style) is not looked for"
        )
        if self.unknown_language != REFUSE:
            return left
        return (
            f"{left}; a record in a language that the network has not learned, or in another one than is set, is "
            "refused, so the absence of a record "
            "discloses something about its language and about its words, for words that would be marked show a "
            "language too (dates do not)"
        )

    @property
    def setting(self) -> str:
        """Return the settings, with the hash of the network's card; two where the language is not English alone."""
        from sfumato.models.token_classifier.network import TokenClassifier

        other = "" if self.language == "en" else f" {TokenClassifier(others=True).id}"
        return f"{super().setting} {TokenClassifier().id}{other}"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the identifiers of each document. Raise InputError if a finder fails."""
        return [Spans.of(findings) for findings in self.findings(documents)]

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the spans with score and finder: ``network``, or ``rule:`` and a set of rules."""
        return self._finder.findings(documents)

    def cautions(self, documents: Sequence[Document]) -> Mapping[str, int]:
        """Return the languages that are weak or not known, in sentences, with the records of each."""
        return self._finder.cautions(documents)

    def doubts(self, documents: Sequence[Document]) -> list[Doubts]:
        """Return the words of each document that the network takes for identifiers, with their chances."""
        return self._finder.doubts(documents)

    @property
    def known_labels(self) -> frozenset[str]:
        """Return the labels that a span may have."""
        return self._finder.known_labels

    @property
    def public_labels(self) -> bool:
        """Return whether the labels are public: they are those of this version."""
        return True

    @cached_property
    def _finder(self) -> IdentifierFinder:
        from sfumato.detectors.identifier_finder import IdentifierFinder  # a second of rules, for texts alone

        return IdentifierFinder(**{option.name: getattr(self, option.name) for option in fields(self)})

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_finder"}
