"""Files that hold nobody, as programs make them, and what the detector marks in them."""

from __future__ import annotations

import io
from collections.abc import Callable

import docx
import openpyxl
import pptx
from openpyxl.worksheet.table import Table
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

from sfumato.detectors.identifiers import Identifiers
from sfumato.documents.slot import Slot
from sfumato.text.document import Document

HEADINGS = (
    "ID", "First name", "Last name", "City", "State", "County", "Phone", "Date of birth", "Occupation", "Manager",
    "Attending physician", "Hospital", "Ward", "Primary diagnosis", "BMI", "Social security number", "Subtotal",
)  # fmt: skip
MONTHS = ("January", "February", "March", "April", "May", "June")
EMPTY = [None] * (len(HEADINGS) - 1)


def word() -> bytes:
    document = docx.Document()
    document.add_heading("Report", 0)
    document.add_paragraph("The figures are below.", style="List Bullet")
    document.sections[0].footer.paragraphs[0].text = "Page"
    for headings in (HEADINGS, MONTHS):
        document.add_paragraph("Totals by month")
        table = document.add_table(3, len(headings), style="Table Grid")
        for cell, heading in zip(table.rows[0].cells, headings, strict=True):
            cell.text = heading
    form = document.add_table(len(HEADINGS), 2)
    for row, heading in zip(form.rows, HEADINGS, strict=True):
        row.cells[0].text = f"{heading}:"
    document.add_paragraph("Click or tap here to enter text.")
    return saved(document)


def slides() -> bytes:
    presentation = pptx.Presentation()
    for layout in presentation.slide_layouts:
        presentation.slides.add_slide(layout)
    slide = presentation.slides[5]
    data = CategoryChartData()
    data.categories = ["Category 1", "Category 2"]
    data.add_series("Series 1", (1, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 4000000, 3000000, data)
    table = slide.shapes.add_table(2, len(HEADINGS), 0, 0, 9000000, 900000).table
    for column, heading in enumerate(HEADINGS):
        table.cell(0, column).text = heading
    slide.notes_slide.notes_text_frame.text = "Slow down here."
    return saved(presentation)


def sheets() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (HEADINGS, *[[*EMPTY, 10]] * 3):
        sheet.append(row)
    sheet.oddHeader.center.text = "&A"
    sheet.oddFooter.center.text = "Page &P of &N"
    listed = book.create_sheet("Staff")
    for row in (HEADINGS, [*EMPTY, 10]):
        listed.append(row)
    listed.add_table(Table(displayName="Table1", ref=f"A1:{listed.cell(1, len(HEADINGS)).column_letter}2"))
    form = book.create_sheet("Sheet3")
    for heading in HEADINGS:
        form.append([f"{heading}:"])
    year = book.create_sheet("Monthly totals")
    for row in (MONTHS, [3] * len(MONTHS)):
        year.append(row)
    return saved(book)


def page() -> bytes:
    heads = "".join(f"<th>{heading}</th>" for heading in HEADINGS)
    terms = "".join(f"<dt>{heading}</dt><dd></dd>" for heading in HEADINGS)
    return f"<!DOCTYPE html><table><tr>{heads}</tr><tr><td></td></tr></table><dl>{terms}</dl>".encode()


def saved(made: docx.document.Document | pptx.presentation.Presentation | openpyxl.Workbook) -> bytes:
    target = io.BytesIO()
    made.save(target)
    return target.getvalue()


FILES: dict[str, Callable[[], bytes]] = {"a.docx": word, "a.pptx": slides, "a.xlsx": sheets, "a.html": page}


def marks(slots: list[Slot]) -> list[tuple[str, str, str]]:
    """Return what is marked: where, the words and their label."""
    records = {slot.record: {"record": slot.record} for slot in slots}
    documents = [
        Document(slot.text, str(number), records[slot.record], lead=slot.lead, public=slot.public)
        for number, slot in enumerate(slots)
    ]
    rows = zip(slots, Identifiers().findings(documents), strict=True)
    return [(slot.place, slot.text[each.start : each.end], each.label) for slot, row in rows for each in row]


def is_date_of_program(place: str, label: str) -> bool:
    """Return whether a mark is the date in a field of a layout, which says when somebody saved it."""
    return label == "DATE" and place.startswith(("layout", "master"))
