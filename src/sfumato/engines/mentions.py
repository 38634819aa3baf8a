"""What a release with several treatments replaces: each marked text with its kind, its record and its place."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sfumato.errors import InputError
from sfumato.privacy.randomness import Randomness, context
from sfumato.text.document import name_of_person
from sfumato.text.marked_record import MarkedRecord


@dataclass(frozen=True)
class Mention:
    """A marked text. Private: it holds the text.

    ``record`` and ``place`` say where it is: the number of its record in the batch, and of the mention in the record.
    """

    record: int
    place: int
    text: str = field(repr=False)
    kind: str


@dataclass(frozen=True, eq=False)
class Batch:
    """The marked records that are sanitized together, and where their random numbers come from. Private.

    ``subject_field`` names the person of a record, for treatments that draw once for a person.
    """

    records: Sequence[MarkedRecord] = field(repr=False)
    randomness: Randomness
    setting: str
    subject_field: str | None = None

    @cached_property
    def mentions(self) -> list[Mention]:
        """Return every marked text, record by record."""
        return [
            Mention(number, place, text, kind)
            for number, record in enumerate(self.records)
            for place, (text, kind) in enumerate(zip(record.texts, record.labels, strict=True))
        ]

    def key(self, record: int) -> bytes:
        """Return what every keyed draw of ``record`` depends on."""
        return self._keys[record]

    @cached_property
    def _keys(self) -> list[bytes]:
        """Return what every keyed draw of a record depends on: the setting, its origin, and all of its marked texts.

        All of them, because draws that a changed record shares with its original would disclose where it changed.
        """
        return [self._key(record) for record in self.records]

    def _key(self, record: MarkedRecord) -> bytes:
        names = [context(*document.names) for document in record.documents]
        marked = context(*(part for pair in zip(record.texts, record.labels, strict=True) for part in pair))
        return context(self.setting, *names, hashlib.sha256(marked).digest())

    def contexts(self, records: Sequence[int], parts: Sequence[Sequence[str | int]]) -> list[bytes] | None:
        """Return the contexts of draws for ``records``, told apart by ``parts``; None if randomness is not keyed."""
        if not self.randomness.keyed:
            return None
        return [context(self._keys[record], *own) for record, own in zip(records, parts, strict=True)]

    def subject(self, record: int) -> str:
        """Return the name of a record's person. Raise InputError naming the document where it has none."""
        first = self.records[record].documents[0]
        name = first.metadata.get(self.subject_field) if self.subject_field else None
        if isinstance(name, bool) or not isinstance(name, str | int) or not name_of_person(name):
            raise InputError(
                f"the field {self.subject_field!r}, which names the person of a record, is missing or empty; correct "
                "the record, or draw for each record.",
                self.records[record].first,
            )
        return name_of_person(name)


def by_record(mentions: Sequence[Mention]) -> Iterator[tuple[int, list[int]]]:
    """Yield the number of each record, and the positions of its mentions in ``mentions``."""
    grouped: dict[int, list[int]] = {}
    for position, mention in enumerate(mentions):
        grouped.setdefault(mention.record, []).append(position)
    yield from grouped.items()
