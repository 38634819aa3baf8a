"""One sheet: what is before its rows, its rows, what follows them, and the parts that belong to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.documents.rules import DROP, Refused
from sfumato.documents.sheets.cell_texts import MAIN, Paced
from sfumato.documents.sheets.sheet_book import Area, Beside, Book, Spot, area
from sfumato.documents.sheets.sheet_cells import Cells
from sfumato.documents.sheets.sheet_drawings import walk_drawing
from sfumato.documents.sheets.sheet_naming import Sheet
from sfumato.documents.sheets.sheet_notes import notes_of
from sfumato.documents.sheets.sheet_rows import Headed, Rows
from sfumato.documents.sheets.sheet_tables import walk_table
from sfumato.documents.sheets.sheet_tail import links_by_row, walk_headers, walk_tail
from sfumato.documents.sheets.sheet_vocabulary import linked, scrub
from sfumato.documents.slot import Slot
from sfumato.documents.xml import parsed

_DATA, _ROW = f"{{{MAIN}}}sheetData", f"{{{MAIN}}}row"
_MARK = b"<sheetData/>"
_START = f'<sheetData xmlns="{MAIN}">'.encode()
_NOTHING = f'<worksheet xmlns="{MAIN}"><sheetData/></worksheet>'.encode()
_LETTERS, _WIDEST = 2, 254
_WORKSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"


def walk_sheet(book: Book, main: str, sheet: Sheet) -> Iterator[Slot]:
    """Yield the texts of a sheet and of what belongs to it, and write them. Raise Refused."""
    if sheet.kind == "worksheet":
        yield from _worksheet(book, sheet)
    elif sheet.kind == "chartsheet":
        yield from _chartsheet(book, sheet)
    else:
        _program(book, main, sheet)
    book.add_relations(sheet.part)


def _worksheet(book: Book, sheet: Sheet) -> Iterator[Slot]:
    where = f"sheet {sheet.number}"
    root = _without_rows(book, sheet, where)
    scrub(root, book.visit, where)
    _widen(root)
    notes = notes_of(book, sheet)
    beside: Beside = {}
    for each in (notes.by_row(), links_by_row(book, sheet, root)):
        for row, walks in each.items():
            beside.setdefault(row, []).extend(walks)
    rows = Rows(_cells(book, sheet, root, where), sheet.number, sheet.name, _headed(sheet, root), beside)
    with book.output.adding(sheet.part) as member:
        if member is not None:
            member.write(_around(root)[0] + _START)
        with book.package.stream(sheet.part) as part:
            yield from rows.walk(part, member)
        yield from walk_tail(book, rows.end(), root)
        if member is not None:
            linked(book.package, sheet.part, root)
            member.write(b"</sheetData>" + _around(root)[1])
    notes.write(book)
    for table in sheet.tables:
        yield from walk_table(book, sheet, table, rows.end(), rows.cells.watched)
    yield from _drawings(book, sheet, rows.end())


def _chartsheet(book: Book, sheet: Sheet) -> Iterator[Slot]:
    root = book.package.root(sheet.part)
    spot = Spot(f"sheet {sheet.number}", f'sheet "{sheet.name}"', book.record())
    scrub(root, book.visit, spot.place)
    yield from walk_headers(spot, root)
    linked(book.package, sheet.part, root)
    book.output.add_tree(sheet.part, root)
    yield from _drawings(book, sheet, spot)


def _program(book: Book, main: str, sheet: Sheet) -> None:
    """Write a sheet of macros or a dialog as it is, or an empty sheet in its place."""
    if book.visit.rule("programs", f"sheet {sheet.number}") != DROP:
        book.output.add(sheet.part, book.package.read(sheet.part))
        return
    for relation in book.package.relations(main).values():
        if relation.part == sheet.part:
            relation.type = _KIND
    book.package.relations(sheet.part).clear()
    book.output.add(sheet.part, _NOTHING)


def empty_programs(book: Book, sheets: list[Sheet]) -> None:
    """Say that sheets of macros will be written as empty ones, before the content types are written."""
    for sheet in sheets:
        if sheet.kind not in ("worksheet", "chartsheet") and book.visit.rules.programs == DROP:
            book.package.set_type(sheet.part, _WORKSHEET)


def _drawings(book: Book, sheet: Sheet, spot: Spot) -> Iterator[Slot]:
    for number, relation in enumerate(book.package.of_kind(sheet.part, "drawing"), 1):
        if relation.part in book.package.names and relation.part not in book.written:
            yield from walk_drawing(book, spot.inside(f"drawing {number}"), relation.part)


def _without_rows(book: Book, sheet: Sheet, where: str) -> Any:
    """Return the element of a sheet without its rows, which are read one at a time and forgotten."""
    from lxml import etree

    root = None
    with book.package.stream(sheet.part) as part:
        try:
            paced = Paced(part)
            parsing = etree.iterparse(
                paced, tag=_ROW, remove_comments=True, remove_pis=True, resolve_entities=False, no_network=True,
                load_dtd=False, huge_tree=False,
            )  # fmt: skip
            for _, row in parsing:
                paced.since = 0
                row.clear()
                row.getparent().remove(row)
            root = parsing.root
        except (etree.XMLSyntaxError, ValueError):
            pass
    if root is None or root.tag != f"{{{MAIN}}}worksheet" or root.getroottree().docinfo.internalDTD is not None:
        raise Refused(f"{where} is not a sheet that can be read; save the file again")
    data = root.findall(_DATA)
    if len(data) != 1:
        raise Refused(f"{where}: it has its cells {len(data)} times; save the file again")
    root.replace(data[0], parsed(f'<sheetData xmlns="{MAIN}"/>'.encode()))
    return root


def _around(root: Any) -> tuple[bytes, bytes]:
    """Return what a sheet has before and after its rows."""
    from lxml import etree

    prefix = root.find(_DATA).prefix
    mark = f"<{prefix}:sheetData/>".encode() if prefix else _MARK
    whole = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    before, found, after = whole.partition(mark)
    if not found:
        raise Refused("a sheet cannot be written; save the file again")
    return before, after


def _cells(book: Book, sheet: Sheet, root: Any, where: str) -> Cells:
    cells = Cells(book, where, _hidden_columns(root), _merged(root), sheet.hidden)
    for table in sheet.tables:
        cells.renamed |= table.renamed
        if table.totals:
            row = table.area.bottom
            cells.watched |= {(row, column): None for column in range(table.area.left, table.area.right + 1)}
    return cells


def _hidden_columns(root: Any) -> list[Area]:
    hidden = list[Area]()
    for element in root.iterfind(f"{{{MAIN}}}cols/{{{MAIN}}}col"):
        if element.get("hidden") in ("1", "true") or element.get("width") in ("0", "0.0"):
            left, right = (int(element.get(key, "0")) for key in ("min", "max"))
            hidden.append(Area(1, left, 1, right))
    return hidden


def _widen(root: Any) -> None:
    """Make each column as wide as the next two letters: a program fits it to the longest name, to a pixel."""
    for element in root.iterfind(f"{{{MAIN}}}cols/{{{MAIN}}}col"):
        try:
            width = float(element.get("width", "0"))
        except ValueError:
            width = 0.0
        if 0 < width < _WIDEST:
            element.set("width", str(-(-width // _LETTERS) * _LETTERS))


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
