"""Files inside a file, each by its own format."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from sfumato.documents.formats import ending_of, format_of, nested
from sfumato.documents.pdf.streams import content_of, isa
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import DROP, KEEP, TREAT
from sfumato.documents.slot import Slot

_KEYS = ("/UF", "/F", "/Unix", "/DOS", "/Mac")


def attached(work: Work, spec: Any, where: str) -> Generator[Slot, None, Any]:
    """Yield the texts of an attached file. Return what remains of it, or None."""
    import pikepdf

    number = work.counts["attachment"] + 1
    where = f"attachment {number}"
    files = spec.get("/EF") if isa(spec, "Dictionary") else None
    stream = next((files[key] for key in _KEYS if isa(files.get(key), "Stream")), None) if files is not None else None
    does = work.rule("attachments", where)
    if stream is None or does == DROP:
        return None
    name = next((str(spec[key]) for key in _KEYS if isa(spec.get(key), "String")), "")
    name = PureWindowsPath(PurePosixPath(name).name).name
    content: bytes | None = content_of(stream)
    if does == TREAT:
        content = yield from nested(name, content or b"", work.visit, where)
        if content is None:
            return None
        form = format_of(name)
        if form is not None and form.suffix:
            name = f"{name.rpartition('.')[0]}{form.suffix}"
    work.number("attachment")
    name = yield from _name(work, name, where, number)
    new = pikepdf.Dictionary(Type=pikepdf.Name.Filespec, F=pikepdf.String(name), UF=pikepdf.String(name))
    if isa(spec.get("/Desc"), "String"):
        described = yield from _described(work, str(spec["/Desc"]), where)
        if described:
            new.Desc = pikepdf.String(described)
    if work.writes and content is not None:
        file = pikepdf.Stream(work.pdf, content, {"/Type": pikepdf.Name.EmbeddedFile})
        new.EF = pikepdf.Dictionary(F=file, UF=file)
    return work.pdf.make_indirect(new) if work.writes else new


def _name(work: Work, name: str, where: str, number: int) -> Generator[Slot, None, str]:
    does = work.rule("names", where)
    if does == TREAT:
        slot = Slot(name, f"{where}, name")
        if name.strip():
            yield slot
        does = DROP if slot.edits else KEEP
    return name if does == KEEP else f"attachment {number}{ending_of(name)}"


def _described(work: Work, text: str, where: str) -> Generator[Slot, None, str]:
    does = work.rule("descriptions", where)
    if does == TREAT and text.strip():
        slot = Slot(text, f"{where}, description")
        yield slot
        return slot.new
    return text if does == KEEP else ""
