"""Word documents (DOCX): the body and every other part that holds text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from sfumato.documents.formats import Seen
from sfumato.documents.office import Begun, Kind, Office, in_raw, walk_package
from sfumato.documents.office_parts import SHARED
from sfumato.documents.package import Package
from sfumato.documents.rules import Refused, Visit
from sfumato.documents.scrub import Part, long, scrubbed
from sfumato.documents.slot import Slot
from sfumato.documents.word_names import renaming
from sfumato.documents.word_text import in_part, pieces, text_of, write

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
    import docx

    file.seek(0)
    try:
        document = docx.Document(file)
    except Exception:  # whatever a library says of a file may quote it
        document = None
    if document is None:
        raise Refused("what was written could not be opened again")
    for part in document.part.package.iter_parts():
        root = getattr(part, "element", None)
        if root is None:
            continue
        for number, paragraph in enumerate(root.iter(long("w:p")), 1):
            yield Seen(f"paragraph {number}", "".join(paragraph.itertext()))


def story(part: Part) -> Iterator[Slot]:
    """Walk over a part that is made of paragraphs."""
    yield from scrubbed(part, {"w:p": _paragraph}, {})


def _paragraph(part: Part, paragraph: Any) -> Iterator[Slot]:
    number = in_part(part, "paragraph")
    if next(paragraph.iterancestors(_P), None) is None:
        part.taken.clear()
    found = list(pieces(paragraph))
    text = text_of(found)
    if text.strip():
        slot = Slot(text, part.at(f"paragraph {number}"))
        yield slot
        write(part, found, slot.edits)


def plain(part: Part) -> Iterator[Slot]:
    """Walk over a part that holds no text of its own, except in its attributes."""
    yield from scrubbed(part, {}, {})


def _begin(package: Package, main: str, visit: Visit) -> Begun:
    return Begun({}, renaming(visit))


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
        "styles": Kind("styles", plain, single=True),
        "settings": Kind("settings", plain, single=True),
        "webSettings": Kind("web settings", plain, single=True),
        "fontTable": Kind("fonts", plain, single=True),
        "numbering": Kind("numbering", plain, single=True),
    },
    _begin,
)
