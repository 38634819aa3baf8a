"""Several detectors as one, with lists of what is always and of what is never marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.abstract.detector import Detector
from sfumato.detectors.allowing import Allowed
from sfumato.detectors.found import unions
from sfumato.detectors.rules import Listed
from sfumato.errors import ConfigurationError, InputError
from sfumato.text.document import Document
from sfumato.text.marks import Finding, Spans


@dataclass(frozen=True)
class Combined(Detector):
    """Whatever one of ``detectors`` finds, but for what a list of ``allow`` holds, and what a list of ``deny`` holds.

    Spans that overlap become one, as nothing that was found may be left outside. It has the label of the span with
    the highest score, of the longest of them, of the first; a finder that gives no score is sure. A span is left out
    where all of it is an entry of ``allow``: where an entry is only a part of a span, the span is marked whole. What
    ``deny`` marks is marked whatever ``allow`` says.

    A guarantee is about texts that are marked alike (:attr:`adjacency`), as for any detector that reads what a text
    says: an allowed word shows that it is one, and a phrase of a list shows itself by its length.
    """

    detectors: tuple[Detector, ...]
    allow: tuple[Allowed, ...] = ()
    deny: tuple[Listed, ...] = ()

    def __post_init__(self) -> None:
        if not self.detectors:
            raise ConfigurationError("Name at least one detector.")

    @property
    def description(self) -> str:
        """What is protected."""
        always = [f"always {one.description}" for one in self.deny]
        return "; ".join([*(one.description for one in self.detectors), *always])

    @property
    def unprotected(self) -> str:
        """What stays as it stands."""
        named = ", ".join(one.description for one in self.allow)
        allowed = [f"on purpose, whatever is exactly an entry of {named}"] if self.allow else []
        several = [f"what none of them marks: {one.unprotected}" for one in self.detectors]
        only = [self.detectors[0].unprotected]
        return "; ".join([*allowed, *(several if len(self.detectors) > 1 else only)])

    @property
    def setting(self) -> str:
        """The settings of all of them."""
        lists = [sorted(f"{rule.label}\0{rule.source}" for rule in one.rules) for one in self.allow]
        return f"Combined {[one.setting for one in self.detectors]} {lists} {[one.setting for one in self.deny]}"

    @property
    def known_labels(self) -> frozenset[str] | None:
        """Those of all detectors, where all know theirs."""
        known = [one.known_labels for one in (*self.detectors, *self.deny)]
        return frozenset().union(*(labels for labels in known if labels)) if None not in known else None

    @property
    def public_labels(self) -> bool:
        """Whether those of all detectors may be shown."""
        return all(one.public_labels for one in (*self.detectors, *self.deny))

    @property
    def spans_field(self) -> str | None:
        """Return that of the first detector that has one."""
        return next((one.spans_field for one in self.detectors if one.spans_field is not None), None)

    def may_name(self, label: str) -> bool:
        """Whether one of the detectors may have its label shown."""
        return any(one.may_name(label) for one in (*self.detectors, *self.deny))

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """The spans of each document; raises InputError where one of the detectors does."""
        return [Spans.of(found) for found in self.findings(documents)]

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the same with score and finder of the span that gave each its label."""
        found = _together(self.detectors, documents)
        always = _together(self.deny, documents)
        return [
            _united([*self._without_allowed(number, document, own), *denied])
            for number, (document, own, denied) in enumerate(zip(documents, found, always, strict=True))
        ]

    def _without_allowed(self, number: int, document: Document, found: list[Finding]) -> list[Finding]:
        union = _united(found)
        try:
            return [one for one in union if not self._allows(document.text[one.start : one.end], one.label)]
        except InputError as error:
            error.document = number
            raise

    def _allows(self, text: str, label: str) -> bool:
        return any(one.allows(text, label) for one in self.allow)


def _together(detectors: Sequence[Detector], documents: Sequence[Document]) -> list[list[Finding]]:
    """Return what all ``detectors`` find in each document."""
    every = [one.findings(documents) for one in detectors]
    return [[found for own in every for found in own[number]] for number in range(len(documents))]


def _united(found: Sequence[Finding]) -> list[Finding]:
    return [best._replace(start=start, end=end) for start, end, best in unions(found, _rank)]


def _rank(found: Finding) -> tuple[float, int, int]:
    return 1.0 if found.score is None else found.score, found.end - found.start, -found.start
