"""The study of a population: how many people share what records show of a person, before and after.

RAT-Bench (Krčo et al., arXiv 2602.12806) measures tools by the people of a census who share what an attacker infers.
Here the attacker reads what the record says, and takes it for true. A value that the table lacks, or that cannot be
read, matches nobody: its person counts as unique. A text is read in the language that its words show; the table must
name places and occupations as the texts do. The figures bound nothing: what a detector does not mark, what the
table has no column for, and what an attacker infers are not in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sfumato.abstract.detector import Detector
from sfumato.attacks.population import ListedPlaces, Matches, Population
from sfumato.attacks.population_files import LISTED, population_of
from sfumato.building.detectors import detector
from sfumato.detectors.languages import AUTO
from sfumato.errors import ConfigurationError, InputError
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.evaluation.studies._shown import OF_TEXTS, Shows, shown_by_fields, shown_by_texts
from sfumato.metrics.estimates import mean, median, share
from sfumato.storage.digests import digest_of
from sfumato.types import Progress

UNIQUE, BELOW, ABSENT = "unique in the population", "shared by fewer than k people", "not in the table"
THIN = "counted in cells of few people"
CHANCE, MEDIAN = "chance to pick the person", "median of expected matches"
SHOWN = "shown"
OF = "of"
FEWEST = "lowest of"
"""The fewest expected matches of a person: an exact figure, for the owner alone."""
BEFORE, AFTER = "original", "release"
_DETECTOR = "identifiers"


@dataclass(frozen=True, eq=False)
class PopulationStudy(Measure):
    """Counts in ``population`` who shares what records show: the ``fields`` named, or what ``detector`` marks."""

    population: Population
    fields: tuple[str, ...] = ()
    least: int = 5
    seed: int = 0
    detector: Detector | None = None

    needs: ClassVar[tuple[str, ...]] = ("population",)

    def __post_init__(self) -> None:
        if lacking := [name for name in self.fields if name not in self.population.attributes]:
            raise ConfigurationError(
                f"{self.population.name} has no column {', '.join(map(repr, lacking))}; it has "
                f"{', '.join(self.population.attributes)}."
            )

    @classmethod
    def of(cls, bench: Bench) -> PopulationStudy:
        """Return the study with what is on the ``bench``."""
        plan = bench.plan
        population = population_of(plan.population or LISTED)
        return cls(population, plan.population_fields, plan.population_k, plan.seed)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return shares and counts over the people of whom something is released; nothing private is in them."""
        if not pairs.linkable:
            why = "no released record is known to belong to an original"
            return Study("population", skipped=[Skipped("population", why)])
        self._check_fields(pairs)
        places = [number for number, text in enumerate(pairs.released) if text is not None]
        people = _people(pairs, places)
        before, after = self._shown(pairs, places, progress)
        facts: dict[str, Any] = {
            "table": self.population.name, "cells": self.population.cells, "people": self.population.people,
            "thin cells": self.population.thin_cells, "attributes": list(self.population.attributes),
            "read from": list(self.fields) or _DETECTOR,
        }  # fmt: skip
        figures: list[Figure] = []
        for side, shows in ((BEFORE, before), (AFTER, after)):
            own = [_joined([shows[number] for number in numbers]) for numbers in people]
            matches = [self.population.matches(each.values) for each in own]
            figures += self._figures(side, matches)
            figures += self._of_attributes(side, own)
            facts[f"{FEWEST} {side}"] = min(each.expected for each in matches)
        missing = len(pairs) - len(places)
        why = "they are not released, and nothing can be shown of them"
        skipped = [Skipped(f"population of {missing:,} records", why)] if missing else []
        return Study("population", figures, skipped, facts=facts)

    def _check_fields(self, pairs: Pairs) -> None:
        """Raise InputError for a field that no original has: nothing would be looked up for it."""
        for name in self.fields:
            if all(value is None for value in pairs.values(name)):
                raise InputError(f"No record of the original has the field {name!r}; correct --population-fields.")

    def _shown(
        self, pairs: Pairs, places: Sequence[int], progress: Progress | None
    ) -> tuple[list[Shows], list[Shows]]:
        """Return what the originals at ``places`` show, and what their releases do."""
        if self.fields:
            after = [pairs.released_fields[place] or {} for place in places]
            return (
                [shown_by_fields(pairs.fields[place], self.fields) for place in places],
                [shown_by_fields(record, self.fields) for record in after],
            )
        finder = self.detector or detector(_DETECTOR, options={"language": AUTO})
        report = progress or (lambda _: None)
        originals = [pairs.originals[place] for place in places]
        releases = [pairs.texts[place] for place in places]
        return (
            shown_by_texts(originals, finder, lambda done: report(done / 2)),
            shown_by_texts(releases, finder, lambda done: report((1 + done) / 2)),
        )

    def _figures(self, side: str, matches: Sequence[Matches]) -> Iterator[Figure]:
        """Yield the figures of one side of the release."""
        count = len(matches)
        setting: dict[str, str | int | float] = {OF: side}
        expected = [each.expected for each in matches]
        shares: Mapping[str, Sequence[bool]] = {
            UNIQUE: [people <= 1.0 for people in expected],
            BELOW: [people < self.least for people in expected],
            ABSENT: [each.absent for each in matches],
            THIN: [each.thin for each in matches],
        }
        for name, hits in shares.items():
            own = {**setting, "k": self.least} if name == BELOW else setting
            yield Figure(name, share(sum(hits), count, "people"), own, None if name == THIN else "low")
        yield Figure(CHANCE, mean([1 / max(1.0, each) for each in expected], self.seed, "people"), setting, "low")
        yield Figure(MEDIAN, median(expected, 0.0, self.population.people, "people"), setting, "high")

    def _of_attributes(self, side: str, shows: Sequence[Shows]) -> Iterator[Figure]:
        """Yield of how many people each attribute is shown, and whether the table has it."""
        looked_for = self.fields or OF_TEXTS
        others = sorted({kind for each in shows for kind in each.others})
        for name in (*looked_for, *others):
            hits = sum(name in each.values or name in each.others for each in shows)
            counted = "yes" if name in self.population.attributes else "no"
            if hits:
                setting: Setting = {OF: side, "attribute": name, "counted": counted}
                yield Figure(SHOWN, share(hits, len(shows), "people"), setting, "low")


def _people(pairs: Pairs, places: Sequence[int]) -> list[list[int]]:
    """Return the numbers, among ``places``, of the records of each person."""
    owners: dict[int, list[int]] = {}
    for number, place in enumerate(places):
        owners.setdefault(pairs.owners[place] if pairs.owners else place, []).append(number)
    return list(owners.values())


def _joined(shows: Sequence[Shows]) -> Shows:
    joined = Shows()
    for each in shows:
        joined = joined.also(each)
    return joined


def population_id(name: str) -> str:
    """Return what tells a population from another of its name."""
    return ListedPlaces().name if name == LISTED else digest_of(Path(name))
