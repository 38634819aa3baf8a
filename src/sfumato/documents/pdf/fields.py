"""Fields of a form: their values, choices, labels and names."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.streams import content_of, isa
from sfumato.documents.pdf.targets import triggers
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import DROP, KEEP, TREAT
from sfumato.documents.slot import Slot

FIELD = entries("FT Parent Kids T TU Ff V DV AA DA Q MaxLen Opt TI I")
_OF_FORM = entries("Fields NeedAppearances CO DR DA Q")
_OF_WIDGET = entries("Subtype Rect AP AS MK F P A H BS Border OC StructParent Type C")
_DEEPEST = 32


def walk_fields(work: Work) -> Generator[Slot, None, None]:
    """Yield the texts of all fields of the form of a file."""
    form = work.pdf.Root.get("/AcroForm")
    if not isa(form, "Dictionary"):
        return
    resources = form.get("/DR")
    work.form_resources = resources if isa(resources, "Dictionary") else None
    if "/XFA" in form:
        work.visit.notes["caches", DROP] += 1
    rows = form.get("/Fields")
    for each in rows if isa(rows, "Array") else ():
        yield from _tree(work, each, 0)
    for key in set(form.keys()) - _OF_FORM:
        del form[key]


def _tree(work: Work, node: Any, depth: int) -> Generator[Slot, None, None]:
    if depth > _DEEPEST or not isa(node, "Dictionary"):
        return
    yield from field(work, node, "")
    kids = node.get("/Kids")
    for kid in kids if isa(kids, "Array") else ():
        yield from _tree(work, kid, depth + 1)


def field(work: Work, node: Any, where: str) -> Generator[Slot, None, None]:
    """Yield the texts of one field, or of an annotation that is one, once."""
    key = node.objgen
    if key in work.fielded or (key == (0, 0) and not where):
        return
    work.fielded.add(key)
    number = work.number("field")
    where = f"field {number}"
    if isa(node.get("/TU"), "String"):
        yield from _described(work, node, where)
    if isa(node.get("/T"), "String"):
        yield from _name(work, node, where, number)
    yield from _values(work, node, where)
    yield from _choices(node, where)
    if "/Subtype" not in node:
        yield from triggers(work, node, where)
        for each in set(node.keys()) - FIELD - set(_OF_WIDGET):
            del node[each]


def label(node: Any) -> str:
    """Return what a reader sees before the value of a field: its description, or its name."""
    for _ in range(_DEEPEST):
        for key in ("/TU", "/T"):
            if isa(node.get(key), "String") and str(node[key]).strip():
                return f"{str(node[key]).strip().removesuffix(':')}: "
        if not isa(node.get("/Parent"), "Dictionary"):
            break
        node = node["/Parent"]
    return ""


def _described(work: Work, node: Any, where: str) -> Generator[Slot, None, None]:
    import pikepdf

    does = work.rule("descriptions", where)
    if does == TREAT:
        slot = Slot(str(node["/TU"]), f"{where}, label")
        yield slot
        if slot.edits:
            node["/TU"] = pikepdf.String(slot.new)
    elif does == DROP:
        del node["/TU"]


def _name(work: Work, node: Any, where: str, number: int) -> Generator[Slot, None, None]:
    import pikepdf

    does = work.rule("names", where)
    if does == TREAT:
        slot = Slot(str(node["/T"]), f"{where}, name")
        yield slot
        does = DROP if slot.edits else KEEP
    if does == DROP:
        node["/T"] = pikepdf.String(f"field{number}")


def _values(work: Work, node: Any, where: str) -> Generator[Slot, None, None]:
    if _kind(node) == "/Sig" and "/V" in node:
        work.visit.notes["properties", DROP] += 1  # who signed, when and where
        del node["/V"]
    done = dict[str, str]()
    for key, what in (("/V", "value"), ("/DV", "default value")):
        value = node.get(key)
        if isa(value, "Stream"):
            node[key] = value = _string(content_of(value))
        if isa(value, "String"):
            yield from _string_at(node, key, f"{where}, {what}", label(node), done)
        elif isa(value, "Array"):
            for at in range(len(value)):
                if isa(value[at], "String"):
                    yield from _string_at(value, at, f"{where}, {what} {at + 1}", label(node), done)
        elif isa(value, "Dictionary"):
            del node[key]


def _choices(node: Any, where: str) -> Generator[Slot, None, None]:
    rows = node.get("/Opt")
    for at in range(len(rows)) if isa(rows, "Array") else ():
        done = dict[str, str]()
        if isa(rows[at], "String"):
            yield from _string_at(rows, at, f"{where}, choice {at + 1}", "", done)
        elif isa(rows[at], "Array") and len(rows[at]) == 2:
            yield from _string_at(rows[at], 1, f"{where}, choice {at + 1}", "", done)
            yield from _string_at(rows[at], 0, f"{where}, choice {at + 1}, value", "", done)


def _string_at(holder: Any, key: Any, where: str, lead: str, done: dict[str, str]) -> Generator[Slot, None, None]:
    """Yield a string of ``holder`` and replace it there; one that was done already is replaced in the same way."""
    import pikepdf

    text = str(holder[key]) if isa(holder[key], "String") else ""
    if text in done:
        holder[key] = pikepdf.String(done[text])
        return
    slot = Slot(text, where, lead=lead)
    if text.strip():
        yield slot
    done[text] = slot.new
    if slot.edits:
        holder[key] = pikepdf.String(slot.new)


def _kind(node: Any) -> str:
    for _ in range(_DEEPEST):
        if "/FT" in node:
            return str(node["/FT"])
        if not isa(node.get("/Parent"), "Dictionary"):
            break
        node = node["/Parent"]
    return ""


def _string(content: bytes) -> Any:
    import pikepdf

    return pikepdf.String(content)
