"""The attacks that a release has to withstand, and what they found, as the limits of a policy name it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sfumato.evaluation.bench import Bench
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.files import evaluate_pairs
from sfumato.evaluation.studies.linkage import RATE
from sfumato.evaluation.studies.tokens import REPLACED
from sfumato.evaluation.studies.utility import COSINE
from sfumato.files import FileOptions, open_source
from sfumato.files.options import UTF8
from sfumato.metrics.estimates import Estimate, share
from sfumato.protection.judging import Measured
from sfumato.protection.marked import Marked, still_there
from sfumato.protection.searching import FoundAgain, found_by_values
from sfumato.storage.locations import temporary_folder
from sfumato.text.document import Document, name_of_person, readable
from sfumato.types import Stages

_MANY = 200
"""Records from which resamples alone give the interval of a mean."""


@dataclass(frozen=True, eq=False)
class Originals:
    """The texts of an input, record by record, with everything that a detector may read of them.

    ``documents`` are all texts in order; ``keys`` say which record and which field each belongs to. ``subject`` is
    the field that names a person, if there is one.
    """

    documents: Sequence[Document] = field(repr=False)
    keys: Sequence[tuple[str, ...]] = field(repr=False)
    subject: str | None = None

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def ids(self) -> list[str]:
        """Return a name for each text: the record's id, with the field where a record has several texts."""
        ids = [document.id for document in self.documents]
        return ids if len(set(ids)) == len(ids) else ["/".join(key) for key in self.keys]

    @property
    def people(self) -> list[list[int]]:
        """Return the places of the texts of each person: by the subject, else by the record."""
        groups: dict[object, list[int]] = {}
        numbers = self.record_of
        for place, document in enumerate(self.documents):
            value = document.metadata.get(self.subject) if self.subject is not None else None
            name = "" if value is None else name_of_person(value)
            owner = ("person", name) if name else ("record", numbers[place])
            groups.setdefault(owner, []).append(place)
        return list(groups.values())

    @property
    def owners(self) -> list[int]:
        """Return the number of the person of each text, in the order of :attr:`people`."""
        owners = {place: person for person, places in enumerate(self.people) for place in places}
        return [owners[place] for place in range(len(self))]

    @property
    def record_of(self) -> list[int]:
        """Return the number of the record of each text: the texts of one record follow one another."""
        numbers: list[int] = []
        for place, key in enumerate(self.keys):
            same = place > 0 and len(key) > 1 and key[1:] == self.keys[place - 1][1:]
            numbers.append(numbers[-1] + (not same) if numbers else 0)
        return numbers

    def at(self, places: Sequence[int]) -> Originals:
        """Return the texts at ``places`` alone."""
        documents = [self.documents[place] for place in places]
        return replace(self, documents=documents, keys=[self.keys[place] for place in places])


class Left(NamedTuple):
    """A direct identifier that the release still holds: at which place among the texts, its kind, and its value."""

    place: int
    kind: str
    value: str


@dataclass(frozen=True)
class Attacked:
    """What all attacks found: the figures for the limits, the studies behind them, and who was found by what."""

    measured: Measured
    studies: Sequence[Study]
    facts: Mapping[str, Any]
    finding: FoundAgain
    left: Mapping[int, Sequence[Left]] = field(repr=False)
    """The identifiers that the texts of a person still hold, by the number of the person. PRIVATE."""


def read_originals(path: Path, files: FileOptions) -> Originals:
    """Return the texts of an input. Raise InputError."""
    documents, keys = [], []
    for document in (document for chunk in open_source(path, files).chunks() for document in chunk.documents):
        documents.append(replace(document, text=readable(document.text)))
        keys.append(document.names)
    return Originals(documents, keys, files.subject_field)


def read_release(path: Path, files: FileOptions, originals: Originals) -> list[str | None]:
    """Return the released text for each of ``originals``, None where there is none. Raise InputError."""
    files = replace(files, spans_field=None, subject_field=None, keep=None, encoding=UTF8, adjustable=False)
    there = {
        document.names: readable(document.text)
        for chunk in open_source(path, files).chunks()
        for document in chunk.documents
    }
    return [there.get(key) for key in originals.keys]


def attacked(
    originals: Originals, releases: Sequence[str | None], marked: Marked, bench: Bench,
    missed: Estimate | None = None, folder: Path | None = None, stages: Stages | None = None,
    sources: Mapping[str, Mapping[str, str | int]] | None = None,
) -> Attacked:  # fmt: skip
    """Attack ``releases`` of ``originals`` with what is on the ``bench``; ``folder`` keeps finished studies.

    ``missed`` is what a person's review of a sample found.
    """
    pairs = Pairs(
        ids=originals.ids,
        originals=[document.text for document in originals.documents],
        released=list(releases),
        fields=[document.metadata for document in originals.documents],
        released_fields=[None] * len(releases),
        sources=sources or {},
        owners=originals.owners,
    )
    people = originals.people
    values, texts = _joined(marked.replaced, people), _texts(releases, people)
    finding = found_by_values(values, texts, bench.encoder, bench.plan.seed)
    direct = [number for number, own in enumerate(people) if any(map(marked.direct, own))]
    left = {number: own for number in direct if (own := _left(marked, releases, people[number]))}
    progress = None if stages is None else _named(stages)
    if folder is None:
        with TemporaryDirectory(dir=temporary_folder()) as work:
            results = evaluate_pairs(pairs, Path(work), bench, progress)
    else:
        results = evaluate_pairs(pairs, folder, bench, progress)
    studies = {study.name: study for study in results.studies}
    measured = Measured(
        found_again={"values": finding.rates, "claims": _by_claims(studies.get("linkage"))},
        token_guess=_estimate(studies.get("tokens"), REPLACED),
        identifiers_left=share(len(left), len(direct), "people"),
        missed=missed,
        utility=bounded(_estimate(studies.get("utility"), COSINE)),
    )
    return Attacked(measured, results.studies, results.facts, finding, left)


def _named(stages: Stages) -> Any:
    def report(name: str) -> Any:
        stages(f"Attacking: {name}", 0.0)
        return lambda done: stages(f"Attacking: {name}", done)

    return report


def _joined(
    values: Sequence[Mapping[str, Sequence[str]]], people: Sequence[Sequence[int]]
) -> list[dict[str, tuple[str, ...]]]:
    """Return the values of each person, whose texts are at these places."""
    joined: list[dict[str, tuple[str, ...]]] = []
    for places in people:
        own: dict[str, tuple[str, ...]] = {}
        for kind, found in ((kind, found) for place in places for kind, found in values[place].items()):
            own[kind] = (*own.get(kind, ()), *found)
        joined.append(own)
    return joined


def _texts(releases: Sequence[str | None], people: Sequence[Sequence[int]]) -> list[str | None]:
    """Return everything that is released of each person; None if nothing is."""
    every = [[text for place in places if (text := releases[place]) is not None] for places in people]
    return ["\n".join(own) if own else None for own in every]


def _left(marked: Marked, releases: Sequence[str | None], places: Sequence[int]) -> tuple[Left, ...]:
    """Return the direct identifiers of a person that the release of the same text still holds."""
    return tuple(
        Left(place, kind, value)
        for place in places
        for kind, values in marked.direct(place).items()
        for value in still_there(values, releases[place] or "")
    )


def _by_claims(study: Study | None) -> dict[str, Estimate]:
    if study is None:
        return {}
    rates: dict[str, Estimate] = {}
    for figure in study.figures:
        if figure.name == RATE:
            setting = figure.setting
            rates[f"{setting['linker']}, {setting['knowledge']} {setting['k']} statements, {setting['query']}"] = (
                figure.estimate
            )
    return rates


def _estimate(study: Study | None, name: str) -> Estimate | None:
    figures = () if study is None else study.figures
    return next((figure.estimate for figure in figures if figure.name == name), None)


def bounded(estimate: Estimate | None) -> Estimate | None:
    """Return a mean of values up to 1 with a lower end that few records cannot raise by luck (Hoeffding)."""
    if estimate is None or not estimate.n or estimate.n >= _MANY:
        return estimate
    return replace(estimate, low=min(estimate.low, estimate.value - math.sqrt(math.log(40) / (2 * estimate.n))))
