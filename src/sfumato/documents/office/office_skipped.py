"""What the proof of removal does not search in the XML of Office: a short list of its own, not that of the walk.

What a walk keeps is searched here, unless it is one of a few values that every file has: small numbers, cells, and
words that programs give. A value with six or more digits is always searched, except for lists of lengths.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sfumato.documents.office.office_fonts import has_usual_fonts, is_usual_font
from sfumato.documents.office.office_names import CAPITALS, words
from sfumato.documents.office.office_values import FONTS, GUID

_MOST_DIGITS = 5
_SMALL = re.compile(r"[-+]?\d*\.?\d*(%|pt|in|cm|mm|px|f|fd)?")
_MADE = re.compile(r"\{0{8}-0000-[04]000-[08]000-[0-9A-F]{12}\}")
_LISTS = words(
    "v:style v:path v:coordsize v:coordorigin v:adj v:points v:from v:to v:textboxrect v:inset v:eqn v:wrapcoords "
    "w10:wrapcoords v:connectlocs a:fmla p:path p:fmla o:connectlocs"
)
"""Attributes that are lists of lengths, by the prefix of their element."""
_RUN = re.compile(r"\d{6}|\d+[-./]\d+[-./]\d+")
_CODES = words("c:formatCode@ c:numFmt@formatCode c:pt@formatCode x:numFmt@formatCode w:numFmt@w:format")
_CODE = re.compile(
    r"\[\$[^\]A-Za-z0-9-]*(-[0-9A-Fa-f]{1,8}(,\d)?)?\]|General|Standard|\[(Red|Blue|Green|Black|White|Yellow)\]"
    r"|AM/PM|E\+|(?<![A-Za-z])(?P<unit>[yYmMdDhHsS])(?P=unit){0,4}(?![A-Za-z])"
)
_EXTENSIONS = words("a:tableStyleId@ a:tblStyleLst@def a:ext@uri p:ext@uri c:ext@uri x:ext@uri dgm:ext@uri")
"""The ids that Microsoft gave to its extensions and its styles."""
_CELLS = words(
    "x:c@r x:row@spans x:dimension@ref x:autoFilter@ref x:sortState@ref x:sortCondition@ref x:mergeCell@ref "
    "x:hyperlink@ref x:table@ref x:comment@ref x:cellWatch@r x:inputCells@r x:f@ref x:selection@activeCell "
    "x:selection@sqref x:pane@topLeftCell x:sheetView@topLeftCell x:conditionalFormatting@sqref "
    "x:dataValidation@sqref x:protectedRange@sqref x:ignoredError@sqref"
)
_AREA = re.compile(r"[A-Z]{0,3}\d{0,7}(:[A-Z]{0,3}\d{0,7})?( [A-Z]{0,3}\d{0,7}(:[A-Z]{0,3}\d{0,7})?)*")
_NAMES = words(
    "w:style@w:styleId w:pStyle@w:val w:rStyle@w:val w:tblStyle@w:val w:basedOn@w:val w:next@w:val w:link@w:val "
    "w:name@w:val w:lsdException@w:name wp:docPr@name pic:cNvPr@name p:cNvPr@name xdr:cNvPr@name cdr:cNvPr@name "
    "dsp:cNvPr@name wps:cNvPr@name wpg:cNvPr@name p:cSld@name a:theme@name a:clrScheme@name a:fontScheme@name "
    "a:fmtScheme@name x:cellStyle@name a:tblStyle@styleName"
)
"""Attributes whose value is often a name that a program gave."""
_GIVEN = words(
    "normal heading title subtitle strong emphasis body text list bullet number continue caption quote intense "
    "subtle reference book light medium dark shading grid accent colorful table web page footer header index toc "
    "line block message salutation closing signature date document map plain envelope address return macro "
    "authorities of figures first indent font default paragraph no spacing revision placeholder smart link hashtag "
    "mention hyperlink followedhyperlink classic columns simple effects contemporary elegant professional "
    "good bad neutral calculation check cell explanatory input linked output total warning note comma currency "
    "percent picture image shape box rectangle chart diagram object content slide notes office theme custom "
    "design blank section master the and over with only vertical two comparison footnote endnote char a b c d"
)
"""Words of such names."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
_SCRIPTS = words(
    "Jpan Hang Hans Hant Arab Hebr Thai Ethi Beng Gujr Khmr Knda Guru Cans Cher Yiii Tibt Thaa Deva Telu Taml Syrc "
    "Orya Mlym Laoo Sinh Mong Viet Uigh Geor Armn Bugi Bopo Java Lisu Mymr Nkoo Olck Osma Phag Syrn Syrj Syre Sora "
    "Tale Talu Tfng"
)
_TEXTS = words(
    "descr title name alt tooltip href src x:s@v x:n@v x:d@v x:e@v x:b@v x:dynamicFilter@val "
    "x:dynamicFilter@maxVal x:sharedItems@minValue x:sharedItems@maxValue x:rangePr@startNum x:rangePr@endNum "
    "x:filter@val x:customFilter@val x:inputCells@val x:cfRule@text w:listItem@w:value w:listItem@w:displayText "
    "w:default@w:val w:listEntry@w:val w:docVar@w:val w:tag@w:val w:alias@w:val w:statusText@w:val "
    "w:helpText@w:val p:tag@val v:textpath@string "
)
"""Attributes that are texts, so that a small number in them is searched too."""
_WORDS_OF_FORMATS = words(
    "absolute after all always angle aqua aquamarine arabic arc arch area arrow ascending auto average avg azure "
    "background balanced bar baseline before begin beige between bevel bisque black blank blinds blue body bold "
    "both bottom box brown bullet button can caption cell center character chart checker chevron chicago "
    "chocolate chord circle clean clear clip cloud clustered col column columns comb comment comments cone "
    "contains content continuous contrasting coral corner count cover crimson cross ctr cube cust custom cut cyan "
    "cylinder dark darken dash dashed dashes data date day days dbl dec decimal decorative default descending "
    "diamond disabled disk displayed dissolve distribute distributed document docx dot dotted double drawing "
    "drill edge edit ellipse email empty end endnote equal even exact exclude exp expression external factor fade "
    "false fancy field filled first fixed flat flood font footer footnote form formula frame front fuchsia full "
    "fund gap general glow gold gradient gray green grey group hair half hash hdr header heading heart heavy "
    "height hex hidden high highlight horizontal horz hour hours hyperlink hyphen icon image include index indigo "
    "information inline inner inset inside italic ivory jpeg justify khaki label landscape last lavender left "
    "lefttoright legend level light lighten lime line linear linen link list locked log low lower ltr macro "
    "magenta major manual margin mark marker maroon math matte max med media medium menu metal mid middle min "
    "minor minus minute minutes mixed modern month months moon move mult narrow navy never newsflash next nil "
    "none norm normal note notes nothing null num number numbering obj object octagon odd off olive online open "
    "orange orchid ordinal origin out outer outline outset outside oval over overflow page paragraph parent path "
    "pattern pct pentagon percent percentage perspective peru pic picture pie pink placeholder plain plaque "
    "plastic plum plus png poly portrait pos post powder power pres preserve previous print product pull purple "
    "push pyramid quarter random range rect red regular relative rels restart right roman rotate round row rtl "
    "salmon scale scheme script second seconds section self separator series settings shape sheet sib side sienna "
    "silver simple single size slide slides slope slow small smooth snap sng snow soft solid space span split "
    "square stack stacked stagger standard star start static stealth stop strict string strips stroke style "
    "styles subscript subtitle sum sun superscript swiss tab table tan teal teardrop text theme thick thin "
    "thistle thousands tight tile time tiny title today tomato top topbottom transitional trapezoid tree triangle "
    "true turquoise underscore unknown unlocked unset upper use val value var variable variant vert vertical view "
    "violet visible visual wave wavy web wedge wheat wheel white whole wide width window wipe word words wrap xml "
    "year years yellow yes zero zoom "
)
"""Words in small letters that a format has fixed, and that a text may have too."""
_USUAL_LOCAL = re.compile(r"[a-z][A-Za-z]*\d{0,3}[A-Za-z]*")


def is_skipped(name: str, attribute: str, value: str) -> bool:
    """Return whether the value of an attribute is one that nobody is named by, so that it is not searched.

    The text of an element has no name of an attribute.
    """
    pair = f"{name}@{attribute}"
    if pair == "a:font@script":
        return value in _SCRIPTS
    if f"{name.partition(':')[0]}:{attribute.rpartition(':')[2]}" in _LISTS:
        return _RUN.search(value) is None and has_usual_fonts(value)
    if pair in _CELLS:
        return _AREA.fullmatch(value) is not None
    if pair in _CODES:
        return not any(each.isalpha() or each in "123456789" for each in _CODE.sub("", value))
    if _MADE.fullmatch(value) is not None or (pair in _EXTENSIONS and GUID.fullmatch(value) is not None):
        return True
    if pair in FONTS:
        return is_usual_font(value)
    if sum(map(str.isdigit, value)) > _MOST_DIGITS:
        return False
    if pair in _NAMES:
        found = _WORD.findall(value)
        return all(each.isdigit() or each.lower() in _GIVEN for each in found) and not value.isdigit()
    if not attribute or pair in _TEXTS or attribute in _TEXTS:
        return False
    return _SMALL.fullmatch(value) is not None or value in _WORDS_OF_FORMATS


@lru_cache(maxsize=20_000)
def is_usual_name(local: str) -> bool:
    """Return whether an element or attribute of a format is called as the formats call theirs."""
    return _USUAL_LOCAL.fullmatch(local) is not None or local in CAPITALS
