"""Word documents (DOCX): the body and every other part that holds text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import IO, Any

from sfumato.documents.formats import Seen
from sfumato.documents.office.drawing import SHAPES
from sfumato.documents.office.office import Begun, Kind, Office, in_raw, opened_again, walk_package
from sfumato.documents.office.office_names import long
from sfumato.documents.office.office_parts import SHARED, plain
from sfumato.documents.office.office_tables import paragraph_slot
from sfumato.documents.office.office_values import ENUMERATED, NUMBER
from sfumato.documents.office.package import Package
from sfumato.documents.office.scrub import Part, scrubbed
from sfumato.documents.office.word_changes import hidden_styles, settle
from sfumato.documents.office.word_fields import close_fields, of_code, of_field, of_simple
from sfumato.documents.office.word_names import renaming
from sfumato.documents.office.word_text import beside, in_part, pieces, text_of, twins, write
from sfumato.documents.rules import DROP, KEEP, REFUSE, Visit
from sfumato.documents.slot import Slot

_OF_WORD = re.compile(r"wordprocessingml.*\+xml|ms-word.*\+xml")
_PARAGRAPH = re.compile(rb"<(?:[^\s<>/:]+:)?p[\s>/]")
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_P = long("w:p")
_TYPES = {
    _MAIN: _MAIN,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml": _MAIN,
    "application/vnd.ms-word.document.macroEnabled.main+xml": _MAIN,
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml": _MAIN,
}


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the texts of a Word document, and write it. Raise Refused."""
    yield from walk_package(file, visit, target, WORD)


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield every string of a written document: its paragraphs by python-docx, and all that its parts hold."""
    yield from _by_python_docx(file)
    yield from in_raw(file, ".docx")


def _by_python_docx(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the paragraphs of all parts. Those without one, such as the styles of a program, are not taken apart."""
    from docx.opc.pkgreader import PackageReader
    from docx.oxml.parser import parse_xml

    for _, kind, _, content in opened_again(PackageReader.from_file, file).iter_sparts():
        if not _OF_WORD.search(kind) or (b"\0" not in content[:4] and not _PARAGRAPH.search(content)):
            continue
        root = opened_again(lambda each: parse_xml(each.read()), BytesIO(content))
        for number, paragraph in enumerate(root.iter(long("w:p")), 1):
            yield Seen(f"paragraph {number}", paragraph.xpath("string()"))  # its itertext gives each text thrice


def story(part: Part) -> Iterator[Slot]:
    """Walk over a part that is made of paragraphs."""
    part.special = {"w:fldSimple@w:instr": of_simple, "w:p@w14:paraId": _paragraph_id}
    settle(part)
    part.twins = twins(part.root)
    yield from scrubbed(part, _TREATMENTS, _PLACES)
    close_fields(part)


_NUMBERS = ("wp:posOffset", "wp14:pctWidth", "wp14:pctHeight", "wp14:pctPosHOffset", "wp14:pctPosVOffset")
_PLACES = dict.fromkeys(_NUMBERS, NUMBER) | {"wp:align": ENUMERATED}


def _paragraph_id(part: Part, element: Any, key: str, value: str) -> Iterator[Slot]:
    """Number the paragraphs of comments, to which other parts refer; those of all other paragraphs go."""
    if part.place == "comments":
        element.set(key, part.renamed["w15:commentEx@w15:paraId"](value))
    else:
        del element.attrib[key]
    yield from ()


def _paragraph(part: Part, paragraph: Any) -> Iterator[Slot]:
    number = in_part(part, "paragraph")
    if next(paragraph.iterancestors(_P), None) is None:
        part.taken.clear()
    found = pieces(paragraph)
    text = text_of(found)
    copies = part.twins.get(paragraph, ())
    if copies is None:  # it is a copy itself, which its twin has written
        return
    slot = paragraph_slot(part, paragraph, text, part.at(f"paragraph {number}"))
    if text.strip():
        yield slot
    for each in (found, *map(pieces, copies)):
        write(part, each, slot.edits)
    yield from _beside(part, paragraph, number)


def _beside(part: Part, paragraph: Any, number: int) -> Iterator[Slot]:
    """Yield what lies in a paragraph and is not of its text: what was deleted in it, and small text above words."""
    for count, (element, before) in enumerate([*beside(paragraph)], 1):
        found = pieces(element)
        slot = Slot(text_of(found), part.at(f"paragraph {number}, other {count}"), lead=before)
        if slot.text.strip() and part.visit.rules.changes != KEEP:
            yield slot
        write(part, found, slot.edits)


_TREATMENTS = SHAPES | {
    "w:p": _paragraph,
    "w:fldChar": of_field,
    "w:instrText": of_code,
    "w:delInstrText": of_code,
}


def _begin(package: Package, main: str, visit: Visit) -> Begun:
    shared = dict[str, Any]()
    if visit.rules.hidden in (DROP, REFUSE):
        for relation in package.of_kind(main, "styles"):
            shared["hidden styles"] = hidden_styles(package.root(relation.part))
    return Begun({}, renaming(visit), shared)


WORD = Office(
    ".docx",
    _TYPES,
    {
        **SHARED,
        "officeDocument": Kind("", story, single=True),
        "header": Kind("header", story),
        "footer": Kind("footer", story),
        "footnotes": Kind("footnotes", story, single=True),
        "endnotes": Kind("endnotes", story, single=True),
        "comments": Kind("comments", story, rule="comments", single=True),
        "commentsExtended": Kind("threads of comments", plain, rule="comments", single=True),
        "commentsIds": Kind("ids of comments", gone=True),
        "commentsExtensible": Kind("dates of comments", gone=True),
        "people": Kind("people", gone=True),
        "documenttasks": Kind("tasks", gone=True),
        "styles": Kind("styles", plain, single=True),
        "stylesWithEffects": Kind("old styles", gone=True),
        "settings": Kind("settings", plain, single=True),
        "webSettings": Kind("web settings", plain, single=True),
        "fontTable": Kind("fonts", plain, single=True),
        "font": Kind("font", rule="unknown"),
        "numbering": Kind("numbering", plain, single=True),
        "glossaryDocument": Kind("building blocks", rule="caches"),
        "recipientData": Kind("recipients", gone=True),
    },
    _begin,
)
