"""Slides with a word planted in every place that could hold one."""
# ruff: noqa: E501 (XML is easier to read in one line)

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from packing import MICROSOFT, OFFICE, Canaries, Packing
from word_makers import PNG, SPACES, saved

_DRAWING = "application/vnd.openxmlformats-officedocument"
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_P14 = f'xmlns:p14="{MICROSOFT}/powerpoint/2010/main"'
_P188 = f'xmlns:p188="{MICROSOFT}/powerpoint/2018/8/main"'


def slides() -> bytes:
    """Return slides with a table, notes and a chart, as python-pptx writes them."""
    return saved(_made(lambda place: f"{place.capitalize()} of Anna Schmidt"))


def _made(word: Callable[[str], str]) -> Any:
    import pptx
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    made: Any = pptx.Presentation()
    for number in range(3):
        slide = made.slides.add_slide(made.slide_layouts[5])
        slide.shapes.title.text = word(f"title of slide {number}")
        slide.notes_slide.notes_text_frame.text = word(f"notes of slide {number}")
    first = made.slides[0].shapes
    table = first.add_table(1, 1, Inches(1), Inches(2), Inches(3), Inches(1))
    table.table.cell(0, 0).text = word("table")
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = [word("category")]
    data.add_series(word("series"), [4711.5])
    first.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, Inches(1), Inches(3), Inches(3), Inches(2), data)
    picture = first.add_picture(io.BytesIO(PNG), Inches(5), Inches(3))
    picture.name = word("name of a picture")
    group = first.add_group_shape()
    box = group.shapes.add_textbox(Inches(6), Inches(5), Inches(1), Inches(1))
    box.text_frame.text = f"{word('box in a group')}, "
    run = box.text_frame.paragraphs[0].add_run()
    run.text = word("link")
    run.hyperlink.address = f"mailto:{word('target of a link')}@x.org"
    made.slides[1]._element.set("show", "0")
    made.slide_layouts[0].placeholders[0].text = word("layout")
    made.slide_master.placeholders[0].text = word("master")
    return made


def planted(canaries: Canaries | None = None) -> tuple[bytes, Canaries]:
    """Return slides with words in every place that we know, and which place each is of."""
    c = Canaries() if canaries is None else canaries
    made = _made(c)
    for name in ("author", "title", "subject", "keywords", "comments", "category", "last_modified_by"):
        setattr(made.core_properties, name, c(f"property {name}"))
    pack = Packing(saved(made))
    _embed(pack)
    _add_to_slide(pack, c)
    _add_comments(pack, c)
    _add_to_presentation(pack, c)
    return pack.content(), c


def _embed(pack: Packing) -> None:
    """Put a document in the place of the workbook of a chart, which another format walks."""
    from word_makers import document

    name = next(name for name in pack.members if name.endswith(".xlsx"))
    del pack.members[name]
    new = name.replace(".xlsx", ".docx")
    pack.add(new, document(), f"{_DRAWING}.wordprocessingml.document")
    rels = next(each for each in pack.members if "charts/_rels" in each)
    pack.replace(rels, name.rpartition("/")[2], new.rpartition("/")[2])


def _add_to_slide(pack: Packing, c: Canaries) -> None:
    slide = "ppt/slides/slide1.xml"
    shape = '<p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></a:xfrm></p:spPr>'
    old = '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    xml = (
        f'<p:sp><p:nvSpPr><p:cNvPr id="91" name="{c("name of a shape")}" descr="{c("alternative text")}" '
        f'title="{c("title of a shape")}"><a:hlinkClick r:id="rId901" tooltip="{c("tip")}" '
        f'action="ppaction://hlinkpres?slideindex=1&amp;slidetitle={c("title in an action")}"/></p:cNvPr><p:cNvSpPr/>{shape}'
        f'<p:txBody><a:bodyPr/><a:p><a:pPr><a:buChar char="•"/></a:pPr><a:r><a:rPr bmk="{c("bookmark")}"/><a:t>{c("text")[:4]}'
        f"</a:t></a:r><a:r><a:rPr b='1'/><a:t>{c_last(c)[4:]}</a:t></a:r><a:br/><a:fld id="
        f'"{{5BCAD085-E8A6-8845-BD4E-CB4CCA059FC4}}" type="datetime1"><a:t>{c("field")}</a:t></a:fld></a:p></p:txBody></p:sp>'
        f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="92" name="Object 1"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
        '<p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic><a:graphicData '
        f'uri="http://schemas.openxmlformats.org/presentationml/2006/ole">{old}<mc:Choice xmlns:v="urn:schemas-microsoft-com:vml" '
        f'Requires="v"><p:oleObj name="{c("name of an object")}" spid="_x0000_s1026" r:id="rId902" progId="Package"><p:embed/>'
        f'</p:oleObj></mc:Choice><mc:Fallback><p:oleObj r:id="rId902" progId="Package"><p:embed/><p:pic><p:nvPicPr><p:cNvPr '
        f'id="93" name="{c("picture of an object")}"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="rId903"/>'
        '<a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic></p:oleObj></mc:Fallback></mc:AlternateContent>'
        "</a:graphicData></a:graphic></p:graphicFrame>"
        f'<p:pic><p:nvPicPr><p:cNvPr id="94" name="Film 1"/><p:cNvPicPr/><p:nvPr><a:videoFile r:link="rId904"/><p:extLst>'
        f'<p:ext uri="{{DAA4B4D4-6D71-4841-9C94-3DE7FCFB9230}}"><p14:media {_P14} r:embed="rId905"/></p:ext></p:extLst></p:nvPr>'
        '</p:nvPicPr><p:blipFill><a:blip r:embed="rId903"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm>'
        '<a:off x="0" y="0"/><a:ext cx="9" cy="9"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>'
        "</p:spTree>"
    )
    pack.replace(slide, "</p:spTree>", xml)
    pack.replace(slide, "<p:cSld", f'<p:cSld name="{c("name of a slide")}"')
    pack.replace(slide, "</p:cSld>", '<p:custDataLst><p:tags r:id="rId906"/></p:custDataLst></p:cSld>')
    pack.relate(slide, "hyperlink", f"file:///C:/Users/{c('path of a link')}", "rId901", external=True)
    pack.add("ppt/embeddings/oleObject1.bin", c("object").encode("utf-16-le"), f"{_DRAWING}.oleObject")
    pack.relate(slide, "oleObject", "../embeddings/oleObject1.bin", "rId902")
    pack.add("ppt/media/image99.png", PNG + c("after a picture").encode(), "image/png")
    pack.relate(slide, "image", "../media/image99.png", "rId903")
    pack.add(f"ppt/media/{c('name of a film')}.mp4", c("film"), "video/mp4")
    film = f"../media/{next(name for name in pack.members if name.endswith('.mp4'))[10:]}"
    pack.relate(slide, "video", film, "rId904")
    pack.relate(slide, "http://schemas.microsoft.com/office/2007/relationships/media", film, "rId905")
    tags = f'<p:tagLst {_P}><p:tag name="{c("name of a tag").upper()}" val="{c("tag")}"/></p:tagLst>'
    pack.add("ppt/tags/tag1.xml", tags, f"{_DRAWING}.presentationml.tags+xml")
    pack.relate(slide, "tags", "../tags/tag1.xml", "rId906")
    text = c("diagram")
    shown = f"<a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>{text}</a:t></a:r></a:p>"
    data = f'<dgm:dataModel {SPACES}><dgm:ptLst><dgm:pt modelId="1"><dgm:t>{shown}</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>'
    drawn = f"<dsp:drawing {SPACES}><dsp:spTree><dsp:sp modelId='1'><dsp:txBody>{shown}</dsp:txBody></dsp:sp></dsp:spTree></dsp:drawing>"
    pack.add("ppt/diagrams/data1.xml", data, f"{_DRAWING}.drawingml.diagramData+xml")
    pack.relate(slide, "diagramData", "../diagrams/data1.xml", "rId907")
    pack.add("ppt/diagrams/drawing1.xml", drawn, "application/vnd.ms-office.drawingml.diagramDrawing+xml")
    pack.relate(slide, f"{MICROSOFT}/2007/relationships/diagramDrawing", "../diagrams/drawing1.xml", "rId908")


def c_last(c: Canaries) -> str:
    """Return the last word that was planted."""
    return list(c.places)[-1]


def _add_comments(pack: Packing, c: Canaries) -> None:
    slide, main = "ppt/slides/slide1.xml", "ppt/presentation.xml"
    old = (
        f'<p:cmLst {_P}><p:cm authorId="0" dt="1999-12-31T11:59:59.000" idx="1"><p:pos x="10" y="10"/>'
        f"<p:text>{c('comment')}</p:text></p:cm></p:cmLst>"
    )
    authors = f'<p:cmAuthorLst {_P}><p:cmAuthor id="0" name="{c("author")}" initials="{c("initials")}" lastIdx="1" clrIdx="0"/></p:cmAuthorLst>'
    pack.add("ppt/comments/comment1.xml", old, f"{_DRAWING}.presentationml.comments+xml")
    pack.relate(slide, "comments", "../comments/comment1.xml", "rId920")
    pack.add("ppt/commentAuthors.xml", authors, f"{_DRAWING}.presentationml.commentAuthors+xml")
    pack.relate(main, "commentAuthors", "commentAuthors.xml", "rId921")
    guid = "{8A1E0F55-1B2C-4D3E-9F00-ABCDEF012345}"
    new = (
        f'<p188:cmLst {_P188} {SPACES}><p188:cm id="{{11111111-2222-4333-8444-555555555555}}" authorId="{guid}" '
        f'created="1999-12-31T11:59:59.000"><p188:replyLst><p188:reply id="{{11111111-2222-4333-8444-555555555556}}" '
        f'authorId="{guid}" created="1999-12-31T11:59:59.000"><p188:txBody><a:bodyPr/><a:p><a:r><a:t>{c("reply")}</a:t></a:r></a:p>'
        f"</p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:bodyPr/><a:p><a:r><a:t>{c('new comment')}</a:t></a:r></a:p>"
        "</p188:txBody></p188:cm></p188:cmLst>"
    )
    people = (
        f'<p188:authorLst {_P188}><p188:author id="{guid}" name="{c("new author")}" initials="{c("new initials")}" '
        f'userId="{c("user")}@x.org" providerId="AD"/></p188:authorLst>'
    )
    kind = "http://schemas.microsoft.com/office/2018/10/relationships"
    pack.add("ppt/comments/modernComment_1.xml", new, "application/vnd.ms-powerpoint.comments+xml")
    pack.relate(slide.replace("1", "3"), f"{kind}/comments", "../comments/modernComment_1.xml", "rId922")
    pack.add("ppt/authors.xml", people, "application/vnd.ms-powerpoint.authors+xml")
    pack.relate(main, f"{kind}/authors", "authors.xml", "rId923")


def _add_to_presentation(pack: Packing, c: Canaries) -> None:
    main = "ppt/presentation.xml"
    section = (
        f'<p:custShowLst><p:custShow name="{c("custom show")}" id="0"><p:sldLst><p:sld r:id="rId7"/></p:sldLst></p:custShow>'
        f'</p:custShowLst><p:modifyVerifier hashData="{c("hash")}"/><p:extLst><p:ext uri="{{521415D9-36F7-43E2-AB2F-B90AF26B5E84}}">'
        f'<p14:sectionLst {_P14}><p14:section name="{c("section")}" id="{{A0000000-0000-4000-8000-000000000001}}"><p14:sldIdLst>'
        '<p14:sldId id="256"/></p14:sldIdLst></p14:section></p14:sectionLst></p:ext></p:extLst></p:presentation>'
    )
    pack.replace(main, "</p:presentation>", section)
    pack.add("ppt/revisionInfo.xml", f"<a>{c('revision')}</a>", "application/vnd.ms-powerpoint.revisioninfo+xml")
    pack.relate(
        main, "http://schemas.microsoft.com/office/2015/10/relationships/revisionInfo", "revisionInfo.xml", "rId930"
    )
    pack.add("ppt/vbaProject.bin", c("macro"), "application/vnd.ms-office.vbaProject")
    pack.relate(main, "http://schemas.microsoft.com/office/2006/relationships/vbaProject", "vbaProject.bin", "rId931")
    pack.add("ppt/fonts/font1.fntdata", c("font"), "application/x-fontdata")
    pack.relate(main, "font", "fonts/font1.fntdata", "rId932")
    master = (
        f'<p:handoutMaster {_P} {SPACES}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>'
        f'<p:grpSpPr/><p:sp><p:nvSpPr><p:cNvPr id="2" name="Header Placeholder 1"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody>'
        f"<a:bodyPr/><a:p><a:r><a:t>{c('master of handouts')}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:handoutMaster>"
    )
    pack.add("ppt/handoutMasters/handoutMaster1.xml", master, f"{_DRAWING}.presentationml.handoutMaster+xml")
    pack.relate(main, "handoutMaster", "handoutMasters/handoutMaster1.xml", "rId933")
    pack.replace(
        "ppt/tableStyles.xml",
        "/>",
        f'><a:tblStyle styleId="{{A0000000-0000-4000-8000-000000000002}}" styleName="{c("style of a table")}"/></a:tblStyleLst>',
    )
    pack.replace(
        "ppt/presProps.xml", "<p:extLst>", f'<p:htmlPubPr title="{c("title of a page")}" r:id="rId1"/><p:extLst>'
    )
    pack.relate("ppt/presProps.xml", "htmlPubSaveAs", f"file:///C:/{c('path of a page')}", "rId1", external=True)
    pack.members["ppt/printerSettings/printerSettings1.bin"] = c("printer").encode("utf-16-le")
    pack.members["docProps/thumbnail.jpeg"] += c("preview").encode()
    pack.replace("docProps/app.xml", "</TitlesOfParts>", f"</TitlesOfParts><Company>{c('company')}</Company>")
    pack.replace("ppt/theme/theme1.xml", 'name="Office Theme"', f'name="{c("theme")}"')


__all__ = ["OFFICE", "planted", "slides"]
