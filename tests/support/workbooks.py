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

from packing import MICROSOFT, OFFICE, Packing

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_MS = "application/vnd.ms-excel"

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
    for fill in (_workbook, _sheet, _comments, _copies, _programs, _drawing, _properties):
        fill(packing, plant)
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


def _workbook(packing: Packing, plant: Plant) -> None:
    name = "xl/workbook.xml"
    packing.replace(
        name,
        "<workbookPr",
        f'<fileSharing userName="{plant("sharing")}"/><workbookPr codeName="{plant("code name")}" ',
    )
    path = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice '
        f'Requires="x15"><x15ac:absPath url="C:\\{plant("path")}" xmlns:x15ac="{MICROSOFT}/spreadsheetml/2010/11/ac"/>'
        "</mc:Choice></mc:AlternateContent>"
    )
    packing.replace(name, "<bookViews", f"{path}<bookViews")
    views = f'<customWorkbookViews><customWorkbookView name="{plant("view")}" guid="{{0}}"/></customWorkbookViews>'
    odd = f'<ext uri="{{1}}"><odd:thing xmlns:odd="urn:{plant("namespace")}" a="{plant("odd attribute")}">{plant("odd text")}</odd:thing></ext>'
    packing.replace(name, "</workbook>", f"{views}<extLst>{odd}</extLst></workbook>")
    packing.replace(name, "<calcPr", f'<calcPr odd="{plant("odd attribute of the workbook")}" ')


def _sheet(packing: Packing, plant: Plant) -> None:
    name = "xl/worksheets/sheet1.xml"
    packing.replace(name, "<sheetPr", f'<sheetPr codeName="{plant("code name of a sheet")}"')
    packing.replace(name, "<sheetView ", f'<sheetView odd="{plant("odd attribute of a sheet")}" ')
    packing.replace(name, "</sheetView>", f"{plant('odd text of a sheet')}</sheetView>")
    runs = (
        f'<row r="40"><c r="A40" t="inlineStr"><is><r><t>{plant("run")}</t></r><r><rPr><b/></rPr><t> x</t></r>'
        f'<rPh sb="0" eb="1"><t>{plant("reading")}</t></rPh></is></c><c r="B40" t="str"><f>A2</f>'
        f'<v>{plant("result")}</v></c><c r="C40" t="str"><f t="array" ref="C40:C41">A2:A3</f><v>{plant("array")}</v></c>'
        f'<c r="D40" t="str"><v>{plant("plain text")}</v></c><c r="E40" t="str"><f>[1]{plant("sheet elsewhere")}!A1</f>'
        f'<v>{plant("value from elsewhere")}</v></c></row><row r="41"><c r="C41" t="str"><v>{plant("array below")}</v></c>'
        f'<c r="D41"><v>{plant("no number")}</v></c><odd>{plant("odd cell")}</odd></row></sheetData>'
    )
    packing.replace(name, "</sheetData>", runs)
    below = f'<c r="B6" t="inlineStr"><is><t>{plant("under a merge")}</t></is></c>'
    first = re.compile(rb'<c r="A6".*?</c>')
    packing.members[name] = first.sub(lambda found: found.group() + below.encode(), packing.members[name])
    packing.replace(name, "</sheetData>", (
        f'</sheetData><sheetProtection password="ABCD" algorithmName="{plant("algorithm")}"/><protectedRanges>'
        f'<protectedRange name="{plant("protected area")}" sqref="A1" securityDescriptor="{plant("descriptor")}"/>'
        "</protectedRanges>"
    ))  # fmt: skip
    extension = (
        f'<extLst><ext uri="{{78C0D931-6437-407d-A8EE-F0AAD7539E65}}" xmlns:x14="{MICROSOFT}/spreadsheetml/2009/9/main" '
        f'xmlns:xm="{MICROSOFT}/excel/2006/main"><x14:conditionalFormattings><x14:conditionalFormatting>'
        f'<x14:cfRule type="expression" id="{{0}}"><xm:f>A1="{plant("condition of an extension")}"</xm:f></x14:cfRule>'
        "<xm:sqref>A1</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext><ext "
        f'uri="{{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}}" xmlns:x14="{MICROSOFT}/spreadsheetml/2009/9/main" '
        f'xmlns:xm="{MICROSOFT}/excel/2006/main"><x14:dataValidations count="1"><x14:dataValidation type="list" '
        f'prompt="{plant("prompt of an extension")}"><x14:formula1><xm:f>"{plant("list of an extension")}"</xm:f>'
        f"</x14:formula1><xm:sqref>B1</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst></worksheet>"
    )
    packing.replace(name, "</worksheet>", extension)


def _comments(packing: Packing, plant: Plant) -> None:
    threads = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
    id, person = "{12345678-0000-0000-0000-000000000001}", "{12345678-0000-0000-0000-000000000002}"
    packing.add("xl/threadedComments/threadedComment1.xml", (
        f'<ThreadedComments xmlns="{threads}"><threadedComment ref="A30" dT="2024-01-01T00:00:00.00" personId="{person}" '
        f'id="{id}"><text>{plant("thread")}</text><mentions><mention mentionpersonId="{person}" startIndex="0" length="1"/>'
        f'</mentions></threadedComment><threadedComment ref="A30" personId="{person}" id="{id[:-2]}9}}" parentId="{id}">'
        f"<text>{plant('reply')}</text></threadedComment></ThreadedComments>"
    ), f"{_MS}.threadedcomments+xml")  # fmt: skip
    packing.add("xl/persons/person.xml", (
        f'<personList xmlns="{threads}"><person displayName="{plant("person")}" id="{person}" userId="{plant("user")}" '
        'providerId="AD"/></personList>'
    ), f"{_MS}.person+xml")  # fmt: skip
    kinds = "http://schemas.microsoft.com/office/2017/10/relationships"
    packing.relate(
        "xl/worksheets/sheet1.xml", f"{kinds}/threadedComment", "/xl/threadedComments/threadedComment1.xml", "rId91"
    )
    packing.relate("xl/workbook.xml", f"{kinds}/person", "/xl/persons/person.xml", "rId92")


def _copies(packing: Packing, plant: Plant) -> None:
    """Put copies of cells into the package: of other workbooks, pivots, queries."""
    head = f'xmlns="{MAIN}" xmlns:r="{OFFICE}"'
    packing.add("xl/externalLinks/externalLink1.xml", (
        f'<externalLink {head}><externalBook r:id="rId1"><sheetNames><sheetName val="{plant("name elsewhere")}"/>'
        f'</sheetNames><sheetDataSet><sheetData sheetId="0"><row r="1"><cell r="A1" t="str"><v>{plant("elsewhere")}</v>'
        "</cell></row></sheetData></sheetDataSet></externalBook></externalLink>"
    ), f"{_TYPE}.externalLink+xml")  # fmt: skip
    packing.relate(
        "xl/externalLinks/externalLink1.xml",
        "externalLinkPath",
        f"file:///C:/{plant('path elsewhere')}.xlsx",
        "rId1",
        True,
    )
    packing.relate("xl/workbook.xml", "externalLink", "/xl/externalLinks/externalLink1.xml", "rId81")
    packing.replace("xl/workbook.xml", "</sheets>", '</sheets><externalReferences><externalReference r:id="rId81" '
                    f'xmlns:r="{OFFICE}"/></externalReferences>')  # fmt: skip
    packing.add("xl/pivotCache/pivotCacheDefinition1.xml", (
        f'<pivotCacheDefinition {head} refreshedBy="{plant("refreshed by")}" r:id="rId1"><cacheSource type="worksheet">'
        f'<worksheetSource ref="A1:B2" sheet="Tables"/></cacheSource><cacheFields count="1"><cacheField name="{plant("field")}">'
        f'<sharedItems><s v="{plant("shared item")}"/></sharedItems></cacheField></cacheFields></pivotCacheDefinition>'
    ), f"{_TYPE}.pivotCacheDefinition+xml")  # fmt: skip
    packing.add("xl/pivotCache/pivotCacheRecords1.xml", (
        f'<pivotCacheRecords {head} count="1"><r><s v="{plant("pivot record")}"/></r></pivotCacheRecords>'
    ), f"{_TYPE}.pivotCacheRecords+xml")  # fmt: skip
    packing.relate("xl/pivotCache/pivotCacheDefinition1.xml", "pivotCacheRecords", "pivotCacheRecords1.xml", "rId1")
    packing.relate("xl/workbook.xml", "pivotCacheDefinition", "/xl/pivotCache/pivotCacheDefinition1.xml", "rId82")
    packing.replace(
        "xl/workbook.xml",
        "<customWorkbookViews",
        f'<pivotCaches><pivotCache cacheId="1" r:id="rId82" xmlns:r="{OFFICE}"/></pivotCaches><customWorkbookViews',
    )
    packing.add("xl/connections.xml", (
        f'<connections {head}><connection id="1" name="{plant("connection")}" type="5"><dbPr '
        f'connection="Server={plant("server")}" command="{plant("query")}"/></connection></connections>'
    ), f"{_TYPE}.connections+xml")  # fmt: skip
    packing.relate("xl/workbook.xml", "connections", "/xl/connections.xml", "rId83")
    packing.add(
        "xl/slicerCaches/slicerCache1.xml",
        f'<slicerCacheDefinition xmlns="{MICROSOFT}/spreadsheetml/2009/9/main" name="{plant("slicer")}"/>',
        f"{_MS}.slicerCache+xml",
    )
    packing.relate(
        "xl/workbook.xml", f"{MICROSOFT}/2007/relationships/slicerCache", "/xl/slicerCaches/slicerCache1.xml", "rId84"
    )
    packing.add("xl/model/item.data", plant("data model"), "application/vnd.openxmlformats-officedocument.model+data")
    packing.relate("xl/workbook.xml", "powerPivotData", "/xl/model/item.data", "rId85")
    packing.add(
        "xl/revisions/revisionLog1.xml", f'<revisions {head} odd="{plant("revision")}"/>', f"{_TYPE}.revisionLog+xml"
    )
    packing.relate("xl/workbook.xml", "revisionHeaders", "/xl/revisions/revisionLog1.xml", "rId86")
    packing.add(
        "xl/richData/rdrichvalue.xml",
        f'<rvData xmlns="{MICROSOFT}/spreadsheetml/2017/richdata"><rv s="0"><v>{plant("rich value")}</v></rv></rvData>',
        f"{_MS}.rdrichvalue+xml",
    )
    packing.relate(
        "xl/workbook.xml",
        "http://schemas.microsoft.com/office/2017/06/relationships/rdRichValue",
        "/xl/richData/rdrichvalue.xml",
        "rId87",
    )
    packing.add("xl/orphan.xml", f"<a>{plant('orphan')}</a>", "application/xml")
    packing.add(f"xl/media/{plant('name of a file')}.bin", plant("odd part"), "application/octet-stream")
    packing.relate("xl/workbook.xml", f"urn:{plant('kind of a relationship')}", "/xl/odd.bin", "rId88")
    packing.add("xl/odd.bin", plant("part of an odd kind"), "application/octet-stream")


def _programs(packing: Packing, plant: Plant) -> None:
    packing.add("xl/vbaProject.bin", plant("macro"), f"{_MS}.vbaProject")
    packing.relate(
        "xl/workbook.xml",
        "http://schemas.microsoft.com/office/2006/relationships/vbaProject",
        "vbaProject.bin",
        "rId71",
    )
    packing.add(
        "xl/embeddings/oleObject1.bin", plant("object"), "application/vnd.openxmlformats-officedocument.oleObject"
    )
    packing.relate("xl/worksheets/sheet1.xml", "oleObject", "/xl/embeddings/oleObject1.bin", "rId72")
    packing.add(
        "xl/ctrlProps/ctrlProp1.xml",
        f'<formControlPr xmlns="{MICROSOFT}/spreadsheetml/2009/9/main" objectType="Drop" fmlaMacro="{plant("macro of a control")}"/>',
        f"{_MS}.controlproperties+xml",
    )
    packing.relate("xl/worksheets/sheet1.xml", "ctrlProp", "/xl/ctrlProps/ctrlProp1.xml", "rId73")
    objects = (
        f'<oleObjects><oleObject progId="{plant("program of an object")}" shapeId="1025" r:id="rId72" xmlns:r="{OFFICE}"/>'
        f'</oleObjects><controls><control shapeId="1026" r:id="rId73" name="{plant("control")}" xmlns:r="{OFFICE}"/></controls>'
    )
    packing.replace("xl/worksheets/sheet1.xml", "<extLst>", f"{objects}<extLst>")
    packing.add("xl/printerSettings/printerSettings1.bin", plant("printer"), f"{_TYPE}.printerSettings")
    packing.relate("xl/worksheets/sheet1.xml", "printerSettings", "/xl/printerSettings/printerSettings1.bin", "rId74")


def _drawing(packing: Packing, plant: Plant) -> None:
    """Put a text box with a picture into the drawing, and copies of cells into the chart."""
    drawing = next(name for name in packing.members if name.startswith("xl/drawings/drawing"))
    space = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"'
    text = packing.members[drawing].decode()
    prefix = "xdr:" if "<xdr:wsDr" in text else ""
    place = "<xdr:from><xdr:col>1</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>1</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from>"
    place += place.replace("from>", "to>").replace(">1<", ">5<")
    box = (
        f'<xdr:twoCellAnchor {space}>{place}<xdr:sp macro="{plant("macro of a shape")}" textlink=""><xdr:nvSpPr>'
        f'<xdr:cNvPr id="9" name="{plant("name of a shape")}" descr="{plant("alternative text")}"/><xdr:cNvSpPr/></xdr:nvSpPr>'
        '<xdr:spPr><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr><xdr:txBody><a:bodyPr/><a:p><a:r>'
        f"<a:t>{plant('text box')}</a:t></a:r></a:p></xdr:txBody></xdr:sp><xdr:clientData/></xdr:twoCellAnchor>"
        f'<xdr:twoCellAnchor {space}>{place}<xdr:pic><xdr:nvPicPr><xdr:cNvPr id="10" name="x" descr="{plant("alternative text of a picture")}"/>'
        f'<xdr:cNvPicPr/></xdr:nvPicPr><xdr:blipFill><a:blip r:embed="rId61" xmlns:r="{OFFICE}"/><a:stretch><a:fillRect/>'
        '</a:stretch></xdr:blipFill><xdr:spPr><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic>'
        "<xdr:clientData/></xdr:twoCellAnchor>"
    )
    packing.replace(drawing, f"</{prefix}wsDr>", f"{box}</{prefix}wsDr>")
    packing.add("xl/media/image1.png", b"\x89PNG\r\n\x1a\n" + plant("picture").encode(), "image/png")
    packing.relate(drawing, "image", "/xl/media/image1.png", "rId61")
    chart = next(name for name in packing.members if name.startswith("xl/charts/chart"))
    text = packing.members[chart].decode()
    c = "c:" if "<c:chartSpace" in text else ""
    cache = f'</{c}f><{c}strCache><{c}ptCount val="1"/><{c}pt idx="0"><{c}v>{plant("copy of a chart")}</{c}v></{c}pt></{c}strCache></{c}strRef>'
    packing.members[chart] = text.replace(f"</{c}f></{c}strRef>", cache, 1).encode()
    assert b"Cache" in packing.members[chart]


def _properties(packing: Packing, plant: Plant) -> None:
    packing.add("customXml/item1.xml", f"<a b='{plant('custom data')}'>{plant('custom text')}</a>", "application/xml")
    packing.relate("xl/workbook.xml", "customXml", "/customXml/item1.xml", "rId51")
    packing.replace("docProps/app.xml", "</Properties>", f"<Company>{plant('company')}</Company></Properties>")
    packing.add("docProps/thumbnail.jpeg", plant("preview"), "image/jpeg")
    packing.relate(
        "",
        "http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail",
        "docProps/thumbnail.jpeg",
        "rId52",
    )
    packing.members[f"{plant('name of a member')}.txt"] = plant("member that is no part").encode()


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
