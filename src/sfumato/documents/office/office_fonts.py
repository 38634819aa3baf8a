"""The fonts that come with programs. Any other font may be called as a person is, as one of a handwriting is."""

from __future__ import annotations

import re

USUAL = "Arial"
"""The font that is written for one whose name changes."""
_FAMILY = re.compile(r"font-family\s*:([^;]*)", re.IGNORECASE)
_OF_THEMES = re.compile(r"\+m[jn]-(lt|ea|cs)")
_FONTS = """
Aharoni|Aldhabi|Algerian|Amasis MT Pro|Andale Mono|Andalus|Angsana New|AngsanaUPC|Aparajita|Aptos|
Aptos Display|Aptos Mono|Aptos Narrow|Arabic Typesetting|Arial|Arial Black|Arial MT|Arial Narrow|
Arial Rounded MT Bold|Arial Unicode MS|Avenir Next LT Pro|Bahnschrift|Baskerville Old Face|Batang|
BatangChe|Bauhaus 93|Bell MT|Berlin Sans FB|Bierstadt|Bodoni MT|Book Antiqua|Bookman Old Style|
Bookshelf Symbol 7|Bradley Hand ITC|Britannic Bold|Broadway|Browallia New|BrowalliaUPC|Brush Script MT|
Caladea|Calibri|Calibri Light|Californian FB|Calisto MT|Cambria|Cambria Math|Candara|Carlito|Castellar|
Centaur|Century|Century Gothic|Century Schoolbook|Chiller|Colonna MT|Comic Sans MS|Consolas|Constantia|
Cooper Black|Copperplate Gothic Bold|Copperplate Gothic Light|Corbel|Cordia New|CordiaUPC|Courier|
Courier New|Curlz MT|DaunPenh|David|DejaVu Sans|DejaVu Sans Condensed|DejaVu Sans Mono|DejaVu Serif|
DengXian|DengXian Light|DFKai-SB|DilleniaUPC|DokChampa|Dotum|DotumChe|Ebrima|Edwardian Script ITC|
Elephant|Engravers MT|Estrangelo Edessa|EucrosiaUPC|Euphemia|FangSong|Felix Titling|Footlight MT Light|
Franklin Gothic Book|Franklin Gothic Demi|Franklin Gothic Heavy|Franklin Gothic Medium|FrankRuehl|
FreesiaUPC|Gabriola|Gadugi|Garamond|Gautami|Georgia|Gill Sans MT|Gisha|Goudy Old Style|Goudy Stout|
Grandview|Gulim|GulimChe|Gungsuh|GungsuhChe|Haettenschweiler|Harlow Solid Italic|Harrington|Helvetica|
Helvetica Neue|High Tower Text|Impact|Imprint MT Shadow|Informal Roman|IrisUPC|Iskoola Pota|JasmineUPC|
Javanese Text|Jokerman|Juice ITC|KaiTi|Kalinga|Kartika|Khmer UI|KodchiangUPC|Kokila|Kristen ITC|
Lao UI|Latha|Leelawadee|Leelawadee UI|Levenim MT|Liberation Mono|Liberation Sans|Liberation Sans Narrow|
Liberation Serif|LilyUPC|Linux Biolinum G|Linux Libertine G|Lohit Devanagari|Lucida Bright|
Lucida Calligraphy|Lucida Console|Lucida Fax|Lucida Grande|Lucida Handwriting|Lucida Sans|
Lucida Sans Typewriter|Lucida Sans Unicode|Malgun Gothic|Mangal|Marlett|Meiryo|Meiryo UI|
Microsoft Himalaya|Microsoft JhengHei|Microsoft JhengHei UI|Microsoft New Tai Lue|Microsoft PhagsPa|
Microsoft Sans Serif|Microsoft Tai Le|Microsoft Uighur|Microsoft YaHei|Microsoft YaHei UI|
Microsoft Yi Baiti|MingLiU|MingLiU-ExtB|MingLiU_HKSCS|Miriam|Miriam Fixed|Mistral|Modern No. 20|Monaco|
Mongolian Baiti|Monotype Corsiva|Monotype Sorts|MoolBoran|MS Gothic|MS Mincho|MS Outlook|MS PGothic|
MS PMincho|MS Reference Sans Serif|MS Reference Specialty|MS Sans Serif|MS Serif|MS UI Gothic|MT Extra|
MV Boli|Myanmar Text|Narkisim|Niagara Engraved|Niagara Solid|Nirmala UI|Noto Mono|Noto Sans|
Noto Sans Arabic|Noto Sans CJK JP|Noto Sans CJK KR|Noto Sans CJK SC|Noto Sans CJK TC|Noto Sans Devanagari|
Noto Sans Hebrew|Noto Serif|Noto Serif CJK SC|NSimSun|Nyala|OCR A Extended|Old English Text MT|Onyx|
OpenSymbol|Open Sans|Palace Script MT|Palatino|Palatino Linotype|Papyrus|Parchment|Perpetua|
Perpetua Titling MT|Plantagenet Cherokee|Playbill|PMingLiU|PMingLiU-ExtB|Poor Richard|Pristina|Raavi|
Rage Italic|Ravie|Roboto|Rockwell|Rockwell Condensed|Rockwell Extra Bold|Rod|Sakkal Majalla|
Sans Serif Collection|Script MT Bold|Segoe MDL2 Assets|Segoe Print|Segoe Script|Segoe UI|Segoe UI Black|
Segoe UI Emoji|Segoe UI Historic|Segoe UI Light|Segoe UI Semibold|Segoe UI Semilight|Segoe UI Symbol|
Seaford|Showcard Gothic|Shonar Bangla|Shruti|SimHei|Simplified Arabic|Simplified Arabic Fixed|SimSun|
SimSun-ExtB|Sitka Text|Skeena|Snap ITC|StarSymbol|Stencil|Sylfaen|Symbol|System|Tahoma|
Tempus Sans ITC|Tenorite|Terminal|Times|Times New Roman|Times New Roman PSMT|Traditional Arabic|
Trebuchet MS|Tunga|Tw Cen MT|Tw Cen MT Condensed|Urdu Typesetting|Utsaah|Vani|Verdana|Vijaya|
Viner Hand ITC|Vivaldi|Vladimir Script|Vrinda|Webdings|Wide Latin|Wingdings|Wingdings 2|Wingdings 3|
Yu Gothic|Yu Gothic Light|Yu Gothic Medium|Yu Gothic UI|Yu Mincho|Yu Mincho Light|ZapfDingbats|
Zapf Dingbats|Zapfino|宋体|黑体|楷体|仿宋|微软雅黑|等线|等线 Light|新細明體|細明體|標楷體|微軟正黑體|
맑은 고딕|바탕|돋움|굴림|ＭＳ ゴシック|
ＭＳ 明朝|ＭＳ Ｐゴシック|ＭＳ Ｐ明朝|游ゴシック|游ゴシック Light|游明朝|
游明朝 Light|メイリオ|sans-serif|serif|monospace|cursive|
fantasy|system-ui|inherit
"""
_KNOWN = frozenset(" ".join(each.split()).lower() for each in _FONTS.split("|"))


def is_usual_font(names: str) -> bool:
    """Return whether each of the fonts in a list comes with a program, or is one that a theme names."""
    return all(
        not name or _OF_THEMES.fullmatch(name) is not None or name.removeprefix("@").lower() in _KNOWN
        for name in (each.strip(" \"'") for each in re.split("[;,]", names))
    )


def has_usual_fonts(style: str) -> bool:
    """Return whether a style as CSS writes it names only such fonts."""
    return all(is_usual_font(each) for each in _FAMILY.findall(style))
