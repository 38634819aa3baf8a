"""What an XML part of Office may hold that is no text of people: namespaces, shapes of values, fixed names."""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_FORMATS = "http://schemas.openxmlformats.org"
_MICROSOFT = "http://schemas.microsoft.com/office"

NAMESPACES = {
    "http://www.w3.org/XML/1998/namespace": "xml",
    _W: "w",
    f"{_FORMATS}/officeDocument/2006/relationships": "r",
    f"{_FORMATS}/officeDocument/2006/math": "m",
    f"{_FORMATS}/officeDocument/2006/extended-properties": "ep",
    f"{_FORMATS}/officeDocument/2006/custom-properties": "cup",
    f"{_FORMATS}/officeDocument/2006/docPropsVTypes": "vt",
    f"{_FORMATS}/officeDocument/2006/customXml": "ds",
    f"{_FORMATS}/officeDocument/2006/bibliography": "b",
    f"{_FORMATS}/schemaLibrary/2006/main": "sl",
    f"{_FORMATS}/markup-compatibility/2006": "mc",
    f"{_FORMATS}/presentationml/2006/main": "p",
    f"{_FORMATS}/spreadsheetml/2006/main": "x",
    f"{_FORMATS}/drawingml/2006/main": "a",
    f"{_FORMATS}/drawingml/2006/picture": "pic",
    f"{_FORMATS}/drawingml/2006/chart": "c",
    f"{_FORMATS}/drawingml/2006/chartDrawing": "cdr",
    f"{_FORMATS}/drawingml/2006/compatibility": "comp",
    f"{_FORMATS}/drawingml/2006/diagram": "dgm",
    f"{_FORMATS}/drawingml/2006/lockedCanvas": "lc",
    f"{_FORMATS}/drawingml/2006/wordprocessingDrawing": "wp",
    f"{_FORMATS}/drawingml/2006/spreadsheetDrawing": "xdr",
    "urn:schemas-microsoft-com:vml": "v",
    "urn:schemas-microsoft-com:office:office": "o",
    "urn:schemas-microsoft-com:office:word": "w10",
    "urn:schemas-microsoft-com:office:powerpoint": "pvml",
    "urn:schemas-microsoft-com:office:excel": "xvml",
    f"{_MICROSOFT}/word/2006/wordml": "wne",
    f"{_MICROSOFT}/word/2010/wordml": "w14",
    f"{_MICROSOFT}/word/2012/wordml": "w15",
    f"{_MICROSOFT}/word/2015/wordml/symex": "w16se",
    f"{_MICROSOFT}/word/2016/wordml/cid": "w16cid",
    f"{_MICROSOFT}/word/2018/wordml": "w16",
    f"{_MICROSOFT}/word/2018/wordml/cex": "w16cex",
    f"{_MICROSOFT}/word/2020/wordml/sdtdatahash": "w16sdtdh",
    f"{_MICROSOFT}/word/2023/wordml/word16du": "w16du",
    f"{_MICROSOFT}/word/2024/wordml/sdtformatlock": "w16sdtfl",
    f"{_MICROSOFT}/word/2010/wordprocessingCanvas": "wpc",
    f"{_MICROSOFT}/word/2010/wordprocessingDrawing": "wp14",
    f"{_MICROSOFT}/word/2012/wordprocessingDrawing": "wp15",
    f"{_MICROSOFT}/word/2010/wordprocessingGroup": "wpg",
    f"{_MICROSOFT}/word/2010/wordprocessingInk": "wpi",
    f"{_MICROSOFT}/word/2010/wordprocessingShape": "wps",
    f"{_MICROSOFT}/drawing/2010/main": "a14",
    f"{_MICROSOFT}/drawing/2012/main": "a15",
    f"{_MICROSOFT}/drawing/2014/main": "a16",
    f"{_MICROSOFT}/drawing/2017/decorative": "adec",
    f"{_MICROSOFT}/drawing/2008/diagram": "dsp",
    f"{_MICROSOFT}/drawing/2010/diagram": "dgm14",
    f"{_MICROSOFT}/drawing/2016/11/diagram": "dgm1611",
    f"{_MICROSOFT}/drawing/2016/12/diagram": "dgm1612",
    f"{_MICROSOFT}/drawing/2016/SVG/main": "asvg",
    f"{_MICROSOFT}/drawing/2016/ink": "aink",
    f"{_MICROSOFT}/drawing/2017/model3d": "am3d",
    f"{_MICROSOFT}/drawing/2018/sketchyshapes": "ask",
    f"{_MICROSOFT}/drawing/2018/hyperlinkcolor": "ahyp",
    f"{_MICROSOFT}/drawing/2020/classificationShape": "aclsh",
    f"{_MICROSOFT}/drawing/2007/8/2/chart": "c14",
    f"{_MICROSOFT}/drawing/2012/chart": "c15",
    f"{_MICROSOFT}/drawing/2014/chart": "c16",
    f"{_MICROSOFT}/drawing/2015/06/chart": "c16r2",
    f"{_MICROSOFT}/drawing/2017/03/chart": "c16r3",
    f"{_MICROSOFT}/drawing/2015/9/8/chartex": "cx1",
    f"{_MICROSOFT}/drawing/2014/chartex": "cx",
    f"{_MICROSOFT}/drawing/2012/chartStyle": "cs",
    f"{_MICROSOFT}/thememl/2012/main": "thm15",
    f"{_MICROSOFT}/powerpoint/2010/main": "p14",
    f"{_MICROSOFT}/powerpoint/2012/main": "p15",
    f"{_MICROSOFT}/powerpoint/2015/main": "p16",
    f"{_MICROSOFT}/powerpoint/2013/main": "p13",
    f"{_MICROSOFT}/powerpoint/2018/8/main": "p188",
    f"{_MICROSOFT}/powerpoint/2018/4/main": "p184",
    f"{_MICROSOFT}/powerpoint/2017/10/main": "p1710",
    f"{_MICROSOFT}/powerpoint/2019/9/main/command": "pc",
    f"{_MICROSOFT}/powerpoint/2013/main/command": "pc13",
    f"{_MICROSOFT}/drawing/2013/main/command": "ac",
}
"""The namespaces of Office, with the prefixes by which this package calls them."""

FONTS = words(
    "w:rFonts@w:ascii w:rFonts@w:hAnsi w:rFonts@w:eastAsia w:rFonts@w:cs w:font@w:name w:altName@w:val "
    "a:latin@typeface a:ea@typeface a:cs@typeface a:sym@typeface a:buFont@typeface a:font@typeface "
    "p:font@typeface m:mathFont@m:val w:sym@w:font w16se:symEx@w16se:font "
)
"""Attributes that name a font."""

GONE = words(
    "w:author w:date w:initials w:rsidR w:rsidRPr w:rsidRDefault w:rsidP w:rsidDel w:rsidTr w:rsidSect "
    "w:fullDate w:ed w:edGrp w16du:dateUtc w14:textId w:originalFileName userId providerId w:hash w:salt "
    "w:hashValue w:saltValue w:algorithmName w:spinCount w:cryptProviderType w:cryptAlgorithmClass "
    "w:cryptAlgorithmType w:cryptAlgorithmSid w:cryptSpinCount w:cryptProvider w:algIdExt w:algIdExtSource "
    "w:cryptProviderTypeExt w:cryptProviderTypeExtSource hashValue saltValue hashData saltData algorithmName "
    "spinValue spinCount cryptProviderType cryptAlgorithmClass cryptAlgorithmType cryptAlgorithmSid "
    "cryptProvider o:gfxdata w14:anchorId w14:editId wp14:anchorId wp14:editId o:href o:bwmode "
    "userDrawn w:prefixMappings modifiedBy lastEdited lowestEdited rupBuild appName codeName "
)
"""Attributes that are never written: who, when, passwords, and what a program makes again."""

ELEMENTS_GONE = words(
    "w:rsids w:attachedTemplate w:mailMerge w:activeWritingStyle w:smartTagType w:attachedSchema "
    "sl:schemaLibrary w:saveThroughXslt w:frameset w:permStart w:permEnd w:aliases w:rsid w14:docId "
    "w15:docId w15:presenceInfo w:printerSettings w:proofErr w:clickAndTypeStyle w:captions w:tmpl w:nsid "
    "w:guid w:subDoc w:altName w:recipients p:modifyVerifier a16:creationId p14:creationId p14:modId "
    "a16:rowId a16:colId p:smartTags p188:commentRel w16cid:durableId aclsh:classification "
    "c16:uniqueId c16r3:dataDisplayOptions16 p15:threadingInfo p15:presenceInfo "
)
"""Elements that are never written."""

TEXTS = {
    "descr": "descriptions",
    "title": "descriptions",
    "alt": "descriptions",
    "tooltip": "descriptions",
    "w:tooltip": "descriptions",
    "w:alias@w:val": "descriptions",
    "w:tag@w:val": "descriptions",
    "w15:sectionTitle@w15:val": "descriptions",
    "w:tblCaption@w:val": "descriptions",
    "w:tblDescription@w:val": "descriptions",
    "w:statusText@w:val": "descriptions",
    "w:helpText@w:val": "descriptions",
    "name": "descriptions",
    "o:title": "descriptions",
    "o:suggestedsigner": "descriptions",
    "o:suggestedsigner2": "descriptions",
    "o:suggestedsigneremail": "descriptions",
    "o:signinginstructions": "descriptions",
    "w:name@w:val": "names",
    "w:control@w:name": "descriptions",
    "p:control@name": "descriptions",
    "p:oleObj@name": "descriptions",
    "w:lsdException@w:name": "names",
    "w:listItem@w:displayText": "",
    "w:listItem@w:value": "",
    "w:dropDownList@w:lastValue": "",
    "w:comboBox@w:lastValue": "",
    "w:listEntry@w:val": "",
    "w:default@w:val": "",
    "w:lvlText@w:val": "",
    "v:textpath@string": "",
    "a:buChar@char": "",
    "m:brkBinSub@m:val": "",
    "m:chr@m:val": "",
    "m:begChr@m:val": "",
    "m:endChr@m:val": "",
    "m:sepChr@m:val": "",
    "w:noLineBreaksAfter@w:val": "",
    "w:noLineBreaksBefore@w:val": "",
    "w:decimalSymbol@w:val": "",
    "w:listSeparator@w:val": "",
    "w:hyperlink@w:tgtFrame": "links",
    "w:hyperlink@w:docLocation": "links",
    "href": "links",
    "src": "links",
    "dgm:prSet@phldrT": "",
    "dgm:title@val": "names",
    "dgm:desc@val": "names",
    "p14:section@name": "names",
    "p:custShow@name": "names",
    "p:cSld@name": "names",
    "a:theme@name": "names",
    "a:clrScheme@name": "names",
    "a:fontScheme@name": "names",
    "a:fmtScheme@name": "names",
    "a:custClr@name": "names",
    "a:tblStyle@styleName": "names",
    "p:tag@val": "properties",
    "p:tag@name": "properties",
    "w:docVar@w:val": "properties",
    "w:docVar@w:name": "properties",
    "formatCode": "",
    "c:numFmt@formatCode": "",
    "p:snd@name": "descriptions",
    "a:snd@name": "descriptions",
    "a:wavAudioFile@name": "descriptions",
    "p:kinsoku@invalStChars": "",
    "p:kinsoku@invalEndChars": "",
}
"""Attributes that hold a text, and by which rule it is treated; "" is text of the body."""

_GUID = r"\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?"
GUID = re.compile(_GUID)
NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?(%|pt|in|cm|mm|px|pc|pi|em|emu|f|fd|deg)?")
HEX = re.compile(r"#?([0-9A-Fa-f]{2,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{20})( \[\d+\])?")
ENUMERATED = re.compile(r"[a-z][A-Za-z0-9]{0,60}")
LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?|x-none")
OFFICE_URI = re.compile(
    r"(http://schemas\.(openxmlformats\.org|microsoft\.com)/|urn:(schemas-)?microsoft[.-]com)[\w/:.-]*"
)
SHAPE_ID = re.compile(r"#?(_x0000_[a-z]+[0-9]+|PowerPlusWaterMarkObject[0-9]*)|_[0-9]+")
CSS = re.compile(r"(\s*[a-z-]+\s*:\s*[\w.,#%+\-\"' &;()]*(;|$))*")
GEOMETRY = re.compile(r"[-0-9., @a-z*+/#?:]*")
ACTION = re.compile(
    r"ppaction://(hlinksldjump|hlinkfile|media|noaction|program|ole\?verb=-?\d+|customshow\?id=\d+(&return=(true|false))?"
    r"|hlinkshowjump\?jump=(nextslide|previousslide|firstslide|lastslide|lastslideviewed|endshow))"
)
DATE = re.compile(r"[dMyYhHmsgGbB/.:,\-\s'#x+%;$€()]*([aA]m/[pP]m|AM/PM)?")
PROGRAM = re.compile(
    r"(Excel|Word|PowerPoint|Visio|Equation|AcroExch|Package|MSGraph|Forms|Outlook|Paint|PBrush)[.\w]*"
)
PICTURE_OF_TEXT = re.compile(r"[\W\d_]*([^\W\d_][\W\d_]+)*[^\W\d_]?[\W\d_]*")
"""A format of a number or a level that holds no word: letters stand alone in it."""

USUAL_WORDS = words(
    "place holder "
    "text box textfeld textbox picture image graphic grafik bild shape rectangle oval line straight "
    "connector arrow right left up down group table chart diagram object title subtitle content placeholder "
    "date footer header slide number notes vertical media video audio ink freeform rounded flowchart callout "
    "frame office theme custom design default blank section two comparison only and with caption clip art "
    "over sketch fontwork wordart canvas smartart drawing watermark powerpluswatermarkobject org logo medium "
    "light dark style accent themed no grid isosceles triangle hexagon control model bullet master handout "
    "summary zoom normal heading toc index of figures envelope address return footnote endnote reference "
    "annotation page toa list continue closing signature paragraph font body indent message salutation first "
    "block hyperlink followedhyperlink strong emphasis document map plain e mail html top bottom form "
    "acronym cite code definition keyboard preformatted sample typewriter variable web subject simple "
    "classic colorful columns effects contemporary elegant professional subtle spacing revision quote "
    "intense book bibliography smart link mention hashtag unresolved char authorities macro caption contents "
    "frame internet bullets symbols characters anchor visited quotations numbering shading headings "
    "horizontal user toaheading textbody listtable gridtable outline balloon a b c d the to in a4 d3 1 "
)
"""Words of the names that programs give."""
