"""Workbooks: cells are texts, rows are records, and what is written is the same workbook with other texts."""

from __future__ import annotations

import csv
import datetime
import io
from contextlib import suppress
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.worksheet.table import Table

from office import converted, walked
from packing import Packing
from sfumato.documents.rules import Rules
from sfumato.documents.slot import Slot
from workbooks import MAIN, saved, shared, staff

SHEET = "xl/worksheets/sheet1.xml"


def read(content: bytes, **how: Any) -> Any:
    """Return a workbook as openpyxl reads it."""
    return openpyxl.load_workbook(io.BytesIO(content), **how)


def values(content: bytes, sheet: int = 0) -> list[list[Any]]:
    """Return the values of a sheet's cells."""
    return [[cell.value for cell in row] for row in read(content).worksheets[sheet].iter_rows()]


def table_of(rows: list[list[Any]]) -> bytes:
    """Return a workbook of one sheet."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    return saved(book)


def cells(slots: list[Slot]) -> list[tuple[int, str, str, str]]:
    """Return the record, place, lead and text of each cell."""
    return [(slot.record, slot.place, slot.lead, slot.text) for slot in slots if slot.place.startswith("sheet 1, A")]


def test_each_cell_is_a_text_and_each_row_below_the_headings_a_record() -> None:
    slots = walked("a.xlsx", staff(2)).slots
    row = [slot for slot in slots if slot.place.endswith("2") and slot.record == 2]
    assert [slot.place for slot in row] == ["sheet 1, A2", "sheet 1, B2", "sheet 1, C2", "sheet 1, D2"]
    assert [slot.text for slot in row] == ["Anna Keller 0", "12.03.1984", "52,000.00 EUR", "She called twice."]
    assert [slot.lead for slot in row] == ["Name: ", "Born: ", "Salary: ", "Note: "]
    assert [slot.shown for slot in row][:2] == ['sheet "Staff", A2', 'sheet "Staff", B2']
    assert all(slot.fields == dict(zip(("Name", "Born", "Salary", "Note"), [each.text for each in row], strict=True))
               for slot in row)  # fmt: skip
    records = [slot.record for slot in slots]
    assert records == sorted(records)
    assert set(records) == {0, 1, 2, 3}


@pytest.mark.parametrize(("rows", "headed"), [
    ([["Name", "Note"], ["Anna", "x"]], True),
    ([["Staff of 2024"], [], ["Name", "Note"], ["Anna", "x"]], True),
    ([["Note"], ["Anna called."], ["Bo called."]], True),
    ([["Name:", "Anna"], ["Born:", "1984"]], False),
    ([["Name", "Name"], ["Anna", "x"]], False),
    ([["Name", 2024], ["Anna", "x"]], False),
    ([["Name", "Note"]], False),
    ([["Name", "x" * 70], ["Anna", "x"]], False),
    ([["Name", "1"], ["Anna", "x"]], False),
    ([["Name", "=A1"], ["Anna", "x"]], False),
])  # fmt: skip
def test_which_row_names_the_columns(rows: list[list[Any]], headed: bool) -> None:
    slots = [slot for slot in walked("a.xlsx", table_of(rows)).slots if slot.record]
    assert any(slot.fields for slot in slots) == headed
    assert (len({slot.record for slot in slots}) > 1) == headed


def test_a_label_of_a_form_leads_its_field_and_the_form_is_one_record() -> None:
    slots = walked("a.xlsx", table_of([["Name:", "Anna"], ["Born:", "1984"]])).slots
    assert [(slot.lead, slot.text) for slot in slots[1:]] == [
        ("", "Name:"), ("Name: ", "Anna"), ("", "Born:"), ("Born: ", "1984"),
    ]  # fmt: skip


def test_tables_and_filters_say_where_headings_are() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Total", 5], [], ["Name", 2024], ["Anna", 1], ["Bo", 2], ["x", "y"]):
        sheet.append(row)
    sheet["B3"] = "2024"
    sheet.add_table(Table(displayName="People", ref="A3:B5"))
    slots = walked("a.xlsx", saved(book)).slots
    found = {slot.place: (slot.record, slot.lead) for slot in slots}
    assert found["sheet 1, A4"][1] == "Name: "
    assert found["sheet 1, B5"][1] == "2024: "
    assert found["sheet 1, A6"][1] == ""
    assert len({found[f"sheet 1, A{row}"][0] for row in (1, 4, 5, 6)}) == 4
    assert "sheet 1, A3" not in found, "the name of a column is yielded with the table"


def test_values_stay_typed_where_their_new_text_reads_as_one() -> None:
    new = {
        "12.03.1984": "01.04.1984",
        "52,000.00 EUR": "50,000.00 EUR",
        "13.03.1984": "spring of 1984",
        "52,001": "about 52,000",
    }
    content = walked("a.xlsx", staff(3), new).content
    sheet = read(content).active
    assert sheet["B2"].value == datetime.datetime(1984, 4, 1)
    assert sheet["B2"].number_format == "dd.mm.yyyy"
    assert sheet["C2"].value == 50_000
    assert sheet["B3"].value == "spring of 1984"
    assert sheet["C3"].value == "about 52,000.00 EUR"
    assert sheet["B4"].value == datetime.datetime(1984, 3, 14)


def test_two_walks_agree_and_the_written_file_yields_the_new_texts() -> None:
    new = {"Anna": "Bea", "12.03.1984": "01.04.1984", "52,001": "some", "She": "He"}
    first, again = walked("a.xlsx", staff(), new), walked("a.xlsx", staff())
    assert first.texts == again.texts
    written = walked("a.xlsx", first.content)
    assert {(slot.record, slot.place): slot.text for slot in written.slots} == {
        (slot.record, slot.place): slot.new for slot in first.slots
    }
    assert first.content == walked("a.xlsx", staff(), new).content


def test_runs_keep_their_styles() -> None:
    book = openpyxl.Workbook()
    bold = TextBlock(InlineFont(b=True, rFont="Arial"), "Anna Kel")
    book.active["A1"] = CellRichText("Dear ", bold, TextBlock(InlineFont(i=True), "ler!"))
    content = walked("a.xlsx", saved(book), {"Anna Keller": "Bo"}).content
    cell = read(content, rich_text=True).active["A1"].value
    assert [str(each) for each in cell] == ["Dear ", "Bo", "!"]
    assert cell[1].font.b
    assert cell[1].font.rFont == "Arial"
    assert cell[2].font.i


def test_cells_that_share_a_string_are_texts_of_their_own() -> None:
    runs = "<r><rPr><b/></rPr><t>Anna</t></r><r><t xml:space='preserve'> K</t></r><rPh sb='0' eb='1'><t>An</t></rPh>"
    content = shared(["Name", "Note", "Anna_x0041__x005F_x0041_", runs], [[0, 1], [2, 3], [2, 3]])
    work = walked("a.xlsx", content)
    texts = [slot.text for slot in work.slots if slot.place.startswith("sheet 1, ") and slot.record]
    assert texts == ["Name", "Note", "AnnaA_x0041_", "Anna K", "An", "AnnaA_x0041_", "Anna K", "An"]
    packing = Packing(work.content)
    assert not any("sharedStrings" in name for name in packing.members)
    changed = Packing(walked("a.xlsx", content, {"Anna K": "Bo"}).content).members[SHEET].decode()
    assert changed.count('<b/></rPr><t xml:space="preserve">Bo</t>') == 2
    assert "rPh" not in changed, "the reading of a name that changed goes"


def test_formulas_stay_and_their_results_go(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Anna's"
    for row in (["Name", "Pay"], ["Anna", 3], ["Bo", 4]):
        sheet.append(row)
    other = book.create_sheet("Sums")
    other["A1"] = "=SUM('Anna''s'!B2:B3)"
    other["A2"] = "=\"Anna: \"&'Anna''s'!A2"
    before = saved(book)
    result = walked("a.xlsx", before, {"Anna": "Bea", "3": "5"})
    written = read(result.content)
    assert written.sheetnames == ["Sheet 1", "Sums"]
    assert written["Sums"]["A1"].value == "=SUM('Sheet 1'!B2:B3)"
    every = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,2"
    (tmp_path / "out").mkdir()
    rows = _csv(result.content, tmp_path / "out", every, "a-Sums.csv")
    assert rows == [["9"], ["Bea: Bea"]]


def _csv(content: bytes, folder: Path, to: str, name: str) -> list[list[str]]:
    with suppress(FileNotFoundError):  # LibreOffice names the file by the sheet
        converted(content, "a.xlsx", to, folder)
    return list(csv.reader(io.StringIO((folder / name).read_text())))


def test_a_file_without_edits_has_the_same_cells(tmp_path: Path) -> None:
    content = staff(40)
    written = walked("a.xlsx", content).content
    assert values(written) == values(content)
    styles = [
        [[(c.number_format, c.font.name, c.has_style) for c in row] for row in read(each).active]
        for each in (content, written)
    ]
    assert styles[0] == styles[1]
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
    as_shown = [
        _csv(each, tmp_path / name, "csv", "a.csv") for each, name in ((content, "before"), (written, "after"))
    ]
    assert as_shown[0] == as_shown[1]


def test_results_of_formulas_and_of_arrays_are_dropped_or_kept() -> None:
    rows = (
        f'<sheetData xmlns="{MAIN}"><row r="1"><c r="A1" t="str"><f>B1</f><v>Anna</v></c><c r="C1" t="str">'
        '<f t="array" ref="C1:C2">B1:B2</f><v>Anna</v></c><c r="D1"><f t="shared" ref="D1:D2" si="0">E1&amp;"Anna"'
        '</f></c></row><row r="2"><c r="C2" t="str"><v>Anna</v></c><c r="D2" t="str"><f t="shared" si="0"/>'
        "<v>Anna</v></c></row></sheetData>"
    )
    packing = Packing(table_of([["x"]]))
    before, _, after = packing.members[SHEET].decode().partition("<sheetData>")
    packing.members[SHEET] = (before + rows + after.partition("</sheetData>")[2]).encode()
    dropped = walked("a.xlsx", packing.content(), {"Anna": "Bea"})
    sheet = Packing(dropped.content).members[SHEET].decode()
    assert "Anna" not in sheet
    assert '<f t="shared" ref="D1:D2" si="0">E1&amp;"Bea"</f>' in sheet
    assert '<f t="shared" si="0"/>' in sheet
    assert dropped.notes["caches", "drop"] == 4
    kept = Packing(walked("a.xlsx", packing.content(), rules=Rules(caches="keep")).content).members[SHEET].decode()
    assert kept.count("Anna") == 5


def test_dates_since_1904_booleans_errors_and_dates_of_iso() -> None:
    packing = Packing(table_of([["x", datetime.date(1984, 3, 12)]]))
    packing.replace("xl/workbook.xml", "<workbookPr", '<workbookPr date1904="1"')
    packing.replace(SHEET, "</row>", (
        '<c r="D1" t="b"><v>1</v></c><c r="E1" t="e"><v>#N/A</v></c><c r="F1" t="d"><v>1984-03-12</v></c>'
        '<c r="G1" t="b"><v>Anna</v></c><c r="H1"><v>nan</v></c></row>'
    ))  # fmt: skip
    work = walked("a.xlsx", packing.content(), {"1984-03-12": "1985-01-01"})
    assert [slot.text for slot in work.slots if slot.record] == ["x", "1988-03-13", "1984-03-12", "Anna", "nan"]
    sheet = Packing(work.content).members[SHEET].decode()
    assert '<c r="D1" t="b"><v>1</v></c><c r="E1" t="e"><v>#N/A</v></c><c r="F1" t="d"><v>1985-01-01</v></c>' in sheet


def test_hidden_cells_go_by_their_rule() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Name", "Pay"], ["Anna", "hid"], ["hid", 5]):
        sheet.append(row)
    sheet.column_dimensions["B"].hidden = True
    sheet.row_dimensions[3].hidden = True
    other = book.create_sheet("Lists")
    other["A1"] = "hid"
    other.sheet_state = "hidden"
    content = saved(book)
    assert [slot.text for slot in walked("a.xlsx", content).slots].count("hid") == 3
    dropped = walked("a.xlsx", content, rules=Rules(hidden="drop"))
    assert [slot.text for slot in dropped.slots if slot.record] == ["Name", "Anna"]
    assert values(dropped.content) == [["Name", None], ["Anna", None], [None, None]]
    kept = walked("a.xlsx", content, rules=Rules(hidden="keep"))
    assert [slot.text for slot in kept.slots if slot.record] == ["Name", "Anna"]
    assert values(kept.content) == values(content)
    assert kept.notes["hidden", "keep"] == 5
