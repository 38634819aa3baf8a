"""Fields of a form: their values, choices, labels and names."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.plain import keep_plain
from sfumato.documents.pdf.public import PUBLIC
from sfumato.documents.pdf.states import state_at
from sfumato.documents.pdf.streams import content_of, isa
from sfumato.documents.pdf.targets import triggers
from sfumato.documents.pdf.work import Work
from sfumato.documents.public_words import is_heading
from sfumato.documents.rules import DROP, KEEP, TREAT
from sfumato.documents.slot import Slot

FIELD = entries("FT Parent Kids T TU Ff V DV AA DA Q MaxLen Opt TI I")
OF_TEXTS = entries("Parent Kids T TU V DV AA DA Opt")
"""The entries that are walked over; the others are plain."""
_OF_FORM = entries("Fields NeedAppearances CO DR DA Q")
_STYLE = re.compile(rb"\s*(/[A-Za-z0-9]{1,6}\s+[\d.]+\s+Tf|[\d.]+(\s+[\d.]+){0,3}\s+(g|rg|k)|\s)+")
_DEEPEST = 32


def walk_fields(work: Work) -> Generator[Slot, None, None]:
    """Yield the texts of all fields of the form of a file."""
    import pikepdf

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
    keep_plain(form, _OF_FORM, ("/Fields", "/CO", "/DR", "/DA"))
    if "/DA" in form and not plain_style(form["/DA"]):
        del form["/DA"]
    if "/CO" in form:
        rows = form["/CO"]
        kept = [each for each in rows if isa(each, "Dictionary") and each.objgen in work.fielded]
        form["/CO"] = pikepdf.Array(kept)
    if "/DR" in form:
        form["/DR"] = _fonts(work)


def _fonts(work: Work) -> Any:
    """Return the fonts that values of fields are shown in."""
    import pikepdf

    fonts, kept = (work.form_resources or {}).get("/Font"), pikepdf.Dictionary()
    for name, spec in sorted(fonts.items()) if isa(fonts, "Dictionary") else ():
        if name in PUBLIC and isa(spec, "Dictionary") and spec.get("/Subtype") != "/Type3":
            font = work.font(spec)
            kept[name] = work.standard(font.like) if font.embedded else font.spec
            work.typed.add(font.spec.objgen)
    return pikepdf.Dictionary(Font=kept)


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
        keep_plain(node, FIELD, OF_TEXTS)
    else:
        work.widgets.append(node)
    if "/DA" in node and not plain_style(node["/DA"]):
        del node["/DA"]


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
        slot = Slot(str(node["/TU"]), f"{where}, label", public=is_heading(str(node["/TU"])))
        yield slot
        if slot.edits:
            node["/TU"] = pikepdf.String(slot.new)
    elif does == DROP:
        del node["/TU"]


def _name(work: Work, node: Any, where: str, number: int) -> Generator[Slot, None, None]:
    import pikepdf

    does = work.rule("names", where)
    if does == TREAT:
        slot = Slot(str(node["/T"]), f"{where}, name", public=is_heading(str(node["/T"])))
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
        elif isa(value, "Name"):
            yield from state_at(work, node, key)
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


def plain_style(value: Any) -> bool:
    """Say whether the default appearance of a text names a font, a size and a colour alone."""
    return isa(value, "String") and bool(_STYLE.fullmatch(bytes(value)))


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
