"""Headings that lead a text of a page: of its column or row in a table, and of a list of terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sfumato.documents.public_words import is_heading, lead_of
from sfumato.documents.slot import Slot


@dataclass(slots=True)
class _Table:
    row: int = -1
    column: int = -1
    after: int = 0
    cell: str = ""
    columns: dict[int, str] = field(default_factory=dict, repr=False)
    of_row: str = field(default="", repr=False)


@dataclass(slots=True)
class Headings:
    """What leads the text of a place in a page. PRIVATE."""

    tables: list[_Table] = field(default_factory=list, repr=False)
    term: str = field(default="", repr=False)
    within: str = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Enter an element."""
        if name == "table":
            self.tables.append(_Table())
        elif name in ("dt", "dd"):
            self.within = name
        elif self.tables and name == "tr":
            table = self.tables[-1]
            table.row, table.column, table.after, table.of_row, table.cell = table.row + 1, -1, 0, "", ""
        elif self.tables and name in ("td", "th"):
            table, span = self.tables[-1], attributes.get("colspan", "1")
            table.cell, table.column = name, table.after
            table.after += int(span) if span.isdecimal() and len(span) < 4 else 1

    def end(self, name: str) -> None:
        """Leave an element."""
        if name == "table" and self.tables:
            self.tables.pop()
        elif name in ("dd", "dl"):
            self.within = ""
        elif name in ("td", "th", "tr") and self.tables:
            self.tables[-1].cell = ""

    def slot(self, text: str, place: str) -> Slot:
        """Return ``text`` with what leads it. It may itself lead others."""
        if self.tables and self.tables[-1].cell:
            table = self.tables[-1]
            public = table.cell == "th" and is_heading(text, table.columns.values())
            return Slot(text, place, lead=self._in_table(table, text), public=public)
        if self.within == "dt":
            self.term = text
        lead = f"{self.term}: " if self.within == "dd" and self.term else ""
        return Slot(text, place, lead=lead, public=self.within == "dt" and is_heading(text))

    def _in_table(self, table: _Table, text: str) -> str:
        if table.cell == "th" and table.row == 0:
            table.columns[table.column] = text
            return ""
        if table.cell == "th":
            table.of_row = text
            return ""
        heading = table.columns.get(table.column, table.of_row)
        return lead_of(heading)
