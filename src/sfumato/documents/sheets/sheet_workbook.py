"""The workbook itself: the names of its sheets and areas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.documents.office.package import Package
from sfumato.documents.rules import KEEP, TREAT, Refused
from sfumato.documents.sheets.cell_texts import MAIN, decoded
from sfumato.documents.sheets.sheet_book import ID, Book, Spot
from sfumato.documents.sheets.sheet_naming import Sheet, named, walk_formula
from sfumato.documents.sheets.sheet_tables import walk_tables
from sfumato.documents.sheets.sheet_vocabulary import linked, scrub
from sfumato.documents.slot import Slot
from sfumato.documents.xml import fit

_COMMENTS_OF_NAMES = ("comment", "description", "help", "statusBar", "customMenu")


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
    yield from walk_tables(book, sheets, spot)
    for number, element in enumerate(defined, 1):
        yield from _defined(book, spot.inside(f"name {number}"), element)
    scrub(root, book.visit, "workbook")
    linked(book.package, main, root)
    _calculate(root)


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
