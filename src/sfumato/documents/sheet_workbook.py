"""The workbook itself: names of sheets, areas, tables and columns, and the styles of cells."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.cell_formats import BUILT_IN, Format, format_of, literals
from sfumato.documents.cell_texts import MAIN, decoded
from sfumato.documents.office_values import usual
from sfumato.documents.package import Package
from sfumato.documents.rules import DROP, KEEP, TREAT, Refused
from sfumato.documents.sheet_book import ID, Area, Book, Spot, area, letters_of
from sfumato.documents.sheet_formulas import is_outside
from sfumato.documents.sheet_vocabulary import linked, scrub
from sfumato.documents.slot import Slot
from sfumato.documents.xml import fit

_COMMENTS_OF_NAMES = ("comment", "description", "help", "statusBar", "customMenu")


_EXCELS_STYLES = re.compile(
    r"(Comma|Currency)( \[0\])?|Percent|Good|Bad|Neutral|Calculation|Check Cell|Explanatory Text|Input|Linked Cell|Note"
    r"|Output|Total|Warning Text|((20|40|60)% - )?Accent[1-6]|Accent"
)


@dataclass(slots=True)
class Sheet:
    """A sheet of a workbook. PRIVATE: ``name``.

    Attributes:
        number: Its number, from 1.
        name: Its name.
        part: The name of its part.
        kind: The kind of its relationship, such as "worksheet".
        hidden: Whether it is hidden.
        tables: The tables in it.
    """

    number: int
    name: str = field(repr=False)
    part: str = field(repr=False)
    kind: str
    hidden: bool
    tables: list[Table] = field(default_factory=list, repr=False)


@dataclass(slots=True)
class Table:
    """A table of a sheet.

    Attributes:
        part: The name of its part.
        root: Its element.
        area: Its cells.
        headed: Whether its first row has the names of its columns.
        totals: How many rows at its end are totals.
        renamed: The old and the new name of each column, by the place of its heading.
    """

    part: str
    root: Any
    area: Area
    headed: bool
    totals: int
    renamed: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict, repr=False)


def sheets_of(package: Package, main: str, root: Any) -> list[Sheet]:
    """Return the sheets of a workbook in their order. Raise Refused."""
    relations, sheets = package.relations(main), list[Sheet]()
    for element in root.iterfind(f"{{{MAIN}}}sheets/{{{MAIN}}}sheet"):
        relation = relations.get(element.get(ID, ""))
        if (
            relation is None
            or relation.part not in package.names
            or any(relation.part == each.part for each in sheets)
        ):
            raise Refused(f"sheet {len(sheets) + 1} is not in the file; save it again")
        hidden = element.get("state", "visible") != "visible"
        sheets.append(Sheet(len(sheets) + 1, element.get("name", ""), relation.part, relation.kind, hidden))
    if not sheets:
        raise Refused("it has no sheets; save it again")
    return sheets


def walk_workbook(book: Book, main: str, root: Any, sheets: list[Sheet]) -> Iterator[Slot]:
    """Yield the names and texts of a workbook, and change its element. The formulas know the new names after it."""
    spot = Spot("workbook", record=book.record())
    elements = root.findall(f"{{{MAIN}}}sheets/{{{MAIN}}}sheet")
    for sheet, element in zip(sheets, elements, strict=True):
        taken = [each.name for each in sheets] + list(book.formulas.sheets.values())
        here = Spot(f"sheet {sheet.number}", f'sheet "{sheet.name}"', spot.record)
        new = yield from named(book, here, sheet.name, "name", f"Sheet {sheet.number}", taken)
        book.formulas.sheets[sheet.name.lower()] = new
        element.set("name", new)
    defined = list(root.iterfind(f"{{{MAIN}}}definedNames/{{{MAIN}}}definedName"))
    for number, element in enumerate(defined, 1):
        name = element.get("name", "")
        if not name.startswith("_xlnm.") and name.lower() not in book.formulas.names:
            taken = [each.get("name", "") for each in defined] + list(book.formulas.names.values())
            new = yield from named(book, spot, name, f"name {number}", f"Name_{number}", taken)
            book.formulas.names[name.lower()] = new
    yield from _tables(book, sheets, spot)
    for number, element in enumerate(defined, 1):
        yield from _defined(book, spot.inside(f"name {number}"), element)
    scrub(root, book.visit, "workbook")
    linked(book.package, main, root)
    _calculate(root)


def named(
    book: Book, spot: Spot, name: str, within: str, numbered: str, taken: Iterable[str]
) -> Generator[Slot, None, str]:
    """Yield a name that formulas call; return it, or its number if it changes."""
    action = book.visit.rule("names", f"{spot.place}, {within}")
    changed = action == DROP
    if action == TREAT and name.strip():
        slot = spot.slot(name, within)
        yield slot
        changed = bool(slot.edits)
    return unused(numbered, taken) if changed else name


def unused(name: str, taken: Iterable[str]) -> str:
    """Return ``name``, with a number if another one has it."""
    lower = {each.lower() for each in taken}
    number, new = 2, name
    while new.lower() in lower:
        new, number = f"{name}_{number}", number + 1
    return new


def _defined(book: Book, spot: Spot, element: Any) -> Iterator[Slot]:
    for key in _COMMENTS_OF_NAMES:
        text = element.get(key)
        if text is None:
            continue
        action = book.visit.rule("comments", spot.place)
        if action == TREAT:
            slot = spot.slot(decoded(text), key.lower())
            yield slot
            element.set(key, fit(slot.new))
        elif action != KEEP:
            del element.attrib[key]
    element.set("name", book.formulas.names.get(element.get("name", "").lower(), element.get("name", "")))
    element.text = fit((yield from walk_formula(book, element.text or "", spot)))


def walk_formula(book: Book, raw: str, spot: Spot) -> Generator[Slot, None, str]:
    """Yield the texts of a formula beside cells; return it. It no longer leads to a workbook that is dropped."""
    formula = decoded(raw)
    if is_outside(formula) and book.visit.rule("caches", spot.place) == KEEP:
        return raw
    return (yield from book.formulas.walk(formula, spot)) if formula else ""


def _calculate(root: Any) -> None:
    """Ask for all results to be calculated when the file is opened."""
    from lxml import etree

    properties = root.find(f"{{{MAIN}}}calcPr")
    if properties is None:
        properties = etree.Element(f"{{{MAIN}}}calcPr")
        before = [f"{{{MAIN}}}{name}" for name in ("definedNames", "externalReferences", "functionGroups", "sheets")]
        last = next(each for name in before if (each := root.find(name)) is not None)
        last.addnext(properties)
    properties.set("fullCalcOnLoad", "1")


def _tables(book: Book, sheets: list[Sheet], spot: Spot) -> Iterator[Slot]:
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
    for index, element in enumerate(columns):
        old = decoded(element.get("name", ""))
        place = f"{letters_of(table.area.left + index)}{table.area.top}"
        shown = f'sheet "{sheet.name}", {place}'
        slot = Spot(f"{spot.place}, column {index + 1}", shown, spot.record).slot(old)
        yield slot
        new = unused(slot.new or f"Column {index + 1}", known.values()) if slot.edits else old
        known[old.lower()] = new
        if table.headed:
            table.renamed[table.area.top, table.area.left + index] = old, new


def formats_of(root: Any, spot: Spot, epoch_1904: bool) -> Generator[Slot, None, list[Format]]:
    """Yield the texts in the styles of a workbook; return the format of each style of cells."""
    codes = dict[str, str]()
    for number, element in enumerate(root.iter(f"{{{MAIN}}}numFmt"), 1):
        code = decoded(element.get("formatCode", ""))
        new = yield from format_code(code, spot.inside(f"format {number}"))
        if new != code:
            element.set("formatCode", fit(new))
        if element.getparent().tag == f"{{{MAIN}}}numFmts":
            codes[element.get("numFmtId", "")] = new
    known = {code: format_of(code, epoch_1904) for code in {*codes.values(), *BUILT_IN.values()}}
    by_id = {str(number): known[code] for number, code in BUILT_IN.items()}
    by_id |= {id: known[code] for id, code in codes.items()}
    general = known["General"]
    return [
        by_id.get(each.get("numFmtId", "0"), general) for each in root.iterfind(f"{{{MAIN}}}cellXfs/{{{MAIN}}}xf")
    ]


def format_code(code: str, spot: Spot) -> Generator[Slot, None, str]:
    """Yield the texts between quotation marks of a format of numbers; return it."""
    new, done = "", 0
    for number, (start, end) in enumerate(literals(code), 1):
        slot = spot.slot(code[start:end], f"text {number}")
        yield slot
        new += code[done:start] + (slot.new.replace('"', "").replace("]", "") if slot.edits else code[start:end])
        done = end
    return new + code[done:]


def walk_styles(book: Book, root: Any, spot: Spot) -> Iterator[Slot]:
    """Yield the names of styles that people chose, and change them."""
    groups = [
        ("style", "name", list(root.iterfind(f"{{{MAIN}}}cellStyles/{{{MAIN}}}cellStyle"))),
        ("table style", "name", list(root.iterfind(f"{{{MAIN}}}tableStyles/{{{MAIN}}}tableStyle"))),
    ]
    for word, key, elements in groups:
        for number, element in enumerate(elements, 1):
            name = element.get(key, "")
            if word == "table style":
                book.table_styles[name] = name
            if usual(name) or _EXCELS_STYLES.fullmatch(name):
                continue
            numbered = f"{word.title()} {number}"
            new = yield from named(
                book, spot, name, f"{word} {number}", numbered, [each.get(key) for each in elements]
            )
            element.set(key, new)
            if word == "table style":
                book.table_styles[name] = new
    for element in root.iterfind(f"{{{MAIN}}}tableStyles"):
        for key in ("defaultTableStyle", "defaultPivotStyle"):
            if (name := element.get(key)) is not None:
                element.set(key, book.table_styles.get(name, name) if book.knows_style(name) else "TableStyleMedium9")


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
    if root.get("tableType") == "queryTable":
        del root.attrib["tableType"]
    scrub(root, book.visit, f"sheet {sheet.number}, table {number}")
    drop_criteria(book, root, f"sheet {sheet.number}, table {number}")
    book.output.add_tree(table.part, root)


def drop_criteria(book: Book, root: Any, where: str) -> None:
    """Drop the criteria of filters, which are copies of the texts of cells; which rows they hide stays."""
    for element in list(root.iter(f"{{{MAIN}}}filterColumn")):
        if len(element) and book.visit.rule("caches", where) == DROP:
            element.getparent().remove(element)
