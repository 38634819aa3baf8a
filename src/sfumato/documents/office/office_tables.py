"""What a reader of a table sees before a cell: the heading of its column, or the cell on its left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.office.office_names import long
from sfumato.documents.office.scrub import Part

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


def lead(part: Part, paragraph: Any) -> str:
    """Return what stands before a paragraph of a table, such as "Name: ", or "".

    A table of two columns has names on the left. Any other has them in its first row.
    """
    cell = paragraph.getparent()
    if cell is not None and cell.tag == _BODIES[1]:
        cell = cell.getparent()
    row = cell.getparent() if cell is not None and cell.tag in _CELLS else None
    if row is None or row.tag not in _ROWS:
        return ""
    tables: dict[Any, _Table] = part.shared.setdefault(f"tables of {part.name}", {})
    table = row.getparent()
    if table not in tables:
        tables[table] = _Table([_text(each) for each in next(table.iterchildren(*_ROWS)).iterchildren(*_CELLS)])
    known = tables[table]
    if known.row is not row:
        known.row, known.cells = row, list(row.iterchildren(*_CELLS))
        known.first = _text(known.cells[0])
    place = known.cells.index(cell)
    if len(known.headings) == 2:
        name = known.first if place else ""
    else:
        above = place < len(known.headings) and row.getprevious() is not None and row.getprevious().tag in _ROWS
        name = known.headings[place] if above else ""
    return f"{name}: " if 0 < len(name) <= _SHORT else ""


def _text(cell: Any) -> str:
    body = next(cell.iterchildren(*_BODIES), None)
    return "".join([each.text or "" for each in body.iter(*_TEXTS)]).strip() if body is not None else ""
