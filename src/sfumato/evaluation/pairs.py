"""An original and a release of it, record by record; the release may come from any tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import InputError
from sfumato.files import FileOptions, open_source
from sfumato.storage.digests import digest_of_everything
from sfumato.text.document import readable


@dataclass(frozen=True, eq=False)
class Pairs:
    """Originals and their releases.

    ``released`` holds None if the release has no record with that id. ``strays`` are the texts of released records
    whose id no original has. These are all of them if records do not correspond one to one: then ``linkable`` is
    False. ``fields``, ``released_fields`` and ``stray_fields`` hold all fields of the records, for labels.
    ``held_out`` are records of people whom the release was not made from, with their ids and fields: empty where none
    were given. ``sources`` holds name, SHA-256 and number of records of the files. ``owners`` are numbers of people,
    one for each original; empty if each is about somebody else.
    """

    ids: Sequence[str]
    originals: Sequence[str]
    released: Sequence[str | None]
    strays: Sequence[str] = ()
    fields: Sequence[Mapping[str, Any]] = ()
    released_fields: Sequence[Mapping[str, Any] | None] = ()
    stray_fields: Sequence[Mapping[str, Any]] = ()
    sources: Mapping[str, Mapping[str, str | int]] = field(default_factory=dict)
    held_out: Sequence[str] = ()
    held_out_ids: Sequence[str] = ()
    held_out_fields: Sequence[Mapping[str, Any]] = ()
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
        return replace(
            self, ids=self.held_out_ids, originals=self.held_out, fields=self.held_out_fields,
            released=[None] * len(self.held_out), released_fields=[None] * len(self.held_out),
            held_out=(), held_out_ids=(), held_out_fields=(), owners=(),
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
    one_to_one: bool = True,
) -> Pairs:  # fmt: skip
    """Read both files and join them by id (without an id field: by position).

    Raise InputError for files that cannot be read, hold an id twice or hold no record, and for a label that no record
    has.
    """
    before, after = records_of(original, options), records_of(release, release_options or options)
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


Record = tuple[str, tuple[str, Mapping[str, Any]]]
"""The id of a record, its text, and its other fields."""


def records_of(path: Path, options: FileOptions) -> list[Record]:
    """Return the records of a file. Raise InputError."""
    chunks = open_source(path, options).chunks()
    # Encoders and taggers refuse lone surrogates, and one such character must not stop the evaluation.
    return [
        (document.id, (readable(document.text), document.metadata))
        for chunk in chunks
        for document in chunk.documents
    ]


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
