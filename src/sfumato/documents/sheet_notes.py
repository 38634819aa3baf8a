"""Comments of cells, and the threads of later versions of Excel. Nobody is named as the author of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.sheet_book import Book, Spot
from sfumato.documents.sheet_workbook import Sheet
from sfumato.documents.slot import Slot

THREADED = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"


@dataclass(slots=True)
class Notes:
    """The comments of a sheet."""

    parts: list[tuple[str, Any]] = field(default_factory=list, repr=False)

    def by_row(self, rows: Any) -> dict[int, list[Callable[[Spot], Iterator[Slot]]]]:
        return {}

    def write(self, book: Book) -> None:
        pass


def walk_notes(book: Book, sheet: Sheet) -> Notes:
    return Notes()
