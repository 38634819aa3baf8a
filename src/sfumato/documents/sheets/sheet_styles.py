"""Styles of a workbook: formats of numbers and the texts in them, and names that people gave to styles."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import Any

from sfumato.documents.office.office_fonts import USUAL, is_usual_font
from sfumato.documents.office.office_values import usual
from sfumato.documents.sheets.cell_codes import literals, with_literals
from sfumato.documents.sheets.cell_formats import BUILT_IN, Format, format_of
from sfumato.documents.sheets.cell_texts import MAIN, decoded
from sfumato.documents.sheets.sheet_book import Book, Spot
from sfumato.documents.sheets.sheet_naming import named
from sfumato.documents.slot import Slot
from sfumato.documents.xml import fit

_EXCELS_STYLES = re.compile(
    r"(Comma|Currency)( \[0\])?|Percent|Good|Bad|Neutral|Calculation|Check Cell|Explanatory Text|Input|Linked Cell"
    r"|Note|Output|Total|Warning Text|((20|40|60)% - )?Accent[1-6]|Accent"
)


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
    """Yield the texts in a format of numbers; return it."""
    new = list[str]()
    for number, (_, _, text) in enumerate(literals(code), 1):
        slot = spot.slot(text, f"text {number}")
        yield slot
        new.append(slot.new)
    return with_literals(code, new)


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
    for number, element in enumerate(root.iter(f"{{{MAIN}}}name"), 1):
        if not is_usual_font(element.get("val", "")):
            slot = spot.slot(decoded(element.get("val", "")), f"font {number}")
            yield slot
            if slot.edits:
                element.set("val", USUAL)
    for element in root.iterfind(f"{{{MAIN}}}tableStyles"):
        for key in ("defaultTableStyle", "defaultPivotStyle"):
            if (name := element.get(key)) is not None:
                element.set(key, book.table_styles.get(name, name) if book.knows_style(name) else "TableStyleMedium9")
