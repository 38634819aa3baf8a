"""One record of each person, for files in which people have several.

All intervals suppose that records are independent. Those of one person are not: they resemble each other, and a
training saw some of them or none. So one record of each is drawn at random among those that the synthesis read, and
records then count people. Members and
people held out are told apart person by person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sfumato.errors import InputError
from sfumato.evaluation.pairs import Pairs
from sfumato.text.document import name_of_person

PEOPLE = "people"
"""The fact about a file that says how many people it holds; one record of each is used."""

_STREAM = 29


def first_of_each(pairs: Pairs, field: str, most: int) -> Pairs:
    """Return ``pairs`` with the first ``most`` original records of each person: those that a synthesis reads.

    The others were never trained on, and would hide what those that were disclose.
    """
    people = _people(pairs.fields, field, pairs.sources["original"]["name"])
    return pairs.keeping(sorted(place for places in people.values() for place in places[:most]))


def one_each(pairs: Pairs, field: str, seed: int, most: int) -> Pairs:
    """Return ``pairs`` with one record, drawn from the first ``most``, of each person whom ``field`` names.

    People are told apart by their names (:func:`name_of_person`), as in a synthesis. Raise InputError for a record
    that names nobody, or for a person who is a member and held out.
    """
    members = _people(pairs.fields, field, pairs.sources["original"]["name"])
    others = _people(pairs.held_out_fields, field, pairs.sources.get("held-out", {}).get("name", ""))
    if both := members.keys() & others.keys():
        raise InputError(
            f"{len(both):,} people of the field {field!r} are in the original and in the file of --held-out, so they "
            "were not held out of training; name a file of other people."
        )
    draw = np.random.default_rng([seed, _STREAM])
    mine = _one_of_each(members, draw, most)
    theirs = _one_of_each(others, draw, most)
    counts = {"original": len(mine), **({"held-out": len(theirs)} if pairs.held_out else {})}
    return replace(
        pairs.keeping(mine),
        held_out=[pairs.held_out[index] for index in theirs],
        held_out_ids=[pairs.held_out_ids[index] for index in theirs],
        held_out_fields=[pairs.held_out_fields[index] for index in theirs],
        sources={
            name: {**facts, PEOPLE: counts[name]} if name in counts else facts
            for name, facts in pairs.sources.items()
        },
    )


def _people(records: Sequence[Mapping[str, Any]], field: str, name: str | int) -> dict[str, list[int]]:
    """Return the places of each person's records. Raise InputError for records that name nobody."""
    people = dict[str, list[int]]()
    for place, record in enumerate(records):
        value = record.get(field)
        nobody = value is None or value != value  # NaN is not itself
        people.setdefault("" if nobody else name_of_person(value), []).append(place)
    if nameless := len(people.get("", ())):
        raise InputError(
            f"{name}: {nameless:,} records have no value in the field {field!r}, which names the person; correct the "
            "records, or --unit-field."
        )
    return people


def _one_of_each(people: Mapping[str, Sequence[int]], draw: np.random.Generator, most: int) -> list[int]:
    """Return one of the first ``most`` places of each person, ascending."""
    return sorted(int(places[int(draw.integers(min(most, len(places))))]) for places in people.values())
