"""The strings that a content stream shows, each with its font: for those who ask for no places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from sfumato.documents.pdf.fonts import Font
from sfumato.documents.pdf.glyphs import SHOWING
from sfumato.documents.pdf.streams import isa


class Showing(NamedTuple):
    """An operator that shows text.

    Attributes:
        at: Its index among the instructions.
        font: Its font, or None if its name leads to none.
        strings: The strings that it shows.
        wording: How much wider it makes the code 32.
    """

    at: int
    font: Font | None
    strings: list[bytes]
    wording: float


def showing(
    instructions: Iterable[Any], resource: Callable[[str, str], Any], font_of: Callable[[Any], Font]
) -> Iterator[Showing]:
    """Yield the operators that show something. ``resource`` finds one by its category and its name."""
    font: Font | None = None
    wording, stack = 0.0, list[tuple[Font | None, float]]()
    for at, instruction in enumerate(instructions):
        operator = str(instruction.operator)
        if operator in SHOWING:
            operands = instruction.operands
            wording = float(operands[0]) if operator == '"' else wording
            shown = operands[-1]
            strings = [bytes(each) for each in (shown if isa(shown, "Array") else (shown,)) if isa(each, "String")]
            if any(strings):
                yield Showing(at, font, strings, wording)
        elif operator == "Tf":
            spec = resource("/Font", str(instruction.operands[0]))
            font = font_of(spec) if spec is not None else None
        elif operator == "Tw":
            wording = float(instruction.operands[0])
        elif operator == "q":
            stack.append((font, wording))
        elif operator == "Q" and stack:
            font, wording = stack.pop()
        elif operator == "gs":
            state = resource("/ExtGState", str(instruction.operands[0]))
            set_ = state.get("/Font") if isa(state, "Dictionary") else None
            font = font_of(set_[0]) if isa(set_, "Array") and len(set_) == 2 else font


def resources_of(holder: Any) -> Callable[[str, str], Any]:
    """Return what finds a resource of a page, a form or a font by its category and its name, or None."""
    resources = holder.get("/Resources")

    def resource(category: str, name: str) -> Any:
        group = resources.get(category) if isa(resources, "Dictionary") else None
        return group.get(name) if isa(group, "Dictionary") else None

    return resource
