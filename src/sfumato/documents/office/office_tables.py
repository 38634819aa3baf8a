"""What a reader of a table sees before a cell: the heading of its column, or the cell on its left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.office.office_names import long
from sfumato.documents.office.scrub import Part
from sfumato.documents.public_words import is_heading, is_prompt, lead_of
from sfumato.documents.slot import Slot

_CELLS = (long("w:tc"), long("a:tc"))
_ROWS = (long("w:tr"), long("a:tr"))
_BODIES = (long("w:p"), long("a:txBody"))
_TEXTS = (long("w:t"), long("a:t"))
_SHORT = 40


@dataclass(slots=True)
class _Table:
    """The headings of a table, and the row that is read, as they were before they were written."""

    headings: list[str]
    row: Any = None
    cells: list[Any] = field(default_factory=list)
    first: str = ""


def paragraph_slot(part: Part, paragraph: Any, text: str, place: str) -> Slot:
    """Return the text of a paragraph, with what stands before it in a table, such as "Name: ".

    A table of two columns has names on the left. Any other has them in its first row.
    """
    cell, row = _cell_of(paragraph)
    if row is None:
        return Slot(text, place, public=is_prompt(text))
    table = _table_of(part, row)
    column = table.cells.index(cell)
    first = row.getprevious() is None or row.getprevious().tag not in _ROWS
    if len(table.headings) == 2:
        name, is_name = table.first if column else "", not column
    else:
        name = table.headings[column] if column < len(table.headings) and not first else ""
        is_name = first and row.getnext() is not None
    lead = lead_of(name) if len(name) <= _SHORT else ""
    return Slot(text, place, lead=lead, public=is_prompt(text) or (is_name and is_heading(text, table.headings)))


def _cell_of(paragraph: Any) -> tuple[Any, Any]:
    """Return the cell and the row that a paragraph is in, or None for both."""
    cell = paragraph.getparent()
    if cell is not None and cell.tag == _BODIES[1]:
        cell = cell.getparent()
    row = cell.getparent() if cell is not None and cell.tag in _CELLS else None
    return (cell, row) if row is not None and row.tag in _ROWS else (None, None)


def _table_of(part: Part, row: Any) -> _Table:
    tables: dict[Any, _Table] = part.shared.setdefault(f"tables of {part.name}", {})
    table = row.getparent()
    if table not in tables:
        tables[table] = _Table([_text(each) for each in next(table.iterchildren(*_ROWS)).iterchildren(*_CELLS)])
    known = tables[table]
    if known.row is not row:
        known.row, known.cells = row, list(row.iterchildren(*_CELLS))
        known.first = _text(known.cells[0])
    return known


def _text(cell: Any) -> str:
    body = next(cell.iterchildren(*_BODIES), None)
    return "".join([each.text or "" for each in body.iter(*_TEXTS)]).strip() if body is not None else ""
