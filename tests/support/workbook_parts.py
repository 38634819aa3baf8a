# ruff: noqa: E501 (XML is not broken into lines)
"""Parts of workbooks that openpyxl cannot make, with words planted in them."""

from __future__ import annotations

import re
from collections.abc import Callable

from packing import MICROSOFT, OFFICE, Packing

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_MS = "application/vnd.ms-excel"

Plant = Callable[[str], str]


def put_parts(packing: Packing, plant: Plant) -> None:
    """Put texts into every part of a package that openpyxl made, and parts that it cannot make."""
    for fill in (_workbook, _sheet, _comments, _copies, _programs, _drawing, _properties):
        fill(packing, plant)


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


def as_of_excel(packing: Packing) -> Packing:
    """Give a package what Excel writes beside the cells into every file."""
    spaces = (
        'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x14ac x15 xr xr2" '
        f'xmlns:x14ac="{MICROSOFT}/spreadsheetml/2009/9/ac" xmlns:x15="{MICROSOFT}/spreadsheetml/2010/11/main" '
        f'xmlns:xr="{MICROSOFT}/spreadsheetml/2014/revision" xmlns:xr2="{MICROSOFT}/spreadsheetml/2015/revision2" '
    )
    id = "{00000000-0001-0000-0000-000000000000}"
    sheet, book, styles = "xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/styles.xml"
    packing.replace(sheet, "<worksheet ", f'<worksheet {spaces} xr:uid="{id}" ')
    packing.replace(sheet, '<row r="2"', '<row r="2" spans="1:4" x14ac:dyDescent="0.25"')
    packing.replace(sheet, "<sheetFormatPr ", '<sheetFormatPr x14ac:dyDescent="0.25" ')
    packing.replace(sheet, "</worksheet>", '<pageSetup paperSize="9" orientation="portrait" r:id="rId9" '
                    f'xmlns:r="{OFFICE}"/></worksheet>')  # fmt: skip
    packing.add("xl/printerSettings/printerSettings1.bin", b"Kanari", f"{_TYPE}.printerSettings")
    packing.relate(sheet, "printerSettings", "../printerSettings/printerSettings1.bin", "rId9")
    packing.replace(book, "<workbook ", f"<workbook {spaces}")
    packing.replace(
        book,
        "<workbookPr",
        '<fileVersion appName="xl" lastEdited="7" lowestEdited="7" rupBuild="2"/><workbookPr defaultThemeVersion="166925"',
    )
    packing.replace(book, "<bookViews>", (
        f'<mc:AlternateContent><mc:Choice Requires="x15"><x15ac:absPath url="C:\\Kanari\\" '
        f'xmlns:x15ac="{MICROSOFT}/spreadsheetml/2010/11/ac"/></mc:Choice></mc:AlternateContent>'
        f'<xr:revisionPtr revIDLastSave="0" documentId="8_{id}" xr6:coauthVersionLast="47" '
        f'xmlns:xr6="{MICROSOFT}/spreadsheetml/2016/revision6" xr10:uidLastSave="{id}" '
        f'xmlns:xr10="{MICROSOFT}/spreadsheetml/2016/revision10"/><bookViews>'
    ))  # fmt: skip
    packing.replace(book, "<workbookView", f'<workbookView xr2:uid="{id}"')
    packing.replace(book, "</workbook>", (
        '<extLst><ext uri="{140A7094-0E35-4892-8432-C4D2E57EDEB5}"><x15:workbookPr chartTrackingRefBase="1"/></ext>'
        '<ext uri="{B58B0392-4F1F-4190-BB64-5DF3571DCE5F}" '
        'xmlns:xcalcf="http://schemas.microsoft.com/office/spreadsheetml/2018/calcfeatures"><xcalcf:calcFeatures>'
        '<xcalcf:feature name="microsoft.com:RD"/></xcalcf:calcFeatures></ext></extLst></workbook>'
    ))  # fmt: skip
    packing.replace(styles, "<styleSheet ", f"<styleSheet {spaces}")
    packing.replace(styles, "<fonts ", '<fonts x14ac:knownFonts="1" ')
    packing.replace(styles, "</styleSheet>", (
        '<extLst><ext uri="{EB79DEF2-80B8-43e5-95BD-54CBDDF9020C}" xmlns:x14="http://schemas.microsoft.com/office/'
        'spreadsheetml/2009/9/main"><x14:slicerStyles defaultSlicerStyle="SlicerStyleLight1"/></ext><ext '
        'uri="{9260A510-F301-46a8-8635-F512D64BE5F5}"><x15:timelineStyles defaultTimelineStyle="TimeSlicerStyleLight1"/>'
        "</ext></extLst></styleSheet>"
    ))  # fmt: skip
    return packing
