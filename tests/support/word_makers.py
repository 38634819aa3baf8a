"""Word documents with a word planted in every place that could hold one."""
# ruff: noqa: E501 (XML is easier to read in one line)

from __future__ import annotations

import base64
import io
from datetime import datetime
from typing import Any

from packing import MICROSOFT, OFFICE, Canaries, Packing

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
SPACES = " ".join(
    f'xmlns:{prefix}="{space}"'
    for prefix, space in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": OFFICE,
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
        "dsp": f"{MICROSOFT}/drawing/2008/diagram",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "wps": f"{MICROSOFT}/word/2010/wordprocessingShape",
        "w14": f"{MICROSOFT}/word/2010/wordml",
        "w15": f"{MICROSOFT}/word/2012/wordml",
        "w16cid": f"{MICROSOFT}/word/2016/wordml/cid",
        "w16cex": f"{MICROSOFT}/word/2018/wordml/cex",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
    }.items()
)
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def document() -> bytes:
    """Return a document of several parts, as python-docx writes it."""
    import docx

    made = docx.Document()
    made.add_heading("Report", 0)
    paragraph = made.add_paragraph("Seen: ")
    paragraph.add_run("Anna ").bold = True
    paragraph.add_run("Schmidt").italic = True
    paragraph.add_run(" of Ghent.")
    table = made.add_table(2, 2, style="Light Grid Accent 1")
    for number, cell in enumerate(table._cells):
        cell.text = f"Cell {number}"
    made.sections[0].header.paragraphs[0].text = "Header of Ghent"
    made.add_comment(paragraph.runs, text="A comment on Anna", author="Doctor Who", initials="DW")
    return saved(made)


def saved(made: Any) -> bytes:
    """Return what a library made as bytes."""
    target = io.BytesIO()
    made.save(target)
    return target.getvalue()


def para(text: str) -> str:
    """Return a paragraph."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def field(code: str, result: str) -> str:
    """Return the runs of a field, whose code lies in two of them."""
    half = len(code) // 2
    return (
        f'<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve">{code[:half]}'
        f'</w:instrText></w:r><w:r><w:instrText xml:space="preserve">{code[half:]}</w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>{result}</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def body(c: Canaries) -> str:
    """Return paragraphs with a word in each place that a body has."""
    change = f'w:id="7" w:author="{c("author of a change")}" w:date="2020-01-01T00:00:00Z"'
    split = c("over runs")
    hexadecimal = "".join(f'<w:sym w:font="Arial" w:char="F0{ord(sign):02X}"/>' for sign in c("symbols"))
    fields = (
        f'HYPERLINK "mailto:{c("link of a field")}@x.org" \\o "{c("tip of a field")}"', f" MERGEFIELD {c('merge field')} ",
        f' FILENAME \\p "{c("file name")}" ', f' XE "{c("index entry")}" ', f' {c("unknown field")} x ',
        f' ADDIN ZOTERO_ITEM {{"title":"{c("reference program")}"}} ', f' DOCPROPERTY {c("property name")} ',
        f' IF 1 = 1 "{c("if")}" "" ', f' TOC \\t "{c("style in a table of contents")},1" ', f' DATE \\@ "dd.MM \'{c("date picture")}\'" ',
        f' HYPERLINK \\l "{c("bookmark in a field")}" ', f' INCLUDEPICTURE "C:\\\\{c("path of a picture")}\\\\x.png" \\d ',
    )  # fmt: skip
    return "".join(
        (
            para(c("text")),
            f"<w:p><w:r><w:t>{split[:3]}</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>{split[3:]}</w:t></w:r></w:p>",
            f"<w:p><w:r>{hexadecimal}</w:r></w:p>",
            *(f"<w:p>{field(code, c(f'result of field {number}'))}</w:p>" for number, code in enumerate(fields)),
            f'<w:p><w:fldSimple w:instr=" AUTHOR &quot;{c("simple field")}&quot; "><w:r><w:t>{c("its result")}</w:t></w:r>'
            "</w:fldSimple></w:p>",
            f'<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="{c("form field")}"/>'
            f'<w:helpText w:type="text" w:val="{c("help text")}"/><w:statusText w:type="text" w:val="{c("status text")}"/>'
            f'<w:entryMacro w:val="{c("macro of a field")}"/><w:textInput><w:default w:val="{c("default of a form")}"/>'
            f'</w:textInput><w:ddList><w:listEntry w:val="{c("entry of a list")}"/></w:ddList></w:ffData>'
            f'<w:fldData xml:space="preserve">{base64.b64encode(c("data of a field").encode("utf-16-le")).decode()}</w:fldData>'
            '</w:fldChar></w:r><w:r><w:instrText> FORMTEXT </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>',
            f'<w:p><w:hyperlink r:id="rId801" w:tooltip="{c("tip of a link")}" w:tgtFrame="{c("frame of a link")}">'
            f"<w:r><w:t>{c('text of a link')}</w:t></w:r></w:hyperlink></w:p>",
            f'<w:p><w:bookmarkStart w:id="90" w:name="{c("bookmark")}"/><w:r><w:t>x</w:t></w:r><w:bookmarkEnd w:id="90"/>'
            f'<w:hyperlink w:anchor="{c("anchor")}"><w:r><w:t>y</w:t></w:r></w:hyperlink></w:p>',
            f"<w:p><w:ins {change}><w:r><w:t>{c('inserted')},</w:t></w:r></w:ins><w:del {change}><w:r>"
            f"<w:delText>{c('deleted')}</w:delText></w:r></w:del><w:moveFrom {change}><w:r><w:t>{c('moved from')}</w:t></w:r>"
            f"</w:moveFrom><w:moveTo {change}><w:r><w:t>{c('moved to')},</w:t></w:r></w:moveTo><w:r><w:rPr><w:b/>"
            f"<w:rPrChange {change}><w:rPr/></w:rPrChange></w:rPr><w:t>z</w:t></w:r></w:p>",
            f'<w:p w:rsidR="00AB12CD" w14:paraId="1A2B3C4D" w14:textId="77777777"><w:r><w:rPr><w:vanish/></w:rPr>'
            f"<w:t>{c('hidden text')}</w:t></w:r></w:p>",
            f'<w:p><w:smartTag w:uri="{c("uri of a smart tag")}" w:element="PersonName"><w:smartTagPr><w:attr w:name="a" '
            f'w:val="{c("smart tag")}"/></w:smartTagPr><w:r><w:t>{c("text of a smart tag")}</w:t></w:r></w:smartTag></w:p>',
            f'<w:p><w:customXml w:uri="urn:x" w:element="{c("custom element")}"><w:r><w:t>q</w:t></w:r></w:customXml></w:p>',
            _control(c),
            _box(c),
            f'<w:p><w:permStart w:id="5" w:ed="{c("editor")}"/><w:r><w:t>p</w:t></w:r><w:permEnd w:id="5"/></w:p>',
            f"<w:p><m:oMath><m:r><m:t>{c('math')}</m:t></m:r></m:oMath></w:p>",
            f"<w:p><w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>{c('ruby')}</w:t></w:r></w:rt><w:rubyBase><w:r>"
            f"<w:t>{c('base of ruby')}</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>",
            f"<w:p><w:pPr><w:bidi/></w:pPr><w:bdo w:val='rtl'><w:r><w:rPr><w:rtl/></w:rPr><w:t>{c('right to left')}</w:t>"
            "</w:r></w:bdo></w:p>",
            _nested_table(c),
            f'<w:p><w:r><w:t>k</w:t></w:r><w:unknown w:val="{c("unknown element")}">{c("its text")}</w:unknown></w:p>'
            f'<x:thing xmlns:x="urn:{c("space")}" a="{c("foreign attribute")}">{c("foreign text")}</x:thing>',
            f"<!-- {c('comment of XML')} --><?word {c('instruction of XML')}?>",
            f'<w:p w:madeUp="{c("unknown attribute")}"><w:r><w:rPr><w:lang w:val="{c("language")}"/></w:rPr><w:t>k</w:t></w:r></w:p>',
            f'<w:p><w:r><w:object><v:shape id="{c("id of a shape")}" style="width:10pt" o:gfxdata="{c("data of a shape")}">'
            f'<v:imagedata r:id="rId802" o:title="{c("title of a picture")}"/></v:shape><o:OLEObject Type="Embed" '
            f'ProgID="Package" ShapeID="_x0000_i1025" DrawAspect="Icon" ObjectID="_1" r:id="rId803"/></w:object></w:r></w:p>',
            '<w:altChunk r:id="rId804"/><w:altChunk r:id="rId805"/>',
            '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="3000000" cy="2000000"/>'
            f'<wp:docPr id="77" name="{c("name of a chart")}" descr="{c("alternative text")}" title="{c("title of a shape")}"/>'
            '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">'
            '<c:chart r:id="rId806"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>',
            '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="3000000" cy="2000000"/><wp:docPr id="78" name="Diagram 1"/>'
            '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram">'
            '<dgm:relIds r:dm="rId807" r:lo="rId808" r:qs="rId809" r:cs="rId810"/></a:graphicData></a:graphic></wp:inline>'
            "</w:drawing></w:r></w:p>",
            '<w:p><w:r><w:control r:id="rId813" w:name="CheckBox1" w:shapeid="_x0000_i1030"/></w:r></w:p>',
            '<w:p><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:endnoteReference w:id="2"/></w:r></w:p>',
        )
    )


def _control(c: Canaries) -> str:
    return (
        f'<w:sdt><w:sdtPr><w:alias w:val="{c("title of a control")}"/><w:tag w:val="{c("tag of a control")}"/><w:id w:val="1"/>'
        f'<w:placeholder><w:docPart w:val="{c("building block")}"/></w:placeholder><w:dataBinding w:prefixMappings="xmlns:a='
        f'\'{c("binding")}\'" w:xpath="/a/{c("path of data")}" w:storeItemID="{{7A0E2B6F-0000-0000-0000-000000000001}}"/>'
        f'<w:dropDownList w:lastValue="{c("last value")}"><w:listItem w:displayText="{c("shown item")}" w:value="{c("value")}"/>'
        f"</w:dropDownList></w:sdtPr><w:sdtContent>{para(c('text of a control'))}</w:sdtContent></w:sdt>"
        f'<w:sdt><w:sdtPr><w:date w:fullDate="1999-12-31T00:00:00Z"><w:dateFormat w:val="{c("format of a date")}"/></w:date>'
        f"</w:sdtPr><w:sdtContent>{para('d')}</w:sdtContent></w:sdt>"
    )


def _box(c: Canaries) -> str:
    text, name = para(c("text box")), c("alternative text of a box")
    return (
        '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:extent cx="900000" cy="900000"/>'
        f'<wp:docPr id="4" name="Text Box 1" descr="{name}"/><a:graphic><a:graphicData '
        'uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr/><wps:spPr><a:xfrm>'
        '<a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>'
        f"</wps:spPr><wps:txbx><w:txbxContent>{text}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData>"
        "</a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict>"
        f'<v:shape id="_x0000_s1026" style="width:70pt;height:70pt" alt="{name}"><v:textbox><w:txbxContent>{text}'
        "</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )


def _nested_table(c: Canaries) -> str:
    inner = f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc>{para(c('inner table'))}</w:tc></w:tr></w:tbl>"
    row = '<w:tr><w:trPr><w:del w:id="9" w:author="A" w:date="2020-01-01T00:00:00Z"/></w:trPr><w:tc>'
    return (
        f'<w:tbl><w:tblPr><w:tblCaption w:val="{c("caption of a table")}"/><w:tblDescription w:val="{c("about a table")}"/>'
        f"</w:tblPr><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc>{inner}{para('')}</w:tc></w:tr>"
        f"{row}{para(c('deleted row'))}</w:tc></w:tr></w:tbl>{para('')}"
    )


def planted(canaries: Canaries | None = None) -> tuple[bytes, Canaries]:
    """Return a document with words in every place that we know, and which place each is of."""
    import docx

    c = Canaries() if canaries is None else canaries
    made = docx.Document()
    made.sections[0].different_first_page_header_footer = True
    made.settings.odd_and_even_pages_header_footer = True
    for name in (
        "header",
        "first_page_header",
        "even_page_header",
        "footer",
        "first_page_footer",
        "even_page_footer",
    ):
        getattr(made.sections[0], name).paragraphs[0].text = c(name)
    made.add_picture(io.BytesIO(PNG))
    run = made.add_paragraph("Commented").runs[0]
    made.add_comment(run, text=c("comment"), author=c("author of a comment"), initials=c("initials"))
    made.styles.add_style(c("name of a style"), 1)
    made.paragraphs[1].style = made.styles[c_style(c)]
    for name in ("author", "title", "subject", "keywords", "comments", "category", "last_modified_by"):
        setattr(made.core_properties, name, c(f"property {name}"))
    made.core_properties.created = datetime(1999, 12, 31, 11, 59, 59)
    pack = Packing(saved(made))
    pack.replace("word/document.xml", "<w:sectPr", body(c) + "<w:sectPr")
    text = pack.members["word/document.xml"].decode()
    start = text.index("<w:document")
    root = f'<w:document {SPACES} mc:Ignorable="w14 w15">'
    pack.members["word/document.xml"] = (text[:start] + root + text[text.index(">", start) + 1 :]).encode()
    _add_parts(pack, c)
    return pack.content(), c


def c_style(c: Canaries) -> str:
    """Return the style that was planted."""
    return next(word for word, place in c.places.items() if place == "name of a style")


def _add_parts(pack: Packing, c: Canaries) -> None:
    main = "word/document.xml"
    pack.relate(main, "hyperlink", f"https://x.org/{c('target of a link')}?q=%4Banari", "rId801", external=True)
    pack.add("word/media/image9.png", PNG + c("after a picture").encode(), "image/png")
    pack.relate(main, "image", "media/image9.png", "rId802")
    pack.add(
        "word/embeddings/oleObject1.bin",
        c("object").encode("utf-16-le"),
        "application/vnd.openxmlformats-officedocument.oleObject",
    )
    pack.relate(main, "oleObject", "embeddings/oleObject1.bin", "rId803")
    pack.add(f"word/{c('name of a part')}.rtf", f"{{\\rtf1 {c('RTF inside')}}}", "application/rtf")
    pack.relate(main, "aFChunk", f"{next(name for name in pack.members if name.endswith('.rtf'))[5:]}", "rId804")
    inner = Packing(document())
    inner.replace("word/document.xml", "Report", c("document inside"))
    pack.add("word/afchunk1.docx", inner.content(), f"{_WORD}.document")
    pack.relate(main, "aFChunk", "afchunk1.docx", "rId805")
    _add_charts(pack, c)
    _add_settings(pack, c)
    xml = "application/xml"
    for name, kind in (("footnotes", "footnote"), ("endnotes", "endnote")):
        content = f'<w:{name} {SPACES}><w:{kind} w:id="2">{para(c(name))}</w:{kind}></w:{name}>'
        pack.add(f"word/{name}.xml", content, f"{_WORD}.{name}+xml")
        pack.relate(main, name, f"{name}.xml", f"rId82{len(name)}" if name == "endnotes" else "rId829")
    ms = "http://schemas.microsoft.com/office/2011/relationships"
    pack.add("word/people.xml", f'<w15:people {SPACES}><w15:person w15:author="{c("person")}"><w15:presenceInfo '
             f'w15:providerId="AD" w15:userId="{c("user")}"/></w15:person></w15:people>', f"{_WORD}.people+xml")  # fmt: skip
    pack.relate(main, f"{ms}/people", "people.xml", "rId830")
    pack.add("word/commentsExtended.xml", f'<w15:commentsEx {SPACES}><w15:commentEx w15:paraId="0A0B0C0D" w15:done="1" '
             f'w15:made="{c("threads")}"/></w15:commentsEx>', f"{_WORD}.commentsExtended+xml")  # fmt: skip
    pack.relate(main, f"{ms}/commentsExtended", "commentsExtended.xml", "rId831")
    glossary = (
        f'<w:glossaryDocument {SPACES}><w:docParts><w:docPart><w:docPartPr><w:name w:val="{c("AutoText")}"/></w:docPartPr>'
        f"<w:docPartBody>{para(c('block'))}</w:docPartBody></w:docPart></w:docParts></w:glossaryDocument>"
    )
    pack.add("word/glossary/document.xml", glossary, f"{_WORD}.document.glossary+xml")
    pack.relate(main, "glossaryDocument", "glossary/document.xml", "rId832")
    pack.add("word/vbaProject.bin", c("macro"), "application/vnd.ms-office.vbaProject")
    pack.relate(main, "http://schemas.microsoft.com/office/2006/relationships/vbaProject", "vbaProject.bin", "rId833")
    pack.add("word/fonts/font1.odttf", c("font"), "application/vnd.openxmlformats-officedocument.obfuscatedFont")
    pack.relate("word/fontTable.xml", "font", "fonts/font1.odttf", "rId1")
    pack.replace(
        "word/fontTable.xml",
        '<w:font w:name="Cambria">',
        f'<w:font w:name="Cambria"><w:altName w:val="{c("other font")}"/>',
    )
    pack.add(
        "word/activeX/activeX1.xml",
        f'<ax:ocx xmlns:ax="urn:x" ax:a="{c("control of a program")}"/>',
        "application/vnd.ms-office.activeX+xml",
    )
    pack.relate(main, "control", "activeX/activeX1.xml", "rId813")
    pack.add("customXml/item9.xml", f'<a b="{c("attribute of data")}">{c("data")}</a>', xml)
    pack.relate(main, "customXml", "../customXml/item9.xml", "rId834")
    pack.add("docProps/custom.xml", '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" '
             'xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"><property fmtid='
             f'"{{D5CDD505-2E9C-101B-9397-08002B2CF9AE}}" pid="2" name="{c("own property")}"><vt:lpwstr>{c("its value")}</vt:lpwstr>'
             "</property></Properties>", "application/vnd.openxmlformats-officedocument.custom-properties+xml")  # fmt: skip
    pack.relate("", "custom-properties", "docProps/custom.xml", "rId90")
    pack.replace("docProps/app.xml", "<Company/>", f"<Company>{c('company')}</Company>")
    pack.replace("docProps/app.xml", "<Template>Normal", f"<Template>{c('template')}")
    pack.members["docProps/thumbnail.jpeg"] += c("preview").encode()
    pack.add(
        "_xmlsignatures/origin.sigs",
        c("signature"),
        "application/vnd.openxmlformats-package.digital-signature-origin",
    )
    pack.relate(
        "",
        "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin",
        "_xmlsignatures/origin.sigs",
        "rId91",
    )
    pack.members[f"[trash]/{c('trash')}.dat"] = c("in the trash").encode()
    pack.add("word/odd.xml", f"<odd>{c('part of no known kind')}</odd>", xml)
    pack.relate(main, f"http://example.org/{c('type of a relationship')}", "odd.xml", "rId835")
    pack.add("word/odder.xml", f"<odd>{c('part that nothing leads to')}</odd>", f"application/{c('type of a part')}")


def _add_charts(pack: Packing, c: Canaries) -> None:
    main = "word/document.xml"
    value = f'<c:strRef><c:f>{c("name of a sheet")}!$A$1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>{c("series")}</c:v></c:pt>'
    chart = (
        f"<c:chartSpace {SPACES}><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>{c('title of a chart')}</a:t></a:r></a:p>"
        "</c:rich></c:tx></c:title><c:plotArea><c:layout/><c:barChart><c:barDir val='bar'/><c:grouping val='clustered'/><c:ser>"
        f'<c:idx val="0"/><c:order val="0"/><c:tx>{value}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:f>Sheet1!$A$2</c:f>'
        f'<c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>{c("category")}</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val>'
        f'<c:numRef><c:f>Sheet1!$B$2</c:f><c:numCache><c:formatCode>0.0 "{c("format")}"</c:formatCode><c:ptCount val="1"/>'
        '<c:pt idx="0"><c:v>4711.5</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser><c:axId val="1"/><c:axId val="2"/>'
        '</c:barChart><c:catAx><c:axId val="1"/><c:scaling/><c:axPos val="b"/><c:crossAx val="2"/></c:catAx><c:valAx>'
        '<c:axId val="2"/><c:scaling/><c:axPos val="l"/><c:crossAx val="1"/></c:valAx></c:plotArea></c:chart>'
        '<c:externalData r:id="rId1"/></c:chartSpace>'
    )
    pack.add("word/charts/chart1.xml", chart, "application/vnd.openxmlformats-officedocument.drawingml.chart+xml")
    pack.relate(main, "chart", "charts/chart1.xml", "rId806")
    pack.add("word/embeddings/Microsoft_Excel_Sheet1.docx", document(), f"{_WORD}.document")
    pack.relate("word/charts/chart1.xml", "package", "../embeddings/Microsoft_Excel_Sheet1.docx", "rId1")
    text = c("diagram")
    shown = f"<a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>{text}</a:t></a:r></a:p>"
    data = (
        f'<dgm:dataModel {SPACES}><dgm:ptLst><dgm:pt modelId="1"><dgm:prSet phldrT="{c("prompt of a diagram")}"/><dgm:spPr/>'
        f"<dgm:t>{shown}</dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst/><dgm:bg/><dgm:whole/></dgm:dataModel>"
    )
    drawn = (
        f'<dsp:drawing {SPACES}><dsp:spTree><dsp:nvGrpSpPr/><dsp:grpSpPr/><dsp:sp modelId="1"><dsp:txBody>{shown}</dsp:txBody>'
        "</dsp:sp></dsp:spTree></dsp:drawing>"
    )
    diagram = "application/vnd.openxmlformats-officedocument.drawingml.diagram"
    empty = "xmlns='http://schemas.openxmlformats.org/drawingml/2006/diagram'"
    pack.add("word/diagrams/drawing1.xml", drawn, "application/vnd.ms-office.drawingml.diagramDrawing+xml")
    pack.relate(
        main,
        "http://schemas.microsoft.com/office/2007/relationships/diagramDrawing",
        "diagrams/drawing1.xml",
        "rId811",
    )
    for id, kind, name, content in (
        ("rId807", "diagramData", "data1", data),
        ("rId808", "diagramLayout", "layout1", f"<layoutDef {empty} uniqueId='urn:microsoft.com/office/officeart/2005/8/layout/default'><title val='{c('layout')}'/></layoutDef>"),
        ("rId809", "diagramQuickStyle", "quickStyle1", f"<styleDef {empty}/>"),
        ("rId810", "diagramColors", "colors1", f"<colorsDef {empty}/>"),
    ):  # fmt: skip
        pack.add(f"word/diagrams/{name}.xml", content, f"{diagram}{kind.removeprefix('diagram')}+xml")
        pack.relate(main, kind, f"diagrams/{name}.xml", id)


def _add_settings(pack: Packing, c: Canaries) -> None:
    settings, sets = "word/settings.xml", "<w:zoom"
    pack.replace(
        settings,
        sets,
        f'<w:writeProtection w:hash="{c("hash")}" w:salt="AAAA" w:cryptProviderType="rsaFull"/>' + sets,
    )
    pack.replace(settings, "<w:rsids>", '<w:attachedTemplate r:id="rId850"/><w:mailMerge><w:mainDocumentType w:val="formLetters"/>'
                 f'<w:connectString w:val="{c("connection")}"/><w:query w:val="{c("query")}"/><w:dataSource r:id="rId851"/></w:mailMerge>'
                 f'<w:docVars><w:docVar w:name="{c("name of a variable")}" w:val="{c("variable")}"/></w:docVars><w:rsids>')  # fmt: skip
    pack.relate(
        settings, "attachedTemplate", f"file:///C:/Users/{c('path of a template')}/a.dotx", "rId850", external=True
    )
    pack.relate(settings, "mailMergeSource", f"file:///C:/{c('mail merge')}.csv", "rId851", external=True)
    text = pack.members[settings].decode()
    if "xmlns:r=" not in text[: text.index(">", text.index("<w:settings"))]:
        pack.replace(settings, "<w:settings ", f'<w:settings xmlns:r="{OFFICE}" ')
    pack.replace("word/numbering.xml", 'w:lvlText w:val="', f'w:lvlText w:val="{c("numbering")} ')
    head = "word/" + next(name for name in sorted(pack.members) if name.startswith("word/header"))[5:]
    mark = (
        f'<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" id="PowerPlusWaterMarkObject1" style="width:90pt">'
        f'<v:textpath style="font-family:&quot;Calibri&quot;" string="{c("watermark")}"/></v:shape></w:pict></w:r></w:p></w:hdr>'
    )
    pack.replace(head, "</w:hdr>", mark)
    pack.replace(
        "word/styles.xml",
        '<w:name w:val="Normal"/>',
        f'<w:name w:val="Normal"/><w:aliases w:val="{c("alias of a style")}"/>',
    )
    pack.replace("word/theme/theme1.xml", 'name="Office Theme"', f'name="{c("name of a theme")}"')
    pack.replace(
        "word/webSettings.xml",
        "</w:webSettings>",
        f'<w:frameset><w:sz w:val="{c("frames")}"/></w:frameset></w:webSettings>',
    )
