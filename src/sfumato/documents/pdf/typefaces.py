"""The fonts of a written file: what draws letters, and a table of the characters that are still shown."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from sfumato.documents.pdf.drawing import packed
from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.fonts import Font
from sfumato.documents.pdf.graphics import COMMENTS
from sfumato.documents.pdf.plain import keep_plain
from sfumato.documents.pdf.remade import keep_widths, table
from sfumato.documents.pdf.streams import content_of, isa
from sfumato.documents.pdf.work import Work

_OF_FONT = entries("""
    Type Subtype Name BaseFont FirstChar LastChar Widths FontDescriptor ToUnicode Encoding DescendantFonts
    CIDSystemInfo DW W DW2 W2 CIDToGIDMap FontBBox FontMatrix CharProcs Resources
""")
_OF_DESCRIPTOR = entries("""
    Type FontName FontStretch FontWeight Flags FontBBox ItalicAngle Ascent Descent Leading CapHeight XHeight StemV
    StemH AvgWidth MaxWidth MissingWidth FontFile FontFile2 FontFile3
""")
_OF_STREAM = entries("""
    Length Filter DecodeParms Length1 Length2 Length3 Subtype Type CMapName CIDSystemInfo WMode UseCMap
""")
_COLLECTIONS = ("Identity", "UCS", "Japan1", "Japan2", "Korea1", "KR", "GB1", "CNS1", "Manga1")


def kept_fonts(work: Work, made: Container[Font]) -> None:
    """Take out of each font what does not draw, and the characters that are not shown any more.

    Those that were ``made`` again have no others.
    """
    for font in work.fonts.values():
        _tidy(work, font.spec, 0)
        if not font.embedded and font.spec.objgen not in work.typed:
            keep_widths(font)
        if isa(font.spec.get("/ToUnicode"), "Stream") and font not in made:
            font.spec["/ToUnicode"] = packed(work.pdf, table(font.texts(), font.wide))


def _tidy(work: Work, spec: Any, depth: int) -> None:
    for key in set(spec.keys()) - _OF_FONT:
        del spec[key]
    descriptor = spec.get("/FontDescriptor")
    if isa(descriptor, "Dictionary"):
        keep_plain(descriptor, _OF_DESCRIPTOR, entries("FontName FontFile FontFile2 FontFile3"))
    holders = [spec, descriptor] if isa(descriptor, "Dictionary") else [spec]
    for holder in holders:
        for key in ("/FontFile", "/FontFile2", "/FontFile3", "/CIDToGIDMap", "/Encoding"):
            stream = holder.get(key)
            for name in set(stream.keys()) - _OF_STREAM if isa(stream, "Stream") else ():
                del stream[name]
    encoding = spec.get("/Encoding")
    if isa(encoding, "Stream"):
        encoding.write(COMMENTS.sub(b" ", content_of(encoding)))
    for key in (
        set(encoding.keys()) - {"/Type", "/BaseEncoding", "/Differences"} if isa(encoding, "Dictionary") else ()
    ):
        del encoding[key]
    if "/Name" in spec:
        del spec["/Name"]
    _collect(spec)
    below = spec.get("/DescendantFonts")
    for each in below if isa(below, "Array") and not depth else ():
        if isa(each, "Dictionary"):
            _tidy(work, each, depth + 1)


def _collect(spec: Any) -> None:
    """Keep the name of a public collection of characters, and no other."""
    import pikepdf

    info = spec.get("/CIDSystemInfo")
    if isa(info, "Dictionary"):
        ordering = str(info.get("/Ordering", ""))
        known = ordering if ordering in _COLLECTIONS else "Identity"
        supplement = info.get("/Supplement", 0)
        spec["/CIDSystemInfo"] = pikepdf.Dictionary(
            Registry=pikepdf.String("Adobe"), Ordering=pikepdf.String(known),
            Supplement=supplement if isinstance(supplement, int) else 0,
        )  # fmt: skip
