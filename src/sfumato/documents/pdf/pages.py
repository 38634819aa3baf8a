"""The pages of a file."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from sfumato.documents.pdf.aligned import Window
from sfumato.documents.pdf.attachments import attached
from sfumato.documents.pdf.drawing import page
from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.graphics import clean
from sfumato.documents.pdf.notes import walk_notes
from sfumato.documents.pdf.plain import plain
from sfumato.documents.pdf.streams import isa
from sfumato.documents.pdf.targets import triggers
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import KEEP
from sfumato.documents.slot import Slot

_KNOWN = entries("""
    Type Parent Resources MediaBox CropBox BleedBox TrimBox ArtBox Contents Rotate Group Dur Trans StructParents
    Tabs UserUnit Annots AA
""")
_PLAIN = entries("MediaBox CropBox BleedBox TrimBox ArtBox Rotate Dur Trans StructParents Tabs UserUnit")
_INHERITED = ("/MediaBox", "/CropBox", "/Rotate")
_PARTS = {"/Thumb": "caches", "/Metadata": "properties", "/LastModified": "properties", "/AF": "attachments"}
_DEEPEST = 64


def walk_pages(work: Work) -> Generator[Slot, None, None]:
    """Yield the texts of all pages, each with its annotations."""
    rows = [each.obj for each in work.pdf.pages]
    for number, each in enumerate(rows, 1):
        where = f"page {number}"
        yield from page(work, each, where, _inherited(each, "/Resources"), _window(each))
        yield from walk_notes(work, each, where)
        yield from triggers(work, each, where)
        yield from _rest(work, each, where)


def _rest(work: Work, obj: Any, where: str) -> Generator[Slot, None, None]:
    import pikepdf

    for key in sorted(set(obj.keys()) - _KNOWN):
        part = _PARTS.get(key, "unknown")
        if key == "/AF" and isa(obj[key], "Array"):
            new = list[Any]()
            for each in obj[key]:
                if isa(each, "Dictionary") and work.first(each):
                    new.append((yield from attached(work, each, where)))
            obj[key] = pikepdf.Array([each for each in new if each is not None])
        elif work.rule(part, where) != KEEP:
            del obj[key]
    if not work.writes:
        return
    for key in _INHERITED:
        if (value := _inherited(obj, key)) is not None:
            obj[key] = value
    if "/Group" in obj:
        clean(work, obj.Group, where)
    for key in _PLAIN:
        if key in obj and not plain(obj[key]):
            del obj[key]


def one_tree(work: Work) -> None:
    """Put all pages below one node, so that no other node is in the file."""
    import pikepdf

    rows = [each.obj for each in work.pdf.pages]
    node = work.pdf.make_indirect(
        pikepdf.Dictionary(Type=pikepdf.Name.Pages, Kids=pikepdf.Array(rows), Count=len(rows))
    )
    for each in rows:
        each.Parent = node
    work.pdf.Root.Pages = node


def _inherited(obj: Any, key: str) -> Any:
    for _ in range(_DEEPEST):
        if key in obj or not isa(obj.get("/Parent"), "Dictionary"):
            break
        obj = obj["/Parent"]
    return obj.get(key)


def _window(obj: Any) -> Window:
    """Return what a reader shows of a page: its crop box."""
    box = _inherited(obj, "/CropBox")
    box = _inherited(obj, "/MediaBox") if box is None else box
    values = [float(each) for each in box] if isa(box, "Array") and len(box) == 4 else [0.0, 0.0, 612.0, 792.0]
    return min(values[0::2]), min(values[1::2]), max(values[0::2]), max(values[1::2])
