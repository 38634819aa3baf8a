"""The text of a paragraph of Word: the pieces that it lies in, and how a new text is laid over them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.documents.office.office_names import long, words
from sfumato.documents.office.raised import laid, parted
from sfumato.documents.office.scrub import Part, remove
from sfumato.documents.slot import Edit
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
_PLACE = f"{long('w:rPr')}/{long('w:vertAlign')}"
_SYMBOL = long("w:sym")
_SYMBOL_FONTS = ("symbol", "wingdings", "webdings", "mt extra", "marlett", "zapf", "monotype sorts")
_ELSEWHERE = frozenset(
    long(name)
    for name in words(
        "w:p w:pPr w:rPr w:drawing w:pict w:object w:sdtPr w:sdtEndPr w:txbxContent "
        "w:fldData w:ffData w:customXmlPr w:smartTagPr"
    )
)
_BESIDE = (long("w:del"), long("w:moveFrom"), long("w:rt"))
_P, _ALTERNATIVES = long("w:p"), long("mc:AlternateContent")
_CHOICE, _FALLBACK = long("mc:Choice"), long("mc:Fallback")
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_BREAKS = re.compile(r"([\t\n])")


def pieces(element: Any) -> list[tuple[Any, str]]:
    """Return what an element holds of a paragraph's text, piece by piece: the element of a piece, and its text.

    Text boxes are paragraphs of their own. What is ``beside`` the text is left out.
    """
    return parted([(child, text) for child, text in _walk(element) if text is not None], _is_raised, _T)


def _is_raised(element: Any) -> bool:
    """Say whether a piece is set high or low."""
    run = element.getparent()
    place = run.find(_PLACE) if run is not None else None
    return place is not None and place.get(long("w:val")) in ("superscript", "subscript")


def beside(paragraph: Any) -> Iterator[tuple[Any, str]]:
    """Yield what lies in a paragraph and is not of its text, with the text before it.

    That is what was deleted in it, and small text above words.
    """
    before = ""
    for child, text in _walk(paragraph):
        if text is None:
            yield child, before
        else:
            before = (before + text)[-_LEAD:]


_LEAD = 100


def _walk(element: Any) -> Iterator[tuple[Any, str | None]]:
    for child in element:
        tag = child.tag
        if tag in _WRITTEN:
            yield child, child.text or ""
        elif tag in _SIGNS:
            yield child, _SIGNS[tag]
        elif tag == _SYMBOL:
            yield child, _symbol(child)
        elif tag in _BESIDE:
            yield child, None
        elif tag == _ALTERNATIVES:
            yield from next(filter(None, (list(_walk(each)) for each in child)), ())
        elif tag not in _ELSEWHERE and isinstance(tag, str):
            yield from _walk(child)


def twins(root: Any) -> dict[Any, list[Any] | None]:
    """Return the paragraphs that are written twice, for programs that cannot show the first: each with its copies.

    A copy has None. Copies that say something else are paragraphs like any other.
    """
    found: dict[Any, list[Any] | None] = {}
    leaders: dict[Any, Any] = {}
    for alternatives in root.iter(_ALTERNATIVES):
        choices = [each for each in alternatives if each.tag in (_CHOICE, _FALLBACK)]
        groups = [[each for each in choice.iter(_P) if _nearest(each) is choice] for choice in choices]
        for group in groups[1:]:
            same = len(group) == len(groups[0]) and all(map(_alike, group, groups[0]))
            for leader, copy in zip(groups[0], group, strict=True) if same else ():
                leader = leaders.get(leader, leader)
                leaders[copy] = leader
                copies = found.setdefault(leader, [])
                assert copies is not None
                copies.append(copy)
                found[copy] = None
    return found


def _nearest(paragraph: Any) -> Any:
    return next(paragraph.iterancestors(_CHOICE, _FALLBACK), None)


def _alike(one: Any, other: Any) -> bool:
    return text_of(pieces(one)) == text_of(pieces(other))


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
    for (element, text), new in zip(found, laid(list(found), edits), strict=True):
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
