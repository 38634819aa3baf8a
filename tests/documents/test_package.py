from __future__ import annotations

import io
import re
import zipfile

import docx
import openpyxl
import pytest

from office import walked
from packing import Packing, every_string
from sfumato.documents.office.package import Output, opened
from sfumato.documents.rules import Refused
from slide_makers import slides
from word_makers import document, para

_SECRET = "Kanari"


def _workbook() -> bytes:
    target = io.BytesIO()
    openpyxl.Workbook().save(target)
    return target.getvalue()


def _changed(name: str, old: str, new: str) -> bytes:
    pack = Packing(document())
    pack.replace(name, old, new)
    return pack.content()


def _without(name: str) -> bytes:
    pack = Packing(document())
    del pack.members[name]
    return pack.content()


_MAIN = "word/document.xml"
_ENTITIES = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
_WRONG = {
    "nothing": (b"", "it is no .docx file"),
    "a text": (b"Kanari", "it is no .docx file"),
    "an old document, or a locked one": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "password|Office 97"),
    "an RTF file": (b"{\\rtf1 Kanari}", "RTF"),
    "a PDF file": (b"%PDF-1.7 Kanari", "PDF"),
    "half a file": (document()[:9000], "complete ZIP file"),
    "a workbook": (_workbook(), "another file of Office"),
    "slides": (slides(), "another file of Office"),
    "another ZIP file": (
        Packing(document()).content().replace(b"[Content_Types].xml", b"[Kanarienvogel].xml"), "no file of Office",
    ),
    "no main part": (_without(_MAIN), "no .docx file"),
    "bombs of entities": (
        _changed(_MAIN, "<w:document", f'<!DOCTYPE x [<!ENTITY a0 "Kanari">{_ENTITIES}]><w:document'),
        "document type|not XML",
    ),
    "an entity from outside": (
        _changed(
            _MAIN, "<w:document", '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document'
        ).replace(b"Seen", b"&a;"),
        "document type|not XML",
    ),
    "an entity in relationships": (
        _changed("word/_rels/document.xml.rels", "<Relationships", '<!DOCTYPE x [<!ENTITY a "b">]><Relationships'),
        "document type",
    ),
    "XML that is broken": (_changed(_MAIN, "</w:body>", "<Kanari>"), "not XML"),
    "XML that is too deep": (
        _changed(_MAIN, "<w:sectPr", f"{'<w:p>' * 400}{'</w:p>' * 400}<w:sectPr"), "not XML|not as",
    ),
    "strict XML": (
        _changed("_rels/.rels", "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument",
                 "http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument"), "Strict",
    ),
}  # fmt: skip


@pytest.mark.parametrize("wrong", _WRONG)
def test_what_cannot_be_read_is_refused_with_a_reason(wrong: str) -> None:
    content, reason = _WRONG[wrong]
    with pytest.raises(Refused, match=reason) as raised:
        walked("a.docx", content)
    assert _SECRET not in str(raised.value)
    assert raised.value.__context__ is None
    assert raised.value.__cause__ is None


def test_a_damaged_member_is_refused() -> None:
    content = bytearray(document())
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        place = package.getinfo(_MAIN).header_offset + 200
    content[place : place + 40] = bytes(40)
    with pytest.raises(Refused) as raised:
        walked("a.docx", bytes(content))
    assert raised.value.__context__ is None


def test_a_bomb_is_refused() -> None:
    pack = Packing(document())
    pack.add("word/media/image7.png", bytes(300 << 20), "image/png")
    with pytest.raises(Refused, match="times as large"):
        walked("a.docx", pack.content())


def test_a_document_with_macros_is_written_as_one_without() -> None:
    pack = Packing(document())
    pack.replace(
        "[Content_Types].xml",
        "openxmlformats-officedocument.wordprocessingml.document.main",
        "ms-word.document.macroEnabled.main",
    )
    pack.add("word/vbaProject.bin", b"Kanari", "application/vnd.ms-office.vbaProject")
    pack.relate(_MAIN, "http://schemas.microsoft.com/office/2006/relationships/vbaProject", "vbaProject.bin", "rId77")
    released = walked("a.docx", pack.content()).content
    assert docx.Document(io.BytesIO(released)).paragraphs
    assert not re.search("vba|macroEnabled|Kanari", every_string(released))


def test_names_of_parts_and_ids_of_relationships_that_tell_something_are_numbered() -> None:
    pack = Packing(document())
    header = next(name for name in pack.members if name.startswith("word/header"))
    pack.members["word/Kanari of Ghent.xml"] = pack.members.pop(header)
    pack.replace("[Content_Types].xml", header, "word/Kanari of Ghent.xml")
    rels = "word/_rels/document.xml.rels"
    pack.replace(rels, header.removeprefix("word/"), "Kanari%20of%20Ghent.xml")
    id = re.search(r'w:headerReference[^>]*r:id="([^"]*)"', pack.members[_MAIN].decode())[1]  # type: ignore[index]
    pack.replace(rels, f'"{id}"', '"Kanari_id"')
    pack.replace(_MAIN, f'r:id="{id}"', 'r:id="Kanari_id"')
    seen = walked("a.docx", pack.content())
    assert "Header of Ghent" in seen.texts.values()
    assert _SECRET not in every_string(seen.content)
    assert docx.Document(io.BytesIO(seen.content)).sections[0].header.paragraphs[0].text == "Header of Ghent"
    assert walked("a.docx", seen.content).texts == seen.texts


def test_a_part_that_two_lead_to_is_walked_once_and_loops_end() -> None:
    pack = Packing(document())
    header = next(name for name in pack.members if name.startswith("word/header"))
    pack.relate(_MAIN, "header", header.removeprefix("word/"), "rId78")
    pack.relate(header, "header", header.removeprefix("word/"), "rId1")
    pack.relate(header, "footer", "document.xml", "rId2")
    assert list(walked("a.docx", pack.content()).texts.values()).count("Header of Ghent") == 1


def test_what_leads_nowhere_is_not_written() -> None:
    pack = Packing(document())
    pack.relate(_MAIN, "header", "not there.xml", "rId79")
    pack.replace(
        _MAIN,
        "<w:sectPr",
        f'{para("x")}<w:p><w:hyperlink r:id="rId404"><w:r><w:t>y</w:t></w:r></w:hyperlink></w:p><w:sectPr',
    )
    released = every_string(walked("a.docx", pack.content()).content)
    assert "not there" not in released
    assert "rId404" not in released


def test_a_package_that_is_copied_part_by_part_opens_again() -> None:
    target = io.BytesIO()
    with opened(io.BytesIO(document()), ".docx") as package:
        reached = {relation.part for _, relation in package.reached()}
        preview = next(relation.part for relation in package.of_kind("", "thumbnail"))
        package.drop(preview)
        output = Output(package, target)
        output.begin()
        for name in [each for each in package.names if each in reached]:
            output.add(name, package.read(name))
            output.add_relations(name)
        output.end()
    made = zipfile.ZipFile(target)
    assert preview not in made.namelist()
    assert b"thumbnail" not in made.read("_rels/.rels") + made.read("[Content_Types].xml")
    assert {info.date_time for info in made.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert docx.Document(target).paragraphs[0].text == "Report"


def test_without_a_target_nothing_is_written_and_the_same_is_yielded() -> None:
    from sfumato.documents.office import word
    from sfumato.documents.rules import Visit

    texts = {slot.place: slot.text for slot in word.walk(io.BytesIO(document()), Visit(), None)}
    assert texts == walked("a.docx", document()).texts
