"""Files that nobody can release, as programs and mishaps make them, each with what its refusal says."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import NamedTuple

import docx
import openpyxl
import pptx
from pikepdf import Array, Dictionary, Encryption, Name, Stream, String

from compound import compound
from packing import Packing
from pdf_parts import made, saved, text

NAME = "Zwiebelina"
_BOMB = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
_OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
_INSIDE = f'<!DOCTYPE x [<!ENTITY a0 "{NAME}">{_BOMB}]>'


class Bad(NamedTuple):
    """A file: its name, what makes it, and what the refusal of it says, with the way out."""

    name: str
    make: Callable[[], bytes]
    reason: str


def letter() -> bytes:
    """Return a Word document of a line."""
    document, target = docx.Document(), io.BytesIO()
    document.add_paragraph(f"Seen: {NAME}.")
    document.save(target)
    return target.getvalue()


def book() -> bytes:
    """Return a workbook of one person."""
    made_here, target = openpyxl.Workbook(), io.BytesIO()
    made_here.active.append(["Name", "City"])
    made_here.active.append([NAME, "Ghent"])
    made_here.save(target)
    return target.getvalue()


def slides() -> bytes:
    """Return a slide with a title."""
    show, target = pptx.Presentation(), io.BytesIO()
    show.slides.add_slide(show.slide_layouts[0]).shapes.title.text = NAME
    show.save(target)
    return target.getvalue()


def page() -> bytes:
    """Return a PDF file of a line."""
    return saved(made(text(NAME)))


def zipped(**files: bytes) -> bytes:
    """Return a ZIP file; "__" in a name is its dot."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in files.items():
            package.writestr(name.replace("__", "."), content)
    return target.getvalue()


def locked() -> bytes:
    """Return what Office makes of a document with a password: a compound file with a package that is encrypted."""
    return compound({"EncryptionInfo": bytes(300), "EncryptedPackage": NAME.encode() * 900})


def _locked_zip() -> bytes:
    content = bytearray(zipped(a__md=NAME.encode()))
    for place in (content.index(b"PK\x03\x04") + 6, content.index(b"PK\x01\x02") + 8):
        content[place] |= 1
    return bytes(content)


def _bomb(content: bytes, name: str, kind: str) -> bytes:
    packing = Packing(content)
    packing.add(name, bytes(257 << 20), kind)
    return packing.content()


def _typed(content: bytes, name: str, start: str, doctype: str) -> bytes:
    packing = Packing(content)
    packing.replace(name, start, f"{doctype}{start}")
    packing.replace(name, NAME, f"{NAME}&a{'' if doctype == _OUTSIDE else '11'};")
    return packing.content()


def _vertical() -> bytes:
    letters = sorted(set(NAME))
    rows = "".join(f"<{ord(letter):04x}> <{ord(letter):04x}> " for letter in letters)
    codes = "".join(f"{ord(letter):04x}" for letter in NAME)
    pdf = made(f"BT /F2 12 Tf 300 700 Td <{codes}> Tj ET".encode())
    info = Dictionary(Registry=String("Adobe"), Ordering=String("Identity"), Supplement=0)
    below = Dictionary(Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name.X, CIDSystemInfo=info)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type0, BaseFont=Name.X, DescendantFonts=Array([below]))
    font.Encoding = Name("/Identity-V")
    font.ToUnicode = pdf.make_stream(f"begincmap {len(letters)} beginbfchar {rows} endbfchar endcmap".encode())
    pdf.pages[0].obj.Resources.Font.F2 = font
    return saved(pdf)


def _untold() -> bytes:
    odd = Dictionary(
        Type=Name.Font, Subtype=Name.TrueType, BaseFont=Name("/ABCDEF+Odd"), FirstChar=1, LastChar=9,
        Widths=Array([500] * 9),
    )  # fmt: skip
    return saved(made(b"BT /F2 12 Tf 72 700 Td (\x01\x02\x03\x04\x05) Tj ET", F2=odd))


def _forms() -> bytes:
    pdf = made(b"/Fm1 Do " + text(NAME))
    below: Stream | None = None
    for _ in range(60):
        resources = Dictionary(XObject=Dictionary(Fm1=below)) if below is not None else Dictionary()
        about = {"/Type": Name.XObject, "/Subtype": Name.Form, "/BBox": Array([0, 0, 9, 9]), "/Resources": resources}
        below = pdf.make_indirect(Stream(pdf, b"/Fm1 Do", about))
    pdf.pages[0].obj.Resources.XObject = Dictionary(Fm1=below)
    return saved(pdf)


def _mail(kind: str, body: bytes) -> bytes:
    head = f"From: a@example.org\nSubject: {NAME}\nMIME-Version: 1.0\nContent-Type: {kind}\n\n"
    return head.encode() + body


def _fhir(more: str) -> bytes:
    return f'{{"resourceType": "Patient", "name": [{{"family": "{NAME}"}}]{more}}}'.encode()


_MODIFIER = f', "modifierExtension": [{{"url": "https://a.example/x", "valueString": "{NAME}"}}]'
_ADT = f"MSH|^~\\&|||||||ADT^A01|7|P|2.5.1\rPID|||||{NAME}\r".encode()
_CUE = f"WEBVTT\n\n00:01.000 --> 00:02.000\n{NAME}\n".encode()
_SHEET, _BODY, _SLIDE = "xl/worksheets/sheet1.xml", "word/document.xml", "ppt/slides/slide1.xml"
BAD = [
    Bad("truncated.docx", lambda: letter()[:9000], "not a complete ZIP file.*save it again"),
    Bad("truncated.xlsx", lambda: book()[:-200], "not a complete ZIP file.*save it again"),
    Bad("truncated.pptx", lambda: slides()[:9000], "not a complete ZIP file.*save it again"),
    Bad("truncated.pdf", lambda: page()[:-60], "not a complete PDF.*print it to a new file"),
    Bad("truncated.msg", lambda: compound({"a": bytes(9000)})[:2000], "not a complete message.*save it again"),
    Bad("truncated.eml", lambda: _mail("multipart/mixed; boundary=x", b"--x\n\nx\n"), "end is missing"),
    Bad("truncated.json", lambda: _fhir("")[:-1], "not JSON"),
    Bad("truncated.ndjson", lambda: _fhir("") + b"\n" + _fhir("")[:-9], "not JSON"),
    Bad("truncated.zip", lambda: zipped(a__md=NAME.encode())[:-9], "not a complete ZIP file.*save it again"),
    Bad("password.docx", locked, "locked by a password.*save"),
    Bad("password.xlsx", locked, "locked by a password.*save"),
    Bad("password.pptx", locked, "locked by a password.*save"),
    Bad("password.pdf", lambda: saved(made(text(NAME)), encryption=Encryption(owner="o", user="u")),
        "locked by a password.*save"),
    Bad("password.zip", _locked_zip, "locked by a password.*save"),
    Bad("bomb.docx", lambda: _bomb(letter(), "word/media/a.png", "image/png"), "times as large.*take it apart"),
    Bad("bomb.xlsx", lambda: _bomb(book(), "xl/x.bin", "a/b"), "times as large.*take it apart"),
    Bad("bomb.pptx", lambda: _bomb(slides(), "ppt/x.bin", "a/b"), "times as large.*take it apart"),
    Bad("bomb.zip", lambda: zipped(a__md=bytes(257 << 20)), "times as large.*take it apart"),
    Bad("bomb in a bomb.zip", lambda: zipped(a__zip=zipped(a__md=bytes(257 << 20))), "times as large.*take it apart"),
    Bad("entities.docx", lambda: _typed(letter(), _BODY, "<w:document", _INSIDE), "document type|not XML.*save"),
    Bad("entities.xlsx", lambda: _typed(book(), _SHEET, "<worksheet ", _INSIDE), "sheet|XML|document type"),
    Bad("entities.pptx", lambda: _typed(slides(), _SLIDE, "<p:sld ", _INSIDE), "document type|not XML.*save"),
    Bad("outside.docx", lambda: _typed(letter(), _BODY, "<w:document", _OUTSIDE), "document type|not XML.*save"),
    Bad("outside.xlsx", lambda: _typed(book(), _SHEET, "<worksheet ", _OUTSIDE), "sheet|XML|document type"),
    Bad("outside.pptx", lambda: _typed(slides(), _SLIDE, "<p:sld ", _OUTSIDE), "document type|not XML.*save"),
    Bad("a workbook.docx", book, "another file of Office"),
    Bad("a letter.xlsx", letter, "another file of Office"),
    Bad("a page.docx", page, "it is a PDF file"),
    Bad("a letter.pdf", letter, "not a complete PDF"),
    Bad("a letter.msg", letter, "not a complete message"),
    Bad("a letter.eml", letter, "does not begin"),
    Bad("a letter.txt", letter, "not valid UTF-8"),
    Bad("a letter.html", letter, "null characters|encoding"),
    Bad("a letter.json", letter, "UTF-8"),
    Bad("a letter.hl7", letter, "."),
    Bad("a letter.vtt", letter, "."),
    Bad("a text.docx", NAME.encode, "no .docx file"),
    Bad("a text.zip", NAME.encode, "not a complete ZIP file"),
    Bad("subtitles.srt", lambda: _ADT, "."),
    Bad("notes.hl7", lambda: _CUE, "."),
    Bad("forms without end.pdf", _forms, "inside one another"),
    Bad("no table of characters.pdf", _untold, "without a table of its characters"),
    Bad("modifier.json", lambda: _fhir(_MODIFIER), "changes what its element means"),
]  # fmt: skip


def _full_cell() -> bytes:
    full, target = openpyxl.Workbook(), io.BytesIO()
    full.active.append([f"{NAME[:4]} " * 6_553])
    full.save(target)
    return target.getvalue()


LATE = [
    Bad("vertical.pdf", _vertical, "text from top to bottom.*print it to a new file"),
    Bad("full cell.xlsx", _full_cell, "would be longer than 32,767 characters"),
]
"""Files that can be read, and not be written with another text."""
