"""What a chunk held, and what became of all chunks of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from sfumato.files.source import BadRecord

NAMES = ".names.jsonl"
"""How the name of the private file ends that says which file each numbered document was."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a chunk held: ``draws_per_record`` maps a number of draws to how many records took it.

    ``labels`` maps a label to how many replaced spans have it, where spans have labels of their own; ``untouched`` is
    how many records stay as they were, and ``absent`` how many texts are null or missing. ``people`` maps what a
    person spent in all chunks to how many people spent it; it is known at the end of a run with a subject field.
    ``draws_by`` and ``people_by`` hold the same as it and ``people`` for each treatment of a policy.
    ``passing`` maps each field that is written as it was read to how many records have it, and
    ``cautions`` each thing to be careful about in the detector's marks to the records that it is about.
    ``returned`` and ``remains`` are what a release still shows (:mod:`sfumato.release.remains`), for the owner alone.
    ``documents`` maps each part of documents to how many of them were treated, dropped or kept.
    """

    records: int
    characters: int
    quarantined: int
    draws_per_record: Mapping[int, int]
    size: int
    labels: Mapping[str, int] = field(default_factory=dict)
    untouched: int = 0
    absent: int = 0
    people: Mapping[int, int] = field(default_factory=dict)
    draws_by: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    people_by: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    passing: Mapping[str, int] = field(default_factory=dict)
    cautions: Mapping[str, int] = field(default_factory=dict)
    returned: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    remains: Mapping[str, int] = field(default_factory=dict)
    documents: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def as_json(self) -> bytes:
        """As JSON bytes."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """From the bytes of :meth:`as_json`."""
        values = json.loads(data)
        for name in ("draws_per_record", "people"):
            values[name] = _numbered(values[name])
        for name in ("draws_by", "people_by"):
            values[name] = {treatment: _numbered(counts) for treatment, counts in values[name].items()}
        return cls(**values)

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{
            each.name: _added(getattr(self, each.name), getattr(other, each.name))
            for each in fields(Counts)
            if not each.name.startswith("people")
        })  # fmt: skip


def _added(count: Any, other: Any) -> Any:
    """Return the sum of two numbers, or of the numbers of two mappings, key by key."""
    if not isinstance(count, Mapping):
        return count + other
    names = dict.fromkeys((*count, *other))
    empty: Any = {} if any(isinstance(each, Mapping) for each in (*count.values(), *other.values())) else 0
    return {name: _added(count.get(name, empty), other.get(name, empty)) for name in names}


def _numbered(counts: Mapping[str, int]) -> dict[int, int]:
    """Return ``counts`` by number, which JSON makes text of."""
    return {int(number): count for number, count in counts.items()}


NOTHING = Counts(0, 0, 0, {}, 0)


@dataclass(frozen=True, slots=True)
class Part:
    """What a chunk or a shard became: its bytes in the output, the ``bad`` records (private), and what was counted.

    ``people`` are the rows of what its people spent (:mod:`sfumato.files.keyed_rows`), in a run with a subject field:
    on everything under the empty name, and on each treatment of a policy under its name. ``ids`` are the rows of its
    ids, if the part is a shard. ``drawn`` says what each record paid for, in a run with a ledger, and a digest of its
    marks.
    """

    body: bytes = field(repr=False)
    bad: tuple[BadRecord, ...]
    counts: Counts
    people: Mapping[str, bytes] | None = field(default=None, repr=False)
    ids: bytes | None = field(default=None, repr=False)
    drawn: Sequence[tuple[str, dict[str, int], str]] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Assembled:
    """A release that is complete, and may bear its name already: its chunks, their counts, the file's number."""

    chunks: int
    counts: Counts
    inode: int

    def as_json(self, run: str) -> bytes:
        """As JSON bytes, for the run of that name."""
        return json.dumps({"run": run, **asdict(self)}).encode()

    @classmethod
    def from_json(cls, data: bytes, run: str) -> Self | None:
        """From the bytes of :meth:`as_json`; None where they are of another run, or of none."""
        try:
            values = json.loads(data)
        except ValueError:
            return None
        if values["run"] != run:
            return None
        return cls(values["chunks"], Counts.from_json(json.dumps(values["counts"]).encode()), values["inode"])
