"""What a walk over one PDF file knows: its rules, its fonts, its hidden layers, and what is done already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.pdf.fonts import Font, font_of
from sfumato.documents.pdf.standard import StandardFont
from sfumato.documents.pdf.streams import isa
from sfumato.documents.rules import Refused, Visit

_DEEPEST = 24


@dataclass(eq=False)
class Work:
    """A walk over one file.

    Attributes:
        pdf: The file, which is changed in place.
        visit: Its rules.
        writes: Whether it will be written.
        off: Which layers are hidden.
        done: Which objects were walked over.
    """

    pdf: Any
    visit: Visit
    writes: bool
    off: set[tuple[int, int]] = field(default_factory=set)
    done: set[tuple[int, int]] = field(default_factory=set)
    fonts: dict[Any, Font] = field(default_factory=dict)
    named: dict[str, Any] = field(default_factory=dict)
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
            self.fonts[key] = font_of(spec)
        return self.fonts[key]

    def standard(self, font: StandardFont) -> Any:
        """Return the object of a standard ``font``."""
        import pikepdf

        if font.name not in self._standard:
            self._standard[font.name] = self.pdf.make_indirect(pikepdf.Dictionary(font.described))
        return self._standard[font.name]

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
