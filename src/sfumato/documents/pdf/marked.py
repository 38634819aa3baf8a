"""Marked contents of a content stream: texts in the place of what is drawn, descriptions, and what they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.pdf.encodings import said
from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.glyphs import Drawn, Glyph, Marked
from sfumato.documents.pdf.operators import TAGS
from sfumato.documents.pdf.streams import isa
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import DROP, TREAT
from sfumato.documents.slot import Slot

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")
_PLAIN = {
    "/Type": entries("Pagination Layout Page Background Inline"),
    "/Subtype": entries("Header Footer Watermark PageNum Bates LineNum Redaction"),
}


@dataclass(eq=False)
class Marks:
    """The marked contents of a content stream.

    Attributes:
        work: The walk.
        where: Where the stream is.
        drawn: What it draws.
    """

    work: Work
    where: str
    drawn: Drawn
    _new: dict[tuple[int, str], str | None] = field(default_factory=dict)
    _same: set[int] = field(default_factory=set)

    def tell_unreadable(self) -> None:
        """Give glyphs that no table translates the text that their marked content says they have."""
        for mark in self.drawn.marked.values():
            glyphs = _glyphs(mark)
            text = _text(mark, "/ActualText")
            if glyphs and said(text) and any(glyph.text is None for glyph in glyphs):
                self._same.add(mark.at)
                for glyph in glyphs:
                    glyph.text = ""
                glyphs[0].text = text

    def walk(self) -> Generator[Slot, None, None]:
        """Yield the texts that nothing draws."""
        for mark in self.drawn.marked.values():
            if not isa(mark.properties, "Dictionary"):
                continue
            actual = _text(mark, "/ActualText")
            if actual is not None and mark.at not in self._same and any(map(str.isalnum, actual)):
                if _bare(actual) == _bare("".join(glyph.text or "" for glyph in _glyphs(mark))):
                    self._same.add(mark.at)
                else:
                    yield from self._one(mark, "/ActualText", actual, "actual text")
            for key, kind in (("/Alt", "description"), ("/E", "expansion")):
                text = _text(mark, key)
                if text:
                    action = self.work.rule("descriptions", self.where)
                    if action == TREAT:
                        yield from self._one(mark, key, text, kind)
                    elif action == DROP:
                        self._new[mark.at, key] = None

    def _one(self, mark: Marked, key: str, text: str, kind: str) -> Generator[Slot, None, None]:
        slot = Slot(text, f"{self.where}, {kind} {self.work.number(f'{self.where} {kind}')}")
        yield slot
        if slot.edits:
            self._new[mark.at, key] = slot.new

    def rewrite(self, changed: dict[int, list[Any]], instructions: Sequence[Any], gone: set[Glyph]) -> None:
        """Add to ``changed`` what opens each marked content, with the properties that are known."""
        import pikepdf

        for mark in self.drawn.marked.values():
            if mark.at in self._same and any(glyph in gone for glyph in _glyphs(mark)):
                self._new[mark.at, "/ActualText"] = None
            operands = list(instructions[mark.at].operands)
            tag = str(operands[0]) if str(operands[0]) in TAGS else "/Span"
            layer = tag == "/OC" and len(operands) > 1 and isa(operands[1], "Name")
            if len(operands) < 2 or (not layer and not isa(mark.properties, "Dictionary")):
                opened = pikepdf.ContentStreamInstruction([pikepdf.Name(tag)], pikepdf.Operator("BMC"))
            elif layer:
                continue
            else:
                opened = pikepdf.ContentStreamInstruction(
                    [pikepdf.Name(tag), self._known(mark)], pikepdf.Operator("BDC")
                )
            changed[mark.at] = [opened]

    def _known(self, mark: Marked) -> Any:
        import pikepdf

        known = pikepdf.Dictionary()
        for key, value in mark.properties.items():
            new = self._new.get((mark.at, key), value)
            if key in ("/ActualText", "/Alt", "/E") and new is not None and isa(value, "String"):
                known[key] = pikepdf.String(str(new))
            elif (
                (key == "/MCID" and isinstance(value, int))
                or (key in _PLAIN and str(value) in _PLAIN[key])
                or (key == "/Lang" and _LANGUAGE.fullmatch(str(value)))
            ):
                known[key] = value
        return known


def _glyphs(mark: Marked) -> list[Glyph]:
    return [glyph for run in mark.runs for glyph in run.glyphs]


def _text(mark: Marked, key: str) -> str | None:
    value = mark.properties.get(key) if isa(mark.properties, "Dictionary") else None
    return str(value) if isa(value, "String") else None


def _bare(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).replace("\u00ad", "").split())
