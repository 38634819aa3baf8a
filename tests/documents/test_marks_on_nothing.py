"""Marks on nothing: in files that hold nobody, the detector marks no word of a program, a format or a heading."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import docx
import openpyxl
import pytest

import sfumato as sf
from nobody_files import FILES, MONTHS, is_date_of_program, marks, saved
from office import converted, walked


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_marked_in_a_file_that_holds_nobody(name: str) -> None:
    slots = walked(name, FILES[name]()).slots
    assert [mark for mark in marks(slots) if not is_date_of_program(mark[0], mark[2])] == []
    # The guard sees something: read as values, the same texts are marked.
    assert len(marks([replace(slot, public=False) for slot in slots])) >= 6


@pytest.mark.parametrize(("name", "between"), [("a.docx", "odt"), ("a.pptx", "odp"), ("a.xlsx", "ods")])
def test_nothing_is_marked_in_what_libreoffice_writes_of_it(name: str, between: str, tmp_path: Path) -> None:
    there = converted(FILES[name](), name, between, tmp_path)
    back = converted(there, f"b.{between}", name.removeprefix("a."), tmp_path)
    found = marks(walked(name, back).slots)
    assert [mark for mark in found if not is_date_of_program(mark[0], mark[2])] == []


@pytest.mark.parametrize("heading", [
    "Anna Berg's salary", "Anna Berg", "Berg", "Calls by Johnson", "Hours of M. Okafor", "Oslo", "Kari's notes",
    "+47 912 34 567", "April", "Comments (Sarah)", "Notes for Peter Lund",
])  # fmt: skip
def test_a_heading_that_may_name_someone_is_read_as_any_text(heading: str) -> None:
    book = openpyxl.Workbook()
    for row in (["Date", heading, "Status"], ["x", "x", "x"]):
        book.active.append(row)
    document = docx.Document()
    table = document.add_table(2, 3)
    for cell, text in zip(table.rows[0].cells, ["Date", heading, "Status"], strict=True):
        cell.text = text
    for name, made in (("a.xlsx", book), ("a.docx", document)):
        [slot] = [each for each in walked(name, saved(made)).slots if each.text == heading]
        assert not slot.public
        assert marks([slot])


def test_a_figure_below_a_month_is_no_date() -> None:
    book = openpyxl.Workbook()
    for row in (MONTHS, [10, 25, 120, 1200, 4500, 12]):
        book.active.append(row)
    found = marks(walked("a.xlsx", saved(book)).slots)
    assert {label for _, _, label in found} <= {"QUANTITY", "MONEY"}


def test_a_heading_is_replaced_if_it_is_a_name_of_its_record(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("The patient, Ms. Helen Ward, was seen on Monday. Ward is well.")
    table = document.add_table(2, 3)
    for cell, text in zip(table.rows[0].cells, ["Date", "Ward number", "Status"], strict=True):
        cell.text = text
    source, target = tmp_path / "a.docx", tmp_path / "b.docx"
    source.write_bytes(saved(document))
    sf.sanitize_file("redaction", source, target)
    text = "\n".join(cell.text for cell in docx.Document(str(target)).tables[0].rows[0].cells)
    assert "Ward" not in text
    assert "Date" in text
