"""What a file says beside its pages: properties, bookmarks, labels, layers, attachments, programs, settings."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from sfumato.documents.pdf.attachments import attached
from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.layers import walk_layers
from sfumato.documents.pdf.notes import one
from sfumato.documents.pdf.plain import keep_plain, plain
from sfumato.documents.pdf.streams import isa
from sfumato.documents.pdf.targets import leaves, settle, triggers
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import KEEP, TREAT
from sfumato.documents.slot import Slot

LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")
_PLAIN = entries("Type PageLayout PageMode")
_DONE = entries("""
    Pages AcroForm StructTreeRoot OCProperties Outlines PageLabels Names Dests OpenAction AA Lang MarkInfo
    ViewerPreferences Metadata OutputIntents AF
""")
_PREFERENCES = entries("""
    Type HideToolbar HideMenubar HideWindowUI FitWindow CenterWindow DisplayDocTitle NonFullScreenPageMode Direction
    ViewArea ViewClip PrintArea PrintClip PrintScaling Duplex PickTrayByPDFSize NumCopies
""")
_OF_BOOKMARK = entries("Title Parent Prev Next First Last Count Dest A C F")
_LINKED = entries("Title Parent Prev Next First Last Dest A")
_MARKS = entries("Marked UserProperties Suspects")
_MOST_BOOKMARKS = 200_000
_LABELS = ("/D", "/R", "/r", "/A", "/a")


def walk_catalog(work: Work) -> Generator[Slot, None, None]:
    """Yield the texts that a file has beside its pages, and keep what is known of its parts."""
    root = work.pdf.Root
    yield from _properties(work)
    yield from _bookmarks(work)
    yield from _labels(work)
    yield from walk_layers(work)
    for key in ("/OpenAction",):
        yield from settle(work, root, key, "the opening of the file")
    yield from triggers(work, root, "the file")
    _settings(root)
    for key in sorted(set(root.keys()) - _PLAIN - _DONE):
        if key == "/Extensions" or work.rule("unknown", "the catalog") != KEEP:
            del root[key]


def _properties(work: Work) -> Generator[Slot, None, None]:
    import pikepdf

    pdf, root = work.pdf, work.pdf.Root
    info = pdf.trailer.get("/Info")
    parts = [key for key in ("/Metadata", "/OutputIntents") if key in root]
    if not parts and not (isa(info, "Dictionary") and len(info.keys())):
        return
    does = work.rule("properties", "the properties")
    if does == KEEP:
        return
    for key in parts:
        del root[key]
    new = pikepdf.Dictionary()
    for number, key in enumerate(sorted(info.keys()) if does == TREAT and isa(info, "Dictionary") else (), 1):
        if isa(info[key], "String") and not key.endswith("Date") and str(info[key]).strip():
            slot = Slot(str(info[key]), f"property {number}", lead=f"{key[1:]}: ")
            yield slot
            if key in ("/Title", "/Author", "/Subject", "/Keywords", "/Creator", "/Producer"):
                new[key] = pikepdf.String(slot.new)
            else:
                new[f"/Property{number}"] = pikepdf.String(slot.new)
    if "/Info" in pdf.trailer:
        del pdf.trailer["/Info"]
    if len(new.keys()):
        pdf.trailer["/Info"] = pdf.make_indirect(new)


def _bookmarks(work: Work) -> Generator[Slot, None, None]:
    outlines = work.pdf.Root.get("/Outlines")
    if not isa(outlines, "Dictionary"):
        return
    for key in set(outlines.keys()) - {"/Type", "/First", "/Last", "/Count"}:
        del outlines[key]
    waiting, seen = [outlines.get("/First")], set[tuple[int, int]]()
    while waiting:
        item = waiting.pop()
        if not isa(item, "Dictionary") or item.objgen in seen or len(seen) > _MOST_BOOKMARKS:
            continue
        seen.add(item.objgen)
        where = f"bookmark {len(seen)}"
        if isa(item.get("/Title"), "String"):
            yield from one(work, item, "/Title", where, "")
        for key in ("/Dest", "/A"):
            yield from settle(work, item, key, where)
        keep_plain(item, _OF_BOOKMARK, _LINKED)
        waiting += [item.get("/Next"), item.get("/First")]


def _labels(work: Work) -> Generator[Slot, None, None]:
    import pikepdf

    tree = work.pdf.Root.get("/PageLabels")
    if tree is None:
        return
    rows = pikepdf.Array()
    for number, (first, value) in enumerate(leaves(tree, "/Nums"), 1):
        if not isinstance(first, int) or not isa(value, "Dictionary"):
            continue
        new = pikepdf.Dictionary()
        if str(value.get("/S")) in _LABELS:
            new.S = value["/S"]
        if isinstance(value.get("/St"), int):
            new.St = value["/St"]
        if isa(value.get("/P"), "String") and str(value["/P"]):
            new.P = value["/P"]
            yield from one(work, new, "/P", f"page label {number}", "")
        rows.append(first)
        rows.append(new)
    work.pdf.Root.PageLabels = pikepdf.Dictionary(Nums=rows)


def walk_attachments(work: Work) -> Generator[Slot, None, None]:
    """Yield the texts of the files that are attached to a file, and drop its programs."""
    import pikepdf

    root, kept = work.pdf.Root, list[Any]()
    names = root.get("/Names")
    names = names if isa(names, "Dictionary") else pikepdf.Dictionary()
    specs = [value for _, value in leaves(names.get("/EmbeddedFiles"), "/Names")]
    known = {spec.objgen for spec in specs if isa(spec, "Dictionary")}
    files = root.get("/AF")
    specs += (
        [spec for spec in files if isa(spec, "Dictionary") and spec.objgen not in known]
        if isa(files, "Array")
        else []
    )
    for spec in specs:
        new = yield from attached(work, spec, "")
        if new is not None:
            kept.append(new)
    for key in sorted(set(names.keys()) - {"/EmbeddedFiles", "/Dests"}):
        if work.rule("programs" if key == "/JavaScript" else "unknown", "the names of the file") != KEEP:
            del names[key]
    for key in ("/AF", "/Names"):
        if key in root:
            del root[key]
    rows = [each for number, spec in enumerate(kept, 1) for each in (pikepdf.String(f"{number:06}"), spec)]
    if "/EmbeddedFiles" in names:
        del names["/EmbeddedFiles"]
    if rows:
        names.EmbeddedFiles = pikepdf.Dictionary(Names=pikepdf.Array(rows))
    if len(names.keys()):
        root.Names = names


def _settings(root: Any) -> None:
    if "/Lang" in root and not LANGUAGE.fullmatch(str(root.Lang)):
        del root["/Lang"]
    for key, known in (("/ViewerPreferences", _PREFERENCES), ("/MarkInfo", _MARKS)):
        if isa(root.get(key), "Dictionary"):
            keep_plain(root[key], known)
    for key in (*_PLAIN, "/ViewerPreferences", "/MarkInfo"):
        if key in root and not plain(root[key]):
            del root[key]
