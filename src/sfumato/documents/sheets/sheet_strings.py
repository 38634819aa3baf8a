"""Every string that a written workbook holds: as openpyxl reads it, and as its parts hold it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from io import BytesIO
from typing import IO, Any

from sfumato.documents.formats import Seen, format_of
from sfumato.documents.office.office import opened_again
from sfumato.documents.office.office_fonts import is_usual_font
from sfumato.documents.office.office_names import long, short
from sfumato.documents.office.office_raw import encoded_in, strings_of, unusual
from sfumato.documents.office.office_skipped import is_skipped
from sfumato.documents.office.package import opened
from sfumato.documents.rules import Refused
from sfumato.documents.sheets import cell_formats
from sfumato.documents.sheets.cell_formats import Format
from sfumato.documents.sheets.cell_texts import MAIN, decoded
from sfumato.documents.sheets.sheet_formulas import put_together
from sfumato.documents.sheets.sheet_vocabulary import X14, XM
from sfumato.documents.xml import parsed

_OF_WORKBOOKS = ("application/vnd.openxmlformats-officedocument.spreadsheetml", "application/vnd.ms-excel")
_FORGOTTEN = (f"{{{MAIN}}}c", f"{{{MAIN}}}row")
_OF_RUNS = (f"{{{MAIN}}}is", f"{{{MAIN}}}text", f"{{{MAIN}}}si")
_FONT = re.compile(r'&"([^",]*)(?=[,"])')
_OF_FORMULAS = ("}f", "ormula", "}formula1", "}formula2", "}definedName")
_FULLY = 16 << 20
"""A workbook of more bytes, unpacked, is read without what lies beside its cells."""


def strings_of_workbook(file: IO[bytes], ending: str) -> Iterator[Seen]:
    """Yield every string of a written workbook. Raise Refused if it cannot be opened."""
    with opened(file, ending) as package:
        large = sum(map(package.size, package.member_names())) > _FULLY
    yield from _by_openpyxl(file, large)
    with opened(file, ending) as package:
        for number, name in enumerate(package.member_names(), 1):
            place = f"part {number}"
            yield Seen(place, name, raw=True)
            if package.type_of(name).startswith(_OF_WORKBOOKS) and name.endswith(".xml"):
                with package.stream(name) as part:
                    yield from (Seen(place, text, raw=True) for text in _of_xml(part))
            else:
                yield from _of_part(name, package.read(name), place)


def _of_part(name: str, content: bytes, place: str) -> Iterator[Seen]:
    """Yield the strings of a part that is no sheet. The runs of a paragraph are joined too."""
    if (form := format_of(name)) is not None:
        yield from (Seen(f"{place}, {each.place}", each.text, each.raw) for each in form.strings(BytesIO(content)))
    yield from (Seen(place, text, raw=True) for text in strings_of(content))
    if b"drawingml" in content:
        for paragraph in parsed(content).iter(long("a:p")):
            yield Seen(place, "".join(paragraph.itertext()), raw=True)


def _by_openpyxl(file: IO[bytes], large: bool) -> Iterator[Seen]:
    """Yield the texts that openpyxl reads, row by row in a large file. Raise Refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of what it leaves out
        book = opened_again(lambda each: _load(each, large), file)
        found = _of_book(book, large)
        while True:
            try:
                seen = next(found, None)
            except Exception:  # an error of any kind may quote the file
                seen = Seen("", "broken")
            if seen is None:
                break
            if not seen.place:
                raise Refused("what was written could not be opened again") from None
            yield seen
        book.close()


def _load(file: IO[bytes], large: bool) -> Any:
    import openpyxl

    return openpyxl.load_workbook(file, read_only=large, rich_text=False)


def _of_book(book: Any, large: bool) -> Iterator[Seen]:
    for number, sheet in enumerate(book.worksheets, 1):
        place = f"sheet {number}"
        yield Seen(place, sheet.title)
        if large:
            sheet.reset_dimensions()
        for row in sheet.iter_rows():
            for cell in row:
                if cell.value is not None:
                    texts = _texts(cell.value, cell.number_format, book.epoch)
                    yield from (Seen(f"{place}, row {cell.row}", text) for text in texts)
                if not large and cell.comment is not None:
                    yield Seen(f"{place}, row {cell.row}, comment", cell.comment.text)
        if not large:
            yield from _beside(sheet, place)
    for name, defined in book.defined_names.items():
        yield Seen("name", name)
        yield Seen("name", str(defined.attr_text))


def _beside(sheet: Any, place: str) -> Iterator[Seen]:
    for each in ("oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"):
        item = getattr(sheet, each)
        for side in (item.left, item.center, item.right):
            if side is not None and side.text:
                yield Seen(f"{place}, header or footer", side.text)
    for validation in sheet.data_validations.dataValidation:
        for text in (validation.prompt, validation.promptTitle, validation.error, validation.formula1):
            if text:
                yield Seen(f"{place}, validation", text)
    for table in sheet.tables.values():
        yield from (Seen(f"{place}, table", text) for text in (table.name, *table.column_names))


def _texts(value: Any, code: str, epoch: datetime) -> Iterator[str]:
    """Yield a value as people write it, and as its format shows it."""
    from openpyxl.utils.datetime import CALENDAR_MAC_1904, to_excel

    if isinstance(value, datetime | date | time | timedelta):
        yield value.isoformat(" ") if isinstance(value, datetime) else str(value)
        value = to_excel(value, epoch)
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield _format(code, epoch == CALENDAR_MAC_1904).show(float(value), repr(value))
    yield str(getattr(value, "text", value) or "")


@lru_cache(maxsize=1_000)
def _format(code: str, epoch_1904: bool) -> Format:
    return cell_formats.format_of(code, epoch_1904)


def _of_xml(part: IO[bytes]) -> Iterator[str]:
    """Yield the texts and attributes of a part, and forget its cells, because a sheet is long."""
    from lxml import etree

    try:
        for _, element in etree.iterparse(part, resolve_entities=False, no_network=True, load_dtd=False):
            yield from _of_element(element)
            if element.tag in _FORGOTTEN:
                element.clear(keep_tail=False)
                while element.getprevious() is not None:
                    del element.getparent()[0]
        return
    except (etree.XMLSyntaxError, ValueError):
        pass
    raise Refused("what was written is no XML")


def _unless_usual(code: re.Match[str]) -> str:
    """Return the code of a font in a header, or nothing if the font comes with a program."""
    return "" if is_usual_font(code[1]) else code[0]


def _of_element(element: Any) -> Iterator[str]:
    if element.text and not element.text.isspace():
        yield from encoded_in(decoded(_FONT.sub(_unless_usual, element.text)))
        if isinstance(element.tag, str) and element.tag.endswith(_OF_FORMULAS):
            yield from put_together(element.text.removeprefix("="))
    if element.tail and not element.tail.isspace():
        yield element.tail
    if element.tag in _OF_RUNS and len(element) > 1:
        yield decoded("".join(element.itertext()))
    space, _, name = element.tag.rpartition("}") if isinstance(element.tag, str) else ("", "", "")
    yield from unusual(element.tag, (MAIN, X14, XM)) if name else ()
    if name == "dateGroupItem":  # a filter writes a date in pieces
        day = [element.get(each) for each in ("year", "month", "day")]
        yield "-".join(f"{int(each):02}" for each in day if each and each.isdecimal())
    for key, value in element.items():
        yield from unusual(key)
        if not is_skipped(f"x:{name}" if space[1:] in (MAIN, X14, XM) else name, short(key), value):
            yield from encoded_in(decoded(value))
