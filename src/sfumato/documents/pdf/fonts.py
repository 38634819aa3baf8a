"""Fonts: which codes a string holds, the text and the width of each, and which code shows a character."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from types import MappingProxyType
from typing import Any, NamedTuple

from sfumato.documents.pdf.encodings import EMBEDDED, MARK, encoding_of, said, texts_of, to_unicode
from sfumato.documents.pdf.font_values import dictionary, number, numbers, of_type3
from sfumato.documents.pdf.standard import StandardFont, exact_font, like_font
from sfumato.documents.pdf.streams import content_of, isa

_BYTES = tuple(bytes([byte]) for byte in range(256))
_SIGNS = re.compile(r"symbol|dingbat|wingding|webding", re.IGNORECASE)


class Code(NamedTuple):
    """One code of a string: its bytes, its text (None if no table translates it) and its width, for size 1."""

    raw: bytes
    text: str | None
    width: float
    lowered: float = 0.0
    """How far a vertical font moves down after it."""


@dataclass(eq=False)
class Font:
    """A font of a page.

    Attributes:
        name: Its name in the file.
        wide: Whether its codes may have more than one byte (a composite font).
        vertical: Whether it is written from top to bottom.
        rise: How high its letters are for size 1; 1 for all except type 3.
        used: The codes that what was written shows.
        cut: Whether some of its letters were taken out.
        spaced: Whether its space is widened by an operator of its own.
    """

    spec: Any = field(repr=False)
    name: str = ""
    wide: bool = False
    vertical: bool = False
    rise: float = 1.0
    used: set[bytes] = field(default_factory=set, repr=False)
    cut: bool = False
    spaced: bool = False
    shown: set[bytes] = field(default_factory=set, repr=False)
    _known: dict[bytes, Code] = field(default_factory=dict, repr=False)
    _letters: tuple[int, Mapping[str, Code]] = field(default=(0, MappingProxyType({})), repr=False)
    _read: Any = field(default=None, repr=False)

    def raws(self, string: bytes) -> list[bytes]:
        """Return the bytes of each code of a ``string``."""
        raws: list[bytes] = self._read.cut(string)
        return raws

    def codes(self, string: bytes) -> list[Code]:
        """Return the codes of a ``string``."""
        known, raws = self._known, self._read.cut(string)
        for raw in set(raws) - known.keys():
            known[raw] = Code(raw, *self._read.said(raw))
        return [known[raw] for raw in raws]

    @cached_property
    def like(self) -> StandardFont:
        """The standard font that looks most like it."""
        descriptor = self._read.descriptor
        flags = descriptor.get("/Flags", 0) if descriptor is not None else 0
        return like_font(self.name, flags if isinstance(flags, int) else 0)

    @property
    def descriptor(self) -> Any:
        """What describes it, or an empty mapping."""
        return self._read.descriptor or {}

    @property
    def below(self) -> Any:
        """The font of the glyphs of a composite font, or an empty mapping."""
        return self._read.below if self.wide else {}

    @property
    def encoding(self) -> Mapping[int, str]:
        """What the encoding of a simple font says of its codes."""
        encoding: Mapping[int, str] = self._read.encoding
        return encoding

    @property
    def unit(self) -> float:
        """The unit of its widths in the file."""
        unit: float = self._read.scale
        return unit

    def cid(self, raw: bytes) -> int | None:
        """Return the number of the glyph that a code of a composite font has in its collection."""
        cid: int | None = self._read.cid(raw)
        return cid

    def says(self, raw: bytes) -> str:
        """Return the text of a code, as its own table has it if there is one."""
        return self._read.plain(raw) or self.codes(raw)[0].text or ""

    @property
    def embedded(self) -> bool:
        """Whether the file holds the shapes of its letters."""
        return self.spec.get("/Subtype") == "/Type3" or any(key in self.descriptor for key in EMBEDDED)

    def untold(self) -> bool:
        """Say whether its own table knows a code that was not shown."""
        return not self._read.told() <= self.used

    def texts(self) -> dict[bytes, str]:
        """Return the texts of the codes that are still shown."""
        known = {raw: self._read.plain(raw) for raw in self.used}
        return {raw: text for raw, text in known.items() if text}

    def width(self, raw: bytes) -> float:
        """Return the width of one code, for size 1."""
        code = self._known.get(raw)
        return code.width if code is not None else sum(code.width for code in self.codes(raw))

    def numbers(self, raw: bytes) -> list[int]:
        """Return the numbers of the glyphs that a code of a composite font shows."""
        return list(self._read.numbers(raw))

    def use(self, string: bytes) -> None:
        """Note that a ``string`` was written."""
        self.used.update(code.raw for code in self.codes(string))

    def encoded(self, text: str) -> tuple[bytes, float] | None:
        """Return the codes that surely show ``text``, and their width, or None if one character is not known.

        Only codes that were written are known: what removed texts were written with must decide nothing.
        """
        if self._letters[0] != len(self.used):  # codes are added to them, until they are forgotten all at once
            known = [self._known[raw] for raw in sorted(self.used, reverse=True)]
            codes = {code.text: code for code in known if code.text and len(code.text) == 1 and code.width > 0}
            self._letters = len(self.used), codes
        found = [self._letters[1].get(character) for character in text]
        if self.vertical or None in found:
            return None
        return b"".join(code.raw for code in found if code), sum(code.width for code in found if code)


def font_of(spec: Any) -> Font:
    """Return the font that the dictionary ``spec`` describes."""
    kind = str(spec.get("/Subtype", ""))
    name = str(spec.get("/BaseFont", "") or "")[1:]
    if kind == "/Type0":
        wide = _Wide(spec)
        return Font(spec, name, True, wide.vertical, _read=wide)
    simple = _Simple(spec, kind, name)
    return Font(spec, name, rise=simple.rise, _read=simple)


class _Simple:
    """Codes of one byte."""

    def __init__(self, spec: Any, kind: str, name: str) -> None:
        self.descriptor = dictionary(spec.get("/FontDescriptor"))
        self._unicode = to_unicode(spec)
        self._standard = exact_font(name)
        self._signs = kind != "/Type3" and bool(_SIGNS.search(name))
        self.encoding = encoding_of(spec, kind, self.descriptor, self._signs)
        self.scale, self.rise = 0.001, 1.0
        if kind == "/Type3":
            self.scale, self.rise = of_type3(spec)
        self._first = int(spec.get("/FirstChar", 0))
        widths = spec.get("/Widths")
        self._widths = None if widths is None else [number(each) for each in widths]
        self._missing = number((self.descriptor or {}).get("/MissingWidth", 0))

    def cut(self, string: bytes) -> list[bytes]:
        return [_BYTES[byte] for byte in string]

    def plain(self, raw: bytes) -> str | None:
        """Return what the font's own table says of a code, as it says it."""
        return self._unicode.get(raw[0])

    def told(self) -> set[bytes]:
        """Return the codes that the font's own table knows."""
        return {bytes([code]) for code in self._unicode if code < 256}

    def said(self, raw: bytes) -> tuple[str | None, float]:
        code = raw[0]
        text = said(self._unicode.get(code)) or said(self.encoding.get(code))
        if text is None and self._signs:
            text = MARK
        width = self._missing
        if self._widths is not None:
            at = code - self._first
            width = self._widths[at] if 0 <= at < len(self._widths) else self._missing
        elif self._standard is not None:
            width = self._standard.width(self.encoding.get(code, "") or "")
        return text, width * self.scale


class _Wide:
    """Codes of one or more bytes, by a character map."""

    def __init__(self, spec: Any) -> None:
        from pdfminer.cmapdb import CMapDB
        from pdfminer.pdffont import IDENTITY_ENCODER, get_widths, get_widths2

        below = spec.get("/DescendantFonts")
        self.below = below[0] if isa(below, "Array") and len(below) and isa(below[0], "Dictionary") else {}
        self.descriptor = dictionary(self.below.get("/FontDescriptor"))
        encoding = spec.get("/Encoding")
        name = str(encoding)[1:] if isa(encoding, "Name") else ""
        try:
            self._map: Any = CMapDB.get_cmap(IDENTITY_ENCODER.get(name, name)) if name else None
        except CMapDB.CMapNotFound:
            self._map = None
        self.vertical = bool(self._map and self._map.is_vertical())
        self._unicode = to_unicode(spec)
        self._by_cid = self._of_collection() if not self._unicode else {}
        self._widths = get_widths(numbers(self.below.get("/W", [])))
        self._default = number(self.below.get("/DW", 1000))
        down = numbers(self.below.get("/DW2", [880, -1000]))
        self._downs = {cid: row[0] for cid, row in get_widths2(numbers(self.below.get("/W2", []))).items()}
        self._down = down[1] if len(down) == 2 else -1000

    def _of_collection(self) -> Mapping[int, str]:
        """Return the texts of the glyphs of a public collection, or of an embedded font that says them."""
        from pdfminer.cmapdb import CMapDB
        from pdfminer.pdffont import TrueTypeFont

        info = dictionary(self.below.get("/CIDSystemInfo")) or {}
        collection = "-".join(bytes(info.get(key, b"")).decode("latin-1") for key in ("/Registry", "/Ordering"))
        file = (self.descriptor or {}).get("/FontFile2")
        direct = self.below.get("/CIDToGIDMap", None)
        try:
            if collection in ("Adobe-Identity", "Adobe-UCS"):
                if file is None or isa(direct, "Stream"):
                    return {}
                return texts_of(TrueTypeFont("", BytesIO(content_of(file))).create_unicode_map())
            return texts_of(CMapDB.get_unicode_map(collection, self.vertical))
        except (CMapDB.CMapNotFound, TrueTypeFont.CMapNotFound):
            return {}

    def cut(self, string: bytes) -> list[bytes]:
        from pdfminer.cmapdb import IdentityCMap, IdentityCMapByte

        if self._map is None or isinstance(self._map, IdentityCMap):
            step = 1 if isinstance(self._map, IdentityCMapByte) else 2
            return [string[at : at + step] for at in range(0, len(string), step)]
        return list(self._mapped(string))

    def _mapped(self, string: bytes) -> Iterator[bytes]:
        start, level = 0, self._map.code2cid
        for at, byte in enumerate(string, 1):
            level = level.get(byte)
            if not isinstance(level, dict):
                yield string[start:at]
                start, level = at, self._map.code2cid
        if start < len(string):
            yield string[start:]

    def plain(self, raw: bytes) -> str | None:
        """Return what the font's own table says of a code, as it says it."""
        return self._unicode.get(int.from_bytes(raw, "big"))

    def numbers(self, raw: bytes) -> Iterator[int]:
        return iter(self._map.decode(raw) if self._map is not None else ())

    def told(self) -> set[bytes]:
        """Return the codes that the font's own table knows."""
        return {code.to_bytes(2, "big") for code in self._unicode if code < 1 << 16}

    def cid(self, raw: bytes) -> int | None:
        """Return the number of a glyph, by the character map."""
        return next(iter(self._map.decode(raw)), None) if self._map is not None else None

    def said(self, raw: bytes) -> tuple[str | None, float, float]:
        cid = self.cid(raw)
        text = said(self._unicode.get(int.from_bytes(raw, "big")))
        if text is None and cid is not None:
            text = said(self._by_cid.get(cid))
        if cid is None:
            return None, self._default / 1000, 0.0
        down = self._downs.get(cid, self._down) / 1000 if self.vertical else 0.0
        return text, number(self._widths.get(cid, self._default)) / 1000, down
