"""Every part of a workbook that holds text: words are planted in all of them, and none is left."""

from __future__ import annotations

import io
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.worksheet.table import Table

from office import converted, pages, strings, walked
from packing import MICROSOFT, Canaries, Packing, every_string
from sfumato.documents.rules import DROP, KEEP, REFUSE, Refused, Rules
from sfumato.documents.sheets import (
    sheet_drawings,
    sheet_notes,
    sheet_page,
    sheet_strings,
    sheet_tail,
    sheet_workbook,
)
from workbook_parts import as_of_excel
from workbooks import full, saved, staff

pytestmark = pytest.mark.filterwarnings("ignore:.*extension is not supported")  # openpyxl leaves them out
GONE = {
    "algorithm", "code name", "code name of a sheet", "descriptor", "name of a file", "name of a member", "odd cell",
    "path", "printer", "sharing", "user of a scenario", "view",
}  # fmt: skip
"""What is never kept: machines, programs and persons, and what has no place in a workbook."""
KEPT = {
    "properties": {"creator", "title", "keywords", "company", "property", "custom data", "custom text"},
    "comments": {"author", "comment", "comment of no row", "person", "reply", "thread", "user", "comment of a name"},
    "changes": {"revision"},
    "descriptions": {"alternative text", "alternative text of a picture", "name of a shape", "tooltip"},
    "links": {"link"},
    "hidden": {"hidden row", "hidden column", "cell of a hidden sheet", "under a merge", "scenario"},
    "names": {"sheet name", "name of a hidden sheet", "defined name", "table", "name of a style", "protected area"},
    "caches": {
        "result",
        "array",
        "filter",
        "elsewhere",
        "pivot record",
        "shared item",
        "query",
        "slicer",
        "data model",
    },
    "images": {"picture"},
    "programs": {"macro", "object", "control", "macro of a control", "macro of a shape", "program of an object"},
    "unknown": {"orphan", "part of an odd kind", "rich value", "odd text", "odd attribute", "odd text of a sheet"},
}


@pytest.fixture(scope="module")
def planted() -> tuple[Canaries, bytes]:
    words = Canaries()
    return words, full(words).content()


def new(words: Canaries) -> dict[str, str]:
    """Return what each planted word becomes."""
    return {word: f"Neu{number}" for number, word in enumerate(words.places)}


def test_no_word_that_was_planted_is_left(planted: tuple[Canaries, bytes]) -> None:
    words, content = planted
    assert words.found(every_string(content)) == set(words.places.values())
    work = walked("a.xlsx", content, new(words))
    assert words.found(every_string(work.content)) == set()
    assert words.found("\n".join(each.text for each in strings("a.xlsx", work.content))) == set()
    openpyxl.load_workbook(io.BytesIO(work.content))
    written = walked("a.xlsx", work.content)
    assert words.found("\n".join(slot.text + slot.place for slot in written.slots)) == set()
    numbered = ("name", "style", "protected area", "link", "reading")
    texts = {(slot.record, slot.place): slot.text for slot in written.slots}
    for slot in work.slots:
        if not any(each in slot.place for each in numbered):
            assert texts[slot.record, slot.place] == slot.new


def test_places_and_errors_hold_no_text(planted: tuple[Canaries, bytes]) -> None:
    words, content = planted
    work = walked("a.xlsx", content)
    assert words.found(" ".join(slot.place for slot in work.slots)) == set()
    assert words.found(" ".join(f"{slot!r}" for slot in work.slots)) == set()


@pytest.mark.parametrize("part", sorted(KEPT))
def test_what_is_kept_stays_and_what_is_refused_is_named(planted: tuple[Canaries, bytes], part: str) -> None:
    words, content = planted
    kept = walked("a.xlsx", content, new(words), Rules(**{part: KEEP}))
    assert words.found(every_string(kept.content)) >= KEPT[part]
    assert kept.notes[part, KEEP] > 0
    if getattr(Rules(), part) != DROP:
        dropped = walked("a.xlsx", content, new(words), Rules(**{part: DROP}))
        assert words.found(every_string(dropped.content)) == set()
    with pytest.raises(Refused, match=rf"refuses \({part}\) at [a-z]") as refused:
        walked("a.xlsx", content, new(words), Rules(**{part: REFUSE}))
    assert words.found(str(refused.value)) == set()


def test_with_all_kept_only_what_is_of_machines_and_programs_goes(planted: tuple[Canaries, bytes]) -> None:
    words, content = planted
    kept = walked("a.xlsx", content, None, Rules(**{each.name: KEEP for each in fields(Rules)}))
    assert set(words.places.values()) - words.found(every_string(kept.content)) == GONE


@pytest.mark.parametrize(("owner", "handler", "left"), [
    (sheet_notes.Notes, "_note", {"comment"}),
    (sheet_notes.Notes, "_thread", {"thread", "reply"}),
    (sheet_tail, "_validations", {"list", "prompt", "list of an extension"}),
    (sheet_tail, "_formats", {"condition", "condition of a text"}),
    (sheet_tail, "_attribute", {"tooltip", "prompt", "scenario"}),
    (sheet_page, "walk_tail", {"header", "footer", "scenario"}),
    (sheet_workbook, "_defined", {"value of a name", "comment of a name"}),
    (sheet_drawings, "_TREATMENTS", {"series", "text box", "chart title"}),
])  # fmt: skip
def test_the_guard_notices_a_part_that_is_skipped(
    planted: tuple[Canaries, bytes], monkeypatch: pytest.MonkeyPatch, owner: Any, handler: str, left: set[str]
) -> None:
    words, content = planted

    def skipped(*arguments: Any, **_: Any) -> Any:
        if handler == "_TREATMENTS":
            part, element = arguments
            part.taken.update(element.iter())
        return iter(())

    monkeypatch.setattr(
        owner, handler, dict.fromkeys(("a:p", "c:v"), skipped) if handler == "_TREATMENTS" else skipped
    )
    work = walked("a.xlsx", content, new(words))
    assert words.found("\n".join(each.text for each in strings("a.xlsx", work.content))) >= left
    assert words.found(every_string(work.content)) >= left


def test_nothing_is_unknown_in_what_excel_writes() -> None:
    packing = as_of_excel(Packing(staff()))
    work = walked("a.xlsx", packing.content(), rules=Rules(unknown=REFUSE))
    members = Packing(work.content).members
    assert not any(b"Kanari" in content or b"{0000" in content for content in members.values())
    assert b"dyDescent" not in members["xl/worksheets/sheet1.xml"]
    assert openpyxl.load_workbook(io.BytesIO(work.content)).active["A2"].value == "Anna Keller 0"


def test_names_of_sheets_follow_into_formulas_links_and_charts(planted: tuple[Canaries, bytes]) -> None:
    words, content = planted
    packing = Packing(walked("a.xlsx", content, new(words)).content)
    assert b"'Sheet 1'!A2" in packing.members["xl/worksheets/sheet1.xml"]
    assert b"location=\"'Sheet 1'!A1\"" in packing.members["xl/worksheets/sheet1.xml"]
    assert b"'Sheet 1'!$A$1:$D$3" in packing.members["xl/workbook.xml"]
    assert b"SUM(Table_1[B])" in packing.members["xl/worksheets/sheet2.xml"]


def test_a_heading_of_a_table_and_its_column_change_together() -> None:
    book = openpyxl.Workbook()
    for row in (["Anna", "B"], ["x", 1], ["Total", 1]):
        book.active.append(row)
    book.active["D1"] = "=SUM(People[Anna])"
    table = Table(displayName="People", ref="A1:B3", totalsRowCount=1)
    book.active.add_table(table)
    table._initialise_columns()
    table.tableColumns[0].name, table.tableColumns[1].name = "Anna", "B"
    table.tableColumns[0].totalsRowLabel = "Total"
    content = walked("a.xlsx", saved(book), {"Anna": "Bea]", "Total": "Sum of Bo"}).content
    sheet = openpyxl.load_workbook(io.BytesIO(content)).active
    assert sheet["A1"].value == "Bea]"
    assert sheet["D1"].value == "=SUM(People[Bea']])"
    column = sheet.tables["People"].tableColumns[0]
    assert (column.name, column.totalsRowLabel, sheet["A3"].value) == ("Bea]", "Sum of Bo", "Sum of Bo")


def test_threads_stay_threads_without_their_persons(planted: tuple[Canaries, bytes]) -> None:
    words, content = planted
    work = walked("a.xlsx", content, new(words))
    members = Packing(work.content).members
    threads = members["xl/threadedComments/threadedComment1.xml"].decode()
    assert threads.count("<threadedComment ") == 2
    assert "parentId" in threads
    assert "mention" not in threads
    assert "dT" not in threads
    notes = next(text.decode() for name, text in members.items() if "comments/comment" in name)
    thread, reply = (slot.new for slot in work.slots if "thread" in slot.place)
    assert f"Comment:\n    {thread}\nReply:\n    {reply}" in notes
    boxes = next(text.decode() for name, text in members.items() if name.endswith(".vml"))
    assert boxes.count("<v:shape ") == 2


def test_a_large_file_is_searched_without_what_is_beside_its_cells_and_its_raw_parts_in_full(
    planted: tuple[Canaries, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    words, content = planted
    kept = walked("a.xlsx", content, None, Rules(properties=KEEP, hidden=KEEP)).content
    every = words.found("\n".join(each.text for each in strings("a.xlsx", kept)))
    monkeypatch.setattr(sheet_strings, "_FULLY", 0)
    seen = strings("a.xlsx", kept)
    assert words.found("\n".join(each.text for each in seen)) == every
    assert {"cell", "formula", "hidden row"} <= words.found("\n".join(each.text for each in seen if not each.raw))
    assert {"text box", "comment", "creator"} <= words.found("\n".join(each.text for each in seen if each.raw))


def test_a_workbook_inside_a_chart_is_walked_too() -> None:
    book = openpyxl.load_workbook(io.BytesIO(staff(1)))
    chart = BarChart()
    chart.add_data(Reference(book.active, min_col=3, min_row=1, max_row=2), titles_from_data=True)
    book.active.add_chart(chart)
    packing = Packing(saved(book))
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    packing.add("xl/embeddings/Microsoft_Excel_Sheet1.xlsx", staff(2), kind)
    packing.relate("xl/charts/chart1.xml", "package", "../embeddings/Microsoft_Excel_Sheet1.xlsx", "rId1")
    work = walked("a.xlsx", packing.content(), {"Anna": "Bea"})
    assert work.texts["file 1, sheet 1, A3"] == "Anna Keller 1"
    assert "Anna" not in every_string(work.content)
    records = [slot.record for slot in work.slots]
    assert records == sorted(records)


def test_a_formula_that_leads_to_another_workbook_becomes_its_result() -> None:
    packing = Packing(saved(openpyxl.Workbook()))
    sheet = "xl/worksheets/sheet1.xml"
    rows = (
        '<row r="1"><c r="A1" t="str"><f>[1]S!A1</f><v>Anna</v></c><c r="B1"><f t="shared" ref="B1:B2" si="0">'
        "[1]S!B1</f><v>5"
        '</v></c><c r="C1"><f>[1]S!C1</f></c></row><row r="2"><c r="B2"><f t="shared" si="0"/><v>6</v></c></row>'
    )
    packing.members[sheet] = re.sub(
        rb"<sheetData ?/>|<sheetData></sheetData>", f"<sheetData>{rows}</sheetData>".encode(), packing.members[sheet]
    )
    work = walked("a.xlsx", packing.content(), {"Anna": "Bea"})
    cells = openpyxl.load_workbook(io.BytesIO(work.content)).active
    assert [[cell.value for cell in row] for row in cells.iter_rows()] == [["Bea", 5, "#REF!"], [None, 6, None]]
    kept = openpyxl.load_workbook(io.BytesIO(walked("a.xlsx", packing.content(), rules=Rules(caches=KEEP)).content))
    assert kept.active["A1"].value == "=[1]S!A1"


def test_pictures_of_headers_and_boxes_of_comments_are_told_apart() -> None:
    book = openpyxl.load_workbook(io.BytesIO(staff(1)))
    book.active["A2"].comment = Comment("Anna", "x")
    packing = Packing(saved(book))
    picture = '<xml xmlns:o="urn:schemas-microsoft-com:office:office"><a o:title="Anna"/></xml>'
    kind = "application/vnd.openxmlformats-officedocument.vmlDrawing"
    packing.add("xl/drawings/vmlDrawing9.vml", picture, kind)
    packing.relate("xl/worksheets/sheet1.xml", "vmlDrawing", "../drawings/vmlDrawing9.vml", "rId9")
    work = walked("a.xlsx", packing.content(), {"Anna": "Bea"})
    members = Packing(work.content).members
    assert sum(name.endswith(".vml") for name in members) == 1
    assert members["[Content_Types].xml"].count(b"vmlDrawing") == 1
    assert "Anna" not in every_string(work.content)
    kept = walked("a.xlsx", packing.content(), {"Anna": "Bea"}, Rules(images=KEEP))
    assert sum(name.endswith(".vml") for name in Packing(kept.content).members) == 2


def test_a_workbook_with_macros_stays_one_without_them() -> None:
    packing = Packing(staff())
    kind = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
    packing.replace(
        "[Content_Types].xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml", kind
    )
    packing.add("xl/vbaProject.bin", b"Anna", "application/vnd.ms-office.vbaProject")
    packing.relate("xl/workbook.xml", f"{MICROSOFT}/2006/relationships/vbaProject", "vbaProject.bin", "rId99")
    members = Packing(walked("a.xlsm", packing.content()).content).members
    assert kind.encode() in members["[Content_Types].xml"]
    assert "xl/vbaProject.bin" not in members
    assert b"vbaProject" not in members["xl/_rels/workbook.xml.rels"]


def test_comments_are_of_the_record_of_their_row() -> None:
    book = openpyxl.load_workbook(io.BytesIO(staff(3)))
    book.active["A3"].comment = Comment("Anna is ill.", "Dr. Who")
    book.active["B3"].hyperlink = "mailto:anna%40x.org"
    slots = walked("a.xlsx", saved(book)).slots
    row = {slot.place: slot for slot in slots if slot.record == 3}
    assert row["sheet 1, A3, comment 1"].text == "Anna is ill."
    assert row["sheet 1, B3, link 1"].text == "mailto:anna@x.org"
    assert row["sheet 1, A3, comment 1"].fields["Name"] == "Anna Keller 1"


def test_a_sheet_of_macros_becomes_an_empty_sheet() -> None:
    packing = Packing(staff())
    packing.replace("xl/workbook.xml", "</sheets>", (
        '<sheet name="Macro" sheetId="9" r:id="rId77" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/></sheets>'
    ))  # fmt: skip
    packing.add("xl/macrosheets/sheet1.xml", "<x>Anna</x>", "application/vnd.ms-excel.macrosheet+xml")
    packing.relate(
        "xl/workbook.xml", f"{MICROSOFT}/2006/relationships/xlMacrosheet", "macrosheets/sheet1.xml", "rId77"
    )
    content = walked("a.xlsx", packing.content()).content
    assert openpyxl.load_workbook(io.BytesIO(content)).sheetnames == ["Staff", "Macro"]
    assert "Anna<" not in every_string(content).replace("Anna Keller", "")


def test_libreoffice_opens_what_is_written_and_it_looks_the_same(
    planted: tuple[Canaries, bytes], tmp_path: Path
) -> None:
    words, content = planted
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
    before = converted(content, "a.xlsx", "pdf", tmp_path / "before")
    work = walked("a.xlsx", content, new(words))
    after = converted(work.content, "a.xlsx", "pdf", tmp_path / "after")
    assert pages(after) == pages(before)


def test_a_sheet_does_not_tell_how_wide_a_name_was_exactly() -> None:
    """Programs fit a column to its longest text, and say from there where boxes and charts lie."""

    def content(width: float, offset: int) -> bytes:
        book = openpyxl.Workbook()
        sheet = book.active
        assert sheet is not None
        sheet.append(["Name", "Age"])
        sheet["A1"].comment = Comment("seen", "x")
        sheet.column_dimensions["A"].width = width
        sheet.add_chart(BarChart(), "D5")
        packing = Packing(saved(book))
        boxes = next(name for name in packing.members if name.endswith(".vml"))
        anchor = f"<ns2:Anchor>1, {offset // 9525}, 0, 2, 3, {offset // 9525}, 4, 1</ns2:Anchor><ns2:AutoFill>"
        packing.replace(boxes, "<ns2:AutoFill>", anchor)
        drawing = next(name for name in packing.members if "drawings/drawing" in name)
        packing.replace(drawing, "colOff>0<", f"colOff>{offset}<")
        return packing.content()

    first, second = (walked("x.xlsx", content(*each)).content for each in ((12.71, 19050), (13.29, 95250)))
    one, other = Packing(first).members, Packing(second).members
    assert one == other
    assert b'width="14.0"' in one["xl/worksheets/sheet1.xml"]
