"""A cell and a row as they are read, and the content of a cell as it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.sheets.cell_texts import Text


@dataclass(slots=True)
class Cell:
    """A cell. PRIVATE.

    Attributes:
        place: Such as "B7".
        column: Its number.
        style: The number of its style, or "".
        kind: text, number, date, formula, fixed (a boolean, an error), or "" if it holds nothing.
        raw: Its value as the file holds it.
        text: Its text, if it is one.
        formula: The element of its formula, if it has one.
        shown: What a person sees in it.
        type: The type that the file says.
        hidden: Whether a page does not show it.
    """

    place: str
    column: int
    style: str = ""
    kind: str = ""
    raw: str = field(default="", repr=False)
    text: Text | None = field(default=None, repr=False)
    formula: Any = field(default=None, repr=False)
    shown: str = field(default="", repr=False)
    type: str = ""
    hidden: bool = False


@dataclass(slots=True)
class Row:
    """A row: its number, its attributes as XML, and its cells."""

    number: int
    attributes: str
    cells: list[Cell] = field(repr=False)


def as_heading(cell: Cell, new: str) -> str:
    """Return the heading of a column of a table, which was yielded with the table."""
    if cell.shown == new:
        return as_it_is(cell)
    text = cell.text or Text([cell.shown])
    return inline(text, [new, *("" for _ in text.pieces[1:])], phonetics=False)


def inline(text: Text, pieces: Sequence[str], phonetics: bool = True) -> str:
    """Return the content of a cell that holds a text of its own."""
    return f' t="inlineStr"><is>{text.written(pieces, phonetics)}</is></c>'


def as_it_is(cell: Cell) -> str:
    """Return the content of a cell that is kept."""
    if cell.text is not None:
        return inline(cell.text, cell.text.pieces)
    kind = f' t="{cell.type}"' if cell.kind in ("fixed", "date") else ""
    return f"{kind}><v>{cell.raw}</v></c>"
