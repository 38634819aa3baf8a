"""How :class:`~sfumato.detectors.identifiers.Identifiers` reads texts: a network, formats, and what unites them.

The network and the patterns are loaded with this file, and thus when something is looked for, not before.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

import regex

from sfumato.detectors import by_words, forms, own_names, scripts
from sfumato.detectors.any_date import PublicDates, with_public_dates
from sfumato.detectors.borders import within_borders
from sfumato.detectors.counted_marks import behind_dates
from sfumato.detectors.doubting import doubts_of
from sfumato.detectors.english import (
    codes,
    fields,
    formats,
    people_in_context,
    personal_attributes,
    repeat_mentions,
    trim_spans,
)
from sfumato.detectors.found import Found, findings_of, united
from sfumato.detectors.labels import check_labels
from sfumato.detectors.languages import Languages
from sfumato.detectors.network_marks import behind_title, is_doubtful_figure, other_language, says_nothing
from sfumato.detectors.windows import batches, failed
from sfumato.errors import InputError, SfumatoError
from sfumato.language.en.units import TIMES_IN_TEXT
from sfumato.language.languages import ENGLISH, LANGUAGES
from sfumato.language.recognising import READ
from sfumato.models.token_classifier.labels import KINDS, Mark, marks_of
from sfumato.models.token_classifier.network import TokenClassifier
from sfumato.text.document import Document, records
from sfumato.text.marks import Doubts, Finding

Row = TypeVar("Row")
NETWORK = "network"
LABELS = {kind: kind for kind in KINDS} | {
    "PHONE": "PHONE_NUMBER", "EMAIL": "EMAIL_ADDRESS", "IP": "IP_ADDRESS", "USERNAME": "ACCOUNT"
}  # fmt: skip
_CLOCK = r"(?:at\s+)?\d{1,2}(?:[:.]\d\d){0,2}\s*(?:[ap]\.?m\.?|o['’]clock|h(?:ours|rs)?)?|noon|midnight|midday"
_ORIGIN = r".*\s(?:descent|origin|heritage|extraction|ancestry|background)"
_FINER: Mapping[str, tuple[str, regex.Pattern[str]]] = {
    "DATE": ("TIME", regex.compile(_CLOCK, regex.IGNORECASE)),
    "MISC": ("GROUP", regex.compile(_ORIGIN)),
    "QUANTITY": ("DURATION", regex.compile(rf".*\b{TIMES_IN_TEXT}['’]?", regex.IGNORECASE)),
}
"""A kind of the network, the finer label of the values that a pattern matches, and the pattern."""
_PHRASES = frozenset(KINDS.index(kind) for kind in ("DATE", "OCCUPATION", "QUANTITY", "MONEY", "AGE"))
"""Kinds of which two values seldom stand side by side with a blank between them."""
_GOES_ON = regex.compile(r".*\s(?:and|of|for|&)")
"""What no name ends with: the rest of it is the next mark."""
_WINDOW, _OVERLAP = 40_000, 800  # characters


class Point(NamedTuple):
    """A point of the curve: the least probability that a marked word is part of an identifier, and that it tells.

    ``telling`` is by kind of the network; a kind that is not named is marked whatever it tells.
    """

    likely: float
    telling: Mapping[str, float]

    def keeps(self, mark: Mark) -> bool:
        """Return whether ``mark`` tells enough."""
        return mark.telling >= self.telling.get(KINDS[mark.kind], 0.0)


POINTS: dict[str, Point] = {
    "low": Point(0.3, {"ORGANIZATION": 0.1, "MISC": 0.5}),
    "medium": Point(0.05, {"ORGANIZATION": 0.03, "MISC": 0.1}),
    "high": Point(0.02, {}),
}
"""How much each level marks; ``training/detector/choosing.py`` shows the curve they were chosen from."""


@dataclass(frozen=True, eq=False)
class IdentifierFinder:
    """Finds identifiers. The fields are the options of :class:`~sfumato.detectors.identifiers.Identifiers`."""

    labels: Collection[str] | None
    language: str
    strict: str
    unknown_language: str = "warn"

    def __post_init__(self) -> None:
        check_labels(self.labels or (), _labels(), "The detector")

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the spans of each document with score and finder. Raise InputError if a finder fails.

        Texts are read with public dates, so that no mark depends on which date it is. What leads to a text is read
        with it, and never marked. In a text that tells nothing by itself nothing is.
        """
        led = [_as_read(each) for each in documents]
        spoken = self._languages.of(documents)
        public, dates = with_public_dates(led, [LANGUAGES.get(code, ENGLISH) for code in spoken])
        findings = self._findings(public, spoken)
        rows = zip(led, map(PublicDates.original, dates, findings), spoken, strict=True)
        apart = [(own.text, behind_dates(own.text, row, other_language(code))) for own, row, code in rows]
        made = (people_in_context.corrected(text, row, self.labels) for text, row in apart)
        behind = ((own.text, _behind(own.lead, row)) for own, row in zip(documents, made, strict=True))
        return [[each for each in row if not is_doubtful_figure(text, each)] for text, row in behind]

    def cautions(self, documents: Sequence[Document]) -> Mapping[str, int]:
        """Return what to be careful about, with the number of records."""
        learned = {**self._network.card.languages, **self._other_network.card.languages}
        return self._languages.cautions(documents, learned)

    def doubts(self, documents: Sequence[Document]) -> list[Doubts]:
        """Return the words of each document with the chance that they are identifiers."""
        read = [replace(each, text="") if each.public else each for each in documents]
        spoken, doubts = self._languages.of(documents), dict[int, Doubts]()
        for rows in _by_network(range(len(read)), spoken):
            own = self._network_of(spoken[rows[0]])
            told = doubts_of(own, [read[number] for number in rows], LABELS, self.labels, NETWORK)
            doubts |= dict(zip(rows, told, strict=True))
        return [doubts[number] for number in range(len(read))]

    @property
    def _languages(self) -> Languages:
        return Languages(self.language, self.unknown_language)

    def _findings(self, documents: Sequence[Document], codes: Sequence[str]) -> list[list[Finding]]:
        seen: list[list[Found]] = [[] for _ in documents]
        for batch in batches(documents, _WINDOW, _OVERLAP):
            for own in _by_network(batch, [codes[number] for number, _, _ in batch]):
                for number, span in self._seen(documents, own, codes):
                    seen[number].append(span)
        findings = list[list[Finding]]()
        for record in records(documents):
            texts, parts, code = [documents[number].text for number in record], set[str](), codes[record.start]
            try:
                marked = [self._marked(text, seen[number], code) for text, number in zip(texts, record, strict=True)]
                for text, spans in zip(texts, marked, strict=True):
                    parts |= repeat_mentions.parts_of(text, spans)
                known = repeat_mentions.Known.of(parts)
                for text, spans in zip(texts, marked, strict=True):
                    carried = self._by(CARRIED, code, _named_anew(repeat_mentions.carried(text, parts, known), spans))
                    trimmed = trim_spans.trimmed(text, findings_of(self._kept([*spans, *carried])))
                    findings.append(within_borders(text, trimmed, other_language(code)))
            except TimeoutError:
                raise InputError("a rule took too long on it; nothing was detected.", record.start) from None
        return findings

    def _marked(self, text: str, seen: Iterable[Found], code: str) -> list[Found]:
        return list(trim_spans.whole_words(text, trim_spans.apart(text, [*seen, *self._by_rules(text, code)])))

    def _by_rules(self, text: str, code: str) -> Iterator[Found]:
        for name, rule in RULES.items():
            yield from self._by(name, code, rule(text, code))

    def _by(self, rule: str, code: str, spans: Iterable[Found]) -> Iterator[Found]:
        """Yield ``spans`` with the name of ``rule``, and how often its marks were right."""
        chance = self._network_of(code).card.calibration.chance_of_rule(rule)
        return (span._replace(finder=f"rule:{rule}", own=chance) for span in spans)

    def _kept(self, spans: list[Found]) -> Iterator[Found]:
        return (span for span in spans if self.labels is None or span.label in self.labels)

    def _seen(
        self, documents: Sequence[Document], batch: list[tuple[int, int, int]], codes: Sequence[str]
    ) -> list[tuple[int, Found]]:
        """Return what the network finds in a batch of windows, each with the number of its document."""
        texts = [documents[number].text[start:end] for number, start, end in batch]
        point, seen, network = POINTS[self.strict], list[tuple[int, Found]](), self._network_of(codes[batch[0][0]])
        try:
            for (number, start, _), text, answer in zip(batch, texts, network.answers(texts), strict=True):
                marks = marks_of(answer.pieces, answer.classes, answer.telling, point.likely)
                telling = [
                    each for each in marks if point.keeps(each) and not says_nothing(each, text, codes[number])
                ]
                whole = (behind_title(text, mark, codes[number]) for mark in _joined(text, telling))
                labelled = (self._found(text, mark, start, codes[number]) for mark in whole)
                rows = ((own, text[own.start - start : own.end - start]) for own in labelled)
                seen += [(number, own) for own, words in rows if not people_in_context.says_sex_alone(own, words)]
            return seen
        except SfumatoError:  # files that are missing or changed: no fault of a text
            raise
        except Exception as error:
            failure = failed("the network", error, batch)
        # Raised outside the except block: the message of a library may quote the text.
        raise failure

    def _found(self, text: str, mark: Mark, offset: int, code: str) -> Found:
        label = LABELS[KINDS[mark.kind]]
        finer, pattern = _FINER.get(label, (label, None))
        if pattern is not None and pattern.fullmatch(text, mark.start, mark.end):
            label = finer
        label = own_names.label_of(label, text, mark.start, mark.end, other_language(code))
        score = 0.5 + 0.35 * mark.likely  # a format that a pattern knows is surer of its label than the network
        chance = self._network_of(code).card.calibration.chance(mark.kind, mark.likely)
        return Found(offset + mark.start, offset + mark.end, label, score, NETWORK, chance)

    @cached_property
    def _network(self) -> TokenClassifier:
        return TokenClassifier()

    @cached_property
    def _other_network(self) -> TokenClassifier:
        return TokenClassifier(others=True)

    def _network_of(self, code: str) -> TokenClassifier:
        """Return what reads texts in the language ``code``."""
        return self._network if other_language(code) is None else self._other_network

    @property
    def known_labels(self) -> frozenset[str]:
        """Return the labels that a span may have."""
        return _labels() & frozenset(self.labels or _labels())


def _by_network(rows: Iterable[Row], codes: Iterable[str]) -> list[list[Row]]:
    """Return the ``rows`` by the network that reads the language of each, those in English first."""
    every: dict[bool, list[Row]] = {False: [], True: []}
    for row, code in zip(rows, codes, strict=True):
        every[other_language(code) is not None].append(row)
    return [own for own in every.values() if own]


def _as_read(document: Document) -> Document:
    """Return ``document`` with what leads to its text before it, and without its text if that is public."""
    if document.public:
        return replace(document, text="")
    return replace(document, text=document.lead + document.text) if document.lead else document


def _behind(lead: str, findings: list[Finding]) -> list[Finding]:
    """Return what of ``findings`` is behind the ``lead``, at its offsets there."""
    size = len(lead)
    kept = (each._replace(start=max(each.start - size, 0), end=each.end - size) for each in findings)
    return [each for each in kept if each.end > 0] if lead else findings


@lru_cache(maxsize=1)
def _labels() -> frozenset[str]:
    """Return the labels that a span may have."""
    rules = {label for label, _, _ in (*codes.rules(), *formats.rules(), *personal_attributes.rules())}
    named = {"ACCOUNT", "AGE", "PERSON", "SECRET"}  # of fields, and of names that are carried
    finer = {label for label, _ in _FINER.values()}
    return frozenset({*LABELS.values(), *finer, *named, *rules, scripts.OTHER_SCRIPT})


def _joined(text: str, marks: Iterable[Mark]) -> list[Mark]:
    """Return ``marks``; what the network cut in two within a phrase ("the end of", "January") is one."""
    joined: list[Mark] = []
    for mark in marks:
        last = joined[-1] if joined else None
        if last and last.kind == mark.kind and text[last.end : mark.start] == " " and _is_one(text, last):
            likely, telling = min(last.likely, mark.likely), max(last.telling, mark.telling)
            joined[-1] = Mark(last.start, mark.end, mark.kind, likely, telling)
        else:
            joined.append(mark)
    return joined


def _is_one(text: str, mark: Mark) -> bool:
    """Return whether the next mark, behind a blank and of the same kind, continues the value of ``mark``."""
    return mark.kind in _PHRASES or _GOES_ON.fullmatch(text, mark.start, mark.end) is not None


RULES: dict[str, Callable[[str, str], Iterable[Found]]] = {
    "codes": lambda text, code: codes.codes(text, LANGUAGES.get(code, ENGLISH)),
    "formats": lambda text, code: formats.formats(text, LANGUAGES.get(code, ENGLISH)),
    "fields": lambda text, _: fields.fields(text),
    "attributes": lambda text, _: personal_attributes.attributes(text),
    "people": lambda text, _: people_in_context.people(text),
    "forms": lambda text, code: forms.found(text, other_language(code)),
    "words": lambda text, code: by_words.by_words(text, other_language(code)),
    "scripts": lambda text, code: scripts.unread(text, code if code in READ else ""),
}
"""What reads a text and its language beside the network; ``benchmarks/detector_rules.py`` shows what each one adds.

No script of a language that the network has not learned counts as read.
"""
CARRIED = "carried"


def _named_anew(mentions: Iterable[Found], spans: Iterable[Found]) -> Iterator[Found]:
    """Yield the mentions that lie within no person of ``spans``, so that such a person keeps its score and finder."""
    persons = united(span for span in spans if span.label == "PERSON").bounds
    starts = [start for start, _ in persons]
    for mention in mentions:
        number = bisect_right(starts, mention.start) - 1
        if number < 0 or mention.end > persons[number][1]:
            yield mention
