"""An original and a release of it, record by record; the release may come from any tool.

**People.** All intervals suppose that records are independent. Those of one person are not: they resemble each other,
and a training saw some of them or none. So one record of each person is drawn at random among those that the
synthesis read, and records then count people. Members and people held out are told apart person by person.

Synthetic records were made from the members. Whatever an attack finds about people held out it would have found
without the training, since the release does not depend on them. So the difference between members and them is what
training tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import InputError
from sfumato.files import FileOptions, Source, open_release, open_source
from sfumato.files.counts import NAMES
from sfumato.storage.digests import digest_of_everything
from sfumato.text.document import name_of_person, readable

Record = tuple[str, tuple[str, Mapping[str, Any]]]
"""The id of a record, its text, and its other fields."""
PEOPLE = "people"
"""The fact about a file that says how many people it holds; one record of each is used."""
_STREAM = 29
IN_BOTH = "in both"
"""The fact about the file held out that says how many records were left out of both."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Originals and their releases.

    ``released`` holds None if the release has no record with that id. ``strays`` are the texts of released records
    whose id no original has. These are all of them if records do not correspond one to one: then ``linkable`` is
    False. ``fields``, ``released_fields`` and ``stray_fields`` hold all fields of the records, for labels.
    ``held_out`` are records of people whom the release was not made from; empty where none were given. ``sources``
    holds name, SHA-256 and number of records of the files. ``owners`` are numbers of people, one for each original;
    empty if each is about somebody else.
    """

    ids: Sequence[str]
    originals: Sequence[str]
    released: Sequence[str | None]
    strays: Sequence[str] = ()
    fields: Sequence[Mapping[str, Any]] = ()
    released_fields: Sequence[Mapping[str, Any] | None] = ()
    stray_fields: Sequence[Mapping[str, Any]] = ()
    sources: Mapping[str, Mapping[str, str | int]] = field(default_factory=dict)
    held_out: Sequence[Record] = ()
    owners: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def linkable(self) -> bool:
        """Return whether some released record is known to belong to an original."""
        return any(text is not None for text in self.released)

    def keeping(self, indices: Sequence[int]) -> Pairs:
        """Return the same with the originals at ``indices`` alone; people held out remain."""
        return replace(
            self,
            ids=[self.ids[index] for index in indices],
            originals=[self.originals[index] for index in indices],
            released=[self.released[index] for index in indices],
            fields=[self.fields[index] for index in indices],
            released_fields=[self.released_fields[index] for index in indices],
            owners=[self.owners[index] for index in indices] if self.owners else (),
        )

    @property
    def of_held_out(self) -> Pairs:
        """Return the people held out in place of the originals, beside the same released records."""
        nothing = [None] * len(self.held_out)
        return replace(
            self, ids=[name for name, _ in self.held_out], originals=[text for _, (text, _) in self.held_out],
            fields=[record for _, (_, record) in self.held_out], released=nothing, released_fields=nothing,
            held_out=(), owners=(),
        )  # fmt: skip

    @property
    def missing(self) -> int:
        """Return how many originals have no released record."""
        return sum(text is None for text in self.released)

    @cached_property
    def candidates(self) -> tuple[list[str], list[int]]:
        """Return all released texts, and for each the number of the original that it belongs to (-1: to none)."""
        own = [(text, number) for number, text in enumerate(self.released) if text is not None]
        every = [*own, *((text, -1) for text in self.strays)]
        return [text for text, _ in every], [number for _, number in every]

    @property
    def texts(self) -> list[str]:
        """Return the released text of each original, an empty one if there is none."""
        return [text or "" for text in self.released]

    def values(self, field: str) -> list[Any]:
        """Return the values of ``field`` in the originals, None if a record lacks it."""
        return [record.get(field) for record in self.fields]

    def candidate_values(self, field: str) -> list[Any]:
        """Return the values of ``field`` in the released records, in the order of :attr:`candidates`."""
        every = [*(record for record in self.released_fields if record is not None), *self.stray_fields]
        return [record.get(field) for record in every] or [None] * len(self.candidates[0])


def read_pairs(
    original: Path, release: Path, options: FileOptions, release_options: FileOptions | None = None,
    one_to_one: bool = True, read_along: Sequence[str] = (),
) -> Pairs:  # fmt: skip
    """Read both files and join them by id (without an id field: by position).

    The fields ``read_along`` of the originals are read where a record has them. Raise InputError for files that
    cannot be read, hold an id twice or hold no record, and for a label that no record has.
    """
    names = Path(f"{release}{NAMES}")
    if release.name and names.is_file():  # whose texts were read with their names
        options, of_release = (replace(own, documents=own.rules) for own in (options, release_options or options))
    else:
        of_release = release_options or options
    before = records_of(original, options.reading(read_along))
    after = _records(open_release(release, original, of_release, options))
    if not before:
        raise InputError(f"{original.name} holds no records; name the file that was sanitized.")
    for name in options.labels:
        if all(record.get(name) is None for _, (_, record) in before):
            raise InputError(
                f"No record of {original.name} has the field {name!r}; correct --label, --task or --unit-field."
            )
    if one_to_one and options.id_field is None and original.is_file() and len(before) != len(after):
        raise InputError(
            f"{original.name} holds {len(before):,} records and {release.name} {len(after):,}, so their order does "
            "not say which belong together; name the field that does with --id-field, or say --synthetic."
        )
    there = dict(after) if one_to_one else {}
    known = {name for name, _ in before}
    matches = [there.get(name) for name, _ in before]
    return Pairs(
        ids=[name for name, _ in before],
        originals=[text for _, (text, _) in before],
        released=[None if match is None else match[0] for match in matches],
        strays=[text for name, (text, _) in after if not one_to_one or name not in known],
        fields=[record for _, (_, record) in before],
        released_fields=[None if match is None else match[1] for match in matches],
        stray_fields=[record for name, (_, record) in after if not one_to_one or name not in known],
        sources={"original": facts_of(original, len(before)), "release": facts_of(release, len(after))},
    )


def records_of(path: Path, options: FileOptions) -> list[Record]:
    """Return the records of a file. Raise InputError."""
    return _records(open_source(path, options))


def _records(source: Source) -> list[Record]:
    # Encoders and taggers refuse lone surrogates, and one such character must not stop the evaluation.
    rows: list[Record] = []
    for chunk in source.chunks():
        if not source.joins_texts:
            rows += [(each.id, (readable(each.text), each.metadata)) for each in chunk.documents]
            continue
        for first, end in pairwise(chunk.edges):
            own = chunk.documents[first:end]
            text = "\n".join(each.text for each in own)
            rows += [(own[0].names[-1], (readable(text), own[0].metadata))] if own else []
    return rows


def facts_of(path: Path, records: int) -> dict[str, str | int]:
    """Return a file's name, its SHA-256 (of a folder: of all its files) and its number of records."""
    return {"name": path.name, "sha256": digest_of_everything(path), "records": records}


def drawn(count: int, most: int | None, seed: int, stream: int = 11) -> list[int]:
    """Return ``most`` of ``count`` numbers, drawn at random, ascending; all of them if there are no more, or for
    None.

    Every study draws its sample here. ``stream`` keeps the draws of one study independent of those of another.
    """
    if most is None or most >= count:
        return list(range(count))
    return sorted(np.random.default_rng([seed, stream]).choice(count, most, replace=False).tolist())


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
    others = _people(pairs.of_held_out.fields, field, pairs.sources.get("held-out", {}).get("name", ""))
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
    return replace(pairs.keeping(members), held_out=others, sources={**pairs.sources, "held-out": facts})
