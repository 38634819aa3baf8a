"""Releases for the benchmark of fit: texts with given spans, and what each way of replacing puts there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from recording import DATA

import sfumato
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.policies import build_policy
from sfumato.detectors.given import Given
from sfumato.engines.engine import Engine
from sfumato.policy.policy import Policy
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document, Release

RECORDS = Path(__file__).parents[1] / "examples" / "records.jsonl"
EVERY_KIND = Path(__file__).with_name("fit_policy.toml")
FINDER = Given(skip_labels=frozenset({"NO_MASK"}), merge=True)
_CHANGES = {"find.detect": "given", "find.options.merge": "true", "find.options.skip_labels": '["NO_MASK"]'}


class Replaced(NamedTuple):
    """A given span: its label, the text there before and after, and whether a mechanism drew it."""

    label: str
    original: str
    output: str
    drawn: bool


@dataclass(frozen=True)
class Corpus:
    """Documents with given spans in their field "spans", and the shipped policy that suits them."""

    name: str
    policy: str
    documents: Sequence[Document]

    @cached_property
    def given(self) -> list[dict[tuple[int, int], str]]:
        """Return the label of each given span, by its bounds, for each document."""
        return [dict(zip(spans.bounds, spans.each_label(), strict=True)) for spans in FINDER.detect(self.documents)]


def corpora() -> Iterator[Corpus]:
    """Yield the example records, and the development documents of TAB."""
    lines = [json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()]
    yield Corpus("examples/records.jsonl", "clinical", [_document(line, line["id"], line["spans"]) for line in lines])
    lines = [json.loads(line) for line in (DATA / "tab" / "annotated.jsonl").read_text(encoding="utf-8").splitlines()]
    dev = [line for line in lines if line["split"] == "dev"]
    yield Corpus("TAB dev", "court", [_document(line, line["doc_id"], line["entities"]) for line in dev])


def _document(line: dict[str, Any], name: str, spans: list[Any]) -> Document:
    return Document(line["text"], name, {"spans": spans})


@dataclass(frozen=True)
class Way:
    """One way of replacing: its name in the table, and how its sanitizer is made."""

    name: str
    make: Callable[[], Sanitizer]


def ways(corpus: Corpus) -> list[Way]:
    """Return the way before kinds of value existed, and the policies after it."""

    def before() -> Sanitizer:
        options: dict[str, Any] = {"spans_field": "spans", "merge_spans": True, "skip_labels": {"NO_MASK"}}
        return sfumato.build("clusant", 5.0, k=4.0, detect="given", **options)

    def every_kind() -> Engine:
        return build_policy(Policy.load(EVERY_KIND).with_changes(_CHANGES))

    return [
        Way("before: `clusant`, vocabulary by label", before),
        Way("every kind drawn, not repaired", lambda: replace(every_kind(), mended=None)),
        Way("every kind drawn", every_kind),
        Way(f"`{corpus.policy}`", lambda: build_policy(Policy.load(corpus.policy).with_changes(_CHANGES))),
    ]


def released(made: Sanitizer, corpus: Corpus) -> tuple[list[Release], list[Replaced]]:
    """Return the releases of a corpus, and what became of each given span that was replaced."""
    made.prepare()
    releases = made.sanitize_batch(list(corpus.documents), SeededRandomness(17))
    rows = [
        row
        for document, release, given in zip(corpus.documents, releases, corpus.given, strict=True)
        for row in _replaced(made, document, release, given)
    ]
    return releases, rows


def _replaced(
    made: Sanitizer, document: Document, release: Release, given: dict[tuple[int, int], str]
) -> Iterator[Replaced]:
    """Yield the given spans of one document; other places that say the same are left out."""
    spans = made.spans(document)
    for (start, end, kind), replacement in zip(spans, release.replacements, strict=True):
        label = given.get((start, end))
        if label is not None:
            drawn = made.treatment_of(kind).guarantee is not None
            yield Replaced(label, document.text[start:end], replacement.output, drawn)
