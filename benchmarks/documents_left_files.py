"""Make a letter, a workbook, a report, a mail, a bundle and a message, with another canary in each part of each."""

from __future__ import annotations

import itertools
import json
import zipfile
from base64 import b64encode
from collections.abc import Callable
from email.message import EmailMessage
from functools import partial
from io import BytesIO
from typing import Any

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


_NUMBERS = itertools.count(256)


def canary() -> str:
    """Return a word that no other part of any file has, in letters alone."""
    number, letters = next(_NUMBERS), ""
    while number:
        letters, number = letters + chr(ord("a") + number % 16), number // 16
    return f"Qz{letters}qz"


class Canaries(dict[str, str]):
    """The canary of each part of a file, by the part; a part gets one when it is first asked for."""

    def __missing__(self, part: str) -> str:
        self[part] = canary()
        return self[part]

    __call__ = __missing__


def letter() -> tuple[bytes, Canaries]:
    """Return a DOCX by python-docx, and what it cannot make by hand."""
    import docx
    from docx.oxml import parse_xml
    from docx.oxml.ns import qn

    c = Canaries()
    document = docx.Document()
    document.add_paragraph(f"Dear {c['paragraph']}, hello.")
    runs = document.add_paragraph("Dear ")
    name = c["name over two runs"]
    runs.add_run(name[:3]).bold = True
    runs.add_run(name[3:])
    document.add_table(1, 1).cell(0, 0).text = c["cell of a table"]
    document.sections[0].header.paragraphs[0].text = c["header"]
    document.sections[0].footer.paragraphs[0].text = c["footer"]
    for tag, inner, text in (
        ("ins", "t", c["tracked insertion"]), ("del", "delText", c["tracked deletion"]),
    ):  # fmt: skip
        author = c[f"author of a tracked {'insertion' if tag == 'ins' else 'deletion'}"]
        document.add_paragraph()._p.append(
            parse_xml(
                f'<w:{tag} xmlns:w="{W}" w:id="7" w:author="{author}"><w:r><w:{inner}>{text}</w:{inner}></w:r>'
                f"</w:{tag}>"
            )
        )
    hidden = document.add_paragraph().add_run(c["hidden text"])
    hidden.font.hidden = True
    field = f'<w:fldSimple xmlns:w="{W}" w:instr=" AUTHOR {c["code of a field"]} "><w:r>'
    field += f"<w:t>{c['result of a field']}</w:t></w:r></w:fldSimple>"
    document.add_paragraph()._p.append(parse_xml(field))
    box = (
        f'<w:r xmlns:w="{W}" xmlns:v="urn:schemas-microsoft-com:vml"><w:pict><v:shape alt="{c["alternative text"]}">'
        f"<v:textbox><w:txbxContent><w:p><w:r><w:t>{c['text box']}</w:t></w:r></w:p></w:txbxContent></v:textbox>"
        "</v:shape></w:pict></w:r>"
    )
    document.add_paragraph()._p.append(parse_xml(box))
    link = document.part.relate_to(
        f"https://example.org/{c['target of a link']}",
        docx.opc.constants.RELATIONSHIP_TYPE.HYPERLINK,
        is_external=True,
    )
    paragraph = document.add_paragraph()
    element = parse_xml(f'<w:hyperlink xmlns:w="{W}"><w:r><w:t>{c["text of a link"]}</w:t></w:r></w:hyperlink>')
    element.set(qn("r:id"), link)
    paragraph._p.append(element)
    run = document.add_paragraph("see").runs[0]
    document.add_comment(run, text=c["comment"], author=c["author of a comment"], initials="x")
    document.core_properties.author = c["author"]
    document.core_properties.title = c["title"]
    saved = BytesIO()
    document.save(saved)
    notes = f'<w:footnotes xmlns:w="{W}"><w:footnote w:id="2"><w:p><w:r><w:t>{c["footnote"]}</w:t></w:r></w:p>'
    parts = {
        "word/footnotes.xml": notes + "</w:footnote></w:footnotes>",
        "customXml/item9.xml": f"<data><name>{c['custom XML']}</name></data>",
    }
    return _with(saved.getvalue(), parts), c


def _with(package: bytes, parts: dict[str, str]) -> bytes:
    """Return an Office package with more parts, which are declared and related."""
    target = BytesIO()
    with zipfile.ZipFile(BytesIO(package)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "[Content_Types].xml":
                kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
                more = f'<Override PartName="/word/footnotes.xml" ContentType="{kind}"/></Types>'
                content = content.replace(b"</Types>", more.encode())
            if name == "word/_rels/document.xml.rels":
                base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
                more = f'<Relationship Id="rN1" Type="{base}/footnotes" Target="footnotes.xml"/>'
                more += f'<Relationship Id="rN2" Type="{base}/customXml" Target="../customXml/item9.xml"/>'
                content = content.replace(b"</Relationships>", f"{more}</Relationships>".encode())
            new.writestr(name, content)
        for name, text in parts.items():
            new.writestr(name, text)
    return target.getvalue()


def workbook() -> tuple[bytes, Canaries]:
    """Return an XLSX by openpyxl."""
    import openpyxl
    from openpyxl.comments import Comment
    from openpyxl.workbook.defined_name import DefinedName
    from openpyxl.worksheet.datavalidation import DataValidation

    c = Canaries()
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = c["name of a sheet"]
    sheet.append(["Name", "Remark", "Formula"])
    for number in range(4):
        sheet.append([c["cell"] if number < 3 else "nobody", f"seen by {c['cell among other words']}", None])
    sheet["C2"] = f'="to "&"{c["text in a formula"]}"'
    sheet["A2"].comment = Comment(c["comment"], c["author of a comment"])
    sheet["B3"].hyperlink = f"mailto:{c['target of a link']}@example.org"
    sheet.oddHeader.left.text = c["header of a page"]
    sheet.sheet_properties.codeName = "Sheet1"
    sheet["D1"] = c["heading"]
    rule = DataValidation(type="list", formula1=f'"{c["list of choices"]},other"', promptTitle="choose")
    rule.prompt = c["prompt of a cell"]
    sheet.add_data_validation(rule)
    rule.add("D2")
    hidden = book.create_sheet("archive")
    hidden["A1"] = "Name"
    hidden["A2"] = c["hidden sheet"]
    hidden.sheet_state = "hidden"
    book.defined_names["staff"] = DefinedName("staff", attr_text=f'"{c["defined name"]}"')
    book.properties.creator = c["author"]
    book.properties.keywords = c["keywords"]
    saved = BytesIO()
    book.save(saved)
    return saved.getvalue(), c


def report() -> tuple[bytes, Canaries]:
    """Return a PDF by reportlab, and annotations, fields and hidden parts by pikepdf."""
    import pikepdf
    from pikepdf import Array, Dictionary, Name, String
    from reportlab.pdfgen.canvas import Canvas

    c = Canaries()
    saved = BytesIO()
    canvas = Canvas(saved, invariant=1)
    canvas.drawString(72, 720, f"Patient {c['text of a page']} came by.")
    canvas.bookmarkPage("one")
    canvas.addOutlineEntry(c["bookmark"], "one")
    canvas.setTitle(c["title"])
    canvas.acroForm.textfield(
        name=c["name of a field"], value=c["value of a field"], x=72, y=600, width=200, height=20
    )
    canvas.linkURL(f"https://example.org/{c['target of a link']}", (72, 500, 200, 520))
    text = canvas.beginText(72, 400)
    text.setTextRenderMode(3)
    text.textLine(c["invisible text"])
    canvas.drawText(text)
    canvas.save()
    with pikepdf.open(BytesIO(saved.getvalue())) as pdf:
        note = Dictionary(
            Type=Name.Annot, Subtype=Name.Text, Rect=[10, 10, 30, 30], Contents=String(c["comment"]),
            T=String(c["author of a comment"]),
        )  # fmt: skip
        pdf.pages[0].Annots = Array([*pdf.pages[0].get("/Annots", Array()), pdf.make_indirect(note)])
        pdf.attachments["list.txt"] = pikepdf.AttachedFileSpec(pdf, c["attached file"].encode())
        pdf.Root.OpenAction = Dictionary(S=Name.JavaScript, JS=String(f"app.alert('{c['script']}')"))
        pdf.Root.PieceInfo = Dictionary(App=Dictionary(Private=String(c["data of a program"])))
        with pdf.open_metadata(update_docinfo=False, set_pikepdf_as_editor=False) as xmp:
            xmp["dc:description"] = c["XMP"]
        target = BytesIO()
        pdf.save(target, static_id=True)
    return target.getvalue(), c


def mail(attachments: bool = True) -> tuple[bytes, Canaries]:
    """Return a mail with two bodies, and two attachments."""
    c = Canaries()
    message = EmailMessage()
    message["From"] = f"{c['name of the sender']} <{c['address of the sender']}@example.org>"
    message["To"] = f"{c['name of a receiver']} <b@example.org>"
    message["Subject"] = f"About {c['subject']}"
    message["Message-ID"] = f"<{c['Message-ID']}@example.org>"
    message["Received"] = f"from {c['Received']}.example.org by mx.example.org"
    message["X-Note"] = c["header of a program"]
    message.set_content(f"Dear {c['plain body']},\n\nsee below.")
    page = (
        f"<html><head><title>{c['title of the page']}</title></head><body><!-- {c['comment of the page']} -->"
        f"<p>Dear {c['body of the page']}</p><img alt='{c['alternative text']}' src='cid:1'>"
        f"<a href='https://example.org/{c['target of a link']}'>x</a><p style='display:none'>{c['hidden text']}</p>"
        "</body></html>"
    )
    message.add_alternative(page, subtype="html")
    if not attachments:
        return message.as_bytes(), c
    message.add_attachment(f"Name: {c['attached text']}", filename=f"{c['name of a file']}.txt")
    kind = {"maintype": "application", "subtype": "vnd.openxmlformats-officedocument.spreadsheetml.sheet"}
    message.add_attachment(_attached_book(c), filename="book.xlsx", **kind)
    return message.as_bytes(), c


def _attached_book(c: Canaries) -> bytes:
    import openpyxl
    from openpyxl.comments import Comment

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["A2"] = "Name", c["cell of an attached workbook"]
    sheet["A2"].comment = Comment(c["comment of an attached workbook"], "x")
    saved = BytesIO()
    book.save(saved)
    return saved.getvalue()


def bundle() -> tuple[bytes, Canaries]:
    """Return a Bundle of FHIR R4."""
    c = Canaries()
    div = f"<div xmlns='http://www.w3.org/1999/xhtml'><p>{c['narrative']}</p>"
    div += f"<img src='x' alt='{c['alternative text']}'/></div>"
    birth = {"url": "http://hl7.org/fhir/StructureDefinition/x", "valueString": c["_birthDate"]}
    patient: dict[str, Any] = {
        "resourceType": "Patient",
        "id": c["id"],
        "meta": {"source": f"https://example.org/{c['meta.source']}"},
        "text": {"status": "generated", "div": div},
        "extension": [{"url": "https://example.org/x", "valueString": c["extension"]}],
        "identifier": [{"system": "https://example.org/mrn", "value": c["identifier"]}],
        "name": [{"family": c["family name"], "given": [c["given name"]]}],
        "_birthDate": {"extension": [birth]},
        "contact": [{"name": {"text": c["name of a contact"]}}],
        "contained": [{"resourceType": "Organization", "id": "o", "name": c["contained resource"]}],
    }
    note = b64encode(f"Seen on the ward: {c['attachment']}".encode()).decode()
    document: dict[str, Any] = {
        "resourceType": "DocumentReference",
        "status": "current",
        "subject": {"reference": f"Patient/{c['id']}", "display": c["display of a reference"]},
        "content": [
            {"attachment": {"contentType": "text/plain", "data": note, "title": c["title of an attachment"]}}
        ],
    }
    entries = [
        {"fullUrl": f"https://{c['server']}.example.org/Patient/1", "resource": patient},
        {"resource": document},
    ]
    return json.dumps({"resourceType": "Bundle", "type": "collection", "entry": entries}).encode(), c


def message() -> tuple[bytes, Canaries]:
    """Return a message of HL7 v2."""
    c = Canaries()
    data = b64encode(f"Seen on the ward: {c['file in OBX-5']}".encode()).decode()
    lines = [
        f"MSH|^~\\&|LAB|{c['sending facility']}|||20200102||ORU^R01|{c['control id']}|P|2.5.1",
        f"PID|1||{c['id']}^^^H^MR||{c['family name']}^{c['given name']}||19700304|F|||{c['street']}^^Rome",
        f"NK1|1|{c['next of kin']}^Bob",
        f"PV1|1|I|ICU^1|||||7^{c['doctor']}^John",
        f"ROL|1|AD|AT|7^{c['role']}^Eva",
        f"OBX|1|TX|R^Report^L||Patient \\H\\{c['text in OBX-5']}\\N\\ came||||||F",
        f"OBX|2|ED|D^Doc^L||^text^plain^Base64^{data}||||||F",
        f"OBX|3|CWE|D^Doc^L||^{c['term in OBX-5']}||||||F",
        f"NTE|1||{c['note']}",
        f"ZPI|1|{c['Z segment']}",
    ]
    return "".join(f"{line}\r" for line in lines).encode(), c


FILES: dict[str, Callable[[], tuple[bytes, Canaries]]] = {
    "letter.docx": letter, "table.xlsx": workbook, "report.pdf": report, "reply.eml": partial(mail, False),
    "mail.eml": mail, "bundle.json": bundle, "message.hl7": message,
}  # fmt: skip
