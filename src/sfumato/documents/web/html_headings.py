"""Headings that lead a text of a page: of its column or row in a table, and of a list of terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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

    def read(self, text: str) -> str:
        """Return what leads ``text``, which may itself lead others."""
        if self.tables and self.tables[-1].cell:
            return self._in_table(self.tables[-1], text)
        if self.within == "dt":
            self.term = text
        return f"{self.term}: " if self.within == "dd" and self.term else ""

    def _in_table(self, table: _Table, text: str) -> str:
        if table.cell == "th" and table.row == 0:
            table.columns[table.column] = text
            return ""
        if table.cell == "th":
            table.of_row = text
            return ""
        heading = table.columns.get(table.column, table.of_row)
        return f"{heading}: " if heading else ""
