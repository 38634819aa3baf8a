"""The attacks that a release has to withstand, and what they found, as the limits of a policy name it.

Beside the studies of an evaluation two attackers look for people by marked values. An acquaintance holds all replaced
values of one person. An outsider holds the names and dates alone, as a register does, also those that the policy
keeps. Both hold the whole release, and guess the record that answers their values best, by words (BM25) and by
sentence embeddings. One of equal scores is drawn at random, as in :mod:`sfumato.attacks.linkage`. A person whose
record is missing counts as not found. Insiders, who know facts of the story, are the study of linkage.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.attacks.linkage import Held, surely_linked
from sfumato.attacks.linkers import BM25, Dense, Linker
from sfumato.evaluation.bench import Bench
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.files import evaluate_pairs
from sfumato.evaluation.studies.linkage import RATE
from sfumato.evaluation.studies.population import AFTER, OF, UNIQUE
from sfumato.evaluation.studies.tokens import REPLACED
from sfumato.evaluation.studies.utility import COSINE
from sfumato.metrics.estimates import Estimate, nothing, share
from sfumato.protection.judging import Measured
from sfumato.protection.originals import Marked, Originals
from sfumato.storage.locations import temporary_folder
from sfumato.text.sentences import still_there
from sfumato.types import Stages

_DENSE_FREELY = 2_000
"""Records up to which all of them are embedded."""
_BY_WORDS = "by words"
_REGISTER = ("PERSON", "DATE")
"""Kinds of values that an outsider knows, whether the policy replaces or keeps them."""
_MANY = 200
"""Records from which resamples alone give the interval of a mean."""


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
    of_synthesis: bool = False
    """Whether the records are synthetic, so that not even the number of people is public."""


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
    values, texts = joined(marked.replaced, people), _texts(releases, people)
    search = Search(texts, bench.encoder, bench.plan.seed)
    finding = search.found(values)
    register = [of_register(own) for own in joined(marked.every, people)]
    direct = [number for number, own in enumerate(people) if any(map(marked.direct, own))]
    left = {number: own for number in direct if (own := _left(marked, releases, people[number]))}
    progress = None if stages is None else named(stages)
    if folder is None:
        with TemporaryDirectory(dir=temporary_folder()) as work:
            results = evaluate_pairs(pairs, Path(work), bench, progress)
    else:
        results = evaluate_pairs(pairs, folder, bench, progress)
    studies = {study.name: study for study in results.studies}
    measured = Measured(
        found_again={
            "outsiders": search.rates(register),
            "acquaintances": finding.rates,
            "insiders": _by_claims(studies.get("linkage"), bench.plan.claims),
        },
        token_guess=estimate_of(studies.get("tokens"), REPLACED),
        identifiers_left=share(len(left), len(direct), "people"),
        missed=missed,
        utility=bounded(estimate_of(studies.get("utility"), COSINE)),
        unique=estimate_of(studies.get("population"), UNIQUE, **{OF: AFTER}),
    )
    return Attacked(measured, results.studies, results.facts, finding, left)


def named(stages: Stages) -> Any:
    """Return what reports the progress of each study to ``stages``."""

    def report(name: str) -> Any:
        stages(f"Attacking: {name}", 0.0)
        return lambda done: stages(f"Attacking: {name}", done)

    return report


def joined(
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


def of_register(values: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the names and dates among the values of a person, as an outsider's register has them."""
    return {kind: own for kind, own in values.items() if kind in _REGISTER}


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


def _by_claims(study: Study | None, facts: int) -> dict[str, Estimate]:
    """Return how often people are found by at most so many ``facts``, by the way of linking."""
    return {
        f"{figure.setting['linker']}, {figure.setting['knowledge']} {figure.setting['k']} statements, "
        f"{figure.setting['query']}": figure.estimate
        for figure in (() if study is None else study.figures)
        if figure.name == RATE and int(figure.setting["k"]) <= facts
    }


def estimate_of(study: Study | None, name: str, **setting: Any) -> Estimate | None:
    """Return the first figure called ``name`` whose setting holds all of ``setting``; None without one."""
    figures = () if study is None else study.figures
    wanted = (
        figure.estimate
        for figure in figures
        if figure.name == name and all(figure.setting.get(key) == value for key, value in setting.items())
    )
    return next(wanted, None)


def bounded(estimate: Estimate | None) -> Estimate | None:
    """Return a mean of values up to 1 with a lower end that few records cannot raise by luck (Hoeffding)."""
    if estimate is None or not estimate.n or estimate.n >= _MANY:
        return estimate
    return replace(estimate, low=min(estimate.low, estimate.value - math.sqrt(math.log(40) / (2 * estimate.n))))


@dataclass(frozen=True)
class FoundAgain:
    """How often people are found by their values.

    Attributes:
        rates: The share of people that each attacker finds, by the attacker's name.
        by_kind: The share that is found by the values of one kind alone (BM25).
        records: The numbers of the people that at least one attacker finds, the surest first: those whom more
            attackers find, and of these the ones whose record is the furthest ahead of the next best.
        words_only: Whether there were too many records to be searched by meaning as well.
        ways: The names of the attackers that find each of ``records``.
    """

    rates: Mapping[str, Estimate]
    by_kind: Mapping[str, Estimate]
    records: tuple[int, ...]
    words_only: bool = False
    ways: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Search:
    """Searches ``releases`` for people by their values: by words and, unless there are too many records, by meaning.

    Each release is at the same place as its owner. Who has no value cannot be looked for and counts nowhere. Without
    anyone to look for, nothing was measured.
    """

    releases: Sequence[str | None]
    encoder: Encoder
    seed: int = 0

    def found(self, values: Sequence[Mapping[str, Sequence[str]]]) -> FoundAgain:
        """Return how often the owners of ``values`` (by kind) are found, who is found, and by which kinds."""
        people = _with_values(values)
        if not people:
            return FoundAgain(self.rates(values), {}, (), self._words_only)
        right: dict[str, np.ndarray] = {}
        leads: list[np.ndarray] = []
        for name, linker in self._linkers.items():
            right[name], lead = self._right(linker, _everything(values, people), people)
            leads.append(np.where(right[name], lead, 0.0))
        by_kind = {}
        for kind in dict.fromkeys(kind for own in values for kind in own):
            own = [number for number in people if kind in values[number]]
            knowing = [Held(tuple(values[number][kind]), ()) for number in own]
            by_kind[kind] = _share(self._right(self._linkers[_BY_WORDS], knowing, own)[0], len(people))
        surest = _surest_first(list(right.values()), leads)
        return FoundAgain(
            {name: _share(hits, len(people)) for name, hits in right.items()},
            by_kind,
            tuple(people[place] for place in surest),
            self._words_only,
            {people[place]: tuple(name for name, hits in right.items() if hits[place]) for place in surest},
        )

    def rates(self, values: Sequence[Mapping[str, Sequence[str]]]) -> dict[str, Estimate]:
        """Return the share of the owners of ``values`` that is found, by the way of searching."""
        people = _with_values(values)
        if not people:
            return {name: nothing("people") for name in self._linkers}
        knowing = _everything(values, people)
        return {
            name: _share(self._right(linker, knowing, people)[0], len(people))
            for name, linker in self._linkers.items()
        }

    @property
    def _words_only(self) -> bool:
        return len(self.releases) > _DENSE_FREELY

    @cached_property
    def _linkers(self) -> dict[str, Linker]:
        texts = [text or "" for text in self.releases]
        by_words: dict[str, Linker] = {_BY_WORDS: BM25(texts)}
        return by_words if self._words_only else {**by_words, "by meaning": Dense(texts, self.encoder)}

    def _right(
        self, linker: Linker, attackers: Sequence[Held], people: Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return for each attacker whether the guess is the person's own record, and how sure the guess is."""
        guesses, leads = surely_linked(linker, attackers, self.seed)
        there = np.array([self.releases[number] is not None for number in people], dtype=bool)
        return np.asarray((guesses == np.array(people, dtype=np.int64)) & there), leads


def _with_values(values: Sequence[Mapping[str, Sequence[str]]]) -> list[int]:
    """Return the numbers of the people who can be looked for."""
    return [number for number, own in enumerate(values) if own]


def _everything(values: Sequence[Mapping[str, Sequence[str]]], people: Sequence[int]) -> list[Held]:
    """Return an attacker for each of ``people`` who holds all of the person's values."""
    return [Held(tuple(value for own in values[number].values() for value in own), ()) for number in people]


def _surest_first(right: Sequence[np.ndarray], leads: Sequence[np.ndarray]) -> list[int]:
    """Return the places of those whom at least one attacker finds, the surest first."""
    times = np.sum(right, axis=0)
    order = np.lexsort((-np.max(leads, axis=0), -times))
    return [int(place) for place in order if times[place]]


def _share(right: np.ndarray, people: int) -> Estimate:
    return share(int(right.sum()), people, "people")
