"""What records show of a person, by the attributes that a public table may have: read from texts, or from fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sfumato.abstract.detector import Detector
from sfumato.abstract.kind import Kind
from sfumato.attacks.claim_judges import without_marks
from sfumato.attacks.population import AGE, BIRTH_YEAR, OCCUPATION, PLACE, SEX, Value
from sfumato.attacks.population_values import ages_of, value_of
from sfumato.kinds.labels import resolve
from sfumato.kinds.registry import kinds_of
from sfumato.language.en.sexes import NAMES_OF_SEXES, SEXES
from sfumato.language.language import Language
from sfumato.language.languages import ENGLISH, LANGUAGES
from sfumato.language.recognising import recognised
from sfumato.text.document import Document
from sfumato.types import Progress

OF_TEXTS = (AGE, SEX, PLACE, OCCUPATION, BIRTH_YEAR)
"""The attributes that are read from texts."""
_BY_KIND = {"PLACE": PLACE, "OCCUPATION": OCCUPATION}
_AT_ONCE = 256
_BESIDE = 40


@dataclass(frozen=True)
class Shows:
    """What one record shows. PRIVATE.

    Attributes:
        values: The values by attribute; None is a value that cannot be read.
        others: The kinds of all other values that the record shows, which no table of a population has.
    """

    values: Mapping[str, tuple[Value | None, ...]] = field(default_factory=dict, repr=False)
    others: frozenset[str] = frozenset()

    def also(self, other: Shows) -> Shows:
        """Return what both records show, which are of one person."""
        names = dict.fromkeys((*self.values, *other.values))
        both = {name: (*self.values.get(name, ()), *other.values.get(name, ())) for name in names}
        return Shows(both, self.others | other.others)


def shown_by_texts(texts: Sequence[str], detector: Detector, progress: Progress | None = None) -> list[Shows]:
    """Return what ``texts`` show, each in its language, as far as ``detector`` marks it; a sex by words beside it."""
    shown = []
    for start in range(0, len(texts), _AT_ONCE):
        documents = [Document(text=text, id=str(start + number))
                     for number, text in enumerate(texts[start : start + _AT_ONCE])]  # fmt: skip
        for document, spans in zip(documents, detector.detect(documents), strict=True):
            shown.append(_gathered(_read(document.text, spans, _language_of(document.text))))
        if progress is not None:
            progress(len(shown) / len(texts))
    return shown


def _gathered(read: Iterator[tuple[str, Value | None]]) -> Shows:
    values: dict[str, tuple[Value | None, ...]] = {}
    others = set[str]()
    for name, value in read:
        if name in OF_TEXTS:
            values[name] = (*values.get(name, ()), value)
        else:
            others.add(name)
    return Shows(values, frozenset(others))


def _language_of(text: str) -> Language:
    """Return the language of ``text``; English if its words show none that is known."""
    return LANGUAGES.get(recognised([text]) or "", ENGLISH)


@cache
def _kinds_in(code: str) -> Mapping[str, Kind]:
    return kinds_of(language=code)


def _read(text: str, spans: Any, language: Language) -> Iterator[tuple[str, Value | None]]:
    """Yield attributes with their values, and the kinds of what is no attribute."""
    kinds = _kinds_in(language.code)
    yield from ((SEX, sex) for sex in _sexes(text, spans, language))
    for span in spans:
        marked = text[span.start : span.end]
        if not without_marks(marked).strip():
            continue
        kind = resolve(span.label, marked, kinds)
        if kind == "AGE":
            yield AGE, ages_of(marked, language.code)
        elif kind in _BY_KIND:
            yield _BY_KIND[kind], value_of(_BY_KIND[kind], marked)
        elif kind == "DATE" and language.cues.birth.search(text[max(0, span.start - _BESIDE) : span.start]):
            yield BIRTH_YEAR, value_of(BIRTH_YEAR, marked)
        elif kind in ("DATE", "DURATION") and (ages := _decade(marked, kinds, language.code)):
            yield AGE, ages
        else:
            yield kind, None


def _sexes(text: str, spans: Any, language: Language) -> Iterator[str]:
    """Yield the sexes that an English text speaks of; in another language those beside names."""
    if language.code == ENGLISH.code:
        yield from (sex for sex, words in SEXES.items() if words.search(text))
        return
    for span in spans:
        if span.label == "PERSON":
            before, after = text[max(0, span.start - _BESIDE) : span.start], text[span.end : span.end + _BESIDE]
            if (gender := language.cues.gender_of(before, after)) is not None:
                yield NAMES_OF_SEXES[gender]


def _decade(marked: str, kinds: Mapping[str, Kind], code: str) -> Value | None:
    """Return the ages of "60s", which is marked as a time."""
    reading = kinds["AGE"].read(marked)
    return ages_of(marked, code) if reading is not None and reading.form.grain == "decade" else None


def shown_by_fields(record: Mapping[str, Any], names: Sequence[str]) -> Shows:
    """Return what the fields ``names`` of ``record`` show; an empty field and a placeholder show nothing."""
    values: dict[str, tuple[Value | None, ...]] = {}
    for name in names:
        written = record.get(name)
        if written is None or written != written or not without_marks(str(written)).strip(" *-"):
            continue  # NaN is not itself
        values[name] = (value_of(name, written),)
    return Shows(values)
