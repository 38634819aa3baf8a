"""Embedded fonts: the shapes of their letters, by their codes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from sfumato.documents.pdf.encodings import differences
from sfumato.documents.pdf.fonts import Font
from sfumato.documents.pdf.outlines import Shape, shapes_of
from sfumato.documents.pdf.streams import content_of, isa

Find = Callable[[bytes], str | None]
_NONSYMBOLIC = 32
_PREFIXES = (0x0000, 0xF000, 0xF100, 0xF200)
_UNICODE = ((3, 10), (3, 1), (0, 4), (0, 3), (0, 2), (0, 1), (0, 0))
_NEAR = {"nbspace": "space", "uni00A0": "space", "sfthyphen": "hyphen", "uni00AD": "hyphen"}
_OF_CFF = 1000


@dataclass(frozen=True)
class Program:
    """A font program.

    Attributes:
        em: How many units an em has.
        find: Returns the name of the glyph that a code shows, or None.
        glyphs: Its glyphs.
        draw: Returns the shape of a glyph.
        file: The font, if it is a TrueType one, and not one whose curves are those of PostScript.
    """

    em: int
    find: Find
    glyphs: Any
    draw: Callable[[str], Shape]
    file: Any = None

    def shape(self, raw: bytes) -> Shape | None:
        """Return how the code ``raw`` is drawn, or None if the program does not have it."""
        name = self.find(raw)
        if name is None or name not in self.glyphs:
            name = ".notdef" if ".notdef" in self.glyphs else "g0"
            if name not in self.glyphs:
                return None
        return self.draw(name)

    def has(self, raw: bytes) -> bool:
        """Say whether the program has the code ``raw``."""
        return self.find(raw) in self.glyphs


@contextmanager
def quiet() -> Iterator[None]:
    """Keep fontTools from logging what it finds in a font: names of letters are made by people."""
    log = logging.getLogger("fontTools")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(level)


def program_of(font: Font) -> Program | None:
    """Return the program of an embedded ``font``, or None if it is of a kind that cannot be taken apart."""
    try:
        return _program_of(font)
    except Exception:  # (damaged fonts fail in every way; what was raised may quote the file)
        return None


def _program_of(font: Font) -> Program | None:
    from fontTools.ttLib import TTFont

    descriptor = font.descriptor
    if "/FontFile2" in descriptor:
        return _of_glyf(font, content_of(descriptor["/FontFile2"]))
    if "/FontFile" in descriptor:
        return _of_type1(font, content_of(descriptor["/FontFile"]))
    stream = descriptor["/FontFile3"]
    content = content_of(stream)
    if stream.get("/Subtype") == "/OpenType":
        if content[:4] != b"OTTO":
            return _of_glyf(font, content)
        content = TTFont(BytesIO(content)).reader["CFF "]
    return _of_cff(font, content)


def _of_glyf(font: Font, content: bytes) -> Program:
    """Return a TrueType program, its glyphs named by their numbers."""
    from fontTools.ttLib import TTFont

    file = TTFont(BytesIO(content))
    file.setGlyphOrder([f"g{number}" for number in range(file["maxp"].numGlyphs)])
    find = _by_cid(font, _to_gid(font)) if font.wide else _by_tables(font, file, content)
    return Program(file["head"].unitsPerEm, find, file["glyf"], shapes_of(file), file)


def _by_cid(font: Font, name: Callable[[int], str | None]) -> Find:
    def find(raw: bytes) -> str | None:
        cid = font.cid(raw)
        return None if cid is None else name(cid)

    return find


def _to_gid(font: Font) -> Callable[[int], str | None]:
    stream = font.below.get("/CIDToGIDMap")
    if not isa(stream, "Stream"):
        return lambda cid: f"g{cid}"
    table = content_of(stream)
    return lambda cid: f"g{int.from_bytes(table[2 * cid : 2 * cid + 2], 'big')}"


def _by_tables(font: Font, file: Any, content: bytes) -> Find:
    """Return what finds the glyphs of a simple TrueType font, as readers do."""
    from fontTools.ttLib import TTFont

    tables = {(each.platformID, each.platEncID): each.cmap for each in file["cmap"].tables} if "cmap" in file else {}
    unicode: Mapping[int, str] = next((tables[key] for key in _UNICODE if key in tables), {})
    signs, roman = tables.get((3, 0), {}), tables.get((1, 0), {})
    names, encoding = differences(font.spec.get("/Encoding")), font.spec.get("/Encoding")
    named = TTFont(BytesIO(content)).getReverseGlyphMap() if names and "post" in file else {}
    flags = font.descriptor.get("/Flags", 0)
    by_name = bool(int(flags) & _NONSYMBOLIC) or (encoding is not None and not names)

    def of_name(code: int) -> Iterator[str | None]:
        text = font.encoding.get(code)
        if text is not None and len(text) == 1:
            yield unicode.get(ord(text))
            yield roman.get(text.encode("mac_roman", "replace")[0]) if text != "?" else roman.get(63)
        if code in names and names[code][1:] in named:
            yield f"g{named[names[code][1:]]}"

    def of_code(code: int) -> Iterator[str | None]:
        for prefix in _PREFIXES:
            yield signs.get(prefix + code)
        yield roman.get(code)

    def find(raw: bytes) -> str | None:
        ways = (of_name, of_code) if by_name else (of_code, of_name)
        return next((name for way in ways for name in way(raw[0]) if name not in (None, "g0")), None)

    return find


def _of_cff(font: Font, content: bytes) -> Program | None:
    from fontTools.cffLib import CFFFontSet

    fonts = CFFFontSet()
    fonts.decompile(BytesIO(content), None)
    top = fonts.topDictIndex[0]
    keyed, order = hasattr(top, "ROS"), list(top.charset)
    matrix = _product(top.rawDict.get("FontMatrix"), _of_parts(top) if keyed else None)
    if matrix is None or (keyed and not font.wide):
        return None
    if keyed:
        find = _by_cid(font, lambda cid: f"cid{cid:05d}")
    elif font.wide:
        find = _by_cid(font, lambda cid: order[cid] if cid < len(order) else None)
    else:
        find = _by_names(font, top.Encoding)
    return Program(_OF_CFF, find, top.CharStrings, _drawn(top.CharStrings, matrix))


def _of_parts(top: Any) -> Any:
    """Return the matrix of the parts of a font, an empty one if they do not agree."""
    found = {tuple(each.rawDict.get("FontMatrix", ())) for each in top.FDArray}
    return next(iter(found)) or None if len(found) == 1 else (0,)


def _product(outer: Any, inner: Any) -> Sequence[float] | None:
    """Return what turns the units of a font into thousandths of an em."""
    from fontTools.misc.transform import Transform

    known = [each for each in (outer, inner) if each is not None]
    if any(len(each) != 6 for each in known):
        return None
    if not known:
        return (1, 0, 0, 1, 0, 0)
    whole = Transform(_OF_CFF, 0, 0, _OF_CFF, 0, 0)
    for each in known:
        whole = whole.transform(tuple(float(number) for number in each))
    return tuple(round(each, 9) for each in whole)


def _by_names(font: Font, built_in: Any) -> Find:
    """Return what finds the glyphs of a simple font by their names."""
    from fontTools.agl import UV2AGL
    from fontTools.encodings.MacRoman import MacRoman
    from fontTools.encodings.StandardEncoding import StandardEncoding

    encoding = font.spec.get("/Encoding")
    base = encoding.get("/BaseEncoding") if isa(encoding, "Dictionary") else encoding
    own = StandardEncoding if built_in == "StandardEncoding" else built_in
    if str(base) == "/WinAnsiEncoding":
        texts = [bytes([code]).decode("cp1252", "replace") for code in range(256)]
        own = [UV2AGL.get(ord(text), f"uni{ord(text):04X}") for text in texts]
    elif str(base) == "/MacRomanEncoding":
        own = MacRoman
    elif str(base) == "/StandardEncoding":
        own = StandardEncoding
    names: Mapping[int, str] = differences(encoding)

    def find(raw: bytes) -> str | None:
        code = raw[0]
        name = names[code][1:] if code in names else str(own[code]) if code < len(own) else None
        return None if name == ".notdef" else _NEAR.get(name or "", name)

    return find


def _of_type1(font: Font, content: bytes) -> Program | None:
    from fontTools.t1Lib import T1Font

    file = T1Font.__new__(T1Font)
    file.data, file.encoding = content, "ascii"
    file.parse()
    matrix = _product(file["FontMatrix"], None)
    if font.wide or matrix is None:
        return None
    glyphs = file["CharStrings"]
    return Program(_OF_CFF, _by_names(font, file["Encoding"]), glyphs, _drawn(glyphs, matrix))


def _drawn(glyphs: Any, matrix: Sequence[float]) -> Callable[[str], Shape]:
    """Return what gives the steps of the pen that draws a glyph."""
    from fontTools.pens.recordingPen import DecomposingRecordingPen, RecordingPen
    from fontTools.pens.roundingPen import RoundingPen
    from fontTools.pens.transformPen import TransformPen

    def draw(name: str) -> Shape:
        recorded, new = DecomposingRecordingPen(glyphs), RecordingPen()
        glyphs[name].draw(recorded)
        recorded.replay(TransformPen(RoundingPen(new), matrix))
        return tuple((step, tuple(points)) for step, points in new.value)

    return draw
