"""Marks that may identify a person: Presidio's recognisers, a spaCy pipeline's entities, and rules for the rest.

Four kinds of finder look at every text. The pipeline and Presidio see it in overlapping windows, the rules see all of
it. Overlapping spans are united, so that no finder can shorten what another found. All words in a script that the
pipeline cannot read are marked.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import regex

from sfumato.abstract.detector import Detector
from sfumato.abstract.options import Option
from sfumato.detectors import (
    ailments,
    carrying,
    cities,
    codes,
    combined,
    cues,
    edges,
    fields,
    formats,
    organisations,
    people,
    personal_attributes,
    scripts,
)
from sfumato.detectors.context import LEVELS, telling
from sfumato.detectors.found import Found, by, findings_of
from sfumato.detectors.labels import check_labels
from sfumato.detectors.sparing import without
from sfumato.detectors.tagger import DEFAULT_PIPELINE
from sfumato.detectors.windows import batches, failed
from sfumato.errors import ConfigurationError, InputError, MissingExtraError
from sfumato.models.spacy.pipelines import load_pipeline, pipeline_labels
from sfumato.models.spacy.speed import tagged, zone
from sfumato.storage.digests import digest_of_everything
from sfumato.text.document import Document, records
from sfumato.text.marks import Finding, Spans

_INSTALL = "pip install 'sfumato[models,identifiers]'"
_ONE_AT_A_TIME = threading.Lock()  # a spaCy pipeline is not safe across threads
_OF_SPACY = {
    **dict.fromkeys(("PERSON", "PER"), ("PERSON", 0.85)),
    **dict.fromkeys(("GPE", "LOC", "FAC"), ("LOCATION", 0.7)),
    **{"ORG": ("ORGANIZATION", 0.7), "NORP": ("GROUP", 0.7), "LANGUAGE": ("GROUP", 0.5), "DATE": ("DATE", 0.65)},
    **{"TIME": ("TIME", 0.6), "MONEY": ("MONEY", 0.7), "QUANTITY": ("QUANTITY", 0.6), "PERCENT": ("QUANTITY", 0.6)},
    **{"CARDINAL": ("QUANTITY", 0.4), "ORDINAL": ("QUANTITY", 0.3)},
    **dict.fromkeys(("WORK_OF_ART", "LAW", "EVENT", "PRODUCT", "MISC"), ("NAME", 0.4)),
}
"""The label and the score of each of spaCy's labels; any other keeps its name, with 0.4."""

_LINE = regex.compile(r"(?:(?i:the|an?)\s+)?\K[^\s](?:[^\n\r]*[^\s])?")
_LINE_OF_PERSON = regex.compile(r"(?:(?:the|an?)\s+)?\K[^\s](?:[^\n\r]*[^\s])?")  # An Nguyen
_FEW = regex.compile(r"\d{1,2}|one", regex.IGNORECASE)
_Window = tuple[int, int, int]


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
        seen: list[list[Found]] = [[] for _ in documents]
        for batch in batches(documents, self.window, self.overlap):
            for number, span in self._seen(documents, batch):
                seen[number].append(span)
        findings: list[list[Finding]] = []
        for record in records(documents):
            texts, parts = [documents[number].text for number in record], set[str]()
            try:
                telling_spans = [
                    self._telling(text, seen[number]) for text, number in zip(texts, record, strict=True)
                ]
                for text, spans in zip(texts, telling_spans, strict=True):
                    parts |= carrying.parts_of(text, spans)
                for text, spans in zip(texts, telling_spans, strict=True):
                    carried = by("rule:carried", self._begun(text, carrying.carried(text, parts)))
                    findings.append(edges.trimmed(text, findings_of(self._kept([*spans, *carried]))))
            except TimeoutError:
                raise InputError("a rule took too long on it; nothing was detected.", record.start) from None
        return findings

    def _telling(self, text: str, seen: list[Found]) -> list[Found]:
        """Return what helps to identify a person, of the spans ``seen`` in ``text`` and those that rules find."""
        every = self._begun(text, edges.apart(text, [*seen, *self._by_rules(text)]))
        if self.language != "en":
            return list(every)
        spans = list(edges.whole_words(text, telling(text, every, self.strict)))
        spans += by("rule:combined", [*combined.places_with_kind(text, spans), *combined.days_of_one_year(text)])
        return [*spans, *by("rule:carried", combined.organisations_again(text, spans))]

    def _begun(self, text: str, spans: Iterable[Found]) -> Iterable[Found]:
        """Return ``spans`` without the English words that lead to a name."""
        return edges.without_lead(text, spans) if self.language == "en" else spans

    def _by_rules(self, text: str) -> Iterator[Found]:
        yield from by("rule:codes", codes.codes(text))
        yield from by("rule:formats", formats.formats(text))
        yield from by("rule:scripts", scripts.unread(text, self.language))
        if self.language == "en":
            yield from by("rule:people", people.introduced(text))
            yield from by("rule:people", people.listed(text))
            yield from by("rule:fields", fields.fields(text))
            yield from by("rule:cues", cues.cued(text))
            yield from by("rule:attributes", personal_attributes.attributes(text))
            yield from by("rule:organisations", organisations.organisations(text))
            yield from by("rule:cities", cities.listed_cities(text))

    def _kept(self, spans: list[Found]) -> Iterator[Found]:
        return (span for span in spans if self.labels is None or span.label in self.labels)

    def _seen(self, documents: Sequence[Document], batch: list[_Window]) -> list[tuple[int, Found]]:
        """Return what the pipeline and Presidio find in a batch of windows, each with the number of its document."""
        nlp, patterns = self._loaded
        texts = [documents[number].text[start:end] for number, start, end in batch]
        seen: list[tuple[int, Found]] = []
        try:
            with _ONE_AT_A_TIME, zone(nlp, texts):  # the zone frees the batch's words: no growth
                for (number, start, _), text, doc in zip(batch, texts, tagged(nlp, texts), strict=True):
                    for span in (*self._entities(doc, text), *patterns.find(doc, text)):
                        moved = span._replace(start=start + span.start, end=start + span.end)
                        seen.append((number, moved))
            return seen
        except Exception as error:
            kind = type(error).__name__
        # Raised outside the except block: the messages of spaCy and Presidio may quote the text.
        raise failed("a finder of identifiers", kind, batch)

    def _entities(self, doc: Any, text: str) -> Iterator[Found]:
        """Yield the entities of the pipeline, line by line, without a leading article, and without those that name
        nothing.
        """
        for entity in doc.ents:
            if entity.label_ in self.skip:
                continue
            label, score = _OF_SPACY.get(entity.label_, (entity.label_, 0.4))
            label = ailments.label_of(entity.text, label)
            lines = _LINE_OF_PERSON if label == "PERSON" else _LINE
            for line in lines.finditer(text, entity.start_char, entity.end_char):
                span = Found(line.start(), line.end(), label, score, "spacy")
                if not _is_empty(line.group(), label, entity.label_):
                    yield span

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        # both are for recognisers that only a file of recognisers can ask for
        sparing = without("torch", "transformers") if self.recognizers is None else nullcontext()
        try:
            with sparing:
                from sfumato.detectors.patterns_of_presidio import Patterns
        except ImportError:
            raise MissingExtraError(f"Finding identifiers needs Presidio; type: {_INSTALL}") from None
        nlp = load_pipeline(self.pipeline)
        patterns = Patterns(nlp, self.language, self.threshold, self.recognizers)
        check_labels(self.labels or (), self._labels_of(nlp, patterns), "The detector")
        return nlp, patterns

    @property
    def public_labels(self) -> bool:
        """Return whether the labels are public: unless a file of recognisers or a pipeline of the user adds some."""
        return self.recognizers is None and "/" not in self.pipeline

    @property
    def known_labels(self) -> frozenset[str]:
        """Return the labels that a span may have."""
        return self._labels_of(*self._loaded) & frozenset(self.labels or self._labels_of(*self._loaded))

    def _labels_of(self, nlp: Any, patterns: Any) -> frozenset[str]:
        tagged_with = {_OF_SPACY.get(label, (label, 0.4))[0] for label in pipeline_labels(nlp) - frozenset(self.skip)}
        english = (*personal_attributes.rules(), *organisations.rules()) if self.language == "en" else ()
        by_rule = {label for label, _, _ in (*codes.rules(), *formats.rules(), *english)}
        return frozenset({"PERSON", scripts.OTHER_SCRIPT, *tagged_with, *by_rule, *patterns.labels})

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_loaded"}


def _is_empty(text: str, label: str, own: str) -> bool:
    """Return whether an entity tells nothing: a kind of organisation without its name, or a bare number below 100."""
    if label in ("ORGANIZATION", "LOCATION", "PERSON", "NAME") and organisations.names_nothing(text):
        return True
    return own == "CARDINAL" and _FEW.fullmatch(text) is not None
