"""Several treatments in one release: each kind of span has its own mechanism, its own method, or stays.

The way of a span: the detector marks and labels it; the label and the text decide its kind; a text that is marked
once is marked wherever else its record holds it; the treatment of its kind replaces it. Draws come first. What the
method without a guarantee puts in may then be changed because of what it replaced, which is equal in all texts that a
guarantee compares; what draws replaced is never looked at again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sfumato import version
from sfumato.abstract.detector import Detector
from sfumato.abstract.law import Law
from sfumato.abstract.planned import PlannedDraws
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.stream import document_of
from sfumato.abstract.treatment import Treatment
from sfumato.abstract.vocabulary import SourceFile
from sfumato.engines.mentions import Batch
from sfumato.engines.operated import Kept, Operated
from sfumato.engines.shift import Shifted
from sfumato.engines.values import DrawnValues
from sfumato.errors import ConfigurationError
from sfumato.privacy.certificates import ANALYSIS
from sfumato.privacy.randomness import PINS, Randomness, SystemRandomness, context
from sfumato.text.document import Document, Release
from sfumato.text.layout import Layout, joined
from sfumato.text.marked_record import MarkedRecord, marked_records
from sfumato.text.marks import checked_bounds
from sfumato.text.occurrences import Occurrences, whole_letters
from sfumato.types import Progress

_BRACKETED = (
    "where a drawn value equals a text of its record that a method without a guarantee replaced, or completes one "
    "with the words beside it: its kind in brackets is there instead, such as [AGE]"
)
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


@dataclass(frozen=True, eq=False)
class TreatmentSanitizer(Sanitizer):
    """Sanitizes documents by the treatments of a policy. Build one with `sfumato.build_policy`.

    Attributes:
        detector: Finds the spans.
        kind_of: Returns the kind of a span from its label and its text; public and total.
        treated: What is done, each kind in one treatment.
        others: The treatment of kinds that no other treatment names.
        subject_field: The field that names the person of a record.
        mended: Mends a release at the edges of what was put in; None leaves the draws bare.
        policy: The name and the fingerprint of the policy, for the statement.
    """

    detector: Detector
    kind_of: Callable[[str, str], str]
    treated: Sequence[Treatment]
    others: Treatment
    subject_field: str | None = None
    mended: Callable[[Release], Release] | None = None
    policy: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kinds = [kind for treatment in self.treated for kind in treatment.kinds]
        if len(set(kinds)) < len(kinds):
            raise ConfigurationError("A kind is treated twice; name each kind in one treatment.")
        if isinstance(self.others, DrawnValues | Shifted):
            raise ConfigurationError("What no treatment names cannot be drawn: a mechanism needs to know the kind.")

    @cached_property
    def treatments(self) -> Sequence[Treatment]:
        """Return every treatment, the one of all other kinds last."""
        return (*self.treated, self.others)

    @cached_property
    def _by_kind(self) -> dict[str, Treatment]:
        return {kind: treatment for treatment in self.treated for kind in treatment.kinds}

    def treatment_of(self, kind: str) -> Treatment:
        """Return the treatment of ``kind``."""
        return self._by_kind.get(kind, self.others)

    def treatment_of_value(self, label: str, text: str) -> Treatment:
        """Return the treatment of a value whose kind is ``label``, or follows from label and text."""
        return self.treatment_of(label if label in self._by_kind else self.kind_of(label, text))

    def prepare(self, progress: Progress | None = None) -> None:
        """Load and certify every treatment, so that nothing is read before all claims hold."""
        for number, treatment in enumerate(self.treatments):
            treatment.prepare()
            if progress is not None:
                progress((number + 1) / len(self.treatments))

    @cached_property
    def setting(self) -> str:
        """Return a hash of everything public that decides a release, for ``--resume`` and for keyed draws.

        Raise ConfigurationError for a fact that is an address in memory, which no other process has.
        """
        facts = {
            "program": [version.VERSION, ANALYSIS, PINS],
            "detector": self.detector.setting,
            "kinds": version.origin(type(self.kind_of)),
            "treatments": [[list(treatment.kinds), treatment.name, treatment.facts] for treatment in self.treatments],
            "subject": self.subject_field,
            "mended": self.mended is not None,
        }
        told = json.dumps(facts, sort_keys=True, default=repr)
        if _ADDRESS.search(told):
            raise ConfigurationError(
                "A kind or a method is described by an address in memory, so that no other process would draw the "
                "same; give what it holds a __repr__ of its own, as a frozen dataclass has."
            )
        return hashlib.sha256(told.encode()).hexdigest()

    @property
    def run_digest(self) -> str:
        """Return a digest of the keys of this run that draws for subjects come from; empty without any."""
        keys = [treatment.run_key for treatment in self.treated if isinstance(treatment, DrawnValues | Shifted)]
        return hashlib.sha256(b"".join(keys)).hexdigest() if any(keys) else ""

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the fields that the treatments read beside the text."""
        return () if self.subject_field is None else (self.subject_field,)

    @property
    def records_at_once(self) -> int:
        """Return how many records a chunk of a file should hold."""
        return 1024

    @property
    def in_context(self) -> bool:
        """Return whether a replacement may depend on the whole document: those without a guarantee may."""
        return any(isinstance(treatment, Operated) for treatment in self.treatments)

    @property
    def mends_edges(self) -> bool:
        """Return whether words that touch a replacement may be mended after the draws."""
        return self.mended is not None

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of a probability that is drawn from."""
        return max((treatment.relative_error for treatment in self.treatments), default=0.0)

    @property
    def sources(self) -> list[SourceFile]:
        """Return the public files that the treatments were read from."""
        return list(dict.fromkeys(source for treatment in self.treatments for source in treatment.sources))

    @property
    def visible(self) -> list[str]:
        """Return what anyone can see of a release beside what every release shows."""
        seen = [line for treatment in self.treatments for line in treatment.visible]
        drawn = any(isinstance(treatment, DrawnValues | Shifted) for treatment in self.treatments)
        seen += [_BRACKETED] if drawn and self.in_context else []
        return list(dict.fromkeys(["the kind of each replaced span, as far as its replacement shows it", *seen]))

    def statement_fields(self) -> dict[str, Any]:
        """Return the policy, for the statement; its treatments are stated one by one."""
        return {"mechanism": "policy", "policy": dict(self.policy)}

    def explain(self, text: str, position: int | None = None, label: str | None = None) -> Law:
        """Return the law of the value `text`, whose kind is `label` or follows from label and text."""
        if position is not None or label is None:
            raise ConfigurationError("A policy treats kinds differently: say the label or the kind of the value.")
        words = document_of(text).text
        treatment = self.treatment_of_value(label, words)
        if not isinstance(treatment, DrawnValues):
            raise ConfigurationError(
                f"{label} is treated by {treatment.name} here, which has no law of single values."
            )
        return treatment.law(words)

    def spans(self, document: Document) -> list[tuple[int, int, str]]:
        """Return what a release replaces, with the kind of each span."""
        [record] = self.records([document])
        [layout] = record.layouts
        return [(*span, label) for span, label in zip(layout.spans, layout.labels, strict=True)]

    def records(self, documents: Sequence[Document]) -> list[MarkedRecord]:
        """Return the records of ``documents`` with what is replaced in each, by kind. Private."""
        detected = self.detector.detect(documents)
        layouts = []
        for number, (document, spans) in enumerate(zip(documents, detected, strict=True)):
            checked_bounds(spans, len(document.text), number)
            bounds = whole_letters(document.text, spans.bounds)
            kinds = [
                self.kind_of(label, document.text[start:end])
                for (start, end), label in zip(bounds, spans.each_label(), strict=True)
            ]
            rows = [row for row in zip(bounds, kinds, strict=True) if not isinstance(self.treatment_of(row[1]), Kept)]
            layouts.append(Layout(document.text, [span for span, _ in rows], [kind for _, kind in rows]))
        return [record.everywhere() for record in marked_records(documents, layouts)]

    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """Return a release for each document, in order. Raise InputError naming the document, never its text."""
        source = randomness or SystemRandomness()
        source.check_names([document.names for document in documents])
        batch = Batch(self.records(documents), source, self.setting, self.subject_field)
        outputs: list[list[str]] = [[""] * len(record.texts) for record in batch.records]
        spent: list[dict[str, int]] = [{} for _ in batch.records]
        for treatment in self.treatments:
            if not isinstance(treatment, DrawnValues | Shifted):
                continue
            mentions = [mention for mention in batch.mentions if self.treatment_of(mention.kind) is treatment]
            made, draws = treatment.outputs(batch, mentions)
            for mention, output in zip(mentions, made, strict=True):
                outputs[mention.record][mention.place] = output
            for record, count in draws.items():
                spent[record][treatment.kinds[0]] = count
        rows = zip(batch.records, outputs, spent, strict=True)
        return [release for row in rows for release in self._releases(*row, batch)]

    def planned(self, documents: Sequence[Document]) -> list[tuple[PlannedDraws, ...]]:
        """Return the draws of each document, without drawing; those of a record belong to its first document."""
        batch = Batch(self.records(documents), SystemRandomness(), self.setting, self.subject_field)
        planned: list[list[PlannedDraws]] = [[] for _ in batch.records]
        for treatment in self.treatments:
            if not isinstance(treatment, DrawnValues | Shifted):
                continue
            mentions = [mention for mention in batch.mentions if self.treatment_of(mention.kind) is treatment]
            kind = treatment.kinds[0]
            for record, (count, shared) in treatment.planned(batch, mentions).items():
                source = hashlib.sha256(context(kind, batch.key(record))).digest()
                planned[record].append(PlannedDraws(kind, count, source, tuple(shared)))
        rows: list[tuple[PlannedDraws, ...]] = []
        for marked, own in zip(batch.records, planned, strict=True):
            rows += [tuple(own), *[()] * (len(marked.documents) - 1)]
        return rows

    def _releases(
        self, record: MarkedRecord, outputs: list[str], spent: Mapping[str, int], batch: Batch
    ) -> list[Release]:
        """Return the releases of the documents of ``record``; what it spent belongs to the first."""
        operated = self._operated(record, outputs, batch)
        releases = []
        rows = zip(record.documents, record.layouts, record.by_document(outputs), strict=True)
        for number, (document, layout, made) in enumerate(rows):
            release = joined(record.first + number, document, layout, made, True, operated)
            own = dict(spent) if number == 0 else {}
            release = replace(release, draws=sum(own.values()), draws_by=own)
            releases.append(release if self.mended is None else self.mended(release))
        return releases

    def _operated(self, record: MarkedRecord, outputs: list[str], batch: Batch) -> Occurrences:
        """Put into ``outputs`` what methods without a guarantee replace, and return what finds those originals."""
        for treatment in self.treatments:
            if not isinstance(treatment, Operated):
                continue
            own = [self.treatment_of(kind) is treatment for kind in record.labels]
            if any(own):
                made = iter(treatment.outputs(record, own, outputs, self.setting, batch.randomness))
                outputs[:] = [next(made) if mine else output for mine, output in zip(own, outputs, strict=True)]
        operated = [isinstance(self.treatment_of(kind), Operated) for kind in record.labels]
        texts = {text for text, mine in zip(record.texts, operated, strict=True) if mine}
        return Occurrences(texts, names=record.names)
