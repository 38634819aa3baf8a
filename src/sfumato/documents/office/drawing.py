"""Text in drawings of Office: paragraphs of shapes, charts with their values, diagrams that are written twice."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.documents.office.office_names import long, short
from sfumato.documents.office.office_tables import paragraph_slot
from sfumato.documents.office.office_values import NUMBER, plain_format
from sfumato.documents.office.raised import laid, parted
from sfumato.documents.office.scrub import Part, Treatment, remove, scrubbed, treated_text
from sfumato.documents.rules import DROP, KEEP, TREAT
from sfumato.documents.slot import Edit, Slot
from sfumato.documents.xml import fit

_P, _T, _BREAK, _RUN = long("a:p"), long("a:t"), long("a:br"), long("a:r")
_MATH, _PROPERTIES = long("m:t"), long("a:rPr")
_CHOICE, _ALTERNATIVES = long("mc:Choice"), long("mc:AlternateContent")
_ABOUT_BODY, _FRAME, _GRID = long("a:bodyPr"), long("a:xfrm"), 228_600
_SERIES, _POINT, _LEVEL = long("c:ser"), long("c:pt"), long("c:lvl")
_ROLES = {
    long(f"c:{tag}"): role
    for tag, role in {
        "cat": "category", "xVal": "x", "yVal": "y", "val": "value", "bubbleSize": "size", "tx": "name",
        "plus": "plus", "minus": "minus",
    }.items()
}  # fmt: skip
_CELL = r"\$?[A-Z]{1,3}\$?\d+"
_SHEET = r"('?(Sheet|Tabelle|Feuil|Hoja|Foglio|Worksheet)\s?\d*'?)?!"
_CELLS = re.compile(rf"(label )?\d{{1,4}}|categories|\(?(({_SHEET})?{_CELL}(:{_CELL})?,?)+\)?")
_A_CELL = "Sheet1!$A$1"


def pieces(paragraph: Any) -> list[tuple[Any, str]]:
    """Return what a paragraph of a shape holds, piece by piece: the element of a piece, and its text."""
    return parted(list(_walk(paragraph)), _is_raised, _T)


def _is_raised(element: Any) -> bool:
    """Say whether a piece is set high or low."""
    run = element.getparent()
    about = run.find(_PROPERTIES) if run is not None else None
    return about is not None and about.get("baseline", "0").strip("-%0") != ""


def _walk(element: Any) -> Iterator[tuple[Any, str]]:
    for child in element:
        tag = child.tag
        if tag in (_T, _MATH):
            yield child, child.text or ""
        elif tag == _BREAK:
            yield child, "\n"
        elif tag == _ALTERNATIVES:
            yield from next(filter(None, (list(_walk(each)) for each in child)), ())
        elif tag not in (_P, _PROPERTIES):
            yield from _walk(child)


def of_paragraph(part: Part, paragraph: Any) -> Iterator[Slot]:
    """Yield the text of a paragraph of a shape, and write it."""
    part.counts["paragraph"] += 1
    found = pieces(paragraph)
    text, place = "".join([text for _, text in found]), part.at(f"paragraph {part.counts['paragraph']}")
    slot = paragraph_slot(part, paragraph, text, place)
    known: dict[str, Sequence[Edit]] = part.shared.setdefault("diagrams", {})
    if part.place.startswith("drawing of diagram") and slot.text in known:
        slot.edits = known[slot.text]  # as its other copy was written
    elif slot.text.strip():
        yield slot
    if part.place.startswith("diagram"):
        known[slot.text] = slot.edits
    write(part, found, slot.edits)
    if slot.edits:
        _loosen(paragraph)


def _loosen(paragraph: Any) -> None:
    """Set the box of a text on a grid if it is as wide as its longest line: a program fitted it to a name."""
    about = paragraph.getparent().find(_ABOUT_BODY)
    shape = None if about is None or about.get("wrap") != "none" else about.getparent().getparent()
    for frame in () if shape is None else shape.iter(_FRAME):
        for element in frame:
            for key in ("x", "cx"):
                value = element.get(key, "")
                if NUMBER.fullmatch(value):
                    element.set(key, str(_GRID * math.ceil(float(value) / _GRID)))


def write(part: Part, found: Sequence[tuple[Any, str]], edits: Sequence[Edit]) -> None:
    """Lay edits of a text over the pieces of a paragraph of a shape."""
    if short(part.root.tag).partition(":")[0] != "w":
        part.taken.clear()
    part.taken.update(element for element, _ in found)
    for (element, text), new in zip(found, laid(list(found), edits) if edits else (), strict=False):
        if new == text:
            continue
        new = fit(" ".join(new.splitlines()) if new.strip() else new)
        if element.tag != _BREAK:
            element.text = new
        elif new:
            part.taken.add(_run_for(element, new))
        else:
            remove(element)


def _run_for(element: Any, text: str) -> Any:
    """Put a run in the place of a line break; return the element that holds its text."""
    run = element.makeelement(_RUN)
    for child in element:
        run.append(child)
    holder = element.makeelement(_T)
    holder.text = text
    run.append(holder)
    element.getparent().replace(element, run)
    return holder


SHAPES: dict[str, Treatment] = {"a:p": of_paragraph}


def shapes(part: Part) -> Iterator[Slot]:
    """Walk over a part whose text is that of shapes."""
    yield from scrubbed(part, SHAPES, {})


def chart(part: Part) -> Iterator[Slot]:
    """Walk over a chart: its titles, and the copies of the cells that it shows."""
    values = {
        "c:v": _value,
        "cx:v": _other_value,
        "cx:pt": _other_value,
        "c:f": _cells,
        "cx:f": _cells,
        "c15:f": _cells,
    }
    names = {"c:name": _other_value, "c15:sqref": _cells, "c:oddHeader": _other_value, "c:oddFooter": _other_value}
    formats = {"c:formatCode": _format, "c:separator": _format}
    yield from scrubbed(part, SHAPES | values | names | formats, {})


def _format(part: Part, element: Any) -> Iterator[Slot]:
    """Yield how numbers are written, if that holds a word."""
    part.taken.add(element)
    if not plain_format(element.text or ""):
        yield from treated_text(part, element, "format")


def _value(part: Part, element: Any) -> Iterator[Slot]:
    """Yield a cell of a chart. One that was a number and is no number any more is left out."""
    slot = Slot(element.text or "", part.at(_place(part, element)))
    if slot.text.strip():
        yield slot
    numbers = any(each.tag == long("c:numCache") for each in element.iterancestors())
    if slot.edits and numbers and not NUMBER.fullmatch(slot.new):
        part.doomed.append(element.getparent())
        element.text = None
    elif slot.edits:
        element.text = fit(slot.new)
    part.taken.add(element)


def _place(part: Part, element: Any) -> str:
    """Return the place of a cell, such as "series 2, category 5"."""
    words = list[str]()
    for above in element.iterancestors():
        if above.tag == _POINT and NUMBER.fullmatch(above.get("idx", "")):
            words.append(above.get("idx"))
        elif above.tag == _LEVEL:
            words.append(f"level {above.getparent().index(above)}")
        elif above.tag in _ROLES:
            words.append(_ROLES[above.tag])
        elif above.tag == _SERIES:
            series: dict[Any, int] = part.shared.setdefault(f"series of {part.name}", {})
            words.append(f"series {series.setdefault(above, len(series) + 1)}")
    place = " ".join(reversed(words)) or "text"
    count = _next(part, place)
    return place if count == 1 else f"{place}, copy {count}"


def _next(part: Part, name: str) -> int:
    part.counts[name] += 1
    return part.counts[name]


def _other_value(part: Part, element: Any) -> Iterator[Slot]:
    slot = part.slot(element.text or "", "value")
    if slot.text.strip():
        yield slot
        if slot.edits:
            element.text = fit(slot.new)
    part.taken.add(element)


def _cells(part: Part, element: Any) -> Iterator[Slot]:
    """Yield where the cells of a chart are, if that tells the name of a sheet."""
    slot = part.slot(element.text or "", "cells")
    part.taken.add(element)
    if _CELLS.fullmatch(slot.text) or not slot.text.strip():
        return
    action = part.visit.rule("names", part.place)
    if action == TREAT:
        yield slot
    if action == DROP or (action != KEEP and slot.edits):
        element.text = _A_CELL
