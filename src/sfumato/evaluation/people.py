"""The people of an evaluation: one record of each, and people held out of training beside the members.

All intervals suppose that records are independent. Those of one person are not: they resemble each other, and a
training saw some of them or none. So one record of each person is drawn at random among those that the synthesis
read, and records then count people. Members and people held out are told apart person by person.

Synthetic records were made from the members. Whatever an attack finds about people held out it would have found
without the training, since the release does not depend on them. So the difference between members and them is what
training tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import InputError
from sfumato.evaluation.pairs import Pairs, facts_of, records_of
from sfumato.files import FileOptions
from sfumato.text.document import name_of_person

PEOPLE = "people"
"""The fact about a file that says how many people it holds; one record of each is used."""

_STREAM = 29
IN_BOTH = "in both"
"""The fact about the file held out that says how many records were left out of both."""


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


def _person_of_id(name: str) -> str:
    """Return the name of the person whom an id names; the id itself if nothing of it can be read."""
    return name_of_person(name) or name


def with_held_out(pairs: Pairs, path: Path, options: FileOptions, ids_name_people: bool = True) -> Pairs:
    """Return ``pairs`` with the people in the file at ``path``, which is read like the originals.

    A text that is in both files tells nothing of training, so its records are left out of both and counted. An id is
    compared as the name of a person (:func:`name_of_person`), or as it is if another field names people. Raise
    InputError for a file that cannot be read, an id that is in both files, or if nobody is left on a side.
    """
    people = records_of(path, options)
    if options.id_field is not None:
        compared = _person_of_id if ids_name_people else str
        originals = set(map(compared, pairs.ids))
        if shared := sum(compared(name) in originals for name, _ in people):
            raise InputError(
                f"{path.name} holds {shared:,} ids that the original has too, so these people were not held out of "
                "training; name a file of other people with --held-out."
            )
    texts = {text for _, (text, _) in people}
    members = [index for index, text in enumerate(pairs.originals) if text not in texts]
    own = set(pairs.originals)
    others = [(name, record) for name, record in people if record[0] not in own]
    if not members or not others:
        raise InputError(
            f"Every text of {path.name} is one of the original's, or there is none; name a file of people who were "
            "held out of training with --held-out."
        )
    facts = {**facts_of(path, len(people)), IN_BOTH: len(pairs) - len(members) + len(people) - len(others)}
    return replace(
        pairs.keeping(members),
        held_out=[record[0] for _, record in others],
        held_out_ids=[name for name, _ in others],
        held_out_fields=[record[1] for _, record in others],
        sources={**pairs.sources, "held-out": facts},
    )
