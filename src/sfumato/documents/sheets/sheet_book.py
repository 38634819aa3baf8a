"""What the walk over a workbook knows everywhere: its package and rules, its formats, its strings and its records."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sfumato.documents.office.office import unlink_uncalled
from sfumato.documents.office.package import Output, Package
from sfumato.documents.rules import Visit
from sfumato.documents.sheets.cell_formats import Format
from sfumato.documents.sheets.cell_texts import MAIN, SharedStrings
from sfumato.documents.sheets.sheet_formulas import Formulas
from sfumato.documents.slot import Slot

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ID = f"{{{RELATIONS}}}id"
_REF = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9]\d{0,6})")
_EXCELS_STYLE = re.compile(r"(Table|Pivot|Slicer|TimeSlicer)Style(Light|Medium|Dark)\d{1,2}")
MOST_COLUMNS, MOST_ROWS = 16_384, 1_048_576


@dataclass(frozen=True, slots=True)
class Spot:
    """A place of a workbook where texts are. PRIVATE: ``shown``, ``lead`` and ``fields`` hold texts.

    Attributes:
        place: Where, in numbers and fixed words.
        shown: Where, as a person knows it.
        record: The number of its record.
        lead: What a reader sees before its text.
        fields: The fields of its record.
        public: Whether its text tells nothing by itself.
    """

    place: str
    shown: str = field(default="", repr=False)
    record: int = 0
    lead: str = field(default="", repr=False)
    fields: dict[str, str] = field(default_factory=dict, repr=False)
    public: bool = False

    def slot(self, text: str, within: str = "") -> Slot:
        """Return a text of this place, ``within`` which it may be one of several."""
        place, shown = (f"{each}, {within}" if within else each for each in (self.place, self.shown or self.place))
        return Slot(text, place, self.record, self.lead, shown, self.fields, self.public)

    def inside(self, within: str, lead: str = "") -> Spot:
        """Return a place within this one."""
        return Spot(
            f"{self.place}, {within}", f"{self.shown or self.place}, {within}", self.record, lead, self.fields
        )


Beside = dict[int, list[Callable[[Spot], Iterator[Slot]]]]
"""What belongs to a row and is written elsewhere, such as comments, by the number of the row."""


@dataclass(slots=True)
class Book:
    """A workbook that is being walked over.

    Attributes:
        package: Its package.
        visit: The rules.
        output: What is written.
        strings: The strings that its cells share.
        formats: The format of each style of cells.
        formulas: What its formulas call.
        records: How many records there were.
        written: The names of the parts that are written already.
        shared: What the walks over its drawings share.
        table_styles: The new names of its styles of tables.
    """

    package: Package
    visit: Visit
    output: Output
    strings: SharedStrings
    formats: Sequence[Format]
    formulas: Formulas
    records: int = 0
    written: set[str] = field(default_factory=set, repr=False)
    shared: dict[str, Any] = field(default_factory=dict, repr=False)
    table_styles: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def links(self) -> set[tuple[str, str]]:
        """Return the links that were treated: the part and the id of each."""
        found: set[tuple[str, str]] = self.shared.setdefault("links", set())
        return found

    def add_relations(self, part: str) -> None:
        """Write the relationships of a part."""
        unlink_uncalled(self.package, part, self.shared)
        self.output.add_relations(part)

    def knows_style(self, name: str) -> bool:
        """Return whether a style of tables is one of the workbook, or of Excel."""
        return name in self.table_styles or _EXCELS_STYLE.fullmatch(name) is not None

    def record(self) -> int:
        """Begin a record, and return its number."""
        self.records += 1
        return self.records - 1


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of cells: rows and columns from 1, ends included."""

    top: int
    left: int
    bottom: int
    right: int

    def holds(self, row: int, column: int) -> bool:
        """Return whether a cell is in it."""
        return self.top <= row <= self.bottom and self.left <= column <= self.right


def area(reference: str) -> Area | None:
    """Return the cells of a reference such as "B2:C9", or None for anything else."""
    first, _, last = reference.partition(":")
    start, end = place_of(first), place_of(last or first)
    return Area(start[0], start[1], end[0], end[1]) if start and end else None


def place_of(reference: str) -> tuple[int, int] | None:
    """Return the row and the column of a cell such as "B7", or None for anything else."""
    found = _REF.fullmatch(reference)
    if not found:
        return None
    row, column = int(found[2]), column_of(found[1])
    return (row, column) if row <= MOST_ROWS and column <= MOST_COLUMNS else None


@cache
def column_of(letters: str) -> int:
    """Return the number of a column such as "AB"."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


@cache
def letters_of(column: int) -> str:
    """Return the letters of a column."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def local(element: Any) -> str:
    """Return the name of an element of a workbook, or "" for one of another vocabulary."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) and tag.startswith(f"{{{MAIN}}}") else ""
