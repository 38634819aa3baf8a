"""An attacker who knows the values of a person that were replaced, and looks for that person's record in the release.

Threat model: the attacker holds all replaced values of one person (a register with names, dates and places) and the
whole release, and guesses the record that answers them best, by words (BM25) and by sentence embeddings. One of equal
scores is drawn at random, as in :mod:`sfumato.attacks.linkage`. A person whose record is missing counts as not found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.attacks.linkage import BM25, Dense, Held, Linker, surely_linked
from sfumato.metrics.estimates import Estimate, nothing, share

_DENSE_FREELY = 2_000
"""Records up to which all of them are embedded."""


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


def found_by_values(
    values: Sequence[Mapping[str, Sequence[str]]], releases: Sequence[str | None], encoder: Encoder, seed: int = 0
) -> FoundAgain:
    """Return how often the owners of ``values`` (by kind) are found among ``releases``, each at the same place.

    Who has no value cannot be looked for and counts nowhere. Without anyone to look for, nothing was measured.
    """
    people = [number for number, own in enumerate(values) if own]
    texts = [text or "" for text in releases]
    everything = [Held(tuple(value for own in values[number].values() for value in own), ()) for number in people]
    linkers: dict[str, Linker] = {"by words": BM25(texts)}
    if len(texts) <= _DENSE_FREELY:
        linkers["by meaning"] = Dense(texts, encoder)
    if not people:
        return FoundAgain({name: nothing("people") for name in linkers}, {}, (), len(texts) > _DENSE_FREELY)
    right: dict[str, np.ndarray] = {}
    leads: list[np.ndarray] = []
    for name, linker in linkers.items():
        right[name], lead = _right(linker, everything, people, releases, seed)
        leads.append(np.where(right[name], lead, 0.0))
    kinds = dict.fromkeys(kind for own in values for kind in own)
    by_kind = {}
    for kind in kinds:
        own = [number for number in people if kind in values[number]]
        knowing = [Held(tuple(values[number][kind]), ()) for number in own]
        by_kind[kind] = _share(_right(linkers["by words"], knowing, own, releases, seed)[0], len(people))
    surest = _surest_first(list(right.values()), leads)
    return FoundAgain(
        {name: _share(hits, len(people)) for name, hits in right.items()},
        by_kind,
        tuple(people[place] for place in surest),
        len(texts) > _DENSE_FREELY,
        {people[place]: tuple(name for name, hits in right.items() if hits[place]) for place in surest},
    )


def _right(
    linker: Linker, attackers: Sequence[Held], people: Sequence[int], releases: Sequence[str | None], seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each attacker whether the guess is the person's own record, and how sure the guess is."""
    guesses, leads = surely_linked(linker, attackers, seed)
    there = np.array([releases[number] is not None for number in people], dtype=bool)
    return np.asarray((guesses == np.array(people, dtype=np.int64)) & there), leads


def _surest_first(right: Sequence[np.ndarray], leads: Sequence[np.ndarray]) -> list[int]:
    """Return the places of those whom at least one attacker finds, the surest first."""
    times = np.sum(right, axis=0)
    order = np.lexsort((-np.max(leads, axis=0), -times))
    return [int(place) for place in order if times[place]]


def _share(right: np.ndarray, people: int) -> Estimate:
    return share(int(right.sum()), people, "people")
