"""Texts of HL7 v2: what separates them, and escape sequences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sfumato.documents.health.composed import Composed
from sfumato.documents.rules import Refused
from sfumato.documents.slot import Edit

_CHARSETS = {
    "": "utf-8", "ASCII": "utf-8", "UNICODE UTF-8": "utf-8", "UTF-8": "utf-8", "UNICODE": "utf-8",
    **{f"8859/{part}": f"iso8859-{part}" for part in range(1, 16)}, "GB 18030-2000": "gb18030", "BIG-5": "big5",
    "KS X 1001": "euc_kr", "WINDOWS-1252": "cp1252",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Marks:
    """The characters that separate the parts of a message, as its first segment declares them."""

    of_fields: str
    of_components: str
    of_repetitions: str
    escape: str
    of_parts: str

    @classmethod
    def of(cls, line: str) -> Marks:
        """Return the marks that a header segment declares. Raise Refused for impossible ones."""
        declared = line[4:].partition(line[3])[0] if len(line) > 4 else ""
        marks = line[3:4] + declared[:4] + "^~\\&"[len(declared[:4]) :]
        if len({*marks}) < 5 or any(mark.isalnum() or mark.isspace() for mark in marks):
            raise Refused("its first segment declares separators that cannot be; write the file again")
        return cls(*marks)

    def meanings(self) -> dict[str, str]:
        """Return what each escape sequence of a mark stands for."""
        return {"F": self.of_fields, "S": self.of_components, "T": self.of_parts, "R": self.of_repetitions,
                "E": self.escape}  # fmt: skip


class Piece(NamedTuple):
    """A piece of a text as the file holds it, and as a person reads it. PRIVATE."""

    raw: str
    shown: str


@dataclass(slots=True, eq=False)
class Leaf:
    """The smallest part of a field, as the file holds it. PRIVATE."""

    raw: str = field(repr=False)

    def pieces(self, marks: Marks) -> Iterator[Piece]:
        """Yield its pieces: text, and escape sequences."""
        begun = 0
        mark = re.escape(marks.escape)
        for found in re.finditer(rf"{mark}([^{mark}]*){mark}", self.raw):
            if begun < found.start():
                yield Piece(self.raw[begun : found.start()], self.raw[begun : found.start()])
            yield Piece(found[0], _meaning(found[1], found[0], marks))
            begun = found.end()
        if begun < len(self.raw) or not self.raw:
            yield Piece(self.raw[begun:], self.raw[begun:])

    def shown(self, marks: Marks) -> str:
        """Return its text."""
        return "".join(piece.shown for piece in self.pieces(marks))


def _meaning(code: str, raw: str, marks: Marks) -> str:
    if code in marks.meanings():
        return marks.meanings()[code]
    if code in ("H", "N") or re.fullmatch(r"\.(in|ti|fi|nf|ce)\s*[+-]?\d*", code):
        return ""
    if re.fullmatch(r"\.(br|sp)\s*\+?\d*", code):
        return "\n"
    if re.fullmatch(r"\.sk\s*\+?\d*", code):
        return " "
    if re.fullmatch(r"X([0-9A-Fa-f]{2})+", code):
        return bytes.fromhex(code[1:]).decode("utf-8", errors="replace")
    return raw


def escaped(text: str, marks: Marks) -> str:
    """Return ``text`` as a file holds it."""
    mark = marks.escape
    codes: dict[int, str | None] = {}
    codes |= {ord(meaning): f"{mark}{code}{mark}" for code, meaning in marks.meanings().items()}
    codes |= {ord("\n"): f"{mark}.br{mark}", ord("\r"): f"{mark}X0D{mark}", 11: None, 28: None}
    return text.translate(codes)


@dataclass(slots=True)
class Joined:
    """A text that is read from several leaves, between which a gap is read."""

    leaves: Sequence[Leaf] = field(repr=False)
    gaps: Sequence[str]
    marks: Marks
    pieces: list[tuple[Leaf, Piece]] = field(default_factory=list, repr=False)
    composed: Composed = field(default_factory=lambda: Composed((), ()), repr=False)

    def __post_init__(self) -> None:
        before = list[str]()
        begun = False
        for leaf, gap in zip(self.leaves, self.gaps, strict=True):
            waits = gap if begun else ""
            for piece in leaf.pieces(self.marks):
                self.pieces.append((leaf, piece))
                before.append(waits if piece.shown else "")
                waits, begun = ("" if piece.shown else waits), begun or bool(piece.shown)
        self.composed = Composed([piece.shown for _, piece in self.pieces], before)

    @property
    def text(self) -> str:
        """Return the text."""
        return self.composed.text

    def lay(self, edits: Sequence[Edit], family: Leaf | None = None) -> None:
        """Write the text back with its ``edits``. Of a name, the leaf ``family`` gets the last word."""
        if not edits:
            return
        part = next((number for number, (leaf, _) in enumerate(self.pieces) if leaf is family), None)
        new = self.composed.named(edits, part) if family else self.composed.edited(edits)
        raw = dict[int, str]()
        for (leaf, piece), shown in zip(self.pieces, new, strict=True):
            same = shown == piece.shown
            raw[id(leaf)] = raw.get(id(leaf), "") + (piece.raw if same else escaped(shown, self.marks))
        for leaf in self.leaves:
            leaf.raw = raw[id(leaf)]


def charset_of(declared: str) -> str:
    """Return the name of the character set that MSH-18 declares. Raise Refused for one that is not known."""
    name = _CHARSETS.get(declared.strip().upper())
    if name is None:
        raise Refused("its field MSH-18 declares characters that cannot be read; save the file as UNICODE UTF-8")
    return name
