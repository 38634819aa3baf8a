"""The rows of a sheet in turn: which of them are records, which row names the columns, and what is written."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import IO

from sfumato.documents.public_words import is_heading, lead_of
from sfumato.documents.sheets.cell_texts import MAIN
from sfumato.documents.sheets.sheet_book import MOST_COLUMNS, MOST_ROWS, Area, Beside, Spot
from sfumato.documents.sheets.sheet_cell import Cell, Row
from sfumato.documents.sheets.sheet_cells import Cells
from sfumato.documents.slot import Slot
from sfumato.documents.xml import elements

_ROW, _DATA = f"{{{MAIN}}}row", f"{{{MAIN}}}sheetData"
_AHEAD = 20
"""So many rows that hold something are read in order to find the row of headings."""
_LONGEST_HEADING = 60


@dataclass(slots=True)
class Headed:
    """Cells with a row of headings over them. PRIVATE.

    Attributes:
        area: Where they are; its first row has the headings.
        last: The last row that is a record.
        headings: The heading of each column, when that row was read.
    """

    area: Area
    last: int
    headings: dict[int, str] = field(default_factory=dict, repr=False)

    def read(self, row: Row) -> None:
        """Take the headings of a row."""
        self.headings = {
            cell.column: cell.shown
            for cell in row.cells
            if cell.shown.strip() and self.area.left <= cell.column <= self.area.right
        }


@dataclass(slots=True)
class Rows:
    """What walks over the rows of a sheet.

    Attributes:
        cells: What reads and writes its cells.
        number: The number of the sheet.
        name: Its name. PRIVATE.
        headed: Its tables, and the area of its filter.
        beside: What is yielded with a row.
    """

    cells: Cells
    number: int
    name: str = field(repr=False)
    headed: list[Headed]
    beside: Beside = field(default_factory=dict, repr=False)
    _record: int = -1

    def walk(self, part: IO[bytes], member: IO[bytes] | None) -> Iterator[Slot]:
        """Yield the texts of all rows, and write the rows to ``member``."""
        rows = self._read(part)
        first = list[Row]()
        if not self.headed:
            first, rows = _ahead(rows)
            heading = _heading_of(first)
            if heading is not None:
                whole = Area(heading.number, 1, MOST_ROWS, MOST_COLUMNS)
                self.headed.append(Headed(whole, MOST_ROWS))
        for row in chain(first, rows):
            written = yield from self._row(row)
            if member is not None:
                member.write(written.encode())
        for number in sorted(self.beside):
            for walk in self.beside[number]:
                yield from walk(self.end())

    def end(self) -> Spot:
        """Return the place of what follows the rows: the sheet itself, in a record that is of no row."""
        if self._record < 0:
            self._record = self.cells.book.record()
        return Spot(f"sheet {self.number}", f'sheet "{self.name}"', self._record)

    def _read(self, part: IO[bytes]) -> Iterator[Row]:
        before = 0
        for element in elements(part, _ROW):
            parent = element.getparent()
            if parent is None or parent.tag != _DATA:
                continue
            row = self.cells.row(element, before)
            before = row.number
            yield row

    def _row(self, row: Row) -> Generator[Slot, None, str]:
        """Yield the texts of a row and of what belongs to it; return the row as it is written."""
        beside = self.beside.pop(row.number, ())
        if not beside and not any(cell.kind for cell in row.cells):
            cells = "".join([f'<c r="{cell.place}" s="{cell.style}"/>' for cell in row.cells if cell.style])
            return f"<row{row.attributes}>{cells}</row>" if cells else f"<row{row.attributes}/>"
        over = [each for each in self.headed if each.area.top < row.number <= each.last]
        headings = dict[int, str]()
        for each in over:
            headings |= each.headings
        if over:
            record, self._record = self.cells.book.record(), -1
        else:
            record = self.end().record
        for each in self.headed:
            if each.area.top == row.number:
                each.read(row)
        written = yield from self._cells(row, record, headings)
        for walk in beside:
            yield from walk(Spot("", "", record, "", _fields(row, headings)))
        return f"<row{row.attributes}>{written}</row>"

    def _cells(self, row: Row, record: int, headings: dict[int, str]) -> Generator[Slot, None, str]:
        fields, written, left = _fields(row, headings), list[str](), ""
        names = dict[int, str]()
        for each in self.headed:
            if each.area.top == row.number:
                names |= each.headings
        place, shown = f"sheet {self.number}, ", f'sheet "{self.name}", '
        for cell in row.cells:
            heading = headings.get(cell.column, "")
            lead = lead_of(heading) if heading else f"{left} " if left.endswith(":") else ""
            public = (cell.shown.endswith(":") or cell.column in names) and is_heading(cell.shown, names.values())
            spot = Spot(place + cell.place, shown + cell.place, record, lead, fields, public)
            written.append((yield from self.cells.walk(cell, row, spot)))
            left = cell.shown or left
        return "".join(written)


def _fields(row: Row, headings: dict[int, str]) -> dict[str, str]:
    return {
        heading: cell.shown for cell in row.cells if cell.shown and (heading := headings.get(cell.column)) is not None
    }


def _ahead(rows: Iterator[Row]) -> tuple[list[Row], Iterator[Row]]:
    """Read the first rows, up to some that hold something."""
    first, holding = list[Row](), 0
    for row in rows:
        first.append(row)
        holding += any(cell.kind for cell in row.cells)
        if holding == _AHEAD or len(first) == 50 * _AHEAD:
            break
    return first, rows


def _heading_of(rows: Iterable[Row]) -> Row | None:
    """Return the row that names the columns: the first of several cells, if it is all short and different texts.

    Rows of one cell above it are titles. Where every row has one cell, it is the first. Rows follow below it. A cell
    that ends in a colon is the label of a form.
    """
    holding = [(row, [cell for cell in row.cells if cell.kind]) for row in rows]
    holding = [(row, cells) for row, cells in holding if cells]
    wide = next((index for index, (_, cells) in enumerate(holding) if len(cells) > 1), 0)
    if len(holding) <= wide + 1:
        return None
    row, cells = holding[wide]
    names = [cell.shown.strip().casefold() for cell in cells]
    return row if all(map(_names, cells)) and len(set(names)) == len(names) else None


def _names(cell: Cell) -> bool:
    text = cell.shown.strip()
    return (
        cell.kind == "text"
        and 0 < len(text) <= _LONGEST_HEADING
        and not text.endswith(":")
        and any(each.isalpha() for each in text)
        and "\n" not in text
    )
