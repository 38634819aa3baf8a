"""PDF files made by hand, canaries, and a search that knows nothing of the format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from string import ascii_lowercase
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, Stream, String

_JOINT = re.compile(rb"\)\s*-?[\d.]*\s*\(")


class Canaries(dict[str, str]):
    """Words that no language has, one for each kind of part."""

    def __call__(self, kind: str) -> str:
        assert kind not in self, kind
        number = len(self)
        self[kind] = f"Qaz{ascii_lowercase[number // 26]}{ascii_lowercase[number % 26]}Jx"
        return self[kind]


def text(words: str, x: float = 72, y: float = 700) -> bytes:
    """Return operators that show ``words``."""
    return f"BT /F1 12 Tf {x} {y} Td ({words}) Tj ET\n".encode()


def made(*contents: bytes, **fonts: Any) -> Pdf:
    """Return a file with a page for each content; /F1 is Helvetica."""
    pdf = Pdf.new()
    helvetica = pdf.make_indirect(
        Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
    )
    for content in contents:
        page = pdf.add_blank_page(page_size=(612, 792)).obj
        page.Contents = pdf.make_stream(content)
        page.Resources = Dictionary(Font=Dictionary({"/F1": helvetica, **{f"/{k}": v for k, v in fonts.items()}}))
    return pdf


def saved(pdf: Pdf, **how: Any) -> bytes:
    """Return the bytes of a file."""
    target = BytesIO()
    pdf.save(target, deterministic_id="encryption" not in how, fix_metadata_version=False, **how)
    return target.getvalue()


def inflated(content: bytes) -> Iterator[bytes]:
    """Yield all objects of a file as bytes, every stream unpacked. This search knows nothing of the parts."""
    with pikepdf.open(BytesIO(content)) as pdf:
        yield pdf.trailer.unparse(resolved=True)
        for obj in pdf.objects:
            yield obj.unparse(resolved=True)
            if isinstance(obj, Stream):
                yield from (f"{key} ".encode() + _bare(value) for key, value in obj.items())
                try:
                    yield obj.read_bytes()
                except pikepdf.PdfError:
                    yield obj.read_raw_bytes()
            for each in _strings(obj, 0):
                yield bytes(each)
                yield str(each).encode("utf-8", "surrogateescape")


def _bare(value: Any) -> bytes:
    return value.unparse(resolved=False) if isinstance(value, pikepdf.Object) else b""


def _strings(value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, String):
        yield value
    elif isinstance(value, Array) and depth < 9:
        for each in value:
            yield from _strings(each, depth + 1)
    elif isinstance(value, Dictionary | Stream) and depth < 9 and (not depth or value.objgen == (0, 0)):
        for each in value.values():
            yield from _strings(each, depth + 1)


def holding(content: bytes, canaries: Canaries) -> set[str]:
    """Return the kinds of canaries that a file holds anywhere, also in parts or in a file inside it."""
    found, text = set[str](), bytearray()
    for piece in inflated(content):
        text += piece + b"\n" + _JOINT.sub(b"", piece) + b"\n"
        if piece.startswith(b"%PDF"):
            found |= holding(piece, canaries)
    spread = b"".join(re.findall(rb"\((.)\) Tj", text))
    for kind, word in canaries.items():
        wide = word.encode("utf-16-be")
        forms = (word.encode(), wide, wide.hex().encode(), word.encode().hex().encode())
        if any(form in text for form in forms) or word.encode() in spread:
            found.add(kind)
    return found


def form(pdf: Pdf, content: bytes, **more: Any) -> Stream:
    """Return a form that draws ``content``."""
    font = pdf.pages[0].obj.Resources.Font.F1
    about = {"Type": Name.XObject, "Subtype": Name.Form, "BBox": [0, 0, 612, 792], **more}
    about.setdefault("Resources", Dictionary(Font=Dictionary(F1=font)))
    return Stream(pdf, content, {f"/{key}": value for key, value in about.items()})
