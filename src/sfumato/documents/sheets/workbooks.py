"""Workbooks of Excel (XLSX): sheets row by row, and every other part that holds text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from sfumato.documents.formats import Seen
from sfumato.documents.office.package import Output, Package, opened
from sfumato.documents.rules import Refused, Visit
from sfumato.documents.sheets.cell_texts import MAIN, SharedStrings
from sfumato.documents.sheets.sheet_book import Book, Spot
from sfumato.documents.sheets.sheet_formulas import Formulas
from sfumato.documents.sheets.sheet_page import empty_programs, walk_sheet
from sfumato.documents.sheets.sheet_plan import plan, walk_other
from sfumato.documents.sheets.sheet_strings import strings_of_workbook
from sfumato.documents.sheets.sheet_styles import formats_of, walk_styles
from sfumato.documents.sheets.sheet_vocabulary import scrub
from sfumato.documents.sheets.sheet_workbook import sheets_of, walk_workbook
from sfumato.documents.slot import Slot

_ENDING = ".xlsx"
_VND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_MS = "application/vnd.ms-excel"
_TYPES = (
    f"{_VND}.sheet.main+xml", f"{_VND}.template.main+xml", f"{_MS}.sheet.macroEnabled.main+xml",
    f"{_MS}.template.macroEnabled.main+xml",
)  # fmt: skip


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the texts of a workbook, and write it. Raise Refused, without what a library says of it."""
    broken, before, number = False, -1, -1
    with opened(file, _ENDING) as package:
        output = Output(package, target)
        try:
            for slot in _walk(package, visit, output):
                number += slot.record != before
                before, slot.record = slot.record, number
                yield slot
        except Refused:
            raise
        except (KeyError, IndexError, AttributeError, TypeError, ValueError, RecursionError, OverflowError):
            broken = True
        finally:
            output.end()
    if broken:
        raise Refused("it holds something that is not as .xlsx files are; save it again")


def _walk(package: Package, visit: Visit, output: Output) -> Iterator[Slot]:
    main = package.main(dict.fromkeys(_TYPES, ""), _ENDING)
    root = package.root(main)
    sheets = sheets_of(package, main, root)
    strings = [each.part for each in package.of_kind(main, "sharedStrings") if each.part in package.names]
    shared = SharedStrings(package.stream(each) for each in strings)
    planned = plan(package, visit)
    book = Book(package, visit, output, shared, (), Formulas())
    empty_programs(book, sheets)
    output.begin()
    properties = root.find(f"{{{MAIN}}}workbookPr")
    epoch = properties is not None and properties.get("date1904") in ("1", "true")
    yield from walk_workbook(book, main, root, sheets)
    yield from _styles(book, main, epoch)
    for sheet in sheets:
        yield from walk_sheet(book, main, sheet)
    output.add_tree(main, root)
    book.add_relations(main)
    for each in planned:
        yield from walk_other(book, each)


def _styles(book: Book, main: str, epoch_1904: bool) -> Iterator[Slot]:
    for each in book.package.of_kind(main, "styles"):
        root, spot = book.package.root(each.part), Spot("styles", record=0)
        book.formats = yield from formats_of(root, spot, epoch_1904)
        yield from walk_styles(book, root, spot)
        scrub(root, book.visit, "styles")
        book.output.add_tree(each.part, root)


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield every string of a written workbook: its cells by openpyxl, and all that its parts hold."""
    yield from strings_of_workbook(file, _ENDING)
