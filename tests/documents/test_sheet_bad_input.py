"""Workbooks that are damaged, locked, made to harm, or very large."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.worksheet.datavalidation import DataValidation

from office import walked
from packing import Packing
from sfumato.documents.rules import Refused
from workbooks import saved, shared, staff

SHEET, BOOK = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
ENTITY = '<!DOCTYPE a [<!ENTITY b "Anna">]>'


def changed(name: str, old: str, new: str) -> bytes:
    """Return a workbook in which a part is another one."""
    packing = Packing(staff())
    packing.replace(name, old, new)
    return packing.content()


def without(name: str) -> bytes:
    packing = Packing(staff())
    del packing.members[name]
    return packing.content()


BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "no .xlsx file"),
    "text": (lambda: b"Anna", "no .xlsx file"),
    "locked": (lambda: b"\xd0\xcf\x11\xe0" + bytes(600), "locked by a password"),
    "truncated": (lambda: staff()[:-200], "not a complete ZIP file"),
    "no workbook": (lambda: without(BOOK), "no .xlsx file"),
    "no sheet": (lambda: without(SHEET), "sheet 1 is not in the file"),
    "no types": (lambda: without("[Content_Types].xml"), "no file of Office"),
    "entity": (lambda: changed(SHEET, "<worksheet", f"{ENTITY}<worksheet"), "sheet 1 is not a sheet"),
    "entity of the workbook": (lambda: changed(BOOK, "<workbook", f"{ENTITY}<workbook"), "document type"),
    "broken sheet": (lambda: changed(SHEET, "</sheetData>", "</sheet>"), "sheet 1 is not a sheet"),
    "broken styles": (lambda: changed("xl/styles.xml", "</styleSheet>", ""), "not XML"),
    "column too far": (lambda: changed(SHEET, 'r="B2"', 'r="ZZZ2"'), "sheet 1, row 2: a cell has a place"),
    "cells out of order": (lambda: changed(SHEET, 'r="B2"', 'r="A2"'), "sheet 1, row 2: a cell has a place"),
    "cell of another row": (lambda: changed(SHEET, 'r="B2"', 'r="B9"'), "sheet 1, row 2: a cell has a place"),
    "row twice": (lambda: changed(SHEET, '<row r="3"', '<row r="1"'), "sheet 1: the row after row 2"),
    "row too far": (lambda: changed(SHEET, '<row r="4"', '<row r="1048577"'), "the row after row 3"),
    "no cells": (lambda: changed(SHEET, "sheetData>", "other>"), "sheet 1"),
    "string that is not there": (lambda: shared(["a"], [[0, 1]]), "sheet 1, B1: its text is not in the file"),
    "one row without an end": (
        lambda: changed(SHEET, "</sheetData>", f'<row r="9">{"<c/>" * 5_000_000}</row></sheetData>'),
        "too long to be read",
    ),
    "one text without an end": (
        lambda: changed(SHEET, "</row>", f'<c r="Z1" t="str"><v>{"A" * 11_000_000}</v></c></row>'),
        "sheet 1 is not a sheet",
    ),
    "bomb": (lambda: _with_zeros(), "times as large"),
    "macros of another format": (
        lambda: changed("[Content_Types].xml", "spreadsheetml.sheet.main+xml", "wordprocessingml.document.main+xml"),
        "another file of Office",
    ),
}  # fmt: skip


def _with_zeros() -> bytes:
    packing = Packing(staff())
    packing.add("xl/x.bin", bytes(300 << 20), "a/b")
    return packing.content()


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_refused_without_its_content(name: str) -> None:
    make, reason = BAD[name]
    content = make()
    with pytest.raises(Refused, match=reason) as refused:
        walked("a.xlsx", content)
    assert refused.value.__context__ is None
    assert refused.value.__cause__ is None
    assert "Anna" not in str(refused.value)


def test_other_ways_to_write_xml_are_read() -> None:
    packing = Packing(staff())
    sheet = packing.members[SHEET].decode()
    wide = '<?xml version="1.0" encoding="UTF-16"?>' + sheet.partition("?>")[2] if "?>" in sheet else sheet
    before = [slot.text for slot in walked("a.xlsx", packing.content()).slots]
    packing.members[SHEET] = f"<!-- Anna -->{sheet[sheet.index('<worksheet') :]}<!-- Anna -->".encode()
    assert [slot.text for slot in walked("a.xlsx", packing.content()).slots] == before
    packing.members[SHEET] = wide.encode("utf-16")
    assert [slot.text for slot in walked("a.xlsx", packing.content()).slots] == before
    named = sheet[sheet.index("<worksheet") :].replace("</", "\0").replace("<", "<x:").replace("\0", "</x:")
    packing.members[SHEET] = named.replace("xmlns=", "xmlns:x=").encode()
    work = walked("a.xlsx", packing.content(), {"Anna": "Bea"})
    assert [slot.text for slot in work.slots] == before
    assert openpyxl.load_workbook(io.BytesIO(work.content)).active["A2"].value == "Bea Keller 0"


def test_the_longest_cell_is_written_and_a_longer_one_refused() -> None:
    book = openpyxl.Workbook()
    book.active["A1"] = "Anna " * 6_553
    content = saved(book)
    assert walked("a.xlsx", content, {"Anna": "Beat"}).slots[-1].text == "Anna " * 6_553
    with pytest.raises(Refused, match=r"sheet 1, A1 would be longer than 32,767 characters"):
        walked("a.xlsx", content, {"Anna": "Beatrice"})


def test_a_list_of_a_validation_may_not_grow_too_long() -> None:
    book = openpyxl.Workbook()
    names = DataValidation("list", '"Anna,Bo"')
    names.add("A1")
    book.active.add_data_validation(names)
    with pytest.raises(Refused, match="sheet 1, validation 1 would be longer than 255"):
        walked("a.xlsx", saved(book), {"Anna": "B" * 300})


def test_ten_thousand_comments() -> None:
    book = openpyxl.Workbook()
    for row in range(1, 10_001):
        book.active.cell(row, 1, row).comment = Comment(f"Anna {row}", "me")
    work = walked("a.xlsx", saved(book), {"Anna": "Bea"})
    comments = [slot for slot in work.slots if "comment" in slot.place]
    assert len(comments) == 10_000
    assert b"Anna" not in next(text for name, text in Packing(work.content).members.items() if "comments/" in name)


_MEASURED = """
import resource, sys
from sfumato.documents.formats import format_of
from sfumato.documents.rules import Visit
from sfumato.documents.slot import Edit
with open(sys.argv[1], "rb") as file, open(sys.argv[2], "wb") as target:
    for slot in format_of("a.xlsx").walk(file, Visit(), target):
        slot.edits = [Edit(0, 4, "Bea")] if slot.text.startswith("Anna") else []
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    peaks = list[int]()
    for rows in (500, 10_000):
        texts = ["Name", "Note", *(f"Anna Keller {number}, who called" for number in range(2 * rows))]
        content = shared(texts, [[0, 1], *([2 * row + 2, 2 * row + 3] for row in range(rows))])
        (tmp_path / "in.xlsx").write_bytes(content)
        command = [sys.executable, "-c", _MEASURED, str(tmp_path / "in.xlsx"), str(tmp_path / "out.xlsx")]
        peaks.append(int(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        assert f"Bea Keller {rows}," in Packing((tmp_path / "out.xlsx").read_bytes()).members[SHEET].decode()
    assert peaks[1] - peaks[0] < 8 << 10, "kilobytes"
