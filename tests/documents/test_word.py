from __future__ import annotations

import io
import time
import zipfile
from pathlib import Path
from typing import Any

import docx
import pytest
from lxml import etree

from office import converted, pages, strings, walked
from packing import Canaries, Packing, every_string
from sfumato.documents.office import word
from sfumato.documents.office.office_names import long
from sfumato.documents.rules import DROP, KEEP, REFUSE, TREAT, Refused, Rules
from word_makers import document, field, para, planted

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


@pytest.fixture(scope="module")
def canaries() -> tuple[bytes, Canaries]:
    return planted()


def _with(*xml: str) -> bytes:
    pack = Packing(document())
    pack.replace("word/document.xml", "<w:sectPr", "".join(xml) + "<w:sectPr")
    return pack.content()


def _part(content: bytes, name: str = "word/document.xml") -> etree._Element:
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        return etree.fromstring(package.read(name))


def _opened(content: bytes) -> Any:
    return docx.Document(io.BytesIO(content))


def _texts(content: bytes) -> list[str]:
    return [paragraph.text for paragraph in _opened(content).paragraphs]


def test_nothing_that_was_replaced_is_left_in_any_part(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    before = planted_words.found(every_string(content))
    assert len(planted_words.places) - len(before) == 1  # one is written in symbols, letter by letter
    released = walked("a.docx", content, dict.fromkeys(planted_words.places, "Somebody")).content
    assert planted_words.found(every_string(released)) == set()
    assert planted_words.found("\n".join(each.text for each in strings("a.docx", released))) == set()
    assert _opened(released).paragraphs


def test_the_strings_of_a_file_show_every_word_that_the_raw_bytes_hold(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    shown = planted_words.found("\n".join(each.text for each in strings("a.docx", content)))
    hidden = planted_words.found(every_string(content)) - shown
    assert hidden == set()
    by_library = "\n".join(each.text for each in strings("a.docx", content) if not each.raw)
    assert {"text", "over runs", "comment", "header", "text box"} <= planted_words.found(by_library)


@pytest.mark.parametrize(
    "skipped", ["header", "footnotes", "comments", "chart", "diagramData", "numbering", "settings"]
)
def test_the_strings_show_a_part_that_a_walk_skipped(
    canaries: tuple[bytes, Canaries], skipped: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, planted_words = canaries
    kinds: Any = word.WORD.kinds
    monkeypatch.setitem(kinds, skipped, type(kinds[skipped])(kinds[skipped].place, None))
    released = walked("a.docx", content, dict.fromkeys(planted_words.places, "Somebody")).content
    assert planted_words.found("\n".join(each.text for each in strings("a.docx", released)))


def test_two_walks_and_the_walk_over_what_was_written_yield_the_same_places(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    first = walked("a.docx", content, dict.fromkeys(planted_words.places, "Somebody"))
    again = walked("a.docx", content)
    assert first.texts == again.texts
    assert first.content == walked("a.docx", content, dict.fromkeys(planted_words.places, "Somebody")).content
    expected = {slot.place: slot.new for slot in first.slots if slot.new.strip()}
    written = walked("a.docx", first.content).texts
    assert set(written) <= set(expected)
    differ = {place for place in expected if written.get(place) != expected[place]}
    assert {place.split()[-2] for place in differ} == {
        "link",
        "code",
        "cells",
        "name",
    }  # fmt: skip (they lead nowhere, or are numbered)
    assert len(written) > 60


def test_parts_that_rules_keep_stay(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    names = ("properties", "comments", "changes", "descriptions", "links", "names", "caches", "images", "programs")
    kept = walked("a.docx", content, rules=Rules(**dict.fromkeys((*names, "unknown"), KEEP))).content
    left = planted_words.found(every_string(kept))
    assert {
        "own property", "data", "author of a comment", "comment", "author of a change", "deleted", "alternative text",
        "target of a link", "bookmark", "AutoText", "preview", "after a picture", "macro", "object", "font",
        "foreign text", "part of no known kind", "part that nothing leads to", "comment of XML", "path of data",
    } <= left  # fmt: skip
    assert not {"path of a template", "connection", "person", "user", "signature", "hash"} & left


@pytest.mark.parametrize(
    "name", ["properties", "comments", "changes", "descriptions", "links", "hidden", "names", "attachments", "caches",
             "images", "programs", "unknown"],
)  # fmt: skip
def test_a_part_that_is_refused_is_named_without_its_content(canaries: tuple[bytes, Canaries], name: str) -> None:
    content, planted_words = canaries
    with pytest.raises(Refused, match=name) as raised:
        walked("a.docx", content, rules=Rules(**{name: REFUSE}))
    assert not planted_words.found(str(raised.value))
    assert raised.value.__context__ is None


def test_what_rules_drop_is_gone_although_nothing_was_replaced(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    names = ("comments", "descriptions", "links", "hidden", "attachments", "properties")
    left = planted_words.found(
        every_string(walked("a.docx", content, rules=Rules(**dict.fromkeys(names, DROP))).content)
    )
    assert not left & {
        "comment", "alternative text", "tip of a link", "target of a link", "link of a field", "hidden text",
        "document inside", "own property", "variable", "title of a control",
    }  # fmt: skip
    assert {"text", "over runs", "text of a link", "result of field 0"} <= left


def test_properties_that_are_treated_lose_who_and_when(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    seen = walked("a.docx", content, rules=Rules(properties=TREAT))
    yielded = planted_words.found("\n".join(slot.text for slot in seen.slots))
    assert {
        "property title",
        "company",
        "own property",
        "its value",
        "data",
        "attribute of data",
        "variable",
    } <= yielded
    left = planted_words.found(every_string(seen.content))
    assert "property title" in left
    assert not {"property author", "property last_modified_by", "template"} & left
    assert b"1999-12-31" not in seen.content
    assert "1999-12-31" not in every_string(seen.content)


def test_a_name_that_crosses_runs_takes_the_style_of_its_first() -> None:
    released = walked("a.docx", document(), {"Anna Schmidt": "Eva Peeters"}).content
    runs = _opened(released).paragraphs[1].runs
    assert [(run.text, run.bold, run.italic) for run in runs[:4]] == [
        ("Seen: ", None, None), ("Eva Peeters", True, None), ("", None, True), (" of Ghent.", None, None),
    ]  # fmt: skip


def test_a_document_without_edits_keeps_what_is_seen() -> None:
    before, after = (
        _opened(document()),
        _opened(walked("a.docx", document()).content),
    )
    assert [each.text for each in after.paragraphs] == [each.text for each in before.paragraphs]
    assert [each.style.name for each in after.paragraphs] == [each.style.name for each in before.paragraphs]
    assert after.tables[0].style.name == before.tables[0].style.name
    assert [cell.text for cell in after.tables[0]._cells] == [cell.text for cell in before.tables[0]._cells]
    assert after.sections[0].header.paragraphs[0].text == "Header of Ghent"
    comment = next(iter(after.comments))
    assert (comment.text, comment.author, comment.initials, comment.timestamp) == (
        "A comment on Anna",
        "Author",
        "A",
        None,
    )


def test_edits_may_hold_and_cover_tabs_and_breaks() -> None:
    content = _with(
        "<w:p><w:r><w:t>Ann</w:t><w:tab/><w:t>Lee</w:t><w:br/><w:t>end</w:t></w:r></w:p>", para("Ann Lee")
    )
    seen = walked("a.docx", content, {"Ann\tLee": "Eva", "Ann Lee": "Eva\nor\tAda"})
    assert [each for each in _texts(seen.content) if each.startswith("Eva")] == ["Eva\nend", "Eva\nor\tAda"]


def test_signs_that_word_writes_as_elements_are_read() -> None:
    symbols = '<w:sym w:font="Arial" w:char="F063"/><w:sym w:font="Wingdings" w:char="F04A"/>'
    signs = f"<w:noBreakHyphen/><w:t>Lena S</w:t><w:softHyphen/>{symbols}"
    content = _with(f"<w:p><w:r><w:t>Anna</w:t>{signs}</w:r></w:p>")
    assert "Anna-Lena S\u00adc\uf04a" in walked("a.docx", content).texts.values()


def test_tracked_changes_are_accepted_by_default() -> None:
    by = 'w:id="1" w:author="Who" w:date="2020-01-01T00:00:00Z"'
    mark = f"<w:pPr><w:rPr><w:del {by}/></w:rPr></w:pPr>"
    content = _with(
        f"<w:p>{mark}<w:r><w:t>An</w:t></w:r></w:p>",
        f"<w:p><w:r><w:t>na</w:t></w:r><w:del {by}><w:r><w:delText>bel</w:delText></w:r></w:del>"
        f"<w:ins {by}><w:del {by}><w:r><w:delText>x</w:delText></w:r></w:del>"
        "<w:r><w:t> Schmidt</w:t></w:r></w:ins></w:p>",
        f"<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:trPr><w:del {by}/></w:trPr>"
        f"<w:tc>{para('gone')}</w:tc></w:tr></w:tbl>",
    )
    seen = walked("a.docx", content)
    assert "Anna Schmidt" in seen.texts.values()
    assert not {"gone", "bel", "x"} & set(seen.texts.values())
    assert not [*_part(seen.content).iter(long("w:ins"), long("w:del"), long("w:tr"))][4:]


def test_the_text_of_a_deletion_is_read_after_what_stands_before_it() -> None:
    by = 'w:id="1" w:author="Who" w:date="2020-01-01T00:00:00Z"'
    deleted = f"<w:del {by}><w:r><w:delText>na</w:delText></w:r></w:del><w:ins {by}><w:r><w:t>ja</w:t></w:r></w:ins>"
    content = _with(f"<w:p><w:r><w:t>An</w:t></w:r>{deleted}<w:r><w:t>.</w:t></w:r></w:p>")
    seen = walked("a.docx", content, {"na": "XX"}, Rules(changes=TREAT))
    assert [(slot.lead, slot.text) for slot in seen.slots if slot.place.endswith("other 1")] == [("An", "na")]
    assert "Anja." in seen.texts.values()
    change = next(_part(seen.content).iter(long("w:del")))
    assert "".join(change.itertext()) == "XX"
    assert dict(change.attrib) == {long("w:id"): "1", long("w:author"): "Author"}


def test_both_copies_of_a_text_box_stay_alike(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    boxes = [slot for slot in walked("a.docx", content).slots if planted_words.found(slot.text) == {"text box"}]
    assert len(boxes) == 1
    released = _part(walked("a.docx", content, {boxes[0].text: "Once"}).content)
    assert ["".join(box.itertext()) for box in released.iter(long("w:txbxContent"))] == ["Once", "Once"]


def test_both_copies_of_a_diagram_stay_alike(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    texts = [slot for slot in walked("a.docx", content).slots if planted_words.found(slot.text) == {"diagram"}]
    assert len(texts) == 1
    released = walked("a.docx", content, {texts[0].text: "Once"}).content
    for name in ("data1", "drawing1"):
        assert "Once" in "".join(_part(released, f"word/diagrams/{name}.xml").itertext())


@pytest.mark.parametrize(
    ("code", "new"),
    [
        (' HYPERLINK "mailto:anna@x.org" ', ' HYPERLINK "about:blank" '),
        (' HYPERLINK "https://x.org/Anna%20Lee" \\o "Lee" ', ' HYPERLINK "about:blank" '),
        (" MERGEFIELD anna \\* MERGEFORMAT ", " MERGEFIELD XX \\* MERGEFORMAT "),
        (' TOC \\o "1-3" \\h \\z \\u ', ' TOC \\o "1-3" \\h \\z \\u '),
        (" PAGEREF _Toc12345678 \\h ", " PAGEREF _Toc12345678 \\h "),
        (" REF annas_mark \\h ", " REF bookmark1 \\h "),
        (' DATE \\@ "dd.MM.yyyy" ', ' DATE \\@ "dd.MM.yyyy" '),
        (" ADDIN anna ", None),
    ],
)
def test_codes_of_fields(code: str, new: str | None) -> None:
    content = _with(f"<w:p>{field(code, 'Result')}</w:p>")
    seen = walked("a.docx", content, {"anna": "XX", "Anna Lee": "XX"})
    codes = "".join(each.text or "" for each in _part(seen.content).iter(long("w:instrText")))
    assert codes == (new or "")
    assert "Result" in _texts(seen.content)
    assert len([*_part(seen.content).iter(long("w:fldChar"))]) == (3 if new else 0)


def test_bookmarks_and_styles_of_peoples_choice_are_numbered_wherever_they_are_named(
    canaries: tuple[bytes, Canaries],
) -> None:
    content, _ = canaries
    released = walked("a.docx", content).content
    root = _part(released)
    names = {each.get(long("w:name")) for each in root.iter(long("w:bookmarkStart"))}
    assert names == {"bookmark2"}  # a field before it names another
    style = next(
        each.get(long("w:val")) for each in root.iter(long("w:pStyle")) if each.get(long("w:val"))[-1].isdigit()
    )
    assert style in {each.get(long("w:styleId")) for each in _part(released, "word/styles.xml").iter(long("w:style"))}
    assert _opened(released).paragraphs[1].style.name.startswith("Kanari")  # its name is a text


def test_hidden_text_goes_with_its_style_too() -> None:
    content = _with(
        '<w:p><w:r><w:rPr><w:rStyle w:val="Ghost"/></w:rPr><w:t>unseen</w:t></w:r><w:r><w:t>seen</w:t></w:r></w:p>'
    )
    pack = Packing(content)
    style = (
        '<w:style w:type="character" w:styleId="Ghost"><w:name w:val="Ghost"/><w:rPr><w:vanish/></w:rPr></w:style>'
    )
    pack.replace("word/styles.xml", "</w:styles>", f"{style}</w:styles>")
    assert "unseenseen" in walked("a.docx", pack.content()).texts.values()
    assert "seen" in walked("a.docx", pack.content(), rules=Rules(hidden=DROP)).texts.values()
    with pytest.raises(Refused, match="hidden"):
        walked("a.docx", pack.content(), rules=Rules(hidden=REFUSE))


def test_a_picture_that_is_dropped_leaves_its_place() -> None:
    content, _ = planted()
    released = _opened(walked("a.docx", content).content)
    assert len(released.inline_shapes) == len(_opened(content).inline_shapes)
    blank = {part.partname for part in released.part.package.iter_parts() if part.content_type.startswith("image/")}
    assert all(str(name).endswith(".png") for name in blank)


@pytest.mark.parametrize("word_count", [10_000])
def test_many_comments_are_read_in_seconds(word_count: int) -> None:
    pack = Packing(document())
    name = next(name for name in pack.members if name.startswith("word/comments"))
    many = "".join(
        f'<w:comment w:id="{number}" w:author="Who" w:initials="W">{para(f"Anna {number}")}</w:comment>'
        for number in range(5, word_count)
    )
    pack.replace(name, "</w:comments>", f"{many}</w:comments>")
    begun = time.process_time()
    seen = walked("a.docx", pack.content(), {"Anna": "Eva"})
    assert time.process_time() - begun < 10
    assert len(seen.slots) > word_count - 10


def test_a_paragraph_of_many_runs_is_read_in_seconds() -> None:
    content = _with("<w:p>", "<w:r><w:t>Anna </w:t></w:r>" * 100_000, "</w:p>")
    begun = time.process_time()
    seen = walked("a.docx", content, {"Anna": "Eva"})
    assert time.process_time() - begun < 30
    assert "Eva Eva" in every_string(seen.content)
    assert "Anna Anna" not in every_string(seen.content)


def test_programs_open_what_was_written_and_show_as_many_pages(
    canaries: tuple[bytes, Canaries], tmp_path: Path
) -> None:
    content, planted_words = canaries
    released = walked("a.docx", content, dict.fromkeys(planted_words.places, "Somebody")).content
    before, after = (tmp_path / "before", tmp_path / "after")
    before.mkdir()
    after.mkdir()
    assert (
        pages(converted(released, "a.docx", "pdf", after)) == pages(converted(content, "a.docx", "pdf", before)) > 2
    )


def test_a_cell_is_read_with_the_name_of_its_column_or_of_its_row() -> None:
    def table(*rows: tuple[str, ...]) -> str:
        cells = ["".join(f"<w:tc>{para(text)}</w:tc>" for text in row) for row in rows]
        return f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(f'<w:tr>{each}</w:tr>' for each in cells)}</w:tbl><w:p/>"

    content = _with(
        table(("Name", "Age", "City"), ("Anna", "42", "Ghent")), table(("Surgeon", "Lee"), ("Patient", "Peeters"))
    )
    leads = {slot.text: slot.lead for slot in walked("a.docx", content, {"Age": "Alter", "Surgeon": "x"}).slots}
    assert (leads["Anna"], leads["42"], leads["Ghent"], leads["Name"]) == ("Name: ", "Age: ", "City: ", "")
    assert (leads["Lee"], leads["Peeters"], leads["Patient"]) == ("Surgeon: ", "Patient: ", "")


def test_the_macro_of_a_field_goes_however_it_looks() -> None:
    data = '<w:ffData><w:name w:val="Text1"/><w:entryMacro w:val="fischhaber"/><w:textInput/></w:ffData>'
    begin = f'<w:r><w:fldChar w:fldCharType="begin">{data}</w:fldChar><w:instrText>FORMTEXT</w:instrText></w:r>'
    packing = Packing(document())
    packing.replace(
        "word/document.xml", "<w:sectPr", f'<w:p>{begin}<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p><w:sectPr'
    )
    new = Packing(walked("a.docx", packing.content()).content).members["word/document.xml"]
    assert b"ffData" in new
    assert b"fischhaber" not in new
