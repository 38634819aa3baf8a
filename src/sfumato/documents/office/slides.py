"""Slides (PPTX): slides, notes, masters, comments, and every other part that holds text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

from sfumato.documents.formats import Seen
from sfumato.documents.office.drawing import SHAPES, of_paragraph, shapes
from sfumato.documents.office.office import Begun, Kind, Office, in_raw, opened_again, walk_package
from sfumato.documents.office.office_names import long
from sfumato.documents.office.office_parts import SHARED, plain
from sfumato.documents.office.office_skipped import is_skipped
from sfumato.documents.office.office_values import ENUMERATED, GUID, NUMBER
from sfumato.documents.office.package import Package
from sfumato.documents.office.scrub import Part, remove, scrubbed, treated_text
from sfumato.documents.rules import DROP, Visit
from sfumato.documents.slot import Slot

_MAIN = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
_SHOW = "application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml"
_TYPES = {
    _MAIN: _MAIN,
    _SHOW: _SHOW,
    "application/vnd.openxmlformats-officedocument.presentationml.template.main+xml": _MAIN,
    "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml": _MAIN,
    "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml": _SHOW,
    "application/vnd.ms-powerpoint.template.macroEnabled.main+xml": _MAIN,
}
_OFF = ("0", "false")
_PICTURE, _FRAME, _OBJECT = long("p:pic"), long("p:graphicFrame"), long("p:oleObj")
_ALTERNATIVES = long("mc:AlternateContent")
_ABOUT, _ID = long("p:cNvPr"), long("r:id")
_TEXTS = {
    "p:attrName": re.compile(r"[a-z][A-Za-z0-9_.]*"),
    "a:tableStyleId": GUID,
    "p14:sldId": NUMBER,
    "p:pos": ENUMERATED,
}


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the texts of slides, and write them. Raise Refused."""
    yield from walk_package(file, visit, target, SLIDES)


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield every string of written slides: their shapes by python-pptx, and all that their parts hold."""
    import pptx

    for number, slide in enumerate(opened_again(pptx.Presentation, file).slides, 1):
        for shape in _all(slide.shapes):
            if not is_skipped("p:cNvPr", "name", shape.name):
                yield Seen(f"slide {number}", shape.name)
            if shape.has_text_frame:
                yield from (Seen(f"slide {number}", each.text) for each in shape.text_frame.paragraphs)
            if shape.has_table:
                yield from (Seen(f"slide {number}", cell.text) for row in shape.table.rows for cell in row.cells)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            yield Seen(f"slide {number}, notes", slide.notes_slide.notes_text_frame.text)
    yield from in_raw(file, ".pptx")


def _all(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        yield shape
        if hasattr(shape, "shapes"):
            yield from _all(shape.shapes)


def _slide(part: Part) -> Iterator[Slot]:
    """Walk over a slide, a layout, a master or notes."""
    for element in [*part.root.iter(_OBJECT)]:
        _settle_object(part, element)
    for element in [*part.root.iter(_ABOUT)]:
        hidden = element.get("hidden", "0") not in _OFF
        if hidden and part.visit.rule("hidden", part.place) == DROP:
            remove(element.getparent().getparent())
    yield from scrubbed(part, SHAPES, _TEXTS)


def _settle_object(part: Part, element: Any) -> None:
    """Put the picture of an embedded object in its place, if the object is not kept."""
    if part.package.leads(part.name, element.get(_ID, "")):
        return
    frame = next(element.iterancestors(_FRAME), None)
    if frame is None or frame.getparent() is None:
        return
    picture = next(frame.iter(_PICTURE), None)
    if picture is not None:
        frame.getparent().replace(frame, picture)
    else:
        frame.getparent().remove(frame)


def _comments(part: Part) -> Iterator[Slot]:
    """Walk over the comments of a slide, old or new."""
    yield from scrubbed(part, {"p:text": _comment, "a:p": of_paragraph}, {})


def _comment(part: Part, element: Any) -> Iterator[Slot]:
    part.taken = {element}
    yield from treated_text(part, element, "comment")


def _begin(package: Package, main: str, visit: Visit) -> Begun:
    """Number the slides as they are shown; drop those that are hidden, if the rules say so."""
    places = dict[str, str]()
    ids = [each.get(_ID, "") for each in package.root(main).iter(long("p:sldId"))]
    relations = package.relations(main)
    for number, name in enumerate([relations[id].part for id in ids if id in relations], 1):
        places[name] = f"slide {number}"
        for relation in package.relations(name).values():
            if relation.kind in ("notesSlide", "comments"):
                places[relation.part] = f"slide {number}, {'notes' if relation.kind == 'notesSlide' else 'comments'}"
        hidden = package.root(name).get("show") in _OFF
        if hidden and visit.rule("hidden", f"slide {number}") == DROP:
            package.drop(name)
    return Begun(places)


SLIDES = Office(
    ".pptx",
    _TYPES,
    {
        **SHARED,
        "officeDocument": Kind("", _slide, single=True),
        "slide": Kind("slide", _slide),
        "slideLayout": Kind("layout", _slide),
        "slideMaster": Kind("master", _slide),
        "notesSlide": Kind("notes", _slide, rule="notes"),
        "notesMaster": Kind("master of notes", _slide, single=True),
        "handoutMaster": Kind("master of handouts", _slide, single=True),
        "comments": Kind("comments", _comments, rule="comments"),
        "commentAuthors": Kind("authors", plain, rule="comments", single=True),
        "authors": Kind("authors", plain, rule="comments", single=True),
        "presProps": Kind("settings", plain, single=True),
        "viewProps": Kind("view", plain, single=True),
        "tableStyles": Kind("styles of tables", shapes, single=True),
        "tags": Kind("tags", plain, rule="properties"),
        "font": Kind("font", rule="unknown"),
        "slideUpdateInfo": Kind("source of a slide", gone=True),
        "revisionInfo": Kind("revisions", gone=True),
        "changesInfo": Kind("changes", gone=True),
        "smartTags": Kind("smart tags", gone=True),
    },
    _begin,
)
