"""The strings of a written file: as another library shows its pages, and as its objects hold them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from io import BytesIO
from typing import IO, Any

from sfumato.documents.formats import Seen, format_of
from sfumato.documents.pdf.fonts import Font, font_of
from sfumato.documents.pdf.opened import opened
from sfumato.documents.pdf.operators import KNOWN
from sfumato.documents.pdf.public import PUBLIC
from sfumato.documents.pdf.showing import resources_of, showing
from sfumato.documents.pdf.streams import content_of, isa

_DEEPEST = 64
_PRINTED = re.compile(rb"[\x20-\x7e\xa0-\xff]{5,}")
_BROKEN = re.compile(r"(?:[-\u00ad\u2010]|\x02|\ufffe)[ \t]*\r?\n")
_BEYOND = re.compile(rb"<[0-9A-Fa-f]+>\s*<((?:[0-9A-Fa-f]{4}){2,})>")
_TOKENS = re.compile(rb"%[^\r\n]*|/[^\s()<>{}/%\[\]]+|\([^)]*\)")
_COMMENT = re.compile(rb"%[^\r\n]*")
_PACKED = ("/DCTDecode", "/JPXDecode", "/CCITTFaxDecode", "/JBIG2Decode")
_FONT_FILES = ("/Type1C", "/CIDFontType0C", "/OpenType")
_NUMBERS = (int, Decimal, float)
_FONT_NAMES = ("/BaseFont", "/FontName")
_MOST_OF_IMAGE = 1 << 20
Id = tuple[int, int]


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the strings of a written PDF file. Raise Refused if it cannot be read."""
    content = file.read()
    yield from _shown(content)
    with opened(BytesIO(content)) as pdf:
        yield from _Held(pdf).strings()


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


@dataclass
class _Held:
    """The strings, names and streams of all objects of a file."""

    pdf: Any
    fonts: dict[Any, Font] = field(default_factory=dict)

    def strings(self) -> Iterator[Seen]:
        files, pages = self._files(), self._contents()
        for number, obj in enumerate(self.pdf.objects, 1):
            place = f"object {number}"
            yield from _raw(place, _texts(obj, 0))
            if isa(obj, "Stream") and obj.objgen not in pages:
                yield from self._of_stream(obj, place, files)
            elif isa(obj, "Dictionary") and obj.get("/Type") == "/Page":
                yield from self._drawn(obj, place)
        for key, value in self.pdf.trailer.items():
            if key != "/ID":  # a digest of the file
                yield from _raw("the trailer", [*_texts(key, 0), *_texts(value, 1)])

    def _files(self) -> dict[Id, str]:
        """Return the names of attached files by their streams."""
        files = dict[Id, str]()
        for obj in self.pdf.objects:
            if isa(obj, "Dictionary") and isa(obj.get("/EF"), "Dictionary"):
                name = str(obj.get("/UF", obj.get("/F", "")))
                files.update((each.objgen, name) for each in obj["/EF"].values())
        return files

    def _contents(self) -> set[Id]:
        """Return the streams that pages hold."""
        pages = [obj for obj in self.pdf.objects if isa(obj, "Dictionary") and obj.get("/Type") == "/Page"]
        return {each.objgen for page in pages for each in _streams(page)}

    def _of_stream(self, stream: Any, place: str, files: dict[Id, str]) -> Iterator[Seen]:
        kind, subtype = stream.get("/Type"), str(stream.get("/Subtype"))
        if kind in ("/XRef", "/ObjStm") or "/Length1" in stream or subtype in _FONT_FILES:
            return
        if subtype == "/Image":
            packed = isa(stream.get("/Filter"), "Array") or str(stream.get("/Filter")) in _PACKED
            image = bytes(stream.read_raw_bytes()) if packed else content_of(stream)
            yield from _raw(place, _printed(image[:_MOST_OF_IMAGE]))
            return
        content = content_of(stream)
        if stream.objgen in files:
            yield from _of_file(files[stream.objgen], content, place)
        elif b"begincmap" in content:
            texts = (bytes.fromhex(row.decode()).decode("utf-16-be", "replace") for row in _BEYOND.findall(content))
            tokens = (token.decode("latin-1") for token in _TOKENS.findall(content))
            yield from _raw(place, [*texts, *(token for token in tokens if token not in PUBLIC)])
        elif kind == "/Metadata" or (content.lstrip().startswith(b"<") and b"</" in content):
            yield from _raw(place, [_decoded(content)])
        elif any(key in stream for key in ("/FunctionType", "/ShadingType", "/N")):
            yield from _raw(place, _printed(content))
        else:
            yield from self._drawn(stream, place)

    def _drawn(self, holder: Any, place: str) -> Iterator[Seen]:
        """Yield the strings of a content stream: its bytes, and what its fonts make of them."""
        import pikepdf

        for stream in _streams(holder):
            yield from _raw(place, (each.decode("latin-1") for each in _COMMENT.findall(content_of(stream))))
        try:
            instructions = pikepdf.parse_content_stream(holder)
        except (pikepdf.PdfError, TypeError):
            yield from _raw(place, (each for stream in _streams(holder) for each in _printed(content_of(stream))))
            return
        if self.pdf.get_warnings():  # it is no content stream
            yield from _raw(place, (_decoded(content_of(stream)) for stream in _streams(holder)))
        yield from _raw(place, (text for each in instructions for text in _of_instruction(each)))
        texts = list[str]()
        with suppress(ValueError, TypeError, LookupError):  # what is damaged shows nothing
            for _, font, strings, _ in showing(instructions, resources_of(holder), self._font):
                codes = (font.codes(string) for string in strings) if font is not None else ()
                texts.append("".join(code.text or "" for row in codes for code in row))
        yield from _raw(place, ["".join(texts), " ".join(texts)])

    def _font(self, spec: Any) -> Font:
        key = spec.objgen if spec.objgen != (0, 0) else spec.unparse()
        if key not in self.fonts:
            self.fonts[key] = font_of(spec)
        return self.fonts[key]


def _raw(place: str, texts: Any) -> Iterator[Seen]:
    return (Seen(place, text, raw=True) for text in texts if text)


def _streams(holder: Any) -> list[Any]:
    """Return the streams of the content of a page, or of what is a stream itself."""
    parts = holder if isa(holder, "Stream") else holder.get("/Contents")
    return [each for each in (parts if isa(parts, "Array") else [parts]) if isa(each, "Stream")]


def _texts(value: Any, depth: int) -> Iterator[str]:
    """Yield the strings and the names of an object, without those of other objects."""
    if isinstance(value, str) or isa(value, "Name"):
        if str(value) not in PUBLIC:
            yield str(value)[1:]
    elif isa(value, "String"):
        yield str(value)
        if (latin := bytes(value).decode("latin-1")) != str(value):
            yield latin
    elif depth > _DEEPEST or (depth and getattr(value, "objgen", (0, 0)) != (0, 0)):
        return
    elif isa(value, "Array"):
        for each in value:
            yield from _texts(each, depth + 1)
    elif isa(value, "Dictionary") or isa(value, "Stream"):
        for key, inner in value.items():
            yield from _texts(key, depth + 1)
            if key not in _FONT_NAMES:
                yield from _texts(inner, depth + 1)


def _of_file(name: str, content: bytes, place: str) -> Iterator[Seen]:
    form = format_of(name)
    if form is None:
        yield from _raw(place, [_decoded(content)])
        return
    for seen in form.strings(BytesIO(content)):
        yield Seen(f"{place}, {seen.place}", seen.text, seen.raw)


def _of_instruction(instruction: Any) -> Iterator[str]:
    """Yield the strings and the names that an instruction holds, or is."""
    operator = str(instruction.operator)
    if operator == "INLINE IMAGE":
        yield from _texts(instruction.iimage.obj, 0)
        yield from _printed(bytes(instruction.iimage.read_raw_bytes())[:_MOST_OF_IMAGE])
        return
    if operator not in KNOWN:
        yield operator
    for operand in instruction.operands:
        if isa(operand, "Array"):
            yield b"".join(bytes(each) for each in operand if isa(each, "String")).decode("latin-1")
        elif type(operand) not in _NUMBERS:
            yield from _texts(operand, 0)


def _decoded(content: bytes) -> str:
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _printed(content: bytes) -> Iterator[str]:
    return (match[0].decode("latin-1") for match in _PRINTED.finditer(content))
