"""The proof of removal in files of Office: it searches what a walk keeps, and what every file has is no alarm."""

from __future__ import annotations

import io
from typing import Any, cast

import docx
import openpyxl
import pptx
import pytest
from docx.shared import Inches
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.formatting.rule import ColorScaleRule
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

from office import strings, walked
from packing import Packing, every_string
from sfumato.documents.office.office import PICTURE
from sfumato.documents.proof import proved
from sfumato.documents.rules import KEEP, Rules

_ODD = {
    "the name of a shape": ('<w:p><w:pict><v:rect xmlns:v="urn:schemas-microsoft-com:vml" name="{}"/></w:pict></w:p>',
                            "Picture 123-45-6789"),
    "two numbers in the name of a shape": (
        '<w:p><w:pict><v:rect xmlns:v="urn:schemas-microsoft-com:vml" name="{}"/></w:pict></w:p>', "Picture 12 03 84",
    ),
    "a bookmark": ('<w:bookmarkStart w:id="77" w:name="{}"/>', "Date_1984_03_12"),
    "a bookmark of Word": ('<w:bookmarkStart w:id="77" w:name="{}"/>', "_Ref47112345678"),
    "a style": ('<w:p><w:pPr><w:pStyle w:val="{}"/></w:pPr></w:p>', "Heading19840312"),
    "an attribute that is a number": ('<w:p><w:foo w:bar="{}"/></w:p>', "4711234567"),
    "an element that no format has": ("<w:p><w:{}/></w:p>", "Schmidt"),
    "an attribute that no format has": ('<w:p w:{}="1"/>', "Schmidt"),
    "an element named by a number": ("<w:p><w:p{}/></w:p>", "4711234567"),
}  # fmt: skip


def _with(xml: str) -> bytes:
    written = io.BytesIO()
    docx.Document().save(written)
    pack = Packing(written.getvalue())
    pack.replace("word/document.xml", "<w:sectPr", f"{xml}<w:sectPr")
    return pack.content()


@pytest.mark.parametrize("odd", _ODD)
def test_what_looks_like_a_value_of_the_format_is_treated(odd: str) -> None:
    xml, value = _ODD[odd]
    content = _with(xml.format(value))
    assert value in every_string(content)
    assert value not in every_string(walked("a.docx", content, {value: "X"}).content)


@pytest.mark.parametrize("odd", _ODD)
def test_the_proof_has_no_part_in_what_the_walk_keeps(odd: str) -> None:
    xml, value = _ODD[odd]
    assert any(value in each.text for each in strings("a.docx", _with(xml.format(value))))


def test_the_proof_searches_a_word_of_an_attribute_in_small_letters() -> None:
    written = strings("a.docx", _with('<w:p><w:foo w:baz="schmidt"/></w:p>'))
    assert proved(written, {"schmidt"}, []).places


def test_the_proof_searches_small_numbers_in_texts() -> None:
    written = strings(
        "a.docx", _with('<w:p><w:pict><v:rect xmlns:v="urn:schemas-microsoft-com:vml" alt="360"/></w:pict></w:p>')
    )
    assert proved(written, {"360"}, []).places


_CACHED = {
    "a filter": ('<autoFilter ref="A1:A2"><filterColumn colId="0"><filters>'
                 '<filter val="{}"/></filters></filterColumn></autoFilter>'),
    "a filter of a condition": ('<autoFilter ref="A1:A2"><filterColumn colId="0"><customFilters>'
                                '<customFilter val="{}"/></customFilters></filterColumn></autoFilter>'),
    "a scenario": ('<scenarios><scenario name="x" count="1"><inputCells r="A1" val="{}"/></scenario></scenarios>'),
}  # fmt: skip


@pytest.mark.parametrize("value", ["Schmidt", "360"])
@pytest.mark.parametrize("cached", _CACHED)
def test_the_proof_searches_the_caches_of_a_workbook_that_are_kept(cached: str, value: str) -> None:
    content = _sheet_with(_CACHED[cached].format(value))
    rules = Rules(caches=KEEP, hidden=KEEP)
    assert value in every_string(walked("a.xlsx", content, rules=rules).content)
    assert proved(strings("a.xlsx", walked("a.xlsx", content, rules=rules).content), {value}, []).places
    assert value not in every_string(walked("a.xlsx", content, {value: "X"}).content)


def test_the_proof_reads_the_date_of_a_filter_in_one_piece() -> None:
    group = '<filters><dateGroupItem year="1984" month="3" day="12" dateTimeGrouping="day"/></filters>'
    content = _sheet_with(f'<autoFilter ref="A1:A2"><filterColumn colId="0">{group}</filterColumn></autoFilter>')
    written = walked("a.xlsx", content, rules=Rules(caches=KEEP)).content
    assert proved(strings("a.xlsx", written), {"1984-03-12"}, []).places


def _sheet_with(xml: str) -> bytes:
    made, written = openpyxl.Workbook(), io.BytesIO()
    made.save(written)
    pack = Packing(written.getvalue())
    pack.replace("xl/worksheets/sheet1.xml", "<pageMargins", f"{xml}<pageMargins")
    return pack.content()


_EVERYWHERE = {
    "Hans", "Strong", "Title", "Page", "Table", "List", "Good", "Picture", "max", "violet", "dash", "title", "left",
    "center", "none", "body", "auto", "single", "360", "720",
    "1800", "8000", "21600", "409", "A101", "B12",
}  # fmt: skip
"""What people are named, or how old they are, and what every file of Office has in its XML."""


def _document() -> bytes:
    made, written = docx.Document(), io.BytesIO()
    made.add_heading("x", 1)
    made.add_picture(io.BytesIO(PICTURE), Inches(0.5))
    made.add_table(2, 2, style="Light Grid Accent 1")
    made.save(written)
    return written.getvalue()


def _workbook() -> bytes:
    made, written = openpyxl.Workbook(), io.BytesIO()
    sheet = made.active
    assert isinstance(sheet, Worksheet)
    for _ in range(110):
        sheet.append(["x", 2.5, "=DATE(2020,1,2)"])
    sheet["A2"].style = "Good"
    sheet["B2"].number_format = "[Red]0.00;[$-409]d mmm yyyy"
    sheet.column_dimensions["B"].width = 360
    sheet.conditional_formatting.add(
        "B2:B20", ColorScaleRule("min", None, "FF0000", None, None, None, "max", None, "00FF00")
    )
    made.save(written)
    return written.getvalue()


def _slides() -> bytes:
    made, written = pptx.Presentation(), io.BytesIO()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "x"
    values = cast(Any, CategoryChartData)(number_format="[$-409]mm/dd/yyyy")
    values.categories = ["x"]
    values.add_series("x", (1,))
    slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, 0, 0, Inches(2), Inches(2), values)
    slide.shapes.add_table(2, 2, 0, 0, Inches(2), Inches(1))
    made.save(written)
    return written.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.docx", _document()), ("a.pptx", _slides()), ("a.xlsx", _workbook())],
    ids=["docx", "pptx", "xlsx"],
)
def test_what_every_file_has_is_no_alarm(name: str, content: bytes) -> None:
    seen = walked(name, content)
    released = [slot.new for slot in seen.slots if "layout" in slot.place or "master" in slot.place]
    assert proved(strings(name, seen.content), _EVERYWHERE, released).places == ()


_FONT = "Maria Schmidt"


def _document_in(font: str) -> bytes:
    made, written = docx.Document(), io.BytesIO()
    made.add_paragraph().add_run("signed").font.name = font
    made.save(written)
    pack = Packing(written.getvalue())
    watermark = f'<v:textpath style="font-family:\'{font}\'" string="x"/>'
    shape = f'<w:p><w:pict><v:rect xmlns:v="urn:schemas-microsoft-com:vml">{watermark}</v:rect></w:pict></w:p>'
    pack.replace("word/document.xml", "<w:sectPr", f"{shape}<w:sectPr")
    pack.replace("word/fontTable.xml", "</w:fonts>", f'<w:font w:name="{font}"/></w:fonts>')
    return pack.content()


def _slides_in(font: str) -> bytes:
    made, written = pptx.Presentation(), io.BytesIO()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "signed"
    slide.shapes.title.text_frame.paragraphs[0].runs[0].font.name = font
    made.save(written)
    return written.getvalue()


def _workbook_in(font: str) -> bytes:
    made, written = openpyxl.Workbook(), io.BytesIO()
    sheet = made.worksheets[0]
    sheet["A1"] = "signed"
    sheet["A1"].font = Font(name=font)
    sheet["A2"] = CellRichText(TextBlock(InlineFont(rFont=font), "signed"), "x")
    sheet.oddHeader.center.text = f'&"{font},Bold"x'
    made.save(written)
    return written.getvalue()


_IN_FONT = {"a.docx": _document_in, "a.pptx": _slides_in, "a.xlsx": _workbook_in}


@pytest.mark.parametrize("name", _IN_FONT)
def test_the_name_of_a_font_is_treated_and_searched(name: str) -> None:
    content = _IN_FONT[name](_FONT)
    assert proved(strings(name, content), {_FONT}, []).places
    seen = walked(name, content, {_FONT: "X"})
    assert _FONT in seen.texts.values()
    assert _FONT not in every_string(seen.content)


@pytest.mark.parametrize("name", _IN_FONT)
def test_a_usual_font_stays_and_is_no_alarm(name: str) -> None:
    seen = walked(name, _IN_FONT[name]("Georgia"), {"Georgia": "X"})
    assert "Georgia" in every_string(seen.content)
    assert "Georgia" not in seen.texts.values()
    assert proved(strings(name, seen.content), {"Georgia"}, []).places == ()


@pytest.mark.parametrize("name", _IN_FONT)
def test_a_font_that_is_not_edited_stays(name: str) -> None:
    assert _FONT in every_string(walked(name, _IN_FONT[name](_FONT)).content)


def test_a_name_in_two_runs_at_the_end_of_a_paragraph_is_found_by_the_proof() -> None:
    written, target = docx.Document(), io.BytesIO()
    paragraph = written.add_paragraph()
    for text in ("Seen by Anna Sch", "midt"):
        paragraph.add_run(text)
    written.save(target)
    assert proved(strings("x.docx", target.getvalue()), ["Schmidt"], []).places == ("paragraph 1",)
