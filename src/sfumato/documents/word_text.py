"""The text of a paragraph of Word: the pieces that it lies in, and how a new text is laid over them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.documents.office_names import words
from sfumato.documents.scrub import Part, long, remove
from sfumato.documents.slot import Edit, spread
from sfumato.documents.xml import fit

_T, _DELETED, _MATH = long("w:t"), long("w:delText"), long("m:t")
_WRITTEN = (_T, _DELETED, _MATH)
_SIGNS = {
    long("w:tab"): "\t",
    long("w:ptab"): "\t",
    long("w:br"): "\n",
    long("w:cr"): "\n",
    long("w:noBreakHyphen"): "-",
    long("w:softHyphen"): "\u00ad",
}
_SYMBOL = long("w:sym")
_SYMBOL_FONTS = ("symbol", "wingdings", "webdings", "mt extra", "marlett", "zapf", "monotype sorts")
_ELSEWHERE = frozenset(
    long(name)
    for name in words(
        "w:p w:pPr w:rPr w:drawing w:pict w:object w:sdtPr w:sdtEndPr w:txbxContent w:rt w:del w:moveFrom "
        "w:fldData w:ffData w:customXmlPr w:smartTagPr"
    )
)
_ALTERNATIVES, _CHOICE = long("mc:AlternateContent"), long("mc:Choice")
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_BREAKS = re.compile(r"([\t\n])")


def pieces(element: Any) -> Iterator[tuple[Any, str]]:
    """Yield what an element holds of a paragraph's text, piece by piece: the element of a piece, and its text.

    Text boxes are paragraphs of their own, and tracked deletions are texts of their own.
    """
    for child in element:
        tag = child.tag
        if tag in _WRITTEN:
            yield child, child.text or ""
        elif tag in _SIGNS:
            yield child, _SIGNS[tag]
        elif tag == _SYMBOL:
            yield child, _symbol(child)
        elif tag == _ALTERNATIVES:
            yield from _alternatives(child)
        elif tag not in _ELSEWHERE and isinstance(tag, str):
            yield from pieces(child)


def _alternatives(element: Any) -> Iterator[tuple[Any, str]]:
    for child in element:
        if found := list(pieces(child)):
            yield from found
            return


def _symbol(element: Any) -> str:
    try:
        code = int(element.get(long("w:char"), ""), 16)
    except ValueError:
        return "\ufffd"
    font = element.get(long("w:font"), "").lower()
    if 0xF000 <= code <= 0xF0FF and not font.startswith(_SYMBOL_FONTS):
        code -= 0xF000
    return chr(code) if 31 < code < 0x110000 and not 0xD7FF < code < 0xE000 else "\ufffd"


def text_of(found: Sequence[tuple[Any, str]]) -> str:
    """Return the text that pieces make."""
    return "".join([text for _, text in found])


def write(part: Part, found: Sequence[tuple[Any, str]], edits: Sequence[Edit]) -> None:
    """Lay edits of a text over its pieces."""
    part.taken.update(element for element, _ in found)
    if not edits:
        return
    for (element, text), new in zip(found, spread([text for _, text in found], edits), strict=True):
        if new != text:
            part.taken.update(_set(element, fit(new)))


def _set(element: Any, text: str) -> Iterator[Any]:
    """Give a piece its new text; yield the elements that are new."""
    from lxml import etree

    if element.tag in _WRITTEN and (element.tag == _MATH or not _BREAKS.search(text)):
        element.text = text
        element.set(_SPACE, "preserve")
        return
    kind = _DELETED if element.tag == _DELETED else _T
    parent = element.getparent()
    place = parent.index(element)
    remove(element)
    for part in _BREAKS.split(text):
        if part in ("\t", "\n"):
            new = etree.Element(long("w:tab" if part == "\t" else "w:br"))
        elif part:
            new = etree.Element(kind)
            new.text = part
            new.set(_SPACE, "preserve")
        else:
            continue
        parent.insert(place, new)
        yield new
        place += 1


def in_part(part: Part, name: str) -> int:
    """Return how many of a name this part has had, this one counted."""
    part.counts[name] += 1
    return part.counts[name]
