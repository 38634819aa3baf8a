"""The strings of a written file: as another library shows its pages, and as its objects hold them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import IO, Any

from sfumato.documents.formats import Seen, format_of
from sfumato.documents.pdf.fonts import Font, font_of
from sfumato.documents.pdf.glyphs import Reader
from sfumato.documents.pdf.opened import opened
from sfumato.documents.pdf.public import PUBLIC
from sfumato.documents.pdf.streams import content_of, isa

_DEEPEST = 64
_PRINTED = re.compile(rb"[\x20-\x7e\xa0-\xff]{5,}")
_BROKEN = re.compile(r"(?:[-\u00ad\u2010]|\x02|\ufffe)[ \t]*\r?\n")
_BEYOND = re.compile(rb"<[0-9A-Fa-f]+>\s*<((?:[0-9A-Fa-f]{4}){2,})>")
_FONT_FILES = ("/Type1C", "/CIDFontType0C", "/OpenType")
_FONT_NAMES = ("/BaseFont", "/FontName", "/FontFamily")


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the strings of a written PDF file. Raise Refused if it cannot be read."""
    content = file.read()
    yield from _shown(content)
    with opened(BytesIO(content)) as pdf:
        yield from _held(pdf)


def _shown(content: bytes) -> Iterator[Seen]:
    """Yield what PDFium reads: the pages, bookmarks and properties."""
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    try:
        for number in range(len(document)):
            page = document[number]
            text_page = page.get_textpage()
            try:
                text = text_page.get_text_range()
            finally:
                text_page.close()
                page.close()
            yield Seen(f"page {number + 1}", text)
            if (whole := _BROKEN.sub("", text)) != text:
                yield Seen(f"page {number + 1}", whole)
        for number, item in enumerate(document.get_toc(), 1):
            yield Seen(f"bookmark {number}", item.get_title())
        for value in document.get_metadata_dict().values():
            if value:
                yield Seen("the properties", value)
    finally:
        document.close()


def _held(pdf: Any) -> Iterator[Seen]:
    """Yield the strings, names and streams of all objects."""
    files = dict[tuple[int, int], str]()
    pages = set[tuple[int, int]]()
    for obj in pdf.objects:
        if isa(obj, "Dictionary") and obj.get("/Type") == "/Page":
            parts = obj.get("/Contents")
            pages |= {each.objgen for each in (parts if isa(parts, "Array") else [parts]) if each is not None}
        if isa(obj, "Dictionary") and isa(obj.get("/EF"), "Dictionary"):
            name = str(obj.get("/UF", obj.get("/F", "")))
            files.update((each.objgen, name) for each in obj["/EF"].values())
    fonts = dict[Any, Font]()
    for number, obj in enumerate(pdf.objects, 1):
        place = f"object {number}"
        yield from (Seen(place, text, raw=True) for text in _texts(obj, 0))
        if isa(obj, "Stream") and obj.objgen not in pages:
            yield from _of_stream(obj, place, files, fonts)
        elif isa(obj, "Dictionary") and obj.get("/Type") == "/Page":
            yield from _glyphs(obj, obj.get("/Resources"), place, fonts)
    yield from (Seen("the trailer", text, raw=True) for text in _texts(pdf.trailer, 0))


def _texts(value: Any, depth: int) -> Iterator[str]:
    """Yield the strings and the names of an object, without those of other objects."""
    if isa(value, "String"):
        yield from _spelled(bytes(value), str(value))
    elif isa(value, "Name"):
        if str(value) not in PUBLIC:
            yield str(value)[1:]
    elif depth > _DEEPEST or (depth and value is not None and getattr(value, "objgen", (0, 0)) != (0, 0)):
        return
    elif isa(value, "Array"):
        for each in value:
            yield from _texts(each, depth + 1)
    elif isa(value, "Dictionary") or isa(value, "Stream"):
        for key, inner in value.items():
            if key not in PUBLIC:
                yield key[1:]
            if key not in _FONT_NAMES and key != "/ID":
                yield from _texts(inner, depth + 1)


def _spelled(raw: bytes, text: str) -> Iterator[str]:
    if text:
        yield text
    latin = raw.decode("latin-1")
    if latin != text:
        yield latin


def _of_stream(stream: Any, place: str, files: dict[tuple[int, int], str], fonts: dict[Any, Font]) -> Iterator[Seen]:
    kind, subtype = stream.get("/Type"), str(stream.get("/Subtype"))
    if kind in ("/XRef", "/ObjStm") or "/Length1" in stream or subtype in _FONT_FILES:
        return
    if subtype == "/Image":
        yield from (Seen(place, each, raw=True) for each in _printed(bytes(stream.read_raw_bytes())))
        return
    content = content_of(stream)
    if stream.objgen in files:
        yield from _of_file(files[stream.objgen], content, place)
    elif b"begincmap" in content:
        for row in _BEYOND.findall(content):
            yield Seen(place, bytes.fromhex(row.decode()).decode("utf-16-be", "replace"), raw=True)
    elif kind == "/Metadata" or (content.lstrip().startswith((b"<?x", b"<x:", b"<")) and b"</" in content):
        yield Seen(place, _decoded(content), raw=True)
    elif "/FunctionType" in stream or "/ShadingType" in stream or "/N" in stream:
        yield from (Seen(place, each, raw=True) for each in _printed(content))
    else:
        yield from _glyphs(stream, stream.get("/Resources"), place, fonts)


def _of_file(name: str, content: bytes, place: str) -> Iterator[Seen]:
    form = format_of(name)
    if form is None:
        yield Seen(place, _decoded(content), raw=True)
        return
    for seen in form.strings(BytesIO(content)):
        yield Seen(f"{place}, {seen.place}", seen.text, seen.raw)


def _decoded(content: bytes) -> str:
    for encoding in ("utf-16",) if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8",):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            pass
    return content.decode("latin-1")


def _printed(content: bytes) -> Iterator[str]:
    for match in _PRINTED.finditer(content):
        yield match[0].decode("latin-1")


def _glyphs(holder: Any, resources: Any, place: str, fonts: dict[Any, Font]) -> Iterator[Seen]:
    """Yield the strings of a content stream: their bytes, and what its fonts make of them."""
    import pikepdf

    def resource(category: str, name: str) -> Any:
        group = resources.get(category) if isa(resources, "Dictionary") else None
        return group.get(name) if isa(group, "Dictionary") else None

    def font(spec: Any) -> Font:
        key = spec.objgen if spec.objgen != (0, 0) else spec.unparse()
        return fonts.setdefault(key, fonts.get(key) or font_of(spec))

    try:
        instructions = pikepdf.parse_content_stream(holder)
    except (pikepdf.PdfError, TypeError):
        yield from (Seen(place, each, raw=True) for each in _printed(content_of(holder)))
        return
    for instruction in instructions:
        if str(instruction.operator) == "INLINE IMAGE":
            continue
        for operand in instruction.operands:
            if isa(operand, "Array"):
                yield Seen(
                    place, b"".join(bytes(each) for each in operand if isa(each, "String")).decode("latin-1"), True
                )
            elif not isa(operand, "Name"):
                yield from (Seen(place, text, raw=True) for text in _texts(operand, 0))
    try:
        drawn = Reader(resource, font, lambda _: False).read(instructions)
    except (ValueError, TypeError, KeyError):  # text without a font, which shows nothing
        return
    texts = ["".join(glyph.text or "" for glyph in run.glyphs) for run in drawn.runs]
    yield Seen(place, "".join(texts), raw=True)
    yield Seen(place, " ".join(texts), raw=True)
