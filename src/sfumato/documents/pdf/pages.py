"""The pages of a file."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from sfumato.documents.pdf.contents import Window
from sfumato.documents.pdf.drawing import page
from sfumato.documents.pdf.streams import isa
from sfumato.documents.pdf.work import Work
from sfumato.documents.slot import Slot

_KNOWN = (
    "/Type", "/Parent", "/Resources", "/MediaBox", "/CropBox", "/BleedBox", "/TrimBox", "/ArtBox", "/Contents",
    "/Rotate", "/Group", "/Dur", "/Trans", "/StructParents", "/PZ", "/Tabs", "/UserUnit",
)  # fmt: skip
_INHERITED = 64


def pages(work: Work) -> Generator[Slot, None, None]:
    """Yield the texts of all pages."""
    for number, each in enumerate(work.pdf.pages, 1):
        obj = each.obj
        yield from page(work, obj, f"page {number}", _inherited(obj, "/Resources"), _window(obj))
        if work.writes:
            for key in set(obj.keys()) - set(_KNOWN):
                del obj[key]


def _inherited(obj: Any, key: str) -> Any:
    for _ in range(_INHERITED):
        if key in obj or "/Parent" not in obj:
            break
        obj = obj["/Parent"]
    return obj.get(key)


def _window(obj: Any) -> Window:
    """Return what a reader shows of a page: its crop box."""
    box = _inherited(obj, "/CropBox")
    box = _inherited(obj, "/MediaBox") if box is None else box
    values = [float(each) for each in box] if isa(box, "Array") and len(box) == 4 else [0.0, 0.0, 612.0, 792.0]
    return min(values[0::2]), min(values[1::2]), max(values[0::2]), max(values[1::2])
