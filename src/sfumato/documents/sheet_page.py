"""One sheet: what is before its rows, its rows, what follows them, and the parts that belong to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sfumato.documents.cell_texts import MAIN
from sfumato.documents.rules import Refused
from sfumato.documents.sheet_book import Area, Book, area
from sfumato.documents.sheet_cells import Cells
from sfumato.documents.sheet_notes import Notes, walk_notes
from sfumato.documents.sheet_rows import Beside, Headed, Rows
from sfumato.documents.sheet_tail import links_by_row, walk_tail
from sfumato.documents.sheet_vocabulary import linked, scrub
from sfumato.documents.sheet_workbook import Sheet, Table
from sfumato.documents.slot import Slot

_DATA, _ROW = f"{{{MAIN}}}sheetData", f"{{{MAIN}}}row"
_ROOTS = (f"{{{MAIN}}}worksheet",)
_MARK = b"<sheetData/>"
_START = f'<sheetData xmlns="{MAIN}">'.encode()


@dataclass(slots=True)
class Page:
    """A sheet that is walked over: its part without the rows, and what reads these."""

    book: Book
    sheet: Sheet
    root: Any
    rows: Rows
    notes: Notes


def walk_sheet(book: Book, sheet: Sheet) -> Iterator[Slot]:
    """Yield the texts of a sheet and its comments and tables, and write them. Raise Refused."""
    page = _page(book, sheet)
    with book.output.adding(sheet.part) as member:
        if member is not None:
            member.write(_around(page.root)[0] + _START)
        with book.package.stream(sheet.part) as part:
            yield from page.rows.walk(part, member)
        yield from _left_over(page.rows)
        yield from walk_tail(book, page.rows, page.root)
        if member is not None:
            linked(book.package, sheet.part, page.root)
            member.write(b"</sheetData>" + _around(page.root)[1])
    page.notes.write(book)
    for table in sheet.tables:
        yield from _table(book, sheet, table, page.rows)


def _page(book: Book, sheet: Sheet) -> Page:
    where = f"sheet {sheet.number}"
    root = _without_rows(book, sheet, where)
    scrub(root, book.visit, where)
    notes = walk_notes(book, sheet)
    cells = Cells(book, where, _hidden_columns(root), _merged(root), sheet.hidden)
    for table in sheet.tables:
        cells.renamed |= table.renamed
        if table.totals:
            row = table.area.bottom
            cells.watched |= {(row, column): None for column in range(table.area.left, table.area.right + 1)}
    beside: Beside = {}
    rows = Rows(cells, sheet.number, sheet.name, _headed(sheet, root), beside)
    for each in (notes.by_row(rows), links_by_row(book, sheet.part, root, rows)):
        for row, walks in each.items():
            beside.setdefault(row, []).extend(walks)
    return Page(book, sheet, root, rows, notes)


def _without_rows(book: Book, sheet: Sheet, where: str) -> Any:
    """Return the element of a sheet without its rows, which are read one at a time and forgotten."""
    from lxml import etree

    root = None
    with book.package.stream(sheet.part) as part:
        try:
            parsing = etree.iterparse(
                part, tag=_ROW, remove_comments=True, remove_pis=True, resolve_entities=False, no_network=True,
                load_dtd=False, huge_tree=False,
            )  # fmt: skip
            for _, row in parsing:
                row.getparent().remove(row)
            root = parsing.root
        except (etree.XMLSyntaxError, ValueError):
            pass
    if root is None or root.tag not in _ROOTS or root.getroottree().docinfo.internalDTD is not None:
        raise Refused(f"{where} is not a sheet that can be read; save the file again")
    data = root.findall(_DATA)
    if len(data) != 1:
        raise Refused(f"{where}: it has its cells {len(data)} times; save the file again")
    for child in list(data[0]):
        data[0].remove(child)
    data[0].text = None
    data[0].attrib.clear()
    return root


def _around(root: Any) -> tuple[bytes, bytes]:
    """Return what a sheet has before and after its rows."""
    from lxml import etree

    data = root.find(_DATA)
    prefix = f"{data.prefix}:".encode() if data.prefix else b""
    whole = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    before, _, after = whole.partition(_MARK.replace(b"<", b"<" + prefix))
    return before, after


def _hidden_columns(root: Any) -> list[Area]:
    hidden = list[Area]()
    for element in root.iterfind(f"{{{MAIN}}}cols/{{{MAIN}}}col"):
        if element.get("hidden") in ("1", "true") or element.get("width") in ("0", "0.0"):
            left, right = (int(element.get(key, "0")) for key in ("min", "max"))
            hidden.append(Area(1, left, 1, right))
    return hidden


def _merged(root: Any) -> list[Area]:
    """Return the merged areas of a sheet, the last first."""
    found = (area(each.get("ref", "")) for each in root.iterfind(f"{{{MAIN}}}mergeCells/{{{MAIN}}}mergeCell"))
    return sorted((each for each in found if each is not None), key=lambda each: -each.top)


def _headed(sheet: Sheet, root: Any) -> list[Headed]:
    """Return the cells that have a row of headings: tables and the area of a filter."""
    headed = [Headed(each.area, each.area.bottom - each.totals) for each in sheet.tables if each.headed]
    for element in root.iterfind(f"{{{MAIN}}}autoFilter"):
        cells = area(element.get("ref", ""))
        if cells is not None and cells.bottom > cells.top:
            headed.append(Headed(cells, cells.bottom))
    return headed


def _left_over(rows: Rows) -> Iterator[Slot]:
    """Yield what belongs to rows that the sheet does not have."""
    for row in sorted(rows.beside):
        for walk in rows.beside.pop(row):
            yield from walk(rows.spot(""))


def _table(book: Book, sheet: Sheet, table: Table, rows: Rows) -> Iterator[Slot]:
    """Write a table as its cells now are."""
    from sfumato.documents.sheet_workbook import walk_table

    yield from walk_table(book, sheet, table, rows.spot("table"), rows.cells.watched)
