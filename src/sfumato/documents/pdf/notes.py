"""Annotations of a page: links, comments, fields, attached files; with what they look like."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from sfumato.documents.pdf.attachments import attached
from sfumato.documents.pdf.drawing import belong, form
from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.fields import FIELD, OF_TEXTS, field, label, plain_style
from sfumato.documents.pdf.plain import keep_plain
from sfumato.documents.pdf.relined import rebox
from sfumato.documents.pdf.states import named_states
from sfumato.documents.pdf.streams import isa
from sfumato.documents.pdf.targets import settle, triggers
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import DROP, TREAT
from sfumato.documents.slot import Slot

_COMMENTS = entries("""
    Text FreeText Line Square Circle Polygon PolyLine Highlight Underline Squiggly StrikeOut Caret Stamp Ink Popup
    Watermark Redact Projection
""")
_MEDIA = entries("Sound Movie Screen 3D RichMedia")
_KNOWN = entries("""
    Type Subtype Rect F AP AS Border C StructParent OC P H BS BE QuadPoints InkList L LE IC CA ca RD CL Vertices Q
    Open IRT RT Popup Parent MK DA Rotate Cap CP LL LLE LLO CO A AA Dest Contents Subj Name IT FS
""")
_HANDLED = entries("Subtype AP AS OC P Popup Parent IRT MK DA A AA Dest Contents Subj FS")
_ICONS = entries("""
    Comment Key Note Help NewParagraph Paragraph Insert Graph PushPin Paperclip Tag Approved Experimental
    NotApproved AsIs Expired NotForPublicRelease Confidential Final Sold Departmental ForComment TopSecret Draft
    ForPublicRelease
""")
_PURPOSES = entries("""
    FreeTextCallout FreeTextTypeWriter LineArrow LineDimension PolygonCloud PolyLineDimension PolygonDimension
""")
_CAPTIONS = {"/CA": "caption", "/RC": "caption under the pointer", "/AC": "caption while pressed"}


def walk_notes(work: Work, page: Any, where: str) -> Generator[Slot, None, None]:
    """Yield the texts of the annotations of a page, and keep those that the rules keep."""
    import pikepdf

    notes = page.get("/Annots")
    if not isa(notes, "Array"):
        return
    kept = list[Any]()
    for each in notes:
        if not isa(each, "Dictionary"):
            continue
        remains = yield from _note(work, each, f"{where}, annotation {len(kept) + 1}")
        if remains and (not work.writes or rebox(each, work.relaid.get(page.objgen, ()))):
            kept.append(each)
    here = {each.objgen for each in kept}
    work.shown |= here
    for each in kept if work.writes else ():
        each.P = page
        for key in ("/Popup", "/IRT") + (("/Parent",) if each.get("/Subtype") == "/Popup" else ()):
            if key in each and (not isa(each[key], "Dictionary") or each[key].objgen not in here):
                del each[key]
    if work.writes:
        page.Annots = pikepdf.Array(kept)


def walk_widgets(work: Work) -> Generator[Slot, None, None]:
    """Yield the texts of the fields that no page shows, with what they look like."""
    for number, widget in enumerate(work.widgets, 1):
        if widget.objgen not in work.shown:
            yield from _note(work, widget, f"widget {number}")
            if "/P" in widget:
                del widget["/P"]


def _note(work: Work, note: Any, where: str) -> Generator[Slot, None, bool]:
    """Yield the texts of one annotation. Return whether it remains."""
    kind = str(note.get("/Subtype"))
    part = "comments" if kind in _COMMENTS else "images" if kind in _MEDIA else "unknown"
    if kind == "/FileAttachment":
        new = yield from attached(work, note.get("/FS"), where)
        if new is None:
            return False
        note["/FS"], does = new, work.rule("comments", where)
    elif kind in ("/Link", "/Widget"):
        does = TREAT
    else:
        does = work.rule(part, where)
        if does == DROP:
            return False
        if part != "comments":
            return True
    lead = ""
    if kind == "/Widget":
        yield from field(work, note, where)
        yield from named_states(work, note)
        lead = label(note)
    if does == TREAT:
        yield from _texts(work, note, where, "descriptions" if kind in ("/Link", "/Widget") else "")
        yield from _looks(work, note, where, lead)
    for key in ("/A", "/Dest"):
        yield from settle(work, note, key, where)
    yield from triggers(work, note, where)
    belong(work, note)
    _tidy(note, kind)
    return True


def _texts(work: Work, note: Any, where: str, part: str) -> Generator[Slot, None, None]:
    for key, what in (("/Contents", "contents"), ("/Subj", "subject")):
        if not isa(note.get(key), "String") or not str(note[key]).strip():
            continue
        yield from one(work, note, key, f"{where}, {what}", part)
    captions = note.get("/MK")
    for key, what in _CAPTIONS.items() if isa(captions, "Dictionary") else ():
        if isa(captions.get(key), "String") and str(captions[key]).strip():
            yield from one(work, captions, key, f"{where}, {what}", "")


def one(work: Work, holder: Any, key: str, where: str, part: str, lead: str = "") -> Generator[Slot, None, None]:
    """Yield the text under ``key`` of ``holder`` as the rule for ``part`` says, and replace it there."""
    import pikepdf

    does = work.rule(part, where) if part else TREAT
    if does == TREAT:
        slot = Slot(str(holder[key]), where, lead=lead)
        yield slot
        if slot.edits:
            holder[key] = pikepdf.String(slot.new)
    elif does == DROP:
        del holder[key]


def _looks(work: Work, note: Any, where: str, lead: str) -> Generator[Slot, None, None]:
    """Yield the texts of what an annotation looks like."""
    looks, number = note.get("/AP"), 0
    for key in ("/N", "/R", "/D") if isa(looks, "Dictionary") else ():
        found = looks.get(key)
        streams = [found] if isa(found, "Stream") else []
        if isa(found, "Dictionary") and not streams:
            streams = [found[state] for state in sorted(found.keys()) if isa(found[state], "Stream")]
        for stream in streams:
            number += 1
            for slot in form(work, stream, f"{where}, appearance {number}", work.form_resources):
                slot.lead = lead
                yield slot
    icons = note.get("/MK")
    for key in ("/I", "/RI", "/IX") if isa(icons, "Dictionary") else ():
        if isa(icons.get(key), "Stream"):
            number += 1
            yield from form(work, icons[key], f"{where}, appearance {number}", work.form_resources)


def _tidy(note: Any, kind: str) -> None:
    """Take out of an annotation what is not known: authors, dates, names."""
    known, handled = _KNOWN, _HANDLED
    if kind == "/Widget":
        known, handled = _KNOWN | FIELD, _HANDLED | OF_TEXTS
    keep_plain(note, known, handled)
    for key, names in (("/Name", _ICONS), ("/IT", _PURPOSES)):
        if key in note and str(note[key]) not in names:
            del note[key]
    if "/DA" in note and not plain_style(note["/DA"]):
        del note["/DA"]
    looks = note.get("/AP")
    if isa(looks, "Dictionary"):
        keep_plain(looks, (), ("/N", "/R", "/D"))
    captions = note.get("/MK")
    if isa(captions, "Dictionary"):
        keep_plain(captions, ("/R", "/BC", "/BG", "/IF", "/TP"), ("/I", "/RI", "/IX", *_CAPTIONS))
