"""Workbooks for tests: made by openpyxl, with parts that it cannot make put into the package."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Callable
from typing import Any

import openpyxl
from openpyxl.chart import BarChart, Reference, Series
from openpyxl.chart.series import SeriesLabel
from openpyxl.comments import Comment
from openpyxl.formatting.rule import FormulaRule, Rule
from openpyxl.packaging.custom import StringProperty
from openpyxl.styles import NamedStyle, PatternFill
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.filters import FilterColumn, Filters
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.scenario import InputCells, Scenario, ScenarioList
from openpyxl.worksheet.table import Table

from packing import Packing
from workbook_parts import put_parts

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"

Plant = Callable[[str], str]


def saved(book: Any) -> bytes:
    """Return a workbook of openpyxl as bytes."""
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def staff(rows: int = 3) -> bytes:
    """Return a workbook of a sheet with headings and some rows of people."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Staff"
    sheet.append(["Name", "Born", "Salary", "Note"])
    for number in range(rows):
        born = datetime.date(1984, 3, 12) + datetime.timedelta(number)
        sheet.append([f"Anna Keller {number}", born, 52_000 + number, "She called twice."])
        sheet.cell(number + 2, 2).number_format = "dd.mm.yyyy"
        sheet.cell(number + 2, 3).number_format = '#,##0.00 "EUR"'
    return saved(book)


def full(plant: Plant) -> Packing:
    """Return a workbook with a word of its own in every place where a workbook holds text."""
    packing = Packing(saved(_of_openpyxl(plant)))
    put_parts(packing, plant)
    return packing


def _of_openpyxl(plant: Plant) -> Any:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = plant("sheet name")
    sheet.append(["Name", "Born", "Sum", plant("heading")])
    sheet.append([plant("cell"), datetime.date(1984, 3, 12), 5, "=" + f'"{plant("formula")} "&A2'])
    sheet.append([plant("cell below"), 7, 8, f"='{sheet.title}'!A2"])
    sheet["C3"].number_format = f'0 "{plant("format of a number")}"'
    sheet["C2"].style = NamedStyle(plant("name of a style"))
    sheet["A6"], sheet["B7"] = "x", plant("a row further down")
    sheet.merge_cells("A6:B6")
    sheet["A8"] = plant("hidden row")
    sheet.row_dimensions[8].hidden = True
    sheet["H2"] = plant("hidden column")
    sheet.column_dimensions["H"].hidden = True
    sheet["A2"].comment = Comment(plant("comment"), plant("author"))
    sheet["A30"].comment = Comment(plant("comment of no row"), plant("author"))
    sheet["A3"].hyperlink = Hyperlink(
        ref="A3", target=f"mailto:{plant('link')}@x.org", tooltip=plant("tooltip"), display=plant("display")
    )
    sheet["B7"].hyperlink = Hyperlink(ref="B7", location=f"'{sheet.title}'!A1")
    _rules(sheet, plant)
    sheet.oddHeader.left.text, sheet.oddHeader.center.text = plant("header"), f"Page &P {plant('header 2')}"
    sheet.evenFooter.right.text = plant("footer")
    sheet.auto_filter.ref = "A1:D3"
    sheet.auto_filter.filterColumn.append(FilterColumn(colId=0, filters=Filters(filter=[plant("filter")])))
    sheet.scenarios = ScenarioList(scenario=[Scenario(
        name=plant("scenario"), comment=plant("comment of a scenario"), user=plant("user of a scenario"),
        inputCells=[InputCells(r="C2", val=plant("value of a scenario"))],
    )])  # fmt: skip
    tables = book.create_sheet("Tables")
    tables.append([plant("column"), "B"])
    tables.append([plant("cell of a table"), 1])
    name = plant("table")
    tables.add_table(Table(displayName=name, ref="A1:B2"))
    tables["D1"] = f"=SUM({name}[B])"
    tables.add_chart(_chart(tables, plant), "F1")
    hidden = book.create_sheet(plant("name of a hidden sheet"))
    hidden["A1"] = plant("cell of a hidden sheet")
    hidden.sheet_state = "veryHidden"
    named = plant("defined name")
    book.defined_names[named] = DefinedName(
        named,
        attr_text=f'"{plant("value of a name")}"',
        comment=plant("comment of a name"),
        help=plant("help of a name"),
    )
    book.properties.creator, book.properties.title = plant("creator"), plant("title")
    book.properties.keywords, book.properties.lastModifiedBy = plant("keywords"), plant("last author")
    book.custom_doc_props.append(StringProperty(name=plant("name of a property"), value=plant("property")))
    return book


def _rules(sheet: Any, plant: Plant) -> None:
    names = DataValidation(
        "list", f'"{plant("list")},Bo"', promptTitle=plant("prompt title"), prompt=plant("prompt"),
        errorTitle=plant("error title"), error=plant("error"), showInputMessage=True,
    )  # fmt: skip
    names.add("A2:A9")
    sheet.add_data_validation(names)
    sheet.conditional_formatting.add("A2:A9", FormulaRule([f'$A2="{plant("condition")}"'], fill=PatternFill("solid")))
    word = plant("condition of a text")
    rule = Rule("containsText", operator="containsText", text=word, dxf=DifferentialStyle())
    rule.formula = [f'NOT(ISERROR(SEARCH("{word}",A2)))']
    sheet.conditional_formatting.add("A2:A9", rule)


def _chart(sheet: Any, plant: Plant) -> BarChart:
    chart = BarChart()
    chart.title, chart.x_axis.title = plant("chart title"), plant("axis")
    series = Series(Reference(sheet, min_col=2, min_row=1, max_row=2), title_from_data=True)
    chart.append(series)
    named = Series(Reference(sheet, min_col=2, min_row=2, max_row=2), title=None)
    named.tx = SeriesLabel(v=plant("series"))
    chart.append(named)
    return chart


def shared(texts: list[str], rows: list[list[int]]) -> bytes:
    """Return a workbook whose cells share strings: ``rows`` of the numbers of ``texts``, some of which are XML."""
    book = openpyxl.Workbook()
    packing = Packing(saved(book))
    items = "".join(f"<si>{text if text.startswith('<') else f'<t>{text}</t>'}</si>" for text in texts)
    packing.members.pop("xl/sharedStrings.xml", None)
    types = re.sub(rb"<Override[^>]*sharedStrings[^>]*/>", b"", packing.members["[Content_Types].xml"])
    packing.members["[Content_Types].xml"] = types
    packing.add("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{items}</sst>', f"{_TYPE}.sharedStrings+xml")
    rels = "xl/_rels/workbook.xml.rels"
    packing.members[rels] = re.sub(rb"<Relationship [^>]*sharedStrings[^>]*/>", b"", packing.members[rels])
    packing.relate("xl/workbook.xml", "sharedStrings", "sharedStrings.xml", "rId99")
    cells = "".join(
        f'<row r="{number}">'
        + "".join(f'<c r="{chr(65 + column)}{number}" t="s"><v>{index}</v></c>' for column, index in enumerate(row))
        + "</row>"
        for number, row in enumerate(rows, 1)
    )
    name = "xl/worksheets/sheet1.xml"
    packing.members[name] = re.sub(rb"<sheetData ?/>", b"<sheetData></sheetData>", packing.members[name])
    packing.replace(name, "</sheetData>", f"{cells}</sheetData>")
    return packing.content()
