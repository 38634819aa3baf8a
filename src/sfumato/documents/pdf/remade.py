"""New fonts: a program and a dictionary that hold the letters that are still shown, in the order of their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.documents.pdf.drawing import packed
from sfumato.documents.pdf.fonts import Font
from sfumato.documents.pdf.outlines import Shape, built
from sfumato.documents.pdf.plain import plain
from sfumato.documents.pdf.programs import Program
from sfumato.documents.pdf.relaid import decimal
from sfumato.documents.pdf.work import Work

_SYMBOLIC, _NONSYMBOLIC = 4, 32
_SIGNS = 0xF000
_ROWS = 100
_OF_DESCRIPTOR = (
    "/FontStretch", "/FontWeight", "/ItalicAngle", "/Ascent", "/Descent", "/Leading", "/CapHeight", "/XHeight",
    "/StemV", "/StemH",
)  # fmt: skip


@dataclass(frozen=True)
class Letter:
    """A letter of a new font: its code, its text, its width for size 1 and its shape (or what draws it)."""

    raw: bytes
    text: str
    width: float
    shape: Shape

    @property
    def name(self) -> str:
        """Its name in the font."""
        return f"g{int.from_bytes(self.raw, 'big')}"


def remake(work: Work, font: Font, program: Program, letters: Sequence[Letter], name: str) -> None:
    """Make the dictionary of an embedded ``font`` that of a new one, called ``name``, with some ``letters``.

    Raise what fontTools raises if it cannot make it.
    """
    import pikepdf

    kind, wide = "TrueType" if program.file is not None else "Type1", font.wide
    if program.file is None:
        file, box = _cff(letters, program.em)
    else:
        shapes = {each.name: each.shape for each in letters}
        file, box = built(program.em, program.file, shapes, lambda new: None if wide else _add_cmap(new, letters))
    descriptor, stream = _descriptor(font, name, program.em, box), packed(work.pdf, file)
    if program.file is None:
        stream.Subtype = pikepdf.Name("/CIDFontType0C" if wide else "/Type1C")
        descriptor.FontFile3 = stream
    else:
        stream.Length1 = len(file)
        descriptor.FontFile2 = stream
    new = _wide(work, letters, name, kind) if font.wide else _simple(letters, name, kind)
    if font.wide:
        new.DescendantFonts[0].FontDescriptor = work.pdf.make_indirect(descriptor)
    else:
        new.FontDescriptor = work.pdf.make_indirect(descriptor)
    new.ToUnicode = packed(work.pdf, table({each.raw: each.text for each in letters if each.text}, font.wide))
    replaced(font.spec, new)


def remake_drawn(work: Work, font: Font, letters: Sequence[Letter], drawings: Mapping[bytes, Any]) -> None:
    """Make a type-3 ``font`` one that holds ``letters`` alone, which ``drawings`` draw."""
    import pikepdf

    kept = {key: font.spec[key] for key in ("/FontBBox", "/FontMatrix", "/Resources") if key in font.spec}
    new = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type3, **{
        key[1:]: value for key, value in kept.items()})  # fmt: skip
    new.CharProcs = pikepdf.Dictionary({f"/{each.name}": drawings[each.raw] for each in letters})
    new.Encoding = _names(letters)
    _measure(new, letters, font.unit)
    new.ToUnicode = packed(work.pdf, table({each.raw: each.text for each in letters if each.text}, False))
    replaced(font.spec, new)


def keep_widths(font: Font) -> None:
    """Take out of a font that is not embedded the widths of the letters that are not shown."""
    import pikepdf

    if font.wide and "/W" in font.below:
        widths = {cid: font.codes(raw)[0].width for raw in font.used if (cid := font.cid(raw)) is not None}
        rows = [(cid, decimal(width * 1000)) for cid, width in sorted(widths.items())]
        font.below["/W"] = pikepdf.Array([part for cid, width in rows for part in (cid, pikepdf.Array([width]))])
    elif not font.wide and "/Widths" in font.spec:
        codes = {raw[0]: font.codes(raw)[0].width / font.unit for raw in font.used} or {32: 0.0}
        first, last = min(codes), max(codes)
        font.spec["/FirstChar"], font.spec["/LastChar"] = first, last
        font.spec["/Widths"] = pikepdf.Array([decimal(codes.get(each, 0)) for each in range(first, last + 1)])


def replaced(spec: Any, new: Any) -> None:
    """Make a dictionary another one."""
    for key in list(spec.keys()):
        del spec[key]
    for key, value in new.items():
        spec[key] = value


def table(texts: Mapping[bytes, str], wide: bool) -> bytes:
    """Return a ToUnicode map of some codes."""
    rows = [f"<{raw.hex()}> <{text.encode('utf-16-be').hex()}>" for raw, text in sorted(texts.items())]
    ends = ["<00> <FF>"] if not wide else ["<0000> <FFFF>"]
    if wide:
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


def _wide(work: Work, letters: Sequence[Letter], name: str, kind: str) -> Any:
    import pikepdf

    word, info = pikepdf.Name, pikepdf.Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0)
    widths = pikepdf.Array([decimal(each.width * 1000) for each in letters])
    below = pikepdf.Dictionary(
        Type=word.Font, Subtype=word("/CIDFontType0" if kind == "Type1" else "/CIDFontType2"),
        BaseFont=word(f"/{name}"), CIDSystemInfo=info, DW=0, W=pikepdf.Array([1, widths]),
    )  # fmt: skip
    if kind == "TrueType":
        below.CIDToGIDMap = word.Identity
    return pikepdf.Dictionary(
        Type=word.Font, Subtype=word.Type0, BaseFont=word(f"/{name}"), Encoding=word("/Identity-H"),
        DescendantFonts=pikepdf.Array([work.pdf.make_indirect(below)]),
    )  # fmt: skip


def _simple(letters: Sequence[Letter], name: str, kind: str) -> Any:
    import pikepdf

    new = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name(f"/{kind}"), BaseFont=pikepdf.Name(f"/{name}")
    )
    _measure(new, letters, 0.001)
    if kind == "Type1":
        new.Encoding = _names(letters)
    return new


def _measure(new: Any, letters: Sequence[Letter], unit: float) -> None:
    """Write the widths of simple codes."""
    import pikepdf

    widths = {each.raw[0]: decimal(each.width / unit) for each in letters}
    first, last = min(widths), max(widths)
    new.FirstChar, new.LastChar = first, last
    new.Widths = pikepdf.Array([widths.get(code, 0) for code in range(first, last + 1)])


def _names(letters: Iterable[Letter]) -> Any:
    import pikepdf

    rows = list[Any]()
    for each in sorted(letters, key=lambda letter: letter.raw):
        rows += [each.raw[0], pikepdf.Name(f"/{each.name}")]
    return pikepdf.Dictionary(Type=pikepdf.Name.Encoding, Differences=pikepdf.Array(rows))


def _descriptor(font: Font, name: str, em: int, box: Sequence[int]) -> Any:
    import pikepdf

    old = font.descriptor
    kept = {key[1:]: old[key] for key in _OF_DESCRIPTOR if key in old and plain(old[key])}
    flags = (int(old.get("/Flags", 0)) | _SYMBOLIC) & ~_NONSYMBOLIC
    return pikepdf.Dictionary(
        Type=pikepdf.Name.FontDescriptor, FontName=pikepdf.Name(f"/{name}"), Flags=flags,
        FontBBox=pikepdf.Array([round(each * 1000 / em) for each in box]), **kept,
    )  # fmt: skip


def _cff(letters: Sequence[Letter], em: int) -> tuple[bytes, Sequence[int]]:
    """Return a font program with the curves of PostScript, and the box of its letters."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.t2CharStringPen import T2CharStringPen

    builder = FontBuilder(em, isTTF=False)
    builder.setupGlyphOrder([".notdef", *(each.name for each in letters)])
    drawn = {".notdef": T2CharStringPen(0, None).getCharString()}
    for each in letters:
        pen = T2CharStringPen(round(each.width * em), None)
        for step, points in each.shape:
            getattr(pen, step)(*points)
        drawn[each.name] = pen.getCharString()
    builder.setupCFF("F", {}, drawn, {})
    points = [point for each in letters for _, row in each.shape for point in row if point is not None]
    xs, ys = [x for x, _ in points] or [0], [y for _, y in points] or [0]
    return builder.font["CFF "].compile(builder.font), (min(xs), min(ys), max(xs), max(ys))


def _add_cmap(font: Any, letters: Iterable[Letter]) -> None:
    """Add to a font the tables by which readers find the letters of a simple one."""
    from fontTools.ttLib import newTable
    from fontTools.ttLib.tables._c_m_a_p import CmapSubtable

    codes = {each.raw[0]: each.name for each in letters}
    font["cmap"] = found = newTable("cmap")
    found.tableVersion, found.tables = 0, []
    for form, platform, shift in ((0, 1, 0), (4, 3, _SIGNS)):
        part = CmapSubtable.newSubtable(form)
        part.platformID, part.platEncID, part.language = platform, 0, 0
        part.cmap = {shift + code: name for code, name in codes.items()}
        found.tables.append(part)
