"""The fonts of a written file: what draws letters, and a table of the characters that are still shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.documents.pdf.drawing import packed
from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.fonts import Font
from sfumato.documents.pdf.graphics import COMMENTS
from sfumato.documents.pdf.plain import keep_plain
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
_ROWS = 100


def kept_fonts(work: Work) -> None:
    """Take out of each font what does not draw, and the characters that are not shown any more."""
    for font in work.fonts.values():
        if font.embedded and (font.cut or font.untold()):
            work.rule("fonts")
        _tidy(work, font.spec, 0)
        if isa(font.spec.get("/ToUnicode"), "Stream"):
            font.spec["/ToUnicode"] = packed(work.pdf, _table(font))
        if isa(font.spec.get("/CharProcs"), "Dictionary"):
            _keep_glyphs(font)


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


def _table(font: Font) -> bytes:
    """Return a ToUnicode map of the codes that the written file shows."""
    texts = font.texts()
    rows = [f"<{raw.hex()}> <{text.encode('utf-16-be').hex()}>" for raw, text in sorted(texts.items())]
    ends = ["<00> <FF>"] if not font.wide else ["<0000> <FFFF>"]
    if font.wide:
        sizes = sorted({len(raw) for raw in texts} - {2})
        ends += [f"<{'00' * size}> <{'FF' * size}>" for size in sizes]
    lines = [
        "/CIDInit /ProcSet findresource begin", "12 dict begin", "begincmap",
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
        "/CMapName /Adobe-Identity-UCS def", "/CMapType 2 def", f"{len(ends)} begincodespacerange", *ends,
        "endcodespacerange",
    ]  # fmt: skip
    for at in range(0, len(rows), _ROWS):
        part = rows[at : at + _ROWS]
        lines += [f"{len(part)} beginbfchar", *part, "endbfchar"]
    lines += ["endcmap", "CMapName currentdict /CMap defineresource pop", "end", "end"]
    return "\n".join(lines).encode()


def _keep_glyphs(font: Font) -> None:
    """Take out of a type-3 font the drawings that are not shown any more."""
    names = _names(font.spec.get("/Encoding"))
    shown = {names[raw[0]] for raw in font.used if raw[0] in names}
    drawings = font.spec["/CharProcs"]
    for name in set(drawings.keys()) - shown:
        del drawings[name]


def _names(encoding: Any) -> Mapping[int, str]:
    names, code = dict[int, str](), 0
    rows = encoding.get("/Differences") if isa(encoding, "Dictionary") else None
    for each in rows if isa(rows, "Array") else ():
        if isinstance(each, int):
            code = each
        else:
            names[code] = str(each)
            code += 1
    return names
