"""Whether a page shows text or only pictures, with the forms that it draws."""

from __future__ import annotations

from typing import Any, NamedTuple

from sfumato.documents.pdf.glyphs import Drawn
from sfumato.documents.pdf.reader import Reader
from sfumato.documents.pdf.streams import check, isa
from sfumato.documents.pdf.work import Work

_DEEPEST = 24


class Survey(NamedTuple):
    """What is drawn: whether text, how many pictures, and how many curves and lines."""

    text: bool
    pictures: int
    curves: int


def surveyed(work: Work, drawn: Drawn, resources: Any, depth: int = 0) -> Survey:
    """Return what is ``drawn``, with what the forms among the ``resources`` draw."""
    found = Survey(shows_text(drawn), drawn.pictures, drawn.curves)
    group = resources.get("/XObject") if isa(resources, "Dictionary") else None
    if found.text or not isa(group, "Dictionary") or depth > _DEEPEST:
        return found
    for category, name in sorted(drawn.used | drawn.used_hidden):
        stream = group.get(name) if category == "/XObject" else None
        if isa(stream, "Stream") and stream.get("/Subtype") == "/Form":
            below = _of_form(work, stream, resources, depth)
            found = Survey(found.text or below.text, found.pictures + below.pictures, found.curves + below.curves)
    return found


def shows_text(drawn: Drawn) -> bool:
    """Say whether text is drawn, also such as cannot be read."""
    return any(glyph.text is None or not glyph.text.isspace() for run in drawn.runs for glyph in run.glyphs)


def _of_form(work: Work, stream: Any, inherited: Any, depth: int) -> Survey:
    import pikepdf

    if stream.objgen not in work.surveys:
        work.surveys[stream.objgen] = Survey(False, 0, 0)  # what lies in itself
        check(stream)
        resources = stream.get("/Resources")
        resources = resources if isa(resources, "Dictionary") else inherited

        def resource(category: str, name: str) -> Any:
            group = resources.get(category) if isa(resources, "Dictionary") else None
            return group.get(name) if isa(group, "Dictionary") else None

        drawn = Reader(resource, work.font, work.hidden).read(pikepdf.parse_content_stream(stream))
        work.surveys[stream.objgen] = surveyed(work, drawn, resources, depth + 1)
    found: Survey = work.surveys[stream.objgen]
    return found
