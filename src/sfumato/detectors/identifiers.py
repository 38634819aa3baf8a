"""Marks that may identify a person: Presidio's recognisers, a spaCy pipeline's entities, and rules for the rest.

Four kinds of finder look at every text. The pipeline and Presidio see it in overlapping windows, the rules see all of
it. Overlapping spans are united, so that no finder can shorten what another found. All words in a script that the
pipeline cannot read are marked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from sfumato.abstract.detector import Detector
from sfumato.abstract.options import Option
from sfumato.detectors.tagger import DEFAULT_PIPELINE
from sfumato.errors import ConfigurationError
from sfumato.storage.digests import digest_of_everything
from sfumato.text.document import Document
from sfumato.text.marks import Finding, Spans

if TYPE_CHECKING:
    from sfumato.detectors.identifier_finder import IdentifierFinder

LEVELS = ("low", "medium", "high")
"""How much is marked: only what identifies most, what helps to identify, or all that a finder marks."""


@dataclass(frozen=True)
class Identifiers(Detector):
    """Everything that identifies directly, and most of what identifies together with other facts.

    ``labels`` keeps only spans with one of these labels. ``threshold`` is the least score of a Presidio recogniser.
    ``skip`` leaves out labels of the pipeline (by default ORDINAL and LAW: "first" and "Article 6" disclose
    little). ``language`` is a code Presidio knows; the rules for words are English and only used for "en".
    ``strict`` decides how much of what is found is marked: "high" marks all of it, "medium" what helps to identify a
    person by its words and those beside it, "low" little except names, places, dates and codes.
    ``recognizers`` is a YAML file in Presidio's format. ``pipeline``, ``window`` and ``overlap`` are those of
    :class:`~sfumato.detectors.tagger.Entities`.
    """

    pipeline: Annotated[str, Option("installed spaCy pipeline, or a folder")] = DEFAULT_PIPELINE
    language: Annotated[str, Option("language of the texts, as Presidio names it")] = "en"
    labels: Annotated[Collection[str] | None, Option("only spans with one of these labels")] = None
    threshold: Annotated[float, Option("least score of a Presidio recogniser")] = 0.4
    skip: Annotated[Collection[str], Option("labels of the pipeline to leave out")] = frozenset({"ORDINAL", "LAW"})
    recognizers: Annotated[str | None, Option("YAML FILE of recognisers in Presidio's format", file=True)] = None
    window: Annotated[int, Option("characters of a long text that are read at once")] = 10_000
    overlap: Annotated[int, Option("characters that two windows share")] = 400
    strict: Annotated[str, Option("how much of what is found is marked: low, medium or high")] = "medium"

    def __post_init__(self) -> None:
        for name in ("labels", "skip"):
            value = getattr(self, name)
            if isinstance(value, str) or (name == "labels" and value is not None and not value):
                raise ConfigurationError(f"{name} must be a set with at least one label.")
            if value is not None:
                object.__setattr__(self, name, frozenset(value))
        if self.strict not in LEVELS:
            raise ConfigurationError(f"strict is one of {', '.join(LEVELS)}, not {self.strict!r}.")
        if not 0 <= self.threshold <= 1:
            raise ConfigurationError(f"The threshold is a score from 0 to 1, not {self.threshold!r}.")
        if not 4 * self.overlap <= self.window or self.overlap < 2:
            raise ConfigurationError("A window must be at least four times the overlap, and that at least 2.")

    @property
    def description(self) -> str:
        """Return what is protected."""
        kinds = "" if self.labels is None else f" ({', '.join(sorted(self.labels))} only)"
        return (
            "names, places, organisations, dates, ages, amounts, codes, addresses and personal attributes that "
            f"Presidio, {self.pipeline!r} or a rule finds, and words in scripts that are not read{kinds}"
        )

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        return (
            "everything that no finder marks: a missed name stays in the text as it stands, and what a text tells "
            "without naming it (events, style) is not looked for"
        )

    @property
    def setting(self) -> str:
        """Return the settings, with a hash of the file of recognisers."""
        listed = "" if self.recognizers is None else digest_of_everything(Path(self.recognizers))
        return f"{super().setting} {listed}"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the identifiers of each document. Raise InputError if a finder fails."""
        return [Spans.of(findings) for findings in self.findings(documents)]

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the spans with score and finder: ``spacy``, ``presidio:`` and a recogniser, ``rule:`` and a set."""
        return self._finder.findings(documents)

    @property
    def known_labels(self) -> frozenset[str]:
        """Return the labels that a span may have."""
        return self._finder.known_labels

    @property
    def public_labels(self) -> bool:
        """Return whether the labels are public: unless a file of recognisers or a pipeline of the user adds some."""
        return self.recognizers is None and "/" not in self.pipeline

    @cached_property
    def _finder(self) -> IdentifierFinder:
        from sfumato.detectors.identifier_finder import IdentifierFinder  # a second of rules, for texts alone

        return IdentifierFinder(**{option.name: getattr(self, option.name) for option in fields(IdentifierFinder)})

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_finder"}
