"""Tables of sheets: their columns, which are named as their headings are, and their formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.documents.public_words import is_heading
from sfumato.documents.rules import DROP, Refused
from sfumato.documents.sheets.cell_texts import MAIN, decoded
from sfumato.documents.sheets.sheet_book import Book, Spot, area, letters_of
from sfumato.documents.sheets.sheet_naming import Sheet, Table, named, unused, walk_formula
from sfumato.documents.sheets.sheet_vocabulary import scrub
from sfumato.documents.slot import Slot
from sfumato.documents.xml import fit


def walk_tables(book: Book, sheets: list[Sheet], spot: Spot) -> Iterator[Slot]:
    """Yield the names of all tables and of their columns; the sheets and the formulas know them after it."""
    number, names = 0, list[str]()
    for sheet in sheets:
        for relation in book.package.of_kind(sheet.part, "table"):
            if relation.part not in book.package.names:
                continue
            root = book.package.root(relation.part)
            number += 1
            cells = area(root.get("ref", ""))
            if cells is None:
                raise Refused(f"table {number} has no place; save the file again")
            headed = root.get("headerRowCount", "1") != "0"
            totals = int(root.get("totalsRowCount") or 0)
            table = Table(relation.part, root, cells, headed, totals)
            sheet.tables.append(table)
            name = root.get("displayName", root.get("name", ""))
            names.append(name)
            taken = [*names, *book.formulas.names.values(), *book.formulas.tables.values()]
            here = spot.inside(f"table {number}")
            new = yield from named(book, here, name, "name", f"Table_{number}", taken)
            book.formulas.tables[name.lower()] = new
            yield from _columns(book, sheet, table, name, here)


def _columns(book: Book, sheet: Sheet, table: Table, name: str, spot: Spot) -> Iterator[Slot]:
    """Yield the names of the columns of a table, which are the texts of its headings."""
    known = book.formulas.columns.setdefault(name.lower(), {})
    columns = list(table.root.iterfind(f"{{{MAIN}}}tableColumns/{{{MAIN}}}tableColumn"))
    names = [decoded(element.get("name", "")) for element in columns]
    for index, old in enumerate(names):
        place = f"{letters_of(table.area.left + index)}{table.area.top}"
        shown = f'sheet "{sheet.name}", {place}'
        slot = Spot(f"{spot.place}, column {index + 1}", shown, spot.record, public=is_heading(old, names)).slot(old)
        yield slot
        new = unused(slot.new or f"Column {index + 1}", known.values()) if slot.edits else old
        known[old.lower()] = new
        if table.headed:
            table.renamed[table.area.top, table.area.left + index] = old, new


def walk_table(
    book: Book, sheet: Sheet, table: Table, spot: Spot, totals: dict[tuple[int, int], str | None]
) -> Iterator[Slot]:
    """Yield the formulas of a table, and write it with the names and texts that its cells have."""
    root, number = table.root, sheet.tables.index(table) + 1
    old = root.get("displayName", root.get("name", ""))
    name = book.formulas.tables.get(old.lower(), old)
    root.set("name", name)
    root.set("displayName", name)
    columns = list(root.iterfind(f"{{{MAIN}}}tableColumns/{{{MAIN}}}tableColumn"))
    known = book.formulas.columns[old.lower()]
    for index, element in enumerate(columns):
        before = decoded(element.get("name", ""))
        element.set("name", fit(known.get(before.lower(), before)).replace("\n", "_x000a_"))
        if element.get("totalsRowLabel") is not None:
            label = totals.get((table.area.bottom, table.area.left + index))
            element.set("totalsRowLabel", fit(label or ""))
        for child in element:
            here = spot.inside(f"{number}, column {index + 1}, {child.tag.rpartition('}')[2]}")
            child.text = fit((yield from walk_formula(book, child.text or "", here)))
    for element in root.iter(f"{{{MAIN}}}tableStyleInfo"):
        style = element.get("name", "")
        if style in book.table_styles:
            element.set("name", book.table_styles[style])
        elif not book.knows_style(style):
            element.attrib.pop("name", None)
    if root.get("tableType") == "queryTable" and book.visit.rules.caches == DROP:
        for element in root.iter():
            for key in ("tableType", "connectionId", "queryTableFieldId"):
                element.attrib.pop(key, None)
    scrub(root, book.visit, f"sheet {sheet.number}, table {number}")
    drop_criteria(book, root, f"sheet {sheet.number}, table {number}")
    book.output.add_tree(table.part, root)
    book.add_relations(table.part)


def drop_criteria(book: Book, root: Any, where: str) -> None:
    """Drop the criteria of filters, which are copies of the texts of cells; which rows they hide stays."""
    for element in list(root.iter(f"{{{MAIN}}}filterColumn")):
        if len(element) and book.visit.rule("caches", where) == DROP:
            element.getparent().remove(element)
