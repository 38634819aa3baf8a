"""What an attribute of Office may hold: a text of people, or a value whose shape the format has fixed."""

from __future__ import annotations

import re

from sfumato.documents.office.office_fonts import has_usual_fonts, is_usual_font
from sfumato.documents.office.office_names import GONE, MADE_UP, words
from sfumato.documents.public_words import program_words

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
CSS = re.compile(r"""(\s*(font-family\s*:[^;:]{0,70}|[a-z-]+\s*:[a-z0-9.,#%+\-' ]*)(;|$))*""")
COLOR = re.compile(r"[a-zA-Z]+ \[[0-9]+\]|[a-z]+( [a-z]+\([0-9]+\))?")
GEOMETRY = re.compile(r"[-0-9., @a-z*+/#?:]*")
ACTION = re.compile(
    r"ppaction://(hlinksldjump|hlinkfile|media|noaction|program|ole\?verb=-?\d+|customshow\?id=\d+(&return=(true|false))?"
    r"|hlinkshowjump\?jump=(nextslide|previousslide|firstslide|lastslide|lastslideviewed|endshow))"
)
DATE = re.compile(r"[dMyYhHmsgGbB\\/.:,\-\s'#x+%;$€()]*([aA]m/[pP]m|AM/PM)?")
PROGRAM = re.compile(
    r"(Excel|Word|PowerPoint|Visio|Equation|AcroExch|Package|MSGraph|Forms|Outlook|Paint|PBrush)[.\w]*"
)
_TERM = r"(\*/|\+-|\+/|\?:|[a-z][A-Za-z0-9]{0,20}|[A-Z]\d+|-?\d+)"
EFFECT = re.compile(r"[#a-z0-9_+\-*/().$ ]*")
MOTION = re.compile(r"[-+0-9MLCZEQmlczeq., ]*")
PLAIN_ID = re.compile(r"(rId|R|r|Id)[0-9A-Fa-f]{1,32}")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
_FORMATTED = re.compile(
    r"General|Standard|[yYmMdDhHsS]+|AM/PM|am/pm|\[(Red|Blue|Green|Black|White|Yellow|Cyan|Magenta)\]"
)
_WORDY = re.compile(r"[^\W\d_]{2}|(?=[0-9]*[1-9])[0-9]{5}")
_LONGEST_FORMAT, _LONGEST_NUMBER = 200, 4
_LONG = re.compile(r"[-+]?[0-9]{9,}")
_PANOSE = re.compile("(0[0-9A-F]){10}")
_ACCENTED = re.compile("[ -]?Accent ?[1-6]$")
_WITH_LONG = words("id w:id x y cx cy relativeHeight spid idx w:id@w:val c:axId@val c:crossAx@val")
"""Attributes of lengths and of ids that programs count or draw at random."""

FONTS = words(
    "w:rFonts@w:ascii w:rFonts@w:hAnsi w:rFonts@w:eastAsia w:rFonts@w:cs w:font@w:name w:altName@w:val "
    "a:latin@typeface a:ea@typeface a:cs@typeface a:sym@typeface a:buFont@typeface a:font@typeface "
    "p:font@typeface m:mathFont@m:val w:sym@w:font w16se:symEx@w16se:font "
    "w14:checkedState@w14:font w14:uncheckedState@w14:font "
    "x:name@val x:rFont@val"
)
"""Attributes that name a font."""

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

_EVERYWHERE = words("descr title name alt tooltip w:tooltip o:title formatCode href src")
_LEVELS = words(
    "w:lvlText@w:val a:buChar@char m:chr@m:val m:begChr@m:val m:endChr@m:val m:sepChr@m:val "
    "w:noLineBreaksAfter@w:val w:noLineBreaksBefore@w:val w:decimalSymbol@w:val w:listSeparator@w:val "
    "m:brkBinSub@m:val p:kinsoku@invalStChars p:kinsoku@invalEndChars "
)
_PANOSE = re.compile(r"((?i:0[0-9A-F])|10){10}")
"""Ten small numbers that say how a font looks."""
_PLAIN = (NUMBER, HEX, ENUMERATED)
_SHAPES: dict[str, tuple[re.Pattern[str], ...]] = {
    "@uri": (GUID, OFFICE_URI),
    "w:compatSetting@w:uri": (OFFICE_URI,),
    "w:lang@w:val": (LANGUAGE,),
    "w:lang@w:eastAsia": (LANGUAGE,),
    "w:lang@w:bidi": (LANGUAGE,),
    "w:themeFontLang@w:val": (LANGUAGE,),
    "w:themeFontLang@w:eastAsia": (LANGUAGE,),
    "w:themeFontLang@w:bidi": (LANGUAGE,),
    "w:lid@w:val": (LANGUAGE,),
    "@lang": (LANGUAGE,),
    "@altLang": (LANGUAGE,),
    "c:lang@val": (LANGUAGE,),
    "a:font@script": (re.compile("[A-Z][a-z]{3}"),),
    "v:@id": (SHAPE_ID,),
    "v:@ID": (SHAPE_ID,),
    "v:@o:spid": (SHAPE_ID,),
    "v:@type": (SHAPE_ID,),
    "o:@ShapeID": (SHAPE_ID,),
    "@spid": (SHAPE_ID, NUMBER),
    "v:@style": (CSS,),
    "v:@path": (GEOMETRY,),
    "v:@v": (GEOMETRY,),
    "v:@eqn": (GEOMETRY,),
    "v:@coordsize": (GEOMETRY,),
    "v:@coordorigin": (GEOMETRY,),
    "v:@adj": (GEOMETRY,),
    "v:@points": (GEOMETRY,),
    "v:@from": (GEOMETRY,),
    "v:@to": (GEOMETRY,),
    "v:@o:connectlocs": (GEOMETRY,),
    "v:@textboxrect": (GEOMETRY,),
    "v:@inset": (GEOMETRY,),
    "a:gd@fmla": (re.compile(rf"{_TERM}( {_TERM})*"),),
    "a:gd@name": (ENUMERATED, re.compile("[A-Z][0-9]+")),
    "@mc:Ignorable": (re.compile("[a-z0-9 ]*"),),
    "mc:@Requires": (re.compile("[a-z][a-z0-9 ]*"),),
    "@action": (ACTION,),
    "a:tblStyleLst@def": (GUID,),
    "a:tblStyle@styleId": (GUID,),
    "a:fld@id": (GUID,),
    "ds:@ds:itemID": (GUID,),
    "ds:schemaRef@ds:uri": (OFFICE_URI,),
    "dgm:@uniqueId": (OFFICE_URI, GUID),
    "w:dateFormat@w:val": (DATE,),
    "o:@Type": (re.compile("Embed|Link"),),
    "o:@DrawAspect": (re.compile("Content|Icon"),),
    "o:@ObjectID": (re.compile("_[0-9]+"),),
    "o:@UpdateMode": (re.compile("Always|OnCall"),),
    "o:@ProgID": (PROGRAM,),
    "@progId": (PROGRAM,),
    "@xml:lang": (LANGUAGE,),
    "v:@wrapcoords": (GEOMETRY,),
    "v:@fillcolor": (NUMBER, HEX, COLOR),
    "v:@strokecolor": (NUMBER, HEX, COLOR),
    "v:@color2": (NUMBER, HEX, COLOR),
    "v:@color": (NUMBER, HEX, COLOR),
    "v:@offset": (GEOMETRY,),
    "w:panose1@w:val": (_PANOSE,),
    "@panose": (_PANOSE,),
    "w:numFmt@w:format": (re.compile("[0-9, .]*"),),
    "p:strVal@val": (EFFECT,),
    "p:anim@to": (EFFECT,),
    "p:anim@from": (EFFECT,),
    "p:anim@by": (EFFECT,),
    "p:tav@fmla": (EFFECT,),
    "p:animMotion@path": (MOTION,),
    "p:animMotion@ptsTypes": (re.compile("[AaFfBb]*"),),
    "p:animEffect@filter": (re.compile(r"[a-zA-Z]+(\([a-zA-Z0-9]*\))?"),),
    "p:cmd@cmd": (re.compile(r"[a-z][A-Za-z]*(\([0-9.]*\))?"),),
    "dsp:dataModelExt@relId": (PLAIN_ID,),
    "dsp:dataModelExt@minVer": (OFFICE_URI,),
    "dgm:@name": (ENUMERATED, re.compile("Name[0-9]+")),
    "dgm": (*_PLAIN, OFFICE_URI, re.compile("[a-z][A-Za-z0-9]*( [a-z][A-Za-z0-9]*)*"), re.compile("[0-9 -]+")),
}


def text_rule(name: str, attribute: str) -> str | None:
    """Return by which rule an attribute is treated as a text, or None if it is no text."""
    rule = TEXTS.get(f"{name}@{attribute}")
    return TEXTS.get(attribute) if rule is None and attribute in _EVERYWHERE and not _inner(name) else rule


def _inner(name: str) -> bool:
    """Return whether the names of an element are those of a layout of a diagram, or of a formula."""
    return name == "a:gd" or name.startswith("dgm")


def fixed_value(name: str, attribute: str, value: str) -> bool:
    """Return whether an attribute holds what the format has fixed, and no text of people."""
    pair = f"{name}@{attribute}"
    if attribute in GONE or pair in MADE_UP:  # initials look as what a format has fixed
        return False
    if (rule := text_rule(name, attribute)) is not None:
        named = rule == "names" or attribute == "name"
        formatted = attribute == "formatCode" or pair in _LEVELS
        return len(value) < 2 or (named and usual(value)) or (formatted and plain_format(value))
    if pair in FONTS:
        return is_usual_font(value)
    if attribute == "style" and not has_usual_fonts(value):
        return False
    if is_long_number(value) and not (attribute == "panose" or name == "w:panose1"):
        return attribute in _WITH_LONG or pair in _WITH_LONG
    prefix = name.partition(":")[0]
    shapes = _SHAPES.get(pair) or _SHAPES.get(f"{prefix}:@{attribute}") or _SHAPES.get(f"@{attribute}")
    shapes = shapes or _SHAPES.get(prefix, _PLAIN)
    return not value or any(shape.fullmatch(value) for shape in shapes)


def is_long_number(value: str) -> bool:
    """Return whether a value may be the number of a person: nine digits or more, and not the shape of a font."""
    return _LONG.fullmatch(value) is not None and _PANOSE.fullmatch(value) is None


def usual(value: str) -> bool:
    """Return whether a name is one that programs give: usual words and a number, or two of one digit."""
    found = _WORDS.findall(_ACCENTED.sub("", value))
    numbers = [word for word in found if word.isdigit()]
    if sum(map(len, numbers)) > (_LONGEST_NUMBER if len(numbers) < 2 else 2):
        return False
    known = program_words()
    return all(word.isdigit() or word.lower() in known for word in found) and (not found or found != numbers)


def plain_format(value: str) -> bool:
    """Return whether a format of numbers or of a level holds no word."""
    return len(value) <= _LONGEST_FORMAT and _WORDY.search(_FORMATTED.sub("", value)) is None
