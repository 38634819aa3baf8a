"""What was read of documents before, so that a first look at an input costs no second reading."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from sfumato.documents.slot import Slot

Records = list[tuple[int, list[Slot]]]
"""Number and texts of each record of a file."""
HELD = 20_000
"""A file with several records and more texts is walked over once, to its end, before its first record is used."""


@dataclass
class ReadBefore:
    """The records of files that were read, each until it is asked for again. PRIVATE.

    Of a file with more texts than may be held it is known that all of it could be read.
    """

    _files: dict[Hashable, Records | None] = field(default_factory=dict, repr=False)
    _room: int = HELD

    def records(self, key: Hashable, read: Callable[[], Records | None]) -> Records | None:
        """Return the records of the file that ``key`` names, as it is now; None for one with too many to be held."""
        if key in self._files:
            return self._files[key] if self._files[key] is None else self._files.pop(key)
        records = read()
        texts = sum(len(own) for _, own in records or ())
        if texts <= self._room:
            self._files[key] = records
            self._room -= texts
        return records
