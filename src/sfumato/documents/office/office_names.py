"""The names of elements and attributes of Office: their namespaces, and those that are never written."""

from __future__ import annotations

from functools import lru_cache


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
    f"{_MICROSOFT}/powerpoint/2015/09/main": "p159",
    f"{_MICROSOFT}/powerpoint/2018/8/main": "p188",
    f"{_MICROSOFT}/powerpoint/2018/4/main": "p184",
    f"{_MICROSOFT}/powerpoint/2017/10/main": "p1710",
    f"{_MICROSOFT}/powerpoint/2019/9/main/command": "pc",
    f"{_MICROSOFT}/powerpoint/2013/main/command": "pc13",
    f"{_MICROSOFT}/drawing/2013/main/command": "ac",
}
"""The namespaces of Office, with the prefixes by which this package calls them."""

_SPACES = {prefix: space for space, prefix in NAMESPACES.items()}


@lru_cache(maxsize=20_000)
def short(tag: str) -> str:
    """Return the name of an element or attribute with the prefix of this package, or "" if Office has none such."""
    if not tag.startswith("{"):
        return tag
    space, _, local = tag[1:].partition("}")
    prefix = NAMESPACES.get(space)
    return f"{prefix}:{local}" if prefix else ""


def long(name: str) -> str:
    """Return the name of an element as lxml has it, of one with a prefix, such as "w:p"."""
    prefix, _, local = name.partition(":")
    return f"{{{_SPACES[prefix]}}}{local}"


CAPITALS = words(
    "AlternateContent Choice Fallback Ignorable ProcessContent MustUnderstand PreserveElements PreserveAttributes "
    "Requires OLEObject Type ProgID ShapeID DrawAspect ObjectID UpdateMode LinkType LockedField FieldCodes "
    "ClientData Anchor Row Column Visible MoveWithCells SizeWithCells AutoFill AutoLine AutoPict AutoScale "
    "PrintObject Locked TextHAlign TextVAlign ObjectType Properties Pages Words Characters Lines Paragraphs Slides "
    "Notes HiddenSlides MMClips CharactersWithSpaces DocSecurity Company Manager ID LID "
)
"""The names of elements and attributes of Office that begin with a capital."""

GONE = words(
    "w:author w:date w:initials w:rsidR w:rsidRPr w:rsidRDefault w:rsidP w:rsidDel w:rsidTr w:rsidSect "
    "w:fullDate w:ed w:edGrp w16du:dateUtc w14:textId w:originalFileName userId providerId w:hash w:salt "
    "w:hashValue w:saltValue w:algorithmName w:spinCount w:cryptProviderType w:cryptAlgorithmClass "
    "w:cryptAlgorithmType w:cryptAlgorithmSid w:cryptSpinCount w:cryptProvider w:algIdExt w:algIdExtSource "
    "w:cryptProviderTypeExt w:cryptProviderTypeExtSource hashValue saltValue hashData saltData algorithmName "
    "spinValue spinCount cryptProviderType cryptAlgorithmClass cryptAlgorithmType cryptAlgorithmSid "
    "cryptProvider o:gfxdata w14:anchorId w14:editId wp14:anchorId wp14:editId o:href o:bwmode "
    "bmk matchingName tgtFrame invalidUrl "
    "userDrawn w:prefixMappings modifiedBy lastEdited lowestEdited rupBuild appName codeName "
)
"""Attributes that are never written: who, when, passwords, and what a program makes again."""

ELEMENTS_GONE = words(
    "w:rsids w:attachedTemplate w:mailMerge w:activeWritingStyle w:smartTagType w:attachedSchema "
    "sl:schemaLibrary w:saveThroughXslt w:frameset w:permStart w:permEnd w:aliases w:rsid w14:docId "
    "w15:docId w15:presenceInfo w:printerSettings w:proofErr w:clickAndTypeStyle w:captions w:tmpl w:nsid "
    "w:guid w:subDoc w:altName w:recipients p:modifyVerifier a16:creationId p14:creationId p14:modId "
    "w:entryMacro w:exitMacro w:docPartCategory "
    "a16:rowId a16:colId p:smartTags p188:commentRel w16cid:durableId aclsh:classification "
    "c16:uniqueId c16r3:dataDisplayOptions16 p15:threadingInfo p15:presenceInfo "
)
"""Elements that are never written."""

GONE_WITH_LINK = words(
    "w:headerReference w:footerReference a:hlinkClick a:hlinkHover a:hlinkMouseOver a:snd p:snd p:sndTgt "
    "o:OLEObject w:control w:altChunk c:externalData c:userShapes c14:userShapes p:embed p:link a:videoFile "
    "a:audioFile a:wavAudioFile a:quickTimeFile p14:media w:embedRegular w:embedBold w:embedItalic "
    "w:embedBoldItalic p:regular p:bold p:italic p:boldItalic p:custData p:tags p:sldId p:sld p:control "
    "p:contentPart w14:contentPart wpi:contentPart p:handoutMasterId p:notesMasterId asvg:svgBlip "
    "a14:imgLayer w:movie w:sourceFileName w:src aink:contentPart am3d:model3d dsp:dataModelExt "
    "x:legacyDrawing a14:imgProps p:legacyDiag p:externalData cx:externalData "
)
"""Elements that are removed if what they refer to is not kept."""

NUMBERED = {"w:name@w:val": "Style", "p:custShow@name": "Custom", "p14:section@name": "Section"}
"""Names that differ from one another in a file: what is written for one that changes, before its number."""

MADE_UP = {
    "w:author": "Author",
    "w:initials": "A",
    "p:cmAuthor@name": "Author",
    "p:cmAuthor@initials": "A",
    "p188:author@name": "Author",
    "p188:author@initials": "A",
    "p188:author@userId": "Author",
    "p188:author@providerId": "None",
    "p188:cm@created": "2000-01-01T00:00:00.000",
    "p188:reply@created": "2000-01-01T00:00:00.000",
    "p:cm@dt": "2000-01-01T00:00:00.000",
}
"""What is written for who and when, where the format cannot do without."""
