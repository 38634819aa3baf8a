"""Several detectors as one, with lists of what is always and of what is never marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.abstract.detector import Detector
from sfumato.detectors.allowing import Allowed
from sfumato.detectors.found import unions
from sfumato.detectors.rules import Listed
from sfumato.errors import ConfigurationError, InputError
from sfumato.text.document import Document, records
from sfumato.text.marks import Doubts, Finding, Spans
from sfumato.version import origin


@dataclass(frozen=True)
class Combined(Detector):
    """Everything that one of ``detectors`` finds, except the entries of ``allow``, and the entries of ``deny``.

    Spans that overlap become one, as nothing that was found may be left outside. It has the label of the span with
    the highest rank, of the longest of them, of the first. A finding without a rank has its score as rank, and one
    without a score has 1. A span is left out if all of it is an entry of ``allow``; if an entry is only a part of a
    span, the span is marked whole. An entry of ``deny`` is marked even if ``allow`` has it, too.

    A guarantee is about texts that are marked alike (:attr:`adjacency`), as for any detector that reads the text: an
    allowed word shows that it is allowed, and the length of a mark may show which phrase of a list it is.
    """

    detectors: tuple[Detector, ...]
    allow: tuple[Allowed, ...] = ()
    deny: tuple[Listed, ...] = ()

    def __post_init__(self) -> None:
        if not self.detectors:
            raise ConfigurationError("Name at least one detector.")
        if len(self._spans_fields) > 1:
            raise ConfigurationError(
                "The detectors read spans in different fields, and a release has one field of spans; put them in one."
            )

    @property
    def description(self) -> str:
        """Return what is protected."""
        always = [f"always {detector.description}" for detector in self.deny]
        return "; ".join([*(detector.description for detector in self.detectors), *always])

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        named = ", ".join(allowed.description for allowed in self.allow)
        allowed = [f"on purpose, whatever is exactly an entry of {named}"] if self.allow else []
        several = [f"what none of them marks: {detector.unprotected}" for detector in self.detectors]
        only = [self.detectors[0].unprotected]
        return "; ".join([*allowed, *(several if len(self.detectors) > 1 else only)])

    @property
    def setting(self) -> str:
        """Return the settings of all detectors and lists."""
        lists = [sorted(f"{rule.label}\0{rule.source}" for rule in allowed.rules) for allowed in self.allow]
        several, denied = ([detector.setting for detector in part] for part in (self.detectors, self.deny))
        return f"{origin(type(self))} {several} {lists} {denied}"

    @property
    def known_labels(self) -> frozenset[str] | None:
        """Return the labels of all detectors, if all know theirs."""
        known = [detector.known_labels for detector in (*self.detectors, *self.deny)]
        return frozenset().union(*(labels for labels in known if labels)) if None not in known else None

    @property
    def public_labels(self) -> bool:
        """Return whether the labels of all detectors may be shown."""
        return all(detector.public_labels for detector in (*self.detectors, *self.deny))

    @property
    def spans_field(self) -> str | None:
        """Return that of the detectors that have one, which is the same."""
        return next(iter(self._spans_fields), None)

    @property
    def _spans_fields(self) -> set[str]:
        return {each.spans_field for each in self.detectors if each.spans_field is not None}

    def may_name(self, label: str) -> bool:
        """Return whether one of the detectors may have ``label`` shown."""
        return any(detector.may_name(label) for detector in (*self.detectors, *self.deny))

    def cautions(self, documents: Sequence[Document]) -> Mapping[str, int]:
        """Return those of all detectors. A record counts once, however many detectors say the same of it."""
        counts: Counter[str] = Counter()
        for record in records(documents):
            own = [documents[number] for number in record]
            counts.update({each for detector in (*self.detectors, *self.deny) for each in detector.cautions(own)})
        return dict(counts)

    def doubts(self, documents: Sequence[Document]) -> list[Doubts]:
        """Return those of the detector that expects most in each document."""
        every = zip(*(detector.doubts(documents) for detector in self.detectors), strict=True)
        return [max(own, key=lambda doubts: doubts.expected) for own in every]

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the spans of each document. Raise InputError if one of the detectors does."""
        return [Spans.of(findings) for findings in self.findings(documents)]

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the spans with score and finder of the span that gave each its label."""
        findings = _together(self.detectors, documents)
        always = _together(self.deny, documents)
        return [
            _united([*self._without_allowed(number, document, ours), *denied])
            for number, (document, ours, denied) in enumerate(zip(documents, findings, always, strict=True))
        ]

    def _without_allowed(self, number: int, document: Document, findings: list[Finding]) -> list[Finding]:
        union = _united(findings)
        try:
            return [
                finding
                for finding in union
                if not self._allows(document.text[finding.start : finding.end], finding.label)
            ]
        except InputError as error:
            error.document = number
            raise

    def _allows(self, text: str, label: str) -> bool:
        return any(allowed.allows(text, label) for allowed in self.allow)


def _together(detectors: Sequence[Detector], documents: Sequence[Document]) -> list[list[Finding]]:
    """Return what all ``detectors`` find in each document."""
    every = [detector.findings(documents) for detector in detectors]
    return [[finding for findings in every for finding in findings[number]] for number in range(len(documents))]


def _united(findings: Sequence[Finding]) -> list[Finding]:
    return [best._replace(start=start, end=end) for start, end, best in unions(findings, _rank)]


def _rank(finding: Finding) -> tuple[float, int, int]:
    rank = finding.score if finding.rank is None else finding.rank
    return 1.0 if rank is None else rank, finding.end - finding.start, -finding.start
