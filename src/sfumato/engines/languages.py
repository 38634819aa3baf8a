"""A sanitizer over several languages: each record goes whole to the engine of the language that its words show.

Adjacency. Which language a record is in depends on its words, also on those that are replaced. So a guarantee
compares two records that are taken for the same language, and the language of a release is visible. The rest is the
guarantee of the one engine that treated the record: no draw depends on the others.

A kind is treated alike in every language, by one law with one ε. Where its domain is made of words, each language has
a domain of its own, and the statement names each with its certificate.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.abstract.batch import PlannedDraws
from sfumato.abstract.detector import Detector
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.treatment import Treatment
from sfumato.engines.engine import Engine
from sfumato.engines.in_languages import InLanguages
from sfumato.errors import ConfigurationError, InputError
from sfumato.language.recognising import recognised
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.text.document import Document, Release, records
from sfumato.text.marks import MarkedRecord, Marks, Spans

UNKNOWN = ""
"""The code of a record that shows none of the languages."""
REFUSED = "it shows none of the languages of the policy; name its language, or set find.other_languages=label."
_SEEN = (
    "the language of each record, and which language it was taken for, to which words that are replaced contribute"
)


@dataclass(frozen=True, eq=False)
class Multilingual(Sanitizer):
    """Sanitizes each record by the engine of its language. Build one with `sfumato.build_policy`.

    Attributes:
        engines: An engine for each language, by its code.
        unknown: The engine of records that show none of these languages; None refuses them.
    """

    engines: Mapping[str, Engine]
    unknown: Engine | None = None
    names: Detector | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if len(self.engines) < 2:
            raise ConfigurationError("A sanitizer over several languages needs at least two; report it.")
        first = self._first
        for name in ("detector", "others", "subject_field", "mended", "policy", "chat", "measures"):
            object.__setattr__(self, name, getattr(first, name))
        rows = [{own.kinds[0]: own for own in engine.treated} for engine in self.engines.values()]
        kept = [own for own in first.treated if own.guarantee is None]
        drawn = [kind for kind, own in rows[0].items() if own.guarantee is not None]
        merged = [InLanguages(dict(zip(self.engines, (row[kind] for row in rows), strict=True))) for kind in drawn]
        object.__setattr__(self, "treated", (*merged, *kept))
        object.__setattr__(self, "kind_of", self._kind_of)

    def __repr__(self) -> str:
        return f"Multilingual({', '.join(self.engines)}: {self._first!r})"

    @property
    def _first(self) -> Engine:
        return next(iter(self.engines.values()))

    def _kind_of(self, label: str, text: str) -> str:
        """Return the kind of a span that most of the languages say; in a release its record has one of them."""
        return most_said(engine.kind(label, text) for engine in self.engines.values())

    def with_parts(self, detector: Detector | None = None, others: Treatment | None = None) -> Multilingual:
        """Return the sanitizer whose engines have another ``detector``, or something else for all ``others``."""
        every = {code: engine.with_parts(detector, others) for code, engine in self._every.items()}
        return self._of(every)

    @cached_property
    def _every(self) -> Mapping[str, Engine]:
        return {**self.engines, **({} if self.unknown is None else {UNKNOWN: self.unknown})}

    def languages(self, documents: Sequence[Document]) -> list[str]:
        """Return the code of the language that each of ``documents`` is treated in; "" for none of them.

        Raise InputError for a record of none of the languages, if such records are refused; one without a letter or
        figure is in no other language either.
        """
        codes: list[str] = []
        for record in records(documents):
            code = recognised([documents[number].text for number in record]) or UNKNOWN
            code = code if code in self.engines else UNKNOWN
            if code == UNKNOWN and self.unknown is None:
                if any(map(str.isalnum, "".join(documents[number].text for number in record))):
                    raise InputError(REFUSED, record.start)
                code = next(iter(self.engines))
            codes += [code] * len(record)
        return codes

    def _shared(self, documents: Sequence[Document]) -> Iterator[tuple[Engine, list[int]]]:
        """Yield each engine that treats some of ``documents``, with their numbers."""
        numbers: dict[str, list[int]] = {}
        for number, code in enumerate(self.languages(documents)):
            numbers.setdefault(code, []).append(number)
        for code, own in numbers.items():
            yield self._every[code], own

    def _gathered(self, documents: Sequence[Document], ask: Callable[[Engine, list[Document]], Sequence[Any]]) -> Any:
        """Return what each engine answers for its documents, in the order of ``documents``. Raise as _asked."""
        answers: list[Any] = [None] * len(documents)
        for engine, own in self._shared(documents):
            for number, answer in zip(own, _asked(engine, documents, own, ask), strict=True):
                answers[number] = answer
        return answers

    @cached_property
    def setting(self) -> str:
        """Return a hash of everything public that decides a release."""
        told = json.dumps({code: engine.setting for code, engine in self._every.items()}, sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()

    def suited_to(self, randomness: Randomness) -> Multilingual:
        """Return the sanitizer that draws by ``randomness``."""
        suited = {code: engine.suited_to(randomness) for code, engine in self._every.items()}
        return self._of(suited)

    def reporting(self, on_draws: Callable[[int], None] | None) -> Multilingual:
        """Return a sanitizer that also calls ``on_draws`` with the draws made since the last call."""
        return self._of({code: engine.reporting(on_draws) for code, engine in self._every.items()})

    def _of(self, every: Mapping[str, Engine]) -> Multilingual:
        if all(engine is self._every[code] for code, engine in every.items()):
            return self
        engines = {code: engine for code, engine in every.items() if code != UNKNOWN}
        return replace(self, engines=engines, unknown=every.get(UNKNOWN))

    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """Return a release for each document, in order. Raise InputError naming the document, never its text."""
        return self.sanitize_marked(documents, randomness)[0]

    def sanitize_marked(
        self, documents: Sequence[Document], randomness: Randomness | None = None
    ) -> tuple[list[Release], Marks | None]:
        """Return the releases, and the marks that they replace, if each has one replacement. PRIVATE."""
        source = randomness or SystemRandomness()
        source.check_names([document.names for document in documents])

        def ask(engine: Engine, own: list[Document]) -> list[tuple[Release, Spans | None]]:
            releases, marks = engine.sanitize_marked(own, source)
            rows = [None] * len(own) if marks is None else _spans_of(marks)
            return list(zip(releases, rows, strict=True))

        rows: list[tuple[Release, Spans | None]] = self._gathered(documents, ask)
        spans = [own for _, own in rows if own is not None]
        releases = [release for release, _ in rows]
        return releases, Marks.of(documents, spans) if len(spans) == len(documents) else None

    def planned(self, documents: Sequence[Document]) -> list[tuple[PlannedDraws, ...]]:
        """Return the draws of each document, without drawing."""
        planned: list[tuple[PlannedDraws, ...]] = self._gathered(documents, lambda engine, own: engine.planned(own))
        return planned

    def records(self, documents: Sequence[Document]) -> list[MarkedRecord]:
        """Return the records of ``documents`` with what is replaced in each, by kind. Private. Raise as _asked."""
        by_first: dict[int, MarkedRecord] = {}
        for engine, own in self._shared(documents):
            for record in _asked(engine, documents, own, lambda engine, some: engine.records(some)):
                by_first[own[record.first]] = replace(record, first=own[record.first])
        return [by_first[first] for first in sorted(by_first)]

    def staying(self, documents: Sequence[Document], detected: Sequence[Spans]) -> list[list[bool]]:
        """Return for each mark that was ``detected`` whether a release shows what is there. Private."""
        if len(documents) != len(detected):
            raise ConfigurationError("Each document has marks of its own; give as many of them as documents.")
        rows = {id(document): spans for document, spans in zip(documents, detected, strict=True)}
        stays: list[list[bool]] = self._gathered(
            documents, lambda engine, own: engine.staying(own, [rows[id(document)] for document in own])
        )
        return stays

    def statement_fields(self) -> dict[str, Any]:
        """Return the name of the policy, the languages, and what becomes of records in none of them."""
        unknown = "refused" if self.unknown is None else "each mark is replaced by its label"
        return {
            **super().statement_fields(),
            "languages": list(self.engines),
            "other_languages": unknown,
        }

    @property
    def visible(self) -> Sequence[str]:
        """Return what anyone can see of a release, beside what every release shows."""
        return [*super().visible, _SEEN]


def most_said(kinds: Iterable[str]) -> str:
    """Return the one of ``kinds`` that is there most often, of several the first."""
    counts = Counter(kinds)
    return max(counts, key=counts.__getitem__)


def _asked(
    engine: Engine, documents: Sequence[Document], own: Sequence[int],
    ask: Callable[[Engine, list[Document]], Sequence[Any]],
) -> Sequence[Any]:  # fmt: skip
    """Return what ``engine`` answers for its ``own`` of the ``documents``.

    Raise InputError with the number that a document has among all.
    """
    try:
        return ask(engine, [documents[number] for number in own])
    except InputError as error:
        failure = InputError(error.reason, None if error.document is None else own[error.document])
    raise failure  # outside the except block, so that no context drags a private message along


def _spans_of(marks: Marks) -> list[Spans]:
    """Return the spans of each document of ``marks``."""
    owners = np.repeat(np.arange(len(marks.counts)), marks.counts)
    starts, ends = marks.starts - marks.origins[owners], marks.ends - marks.origins[owners]
    edges = np.concatenate(([0], np.cumsum(marks.counts)))
    labels: Sequence[Any] = [marks.labels] * len(marks.counts) if isinstance(marks.labels, str) else marks.labels
    return [
        Spans(list(zip(starts[a:b].tolist(), ends[a:b].tolist(), strict=True)), own)
        for a, b, own in zip(edges[:-1], edges[1:], labels, strict=True)
    ]
