"""What a walk over one PDF file knows: its rules, its fonts, its hidden layers, and what is done already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.fonts import Font, font_of
from sfumato.documents.pdf.relined import Relined
from sfumato.documents.pdf.standard import StandardFont
from sfumato.documents.pdf.streams import isa
from sfumato.documents.rules import Refused, Visit

_DEEPEST = 24
_INKS = entries("All None Cyan Magenta Yellow Black Red Green Blue")


@dataclass(frozen=True)
class Shown:
    """A content that shows text: a page or a stream, what has its resources, and whether it is a sign of a font."""

    content: Any
    owner: Any
    sign: bool = False


@dataclass(eq=False)
class Work:
    """A walk over one file.

    Attributes:
        pdf: The file, which is changed in place.
        visit: Its rules.
        writes: Whether it will be written.
        off: Which layers are hidden.
        done: Which objects were walked over.
        fonts: The fonts that were used, by their objects.
        written: The contents with text that were written, by their objects.
        named: Where the named destinations lead.
        pages: Which objects are pages; ``layers`` are layers, ``shown`` annotations that are kept.
        fielded: Which fields were walked over.
        surveys: What forms draw.
        inks: The new names of inks.
        states: The new names of the states of buttons; ``widgets`` are fields that a page may show.
        form_resources: What the appearances of fields use if they do not say it.
        relaid: Where the lines of pages and forms were and are, if some were set again.
        typed: The fonts that somebody may type in, and those that were added.
    """

    pdf: Any
    visit: Visit
    writes: bool
    off: set[tuple[int, int]] = field(default_factory=set)
    done: set[tuple[int, int]] = field(default_factory=set)
    fonts: dict[Any, Font] = field(default_factory=dict)
    written: dict[tuple[int, int], Shown] = field(default_factory=dict)
    named: dict[bytes, Any] = field(default_factory=dict)
    pages: set[tuple[int, int]] = field(default_factory=set)
    layers: set[tuple[int, int]] = field(default_factory=set)
    shown: set[tuple[int, int]] = field(default_factory=set)
    fielded: set[tuple[int, int]] = field(default_factory=set)
    surveys: dict[tuple[int, int], Any] = field(default_factory=dict)
    inks: dict[str, str] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    widgets: list[Any] = field(default_factory=list)
    form_resources: Any = None
    relaid: dict[tuple[int, int], list[Relined]] = field(default_factory=dict)
    typed: set[tuple[int, int]] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    _standard: dict[str, Any] = field(default_factory=dict)
    _depth: int = 0

    def rule(self, part: str, where: str = "") -> str:
        """Return what becomes of a ``part`` (see Visit.rule)."""
        return self.visit.rule(part, where)

    def first(self, value: Any) -> bool:
        """Say whether an object was not walked over, and note that it is now. A direct one never was."""
        key = value.objgen
        if key == (0, 0):
            return True
        if key in self.done:
            return False
        self.done.add(key)
        return True

    def number(self, kind: str) -> int:
        """Return the number of the next part of a ``kind``, from 1."""
        self.counts[kind] += 1
        return self.counts[kind]

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Refuse what lies in itself, or too deep."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Refused(f"its drawings lie inside one another more than {_DEEPEST} deep; print it to a new file")
        try:
            yield
        finally:
            self._depth -= 1

    def font(self, spec: Any) -> Font:
        """Return the font that ``spec`` describes, the same one for the same object."""
        key = spec.objgen if spec.objgen != (0, 0) else spec.unparse()
        if key not in self.fonts:
            font = font_of(spec if spec.objgen != (0, 0) else self.pdf.make_indirect(spec))
            self.fonts[key] = self.fonts[font.spec.objgen] = font
        return self.fonts[key]

    def ink(self, name: str) -> str:
        """Return the name of an ink: one that every press knows, or a number."""
        if name in _INKS or name in self.inks.values():
            return name
        return self.inks.setdefault(name, f"/Ink{len(self.inks) + 1}")

    def standard(self, font: StandardFont) -> Any:
        """Return the object of a standard ``font``."""
        import pikepdf

        if font.name not in self._standard:
            self._standard[font.name] = self.pdf.make_indirect(pikepdf.Dictionary(font.described))
            self.typed.add(self._standard[font.name].objgen)
        return self._standard[font.name]

    def find_pages(self) -> None:
        """Find out which objects are pages. A page may be in the file twice, and is then walked over twice."""
        self.pages = {each.obj.objgen for each in self.pdf.pages}

    def is_layer(self, value: Any) -> bool:
        """Say whether ``value`` is a layer of the file."""
        return isa(value, "Dictionary") and value.objgen in self.layers

    def hidden(self, layer: Any) -> bool:
        """Say whether a ``layer``, or a group of layers, is not shown."""
        if not isa(layer, "Dictionary"):
            return False
        if layer.get("/Type") != "/OCMD":
            return layer.objgen in self.off
        groups = layer.get("/OCGs")
        if groups is None:
            return False
        states = [each.objgen in self.off for each in (groups if isa(groups, "Array") else [groups])]
        how = str(layer.get("/P", "/AnyOn"))
        if not states:
            return False
        shown = {"/AllOn": not any(states), "/AnyOff": any(states), "/AllOff": all(states)}
        return not shown.get(how, not all(states))
