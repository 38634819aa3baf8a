"""The cells of a row: read from XML, yielded as texts, and written with their own strings."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.office.office_names import words
from sfumato.documents.rules import DROP, KEEP, TREAT, Refused
from sfumato.documents.sheets.cell_formats import Format
from sfumato.documents.sheets.cell_texts import LONGEST, MAIN, Text, decoded, encoded, text_of, too_long
from sfumato.documents.sheets.sheet_book import MOST_COLUMNS, MOST_ROWS, Area, Book, Spot, area, column_of, letters_of
from sfumato.documents.sheets.sheet_cell import Cell, Row, as_heading, as_it_is, inline
from sfumato.documents.sheets.sheet_formulas import is_outside, silently
from sfumato.documents.slot import Slot, spread

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_ERROR = re.compile(r"#[A-Z][A-Z_/0]{1,20}[!?]?")
_PLACE = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})")
_DATE = re.compile(r"[\d:.TZ+-]{1,40}")
_PLAIN = re.compile(r"[\d.:eE+ -]{0,400}|true|false")
_FORMULA = ("t", "ref", "si", "ca", "aca", "bx", "dt2D", "dtr", "del1", "del2", "r1", "r2")
_V, _F, _IS, _C = (f"{{{MAIN}}}{name}" for name in ("v", "f", "is", "c"))
_OF_ROW = words("r spans s customFormat ht hidden customHeight outlineLevel collapsed thickTop thickBot ph")
_GENERAL = Format("General")
_MOST_KNOWN = 10_000


@dataclass(slots=True)
class Cells:
    """What reads and writes the cells of one sheet.

    Attributes:
        book: The workbook.
        sheet: What the sheet is called in errors.
        columns: The columns that are hidden, as areas.
        merged: The merged areas.
        hidden: Whether the sheet is hidden.
        watched: Cells whose new text is asked for later, by row and column.
    """

    book: Book
    sheet: str
    columns: list[Area] = field(default_factory=list)
    merged: list[Area] = field(default_factory=list)
    hidden: bool = False
    watched: dict[tuple[int, int], str | None] = field(default_factory=dict, repr=False)
    renamed: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict, repr=False)
    _known: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)
    _arrays: list[Area] = field(default_factory=list)
    _outside: set[str] = field(default_factory=set)
    _covered: list[Area] = field(default_factory=list)

    def row(self, element: Any, before: int) -> Row:
        """Return a row, which follows the row ``before``. Raise Refused."""
        number = self._number(element, before)
        values = {key: value for key, value in element.items() if key in _OF_ROW}
        values["r"] = str(number)
        attributes = "".join([f' {key}="{value}"' for key, value in values.items() if _PLAIN.fullmatch(value)])
        hidden = values.get("hidden") in ("1", "true") or values.get("ht") in ("0", "0.0")
        self._begin(number)
        cells, column = list[Cell](), 0
        for child in element:
            if child.tag == _C:
                cells.append(cell := self._cell(child, number, column))
                column = cell.column
                cell.hidden = hidden or self._is_hidden(cell, number)
            else:
                self.book.visit.notes["unknown", DROP] += 1
        return Row(number, attributes, cells)

    def walk(self, cell: Cell, row: Row, spot: Spot) -> Generator[Slot, None, str]:
        """Yield the texts of a cell; return it as it is written."""
        attributes = f' r="{cell.place}"' + (f' s="{cell.style}"' if cell.style else "")
        if not cell.kind:
            return f"<c{attributes}/>"
        names = self.renamed.get((row.number, cell.column))
        if names and names[0] == cell.shown:
            return f"<c{attributes}{as_heading(cell, names[1])}"
        if cell.hidden:
            action = self.book.visit.rule("hidden", spot.place)
            if action != TREAT:
                return f"<c{attributes}{self._untreated(cell, spot, action)}"
        if cell.kind == "formula":
            return f"<c{attributes}" + (yield from self._formula(cell, spot))
        if cell.kind == "fixed":
            return f'<c{attributes} t="{cell.type}"><v>{cell.raw}</v></c>'
        slot = spot.slot(cell.shown)
        yield slot
        if (row.number, cell.column) in self.watched:
            self.watched[row.number, cell.column] = slot.new
        if cell.text is None:
            return f"<c{attributes}{self._number_written(cell, slot)}"
        return f"<c{attributes}" + (yield from self._text_written(cell.text, slot, spot))

    def _number(self, element: Any, before: int) -> int:
        raw = element.get("r", str(before + 1))
        number = int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 8 else 0
        if not before < number <= MOST_ROWS:
            raise Refused(f"{self.sheet}: the row after row {before} has a number that it cannot have; save it again")
        return number

    def _begin(self, number: int) -> None:
        self._arrays = [each for each in self._arrays if each.bottom >= number]
        self._covered = [each for each in self._covered if each.bottom >= number]
        while self.merged and self.merged[-1].top <= number:
            self._covered.append(self.merged.pop())

    def _cell(self, element: Any, row: int, before: int) -> Cell:
        place = element.get("r")
        if place is None:
            column = before + 1
            place = f"{letters_of(column)}{row}"
        else:
            found = _PLACE.fullmatch(place)
            column = column_of(found[1]) if found and found[2] == str(row) else 0
        if not before < column <= MOST_COLUMNS:
            raise Refused(f"{self.sheet}, row {row}: a cell has a place that it cannot have; save the file again")
        cell = Cell(place, column, element.get("s", ""), type=element.get("t", "n"))
        if not (cell.style.isascii() and cell.style.isdigit()):
            cell.style = ""
        self._fill(cell, element, row)
        return cell

    def _fill(self, cell: Cell, element: Any, row: int) -> None:
        inline = None
        for child in element:
            if child.tag == _V:
                cell.raw = child.text or ""
            elif child.tag == _F:
                cell.formula, cell.kind = child, "formula"
            elif child.tag == _IS:
                inline = child
            else:
                self.book.visit.notes["unknown", DROP] += 1
        if cell.formula is not None:
            if not self._leads_outside(cell):
                self._begin_array(cell)
                return
            cell.formula, cell.kind = None, ""
            if not cell.raw:
                cell.type, cell.raw = "e", "#REF!"
        elif self._arrays and any(each.holds(row, cell.column) for each in self._arrays):
            self._drop_cached(cell)
        self._value(cell, inline, row)

    def _value(self, cell: Cell, inline: Any, row: int) -> None:
        """Say what a cell without a formula holds, and what a person sees."""
        raw = cell.raw.strip()
        if cell.type == "s" and raw:
            cell.text = self.book.strings.text(raw)
            if cell.text is None:
                raise Refused(f"{self.sheet}, {cell.place}: its text is not in the file; save the file again")
        elif cell.type == "inlineStr" and inline is not None:
            cell.text = text_of(inline)
        elif cell.type == "b" and raw in ("0", "1", "true", "false"):
            cell.kind, cell.raw, cell.shown = "fixed", raw, "TRUE" if raw in ("1", "true") else "FALSE"
        elif cell.type == "e" and _ERROR.fullmatch(raw):
            cell.kind, cell.raw, cell.shown = "fixed", raw, raw
        elif cell.type == "n" and _NUMBER.fullmatch(raw):
            cell.kind, cell.raw, cell.shown = "number", raw, self._number_shown(cell.style, raw)
        elif cell.type == "d" and _DATE.fullmatch(raw):
            cell.kind, cell.raw, cell.shown = "date", raw, raw
        elif cell.raw:
            cell.text = Text([decoded(cell.raw)])
        if cell.text is not None:
            cell.shown = cell.text.whole
            cell.kind = "text" if cell.shown or cell.text.reading else ""

    def _number_shown(self, style: str, raw: str) -> str:
        shown = self._known.get((style, raw))
        if shown is None:
            if len(self._known) == _MOST_KNOWN:
                self._known.clear()
            shown = self._known[style, raw] = self._format(style).show(float(raw), raw)
        return shown

    def _format(self, style: str) -> Format:
        number = int(style or 0)
        return self.book.formats[number] if number < len(self.book.formats) else _GENERAL

    def _number_written(self, cell: Cell, slot: Slot) -> str:
        new = slot.new
        if cell.kind == "date" and _DATE.fullmatch(new):
            return f' t="d"><v>{new}</v></c>'
        raw = cell.raw if new == cell.shown else None if cell.kind == "date" else self._format(cell.style).read(new)
        if raw is not None:
            return f"><v>{raw}</v></c>"
        return inline(Text([new]), [self._fit(new, slot.place)])

    def _text_written(self, text: Text, slot: Slot, spot: Spot) -> Generator[Slot, None, str]:
        phonetics = bool(text.reading)
        if phonetics:
            reading = spot.slot(text.reading, "reading")
            yield reading
            phonetics = not slot.edits and not reading.edits
        pieces = spread(text.pieces, slot.edits) if slot.edits else text.pieces
        self._fit("".join(pieces), spot.place)
        return inline(text, pieces, phonetics)

    def _fit(self, text: str, place: str) -> str:
        if len(text) > LONGEST:
            raise too_long(place)
        return text

    def _formula(self, cell: Cell, spot: Spot) -> Generator[Slot, None, str]:
        values = {key: cell.formula.get(key) for key in _FORMULA if cell.formula.get(key) is not None}
        attributes = "".join(
            f' {key}="{value}"' for key, value in values.items() if re.fullmatch(r"[\w$:]{1,40}", value)
        )
        text = decoded(cell.formula.text or "")
        new = text if is_outside(text) else (yield from self.book.formulas.walk(text, spot))
        written = f"<f{attributes}>{encoded(new)}</f>" if new else f"<f{attributes}/>"
        if not cell.raw or cell.type == "s" or self.book.visit.rule("caches", spot.place) == DROP:
            return f">{written}</c>"
        kind = cell.type if cell.type in ("b", "e", "str", "n") else "str"
        return f' t="{kind}">{written}<v>{encoded(decoded(cell.raw))}</v></c>'

    def _untreated(self, cell: Cell, spot: Spot, action: str) -> str:
        """Return the content of a hidden cell that is kept or dropped. Others may share its formula."""
        if cell.kind == "formula" and (action == KEEP or cell.formula.get("t") == "shared"):
            return silently(self._formula(cell, spot))
        return "/>" if action == DROP else as_it_is(cell)

    def _leads_outside(self, cell: Cell) -> bool:
        """Return whether a formula leads to another workbook, whose copy is dropped: then its result is its value."""
        formula, shared = cell.formula, cell.formula.get("si")
        outside = is_outside(decoded(formula.text or "")) or (not formula.text and shared in self._outside)
        if not outside or self.book.visit.rule("caches", f"{self.sheet}, {cell.place}") == KEEP:
            return False
        if formula.get("t") == "shared" and shared:
            self._outside.add(shared)
        return True

    def _begin_array(self, cell: Cell) -> None:
        cells = area(cell.formula.get("ref", "")) if cell.formula.get("t") in ("array", "dataTable") else None
        if cells and (cells.bottom, cells.right) != (cells.top, cells.left):
            self._arrays.append(cells)

    def _drop_cached(self, cell: Cell) -> None:
        """Drop a result of a formula that fills several cells, if copies are dropped."""
        if cell.raw and self.book.visit.rule("caches", f"{self.sheet}, {cell.place}") == DROP:
            cell.raw, cell.type = "", "n"

    def _is_hidden(self, cell: Cell, row: int) -> bool:
        """Return whether the sheet, a column or a merged area hides a cell."""
        return (
            self.hidden
            or any(each.left <= cell.column <= each.right for each in self.columns)
            or any(
                each.holds(row, cell.column) and (each.top, each.left) != (row, cell.column) for each in self._covered
            )
        )
