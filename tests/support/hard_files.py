"""Files that are hard to release and must be: each holds a name in a place that is easily passed over."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from typing import Any

import docx
import openpyxl
import pikepdf
import pptx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from openpyxl.styles import Alignment
from pikepdf import Array, Dictionary, Name, String
from pptx.util import Inches

from pdf_parts import made, saved, text

NAME = "Zwiebelina"
HEBREW = "דנהלי"
MANY = 10_000


def _saved(document: Any) -> bytes:
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def _set(parent: Any, tag: str, **values: str) -> None:
    element = OxmlElement(tag)
    for name, value in values.items():
        element.set(qn(f"w:{name}"), value)
    parent.append(element)


def comments_of_word() -> bytes:
    """Return a Word document with very many comments."""
    document = docx.Document()
    run = document.add_paragraph("Seen.").add_run("x")
    document.add_comment(run, text="first", author="A", initials="A")
    part = document.part._comments_part
    for number in range(1, MANY):
        comment = OxmlElement("w:comment")
        comment.set(qn("w:id"), str(number))
        comment.set(qn("w:author"), NAME)
        paragraph = OxmlElement("w:p")
        words = OxmlElement("w:r")
        shown = OxmlElement("w:t")
        shown.text = f"{NAME} {number}"
        words.append(shown)
        paragraph.append(words)
        comment.append(paragraph)
        part.element.append(comment)
    return _saved(document)


def comments_of_a_pdf() -> bytes:
    """Return a PDF file with very many notes on a page."""
    pdf = made(text("Seen."))
    pdf.pages[0].obj.Annots = Array([
        pdf.make_indirect(Dictionary(
            Type=Name.Annot, Subtype=Name.Text, Rect=Array([9, 9, 20, 20]), Contents=String(f"{NAME} {number}"),
            T=String(NAME),
        ))
        for number in range(MANY)
    ])  # fmt: skip
    return saved(pdf, object_stream_mode=pikepdf.ObjectStreamMode.generate)


def comments_of_a_page() -> bytes:
    """Return a page with very many comments in its source."""
    return ("<p>Seen." + "".join(f"<!-- {NAME} {number} -->x" for number in range(MANY))).encode()


def right_to_left_in_word() -> bytes:
    """Return a paragraph from right to left whose name is in two runs, beside one in Latin letters."""
    document = docx.Document()
    paragraph = document.add_paragraph()
    _set(paragraph._p.get_or_add_pPr(), "w:bidi")
    for words in ("ראינו את ", HEBREW[:2], HEBREW[2:], f" ואת \u200f{NAME}\u200f."):
        _set(paragraph.add_run(words)._r.get_or_add_rPr(), "w:rtl")
    return _saved(document)


def right_to_left_in_a_workbook() -> bytes:
    """Return a sheet from right to left."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.sheet_view.rightToLeft = True
    sheet.append(["שם", "Name"])
    sheet.append([HEBREW, NAME])
    sheet["A2"].alignment = Alignment(readingOrder=2)
    return _saved(book)


def right_to_left_on_a_slide() -> bytes:
    """Return a slide with a paragraph from right to left."""
    show = pptx.Presentation()
    title = show.slides.add_slide(show.slide_layouts[0]).shapes.title
    title.text = f"{HEBREW} {NAME}"
    title.text_frame.paragraphs[0]._p.get_or_add_pPr().set("rtl", "1")
    return _saved(show)


def right_to_left_on_a_page() -> bytes:
    """Return a page from right to left, with signs that turn the direction."""
    inside = f"<bdo dir=ltr>\u202b{HEBREW}\u202c</bdo> <bdi>{NAME[:4]}<b>{NAME[4:]}</b></bdi>"
    return f"<html dir=rtl lang=he><meta charset=utf-8><p>{inside}".encode()


def vertical_in_word() -> bytes:
    """Return a table whose cells run from top to bottom."""
    document = docx.Document()
    table = document.add_table(1, 2)
    for cell, direction in zip(table.rows[0].cells, ("tbRl", "btLr"), strict=True):
        cell.text = NAME
        _set(cell._tc.get_or_add_tcPr(), "w:textDirection", val=direction)
    return _saved(document)


def vertical_in_a_workbook() -> bytes:
    """Return cells that are turned, and one whose letters stand on one another."""
    book = openpyxl.Workbook()
    for column, turned in enumerate((90, 255), 1):
        cell = book.active.cell(1, column, NAME)
        cell.alignment = Alignment(textRotation=turned)
    return _saved(book)


def vertical_on_a_slide() -> bytes:
    """Return boxes whose text runs from top to bottom."""
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    for number, direction in enumerate(("eaVert", "vert270", "wordArtVert")):
        box = slide.shapes.add_textbox(Inches(number), Inches(1), Inches(1), Inches(3))
        box.text_frame.text = NAME
        box.text_frame._txBody.bodyPr.set("vert", direction)
    return _saved(show)


def merged_in_word() -> bytes:
    """Return a table with cells that are merged across and down."""
    document = docx.Document()
    table = document.add_table(3, 3)
    table.cell(0, 0).merge(table.cell(0, 2)).text = f"{NAME} across"
    table.cell(1, 0).text = NAME
    table.cell(2, 0).text = NAME
    table.cell(1, 0).merge(table.cell(2, 1))
    return _saved(document)


def merged_in_a_workbook() -> bytes:
    """Return a sheet with merged cells; the covered one still holds a value in the file."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Name", "City", "Note"])
    sheet.append([NAME, None, f"{NAME} called"])
    sheet.append([NAME, "Ghent", "x"])
    sheet.merge_cells("A2:B3")
    return _saved(book)


def merged_on_a_slide() -> bytes:
    """Return a table of a slide with merged cells."""
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    table = slide.shapes.add_table(2, 2, 0, 0, Inches(4), Inches(1)).table
    table.cell(0, 1).text = NAME
    table.cell(1, 1).text = NAME
    table.cell(0, 0).merge(table.cell(1, 1))
    return _saved(show)


def formulas() -> bytes:
    """Return formulas that hold a name, whole and in pieces."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Greeting", "Name"])
    sheet.append([f'="{NAME} "&B2', "Ghent"])
    sheet.append([f'="{NAME[:3]}"&"{NAME[3:]}"', f'=IF(A2="{NAME}","{NAME}",CONCATENATE("{NAME[:5]}","{NAME[5:]}"))'])
    return _saved(book)


def _mail(
    subject: str, body: str, subtype: str = "plain", charset: str = "utf-8", cte: str = "base64"
) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = f"{NAME} <a@example.org>", "b@example.org", subject
    message.set_content(body, subtype=subtype, charset=charset, cte=cte)
    return message


def mail() -> bytes:
    """Return a mail in which a name lies in five encodings, one in the other.

    References of characters, in UTF-16, in base64, in a mail that a ZIP file holds, which is in base64.
    """
    referred = "".join(f"&#x{ord(letter):x};" for letter in NAME)
    inner = _mail("x", f"<p>Dear {referred}", "html", "utf-16", "base64")
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("inner.eml", inner.as_bytes())
    outer = _mail(f"Über {NAME}", f"Grüße von {NAME}", cte="quoted-printable")
    outer.add_attachment(target.getvalue(), maintype="application", subtype="zip", filename="a.zip")
    return outer.as_bytes()


def fhir() -> bytes:
    """Return a patient with extensions that nobody knows, inside one another and beside a plain value."""
    unknown = {"url": "https://hospital.example/nickname", "valueString": NAME}
    named = {"url": "x", "valueHumanName": {"family": NAME}}
    within = {"url": "https://hospital.example/family", "extension": [unknown, named]}
    patient = {
        "resourceType": "Patient", "id": "a", "extension": [unknown, within], "gender": "female",
        "name": [{"family": NAME, "_family": {"extension": [unknown]}}], "_birthDate": {"extension": [unknown]},
        "contained": [{"resourceType": "Organization", "id": "o", "name": NAME, "extension": [within]}],
    }  # fmt: skip
    return json.dumps(patient).encode()


HARD: dict[str, Callable[[], bytes]] = {
    "comments.docx": comments_of_word,
    "comments.pdf": comments_of_a_pdf,
    "comments.html": comments_of_a_page,
    "right to left.docx": right_to_left_in_word,
    "right to left.xlsx": right_to_left_in_a_workbook,
    "right to left.pptx": right_to_left_on_a_slide,
    "right to left.html": right_to_left_on_a_page,
    "vertical.docx": vertical_in_word,
    "vertical.xlsx": vertical_in_a_workbook,
    "vertical.pptx": vertical_on_a_slide,
    "merged.docx": merged_in_word,
    "merged.xlsx": merged_in_a_workbook,
    "merged.pptx": merged_on_a_slide,
    "formulas.xlsx": formulas,
    "encodings.eml": mail,
    "extensions.json": fhir,
}
