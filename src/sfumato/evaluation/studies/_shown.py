"""What records show of a person, by the attributes that a public table may have: read from texts, or from fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.abstract.detector import Detector
from sfumato.abstract.kind import Kind
from sfumato.attacks.claim_judges import without_marks
from sfumato.attacks.population import AGE, BIRTH_YEAR, OCCUPATION, PLACE, SEX, Value
from sfumato.attacks.population_values import ages_of, value_of
from sfumato.kinds.labels import resolve
from sfumato.language.en.cues import CUES
from sfumato.language.en.sexes import SEXES
from sfumato.text.document import Document
from sfumato.types import Progress

OF_TEXTS = (AGE, SEX, PLACE, OCCUPATION, BIRTH_YEAR)
"""The attributes that are read from texts."""
_BY_KIND = {"AGE": AGE, "PLACE": PLACE, "OCCUPATION": OCCUPATION}
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


def shown_by_texts(
    texts: Sequence[str], detector: Detector, kinds: Mapping[str, Kind], progress: Progress | None = None
) -> list[Shows]:
    """Return what ``texts`` show, as far as ``detector`` marks it; a sex by words such as "she"."""
    shown = []
    for start in range(0, len(texts), _AT_ONCE):
        documents = [Document(text=text, id=str(start + number))
                     for number, text in enumerate(texts[start : start + _AT_ONCE])]  # fmt: skip
        for document, spans in zip(documents, detector.detect(documents), strict=True):
            shown.append(_gathered(_read(document.text, spans, kinds)))
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


def _read(text: str, spans: Any, kinds: Mapping[str, Kind]) -> Iterator[tuple[str, Value | None]]:
    """Yield attributes with their values, and the kinds of what is no attribute."""
    for sex, words in SEXES.items():
        if words.search(text):
            yield SEX, sex
    for span in spans:
        marked = text[span.start : span.end]
        if not without_marks(marked).strip():
            continue
        kind = resolve(span.label, marked, kinds)
        if kind in _BY_KIND:
            yield _BY_KIND[kind], value_of(_BY_KIND[kind], marked)
        elif kind == "DATE" and CUES.birth.search(text[max(0, span.start - _BESIDE) : span.start]):
            yield BIRTH_YEAR, value_of(BIRTH_YEAR, marked)
        elif kind in ("DATE", "DURATION") and (ages := _decade(marked, kinds)):
            yield AGE, ages
        else:
            yield kind, None


def _decade(marked: str, kinds: Mapping[str, Kind]) -> Value | None:
    """Return the ages of "60s", which is marked as a time."""
    reading = kinds["AGE"].read(marked)
    return ages_of(marked) if reading is not None and reading.form.grain == "decade" else None


def shown_by_fields(record: Mapping[str, Any], names: Sequence[str]) -> Shows:
    """Return what the fields ``names`` of ``record`` show; an empty field and a placeholder show nothing."""
    values: dict[str, tuple[Value | None, ...]] = {}
    for name in names:
        written = record.get(name)
        if written is None or written != written or not without_marks(str(written)).strip(" *-"):
            continue  # NaN is not itself
        values[name] = (value_of(name, written),)
    return Shows(values)
