"""Drawings on sheets and charts: text boxes, titles, series. Copies of the cells that a chart shows are dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sfumato.documents.office.drawing import SHAPES
from sfumato.documents.office.office_names import long, words
from sfumato.documents.office.office_values import NUMBER
from sfumato.documents.office.scrub import Part, scrubbed, treated_text
from sfumato.documents.rules import DROP, KEEP
from sfumato.documents.sheets.cell_texts import decoded
from sfumato.documents.sheets.sheet_book import Book, Spot
from sfumato.documents.sheets.sheet_naming import walk_formula
from sfumato.documents.sheets.sheet_styles import format_code
from sfumato.documents.slot import Slot
from sfumato.documents.xml import fit

_CACHES = list(map(long, words("c:strCache c:numCache c:multiLvlStrCache c15:dlblRangeCache cx:lvl c:pivotSource")))
_ANCHORS = [long(f"xdr:{name}") for name in ("twoCellAnchor", "oneCellAnchor", "absoluteAnchor")]
_STEP = 152_400
_CONTROL, _GRAPHIC = long("a14:compatExt"), long("a:graphicData")
_SLICERS = ("/drawing/2010/slicer", "/drawing/2012/timeslicer")
_SHAPES = {
    **dict.fromkeys(words("xdr:col xdr:colOff xdr:row xdr:rowOff"), NUMBER),
    **dict.fromkeys(words("cdr:x cdr:y c15:sourceLinked a:tableStyleId"), re.compile(r"[-0-9.eE{}A-F]*")),
    **dict.fromkeys(words("cx:binSize cx:binCount"), NUMBER),
}
"""The elements of drawings whose text is a number."""
_LITERAL = words("c:v c:name c:separator cx:v cx:pt cx:separator cx:copyright")


def walk_drawing(book: Book, spot: Spot, name: str) -> Iterator[Slot]:
    """Yield the texts of a drawing and its charts, and write them. Raise Refused."""
    package = book.package
    yield from _walk(book, spot, name)
    for kind in ("chart", "chartEx", "chartUserShapes"):
        for number, relation in enumerate(package.of_kind(name, kind), 1):
            if relation.part in package.names and relation.part not in book.written:
                word = "shapes" if kind == "chartUserShapes" else "chart"
                yield from walk_drawing(book, spot.inside(f"{word} {number}"), relation.part)


def _walk(book: Book, spot: Spot, name: str) -> Iterator[Slot]:
    book.written.add(name)
    part = Part(book.package, name, book.visit, spot.place, shared=book.shared)
    part.root = book.package.root(name)
    book.shared["book"], book.shared["spot"] = book, spot
    _prune(book, part)
    linked, macros = _taken_out(part.root, "textlink"), _taken_out(part.root, "macro")
    for slot in scrubbed(part, _TREATMENTS, _SHAPES):
        slot.record, slot.fields = spot.record, spot.fields
        slot.shown = slot.place.replace(spot.place, spot.shown or spot.place, 1)
        yield slot
    for number, (element, formula) in enumerate(linked, 1):
        new = yield from walk_formula(book, formula, spot.inside(f"linked cell {number}"))
        element.set("textlink", fit(new))
    for element, macro in macros:
        element.set("macro", macro)
    book.output.add_tree(name, part.root)
    book.add_relations(name)


def _prune(book: Book, part: Part) -> None:
    """Take out controls, slicers and copies of cells, and what shapes call when they are clicked."""
    for element in list(part.root.iter(*_ANCHORS)):
        uris = [each.get("uri", "") for each in element.iter(_GRAPHIC)]
        control = next(element.iter(_CONTROL), None) is not None
        slicer = any(each.endswith(_SLICERS) for each in uris)
        if (control and book.visit.rule("programs", part.place) != KEEP) or (
            slicer and book.visit.rule("caches", part.place) != KEEP
        ):
            element.getparent().remove(element)
    for element in list(part.root.iter(*_CACHES)):
        if book.visit.rule("caches", part.place) == DROP:
            element.getparent().remove(element)
    for element in part.root.iter(long("cx:txData")):
        for value in element.findall(long("cx:v")) if element.find(long("cx:f")) is not None else ():
            if book.visit.rule("caches", part.place) == DROP:
                element.remove(value)
    for element in part.root.iter(long("xdr:colOff")):
        if NUMBER.fullmatch(text := element.text or ""):  # the rest tells how wide a column was
            element.text = str(int(float(text)) // _STEP * _STEP)
    for element in part.root.iter():
        if element.get("macro") and book.visit.rule("programs", part.place) != KEEP:
            element.set("macro", "")


def _taken_out(root: Any, key: str) -> list[tuple[Any, str]]:
    """Take an attribute out of all elements; return these with what they had."""
    return [(element, element.attrib.pop(key)) for element in root.iter() if element.get(key)]


def _formula(part: Part, element: Any) -> Iterator[Slot]:
    part.taken.add(element)
    part.counts["formula"] += 1
    book, spot = part.shared["book"], part.shared["spot"]
    here = spot.inside(f"formula {part.counts['formula']}")
    element.text = fit((yield from walk_formula(book, element.text or "", here)))


def _literal(part: Part, element: Any) -> Iterator[Slot]:
    part.taken.add(element)
    if any(each.isalnum() for each in element.text or ""):
        yield from treated_text(part, element)


def _format(part: Part, element: Any) -> Iterator[Slot]:
    part.taken.add(element)
    part.counts["format"] += 1
    spot = part.shared["spot"].inside(f"format {part.counts['format']}")
    element.text = fit((yield from format_code(decoded(element.text or ""), spot)))


_TREATMENTS = {
    **SHAPES,
    **dict.fromkeys(words("c:f c15:f c15:sqref cx:f"), _formula),
    **dict.fromkeys(_LITERAL, _literal),
    "c:formatCode": _format,
}
"""What is done to the texts of a drawing or a chart."""
