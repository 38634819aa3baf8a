"""What follows the rows of a sheet: links, rules of validation and of format, headers and footers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.documents.sheet_book import Book
from sfumato.documents.sheet_rows import Beside, Rows
from sfumato.documents.slot import Slot


def links_by_row(book: Book, part: str, root: Any, rows: Rows) -> Beside:
    return {}


def walk_tail(book: Book, rows: Rows, root: Any) -> Iterator[Slot]:
    yield from ()
