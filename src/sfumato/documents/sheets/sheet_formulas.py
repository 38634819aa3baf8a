"""Formulas: the texts inside them, and what they call by name: sheets, areas, tables and their columns."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sfumato.documents.sheets.sheet_constants import (
    CONSTANT,
    Token,
    constants_in,
    folded,
    may_have_constants,
    rewritten,
)
from sfumato.documents.slot import Slot

if TYPE_CHECKING:
    from sfumato.documents.sheets.sheet_book import Spot

_CELL = r"\$?[A-Za-z]{1,3}\$?\d{1,7}"
_TEXTLESS = re.compile(
    rf"(?:(?:_xlfn\.|_xlws\.)*[A-Z][A-Z0-9.]*\((?<=\()|{_CELL}(?![\w.(!\[])|(?:TRUE|FALSE)(?![\w.(!])"
    r"|\d{1,3}(?![\w.])|\d\.\d{1,2}(?![\w.])|\$?[A-Z]{1,3}:\$?[A-Z]{1,3}(?![\w.(])|[-+*/^&=<>(),:;% \n])*"
)
_CALLED = re.compile(r"([A-Z][A-Z0-9.]*)\(")
_REFERENCE = re.compile(
    rf"#REF!|#NAME\?|{_CELL}(?::{_CELL})?#?|\$?[A-Za-z]{{1,3}}:\$?[A-Za-z]{{1,3}}|\$?\d{{1,7}}:\$?\d{{1,7}}"
)
_OUTSIDE = re.compile(r"'[^']*\[[^']*'!|(?<![\w\])])\[[^\]']+\][^\[\](){}+*/&=<>,; ]*!|\[\d+\]")
_LITERAL = re.compile('"[^"]*"')
_QUALIFIED = re.compile(r"(?P<sheet>'(?:[^']|'')+'|[^'!,()\[\] ]+)!(?P<rest>.*)", re.DOTALL)
_STRUCTURED = re.compile(r"(?P<table>[^\[\]'!]*)(?P<columns>\[.*\])", re.DOTALL)
_COLUMN = re.compile(r"\[((?:[^\[\]']|'.)*)\]", re.DOTALL)
_PLAIN_SHEET = re.compile(r"[A-Za-z_]\w*")
_BUILT_IN = re.compile(r"_xl(nm|fn|ws)\.\w+(\.\w+)*", re.IGNORECASE)
_VARIABLE = "_xlpm."
_LONGEST = 8_192
_MANY_DIGITS = 4


@dataclass(slots=True)
class Formulas:
    """What the formulas of a workbook may call, and by which name they call it in the file that is written.

    Attributes:
        sheets: The new name of each sheet, by its old one in small letters.
        names: The new name of each defined name, likewise.
        tables: The new name of each table, likewise.
        columns: The new names of the columns of each table, likewise.
    """

    sheets: dict[str, str] = field(default_factory=dict, repr=False)
    names: dict[str, str] = field(default_factory=dict, repr=False)
    tables: dict[str, str] = field(default_factory=dict, repr=False)
    columns: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)

    def walk(self, formula: str, spot: Spot) -> Generator[Slot, None, str]:
        """Yield the texts in a formula, which has no sign of equality before it; return it with their edits."""
        if not formula or _plain(formula):
            return formula
        tokens = folded(_tokens(formula))
        if not tokens:
            slot = spot.slot(formula, "formula")
            yield slot
            return formula if not slot.edits else _quoted(slot.new)
        new, reading = "", _Reading(spot)
        for token in tokens:
            if token.kind == CONSTANT:
                new += yield from self._constant(token, reading)
            else:
                new += yield from self._token(token.kind, token.value, reading)
        return new

    def _constant(self, token: Token, reading: _Reading) -> Generator[Slot, None, str]:
        """Yield a text or a date that is put together as one; one that changes is written as one."""
        if not any(each.isalnum() for each in token.text):
            return token.value
        slot = yield from reading.text(token.text, token.word)
        return rewritten(token, slot.new) if slot.edits else token.value

    def _token(self, kind: str, value: str, reading: _Reading) -> Generator[Slot, None, str]:
        if kind == "TEXT":
            text = value[1:-1].replace('""', '"')
            if any(each.isalnum() for each in text):
                slot = yield from reading.text(text, "text")
                return _quoted(slot.new) if slot.edits else value
        elif kind == "NUMBER" and sum(map(str.isdigit, value)) >= _MANY_DIGITS:
            slot = yield from reading.text(value, "number")
            return (
                (slot.new if re.fullmatch(r"\d+(\.\d+)?", slot.new) else _quoted(slot.new)) if slot.edits else value
            )
        elif kind == "RANGE":
            if is_outside(value):
                return "#REF!"
            return (yield from self._called(value, reading))
        elif kind == "CALL" and not _known(value[:-1]):
            return f"{(yield from reading.name(value[:-1]))}("
        return value

    def _called(self, value: str, reading: _Reading) -> Generator[Slot, None, str]:
        """Rename what an operand calls; a name that the workbook does not have is a text."""
        qualified = _QUALIFIED.fullmatch(value)
        if qualified:
            sheet = yield from self._sheet(qualified["sheet"], reading)
            parts = qualified["rest"].split(":") if "!" in qualified["rest"] else [qualified["rest"]]
            rest = list[str]()
            for part in parts:
                rest.append((yield from self._called(part, reading)))
            return f"{sheet}!{':'.join(rest)}"
        if _REFERENCE.fullmatch(value) or _BUILT_IN.fullmatch(value):
            return value
        structured = _STRUCTURED.fullmatch(value)
        if structured:
            return (yield from self._structured(structured["table"], structured["columns"], reading))
        if ":" in value:
            ends = list[str]()
            for end in value.split(":"):
                ends.append((yield from self._called(end, reading)))
            return ":".join(ends)
        return (yield from self._name({**self.tables, **self.names}, value, reading))

    def _sheet(self, written: str, reading: _Reading) -> Generator[Slot, None, str]:
        plain = written[1:-1].replace("''", "'") if written.startswith("'") else written
        new = list[str]()
        for name in [plain] if plain.lower() in self.sheets else plain.split(":"):
            new.append((yield from self._name(self.sheets, name, reading)))
        together = ":".join(new)
        if together == plain:
            return written
        return together if _PLAIN_SHEET.fullmatch(together) else quoted_sheet(together)

    def _structured(self, table: str, columns: str, reading: _Reading) -> Generator[Slot, None, str]:
        known = self.columns.get(table.lower()) or {
            key: new for each in self.columns.values() for key, new in each.items()
        }
        name = (yield from self._name(self.tables, table, reading)) if table else ""
        new, done = "", 0
        for found in _COLUMN.finditer(columns):
            column = re.sub("'(.)", r"\1", found[1], flags=re.DOTALL)
            if column.startswith("#") or not column.strip():
                continue
            mine = yield from self._name(known, column, reading)
            if mine != column:
                new += columns[done : found.start(1)] + re.sub(r"(['\[\]#@])", r"'\1", mine)
                done = found.end(1)
        return name + new + columns[done:]

    def _name(self, known: dict[str, str], name: str, reading: _Reading) -> Generator[Slot, None, str]:
        new = known.get(name.lower())
        if new is None:
            new = yield from reading.name(name)
        return name if new.lower() == name.lower() else new


@dataclass(slots=True)
class _Reading:
    """One formula that is being read: how many texts of each kind there were, and which names are new."""

    spot: Spot
    counts: dict[str, int] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict, repr=False)

    def text(self, text: str, kind: str) -> Generator[Slot, None, Slot]:
        """Yield a text in the formula, and return it."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        slot = self.spot.slot(text, f"{kind} {self.counts[kind]}")
        yield slot
        return slot

    def name(self, name: str) -> Generator[Slot, None, str]:
        """Yield a name that the workbook does not have, once; return it, or another one if it changed."""
        prefix = _VARIABLE if name.startswith(_VARIABLE) else ""
        if name not in self.renamed:
            slot = yield from self.text(name.removeprefix(prefix), "name")
            self.renamed[name] = f"{prefix}Name_{self.counts['name']}" if slot.edits else name
        return self.renamed[name]


def is_outside(formula: str) -> bool:
    """Return whether a formula leads to another workbook."""
    return "[" in formula and _OUTSIDE.search(_LITERAL.sub('""', formula)) is not None


def put_together(formula: str) -> list[str]:
    """Return the texts and dates that a formula puts together from constants."""
    return constants_in(_tokens(formula)) if may_have_constants(formula) else []


def silently(walk: Generator[Slot, None, str]) -> str:
    """Return what a walk writes if nothing is edited."""
    while True:
        try:
            next(walk)
        except StopIteration as end:
            return str(end.value)


def quoted_sheet(name: str) -> str:
    """Return the name of a sheet as a formula writes it."""
    return "'" + name.replace("'", "''") + "'"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _known(name: str) -> bool:
    from openpyxl.utils import FORMULAE

    return name.upper() in FORMULAE or _BUILT_IN.fullmatch(name) is not None


def _plain(formula: str) -> bool:
    """Return whether a formula holds nothing but cells, short numbers, signs and functions of Excel."""
    if not _TEXTLESS.fullmatch(formula) or may_have_constants(formula):
        return False
    return all(_known(each) for each in _CALLED.findall(formula))


def _tokens(formula: str) -> Iterator[tuple[str, str]]:
    """Yield the tokens of a formula, or nothing if it cannot be read."""
    from openpyxl.formula.tokenizer import Token as Read
    from openpyxl.formula.tokenizer import Tokenizer, TokenizerError

    if len(formula) > _LONGEST:
        return
    try:
        tokens = Tokenizer(f"={formula}").items
    except (TokenizerError, IndexError, ValueError):
        return
    if "".join(each.value for each in tokens) != formula:
        return
    for each in tokens:
        if each.type == Read.FUNC and each.subtype == Read.OPEN:
            yield "CALL", each.value
        else:
            yield each.subtype if each.type == Read.OPERAND else each.type, each.value
