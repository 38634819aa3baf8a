"""Names that formulas call, and formulas that are not in cells."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.office.office_values import usual
from sfumato.documents.public_words import is_heading
from sfumato.documents.rules import DROP, KEEP, TREAT
from sfumato.documents.sheets.cell_texts import decoded
from sfumato.documents.sheets.sheet_book import Area, Book, Spot
from sfumato.documents.sheets.sheet_formulas import is_outside
from sfumato.documents.slot import Slot


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


def named(
    book: Book, spot: Spot, name: str, within: str, numbered: str, taken: Iterable[str]
) -> Generator[Slot, None, str]:
    """Yield a name that formulas call; return it, or its number if it changes."""
    action = book.visit.rule("names", f"{spot.place}, {within}")
    changed = action == DROP
    if action == TREAT and name.strip():
        slot = spot.slot(name, within)
        slot.public = usual(name) or is_heading(name)
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


def walk_formula(book: Book, raw: str, spot: Spot) -> Generator[Slot, None, str]:
    """Yield the texts of a formula beside cells; return it. It no longer leads to a workbook that is dropped."""
    formula = decoded(raw)
    if is_outside(formula) and book.visit.rule("caches", spot.place) == KEEP:
        return raw
    return (yield from book.formulas.walk(formula, spot)) if formula else ""
