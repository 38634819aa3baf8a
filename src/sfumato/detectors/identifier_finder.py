"""How :class:`~sfumato.detectors.identifiers.Identifiers` reads texts: four kinds of finder, and what unites them.

The rules and their expressions are loaded with this file, and thus when something is looked for, not before.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex

from sfumato.detectors import scripts
from sfumato.detectors.any_date import with_public_dates
from sfumato.detectors.english import (
    ailments,
    cities,
    codes,
    combined,
    fields,
    formats,
    names_in_context,
    organisations,
    people,
    personal_attributes,
    repeat_mentions,
    trim_spans,
)
from sfumato.detectors.english.context import telling
from sfumato.detectors.found import Found, by, findings_of
from sfumato.detectors.labels import check_labels
from sfumato.detectors.presidio.hide_imports import without
from sfumato.detectors.presidio.unlogged import unlogged
from sfumato.detectors.windows import batches, failed
from sfumato.errors import InputError
from sfumato.language.languages import ENGLISH, LANGUAGES
from sfumato.models.spacy.pipelines import load_pipeline, pipeline_labels, tagged, zone
from sfumato.text.document import Document, records
from sfumato.text.marks import Finding

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


@dataclass(frozen=True, eq=False)
class IdentifierFinder:
    """Finds identifiers. The fields are the options of :class:`~sfumato.detectors.identifiers.Identifiers`."""

    pipeline: str
    language: str
    labels: Collection[str] | None
    threshold: float
    skip: Collection[str]
    recognizers: str | None
    window: int
    overlap: int
    strict: str

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the spans of each document with score and finder. Raise InputError if a finder fails.

        A known language is read with public dates, so that no mark depends on which date it is.
        """
        language = LANGUAGES.get(self.language)
        if language is None:
            return self._findings(documents)
        public, dates = with_public_dates(documents, language)
        return [each.original(found) for each, found in zip(dates, self._findings(public), strict=True)]

    def _findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
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
                    parts |= repeat_mentions.parts_of(text, spans)
                for text, spans in zip(texts, telling_spans, strict=True):
                    carried = by("rule:carried", self._begun(text, repeat_mentions.carried(text, parts)))
                    findings.append(trim_spans.trimmed(text, findings_of(self._kept([*spans, *carried]))))
            except TimeoutError:
                raise InputError("a rule took too long on it; nothing was detected.", record.start) from None
        return findings

    def _telling(self, text: str, seen: list[Found]) -> list[Found]:
        """Return what helps to identify a person, of the spans ``seen`` in ``text`` and those that rules find."""
        every = self._begun(text, trim_spans.apart(text, [*seen, *self._by_rules(text)]))
        if self.language != "en":
            return list(every)
        spans = list(trim_spans.whole_words(text, telling(text, every, self.strict)))
        spans += by("rule:combined", [*combined.places_with_kind(text, spans), *combined.days_of_one_year(text)])
        return [*spans, *by("rule:carried", combined.organisations_again(text, spans))]

    def _begun(self, text: str, spans: Iterable[Found]) -> Iterable[Found]:
        """Return ``spans`` without the English words that lead to a name."""
        return trim_spans.without_lead(text, spans) if self.language == "en" else spans

    def _by_rules(self, text: str) -> Iterator[Found]:
        language = LANGUAGES.get(self.language, ENGLISH)
        yield from by("rule:codes", codes.codes(text, language))
        yield from by("rule:formats", formats.formats(text, language))
        yield from by("rule:scripts", scripts.unread(text, self.language))
        if self.language == "en":
            yield from by("rule:people", people.introduced(text))
            yield from by("rule:people", people.listed(text))
            yield from by("rule:fields", fields.fields(text))
            yield from by("rule:cues", names_in_context.cued(text))
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
            failure = failed("a finder of identifiers", error, batch)
        # Raised outside the except block: the messages of spaCy and Presidio may quote the text.
        raise failure

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
        hidden = without("torch", "transformers") if self.recognizers is None else nullcontext()
        with hidden, unlogged():
            from sfumato.detectors.presidio.recognisers import Patterns
        nlp = load_pipeline(self.pipeline)
        patterns = Patterns(nlp, self.language, self.threshold, self.recognizers)
        check_labels(self.labels or (), self._labels_of(nlp, patterns), "The detector")
        return nlp, patterns

    @property
    def known_labels(self) -> frozenset[str]:
        """Return the labels that a span may have."""
        every = self._labels_of(*self._loaded)
        return every & frozenset(self.labels or every)

    def _labels_of(self, nlp: Any, patterns: Any) -> frozenset[str]:
        tagged_with = {_OF_SPACY.get(label, (label, 0.4))[0] for label in pipeline_labels(nlp) - frozenset(self.skip)}
        english = (*personal_attributes.rules(), *organisations.rules()) if self.language == "en" else ()
        by_rule = {label for label, _, _ in (*codes.rules(), *formats.rules(), *english)}
        return frozenset({"PERSON", scripts.OTHER_SCRIPT, *tagged_with, *by_rule, *patterns.labels})


def _is_empty(text: str, label: str, own: str) -> bool:
    """Return whether an entity tells nothing: a kind of organisation without its name, or a bare number below 100."""
    if label in ("ORGANIZATION", "LOCATION", "PERSON", "NAME") and organisations.names_nothing(text):
        return True
    return own == "CARDINAL" and _FEW.fullmatch(text) is not None
