"""The narrative of a resource: its paragraphs are texts, and what FHIR does not allow in it is left out."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.documents.rules import KEEP, TREAT, Refused, Visit
from sfumato.documents.slot import Edit, Slot, spread
from sfumato.documents.xml import fit, parsed
from sfumato.language.lists import words_of

XHTML = "{http://www.w3.org/1999/xhtml}"
BLOCKS = frozenset(
    words_of("""
        div p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption colgroup col thead tbody tfoot tr td th blockquote
        pre hr address
    """)
)
_INLINE = frozenset(
    words_of("""
        a abbr acronym b big br cite code dfn em i img kbd q samp small span strong sub sup tt var bdo ins del u s
        strike font center
    """)
)
_PROGRAMS = frozenset(
    words_of("""
        script style link meta base head title iframe frame object embed applet param form input button select
        option textarea noscript svg math audio video canvas
    """)
)
_LOOK = frozenset(
    words_of("""
        colspan rowspan align valign width height border cellpadding cellspacing dir lang start type span scope
        bgcolor color size nowrap {http://www.w3.org/XML/1998/namespace}lang
        {http://www.w3.org/XML/1998/namespace}space
    """)
)
_LOOK_VALUE = re.compile(
    r"[a-z]{1,12}|[a-z]{2}(-[A-Za-z]{2})?|#?([0-9A-Fa-f]{3}){1,2}|\d{1,4}(\.\d{1,4})?(px|em|pt|%)?|[1AaIi]"
)
_CLASSES = re.compile(
    r"\s*((bold|italics|underline|strikethrough|left|right|center|justify|indent|border-(left|right|top|bottom)|arabic|"
    r"(little|big)-(roman|alpha)|disc|circle|square|unlist|capital-case|lowercase|hierarchy|grid|list|none|"
    r"hapi[A-Z][A-Za-z]{0,30})\s*)*"
)
_STYLE = re.compile(
    r"(?:\s*(?:color|background|background-color|border[a-z-]*|font-(?:size|style|weight|variant)|text-(?:align|"
    r"decoration|indent|transform)|vertical-align|white-space|(?:min-|max-)?(?:width|height)|margin[a-z-]*|"
    r"padding[a-z-]*|display|float|clear|line-height|list-style(?:-type)?|table-layout|overflow)\s*:"
    r"(?:\s*(?:#[0-9a-fA-F]{3,8}|-?(?:\d{1,4}(?:\.\d{1,4})?|\.\d{1,4})(?:px|em|rem|pt|ex|%)?|"
    r"[a-z]{3,12}(?:-[a-z]{3,8})?)(?![\w.]))+\s*;?)*\s*"
)
_BREAKS = re.compile(r"(?<![\t ])[\t ]*[\n\r][\t\n\r ]*")
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_OF_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})

_DESCRIPTIONS = frozenset({"title", "alt", "summary", "abbr", "label"})
_LINKS = frozenset({"href", "cite", "longdesc", "src"})
_IDS = frozenset({"id", "name", "headers", "for"})

Text = Callable[[str, str], Generator[Slot, None, Sequence[Edit]]]
"""What yields a text at a place, and returns its edits."""
Link = Callable[[str, str], Generator[Slot, None, str | None]]
"""What returns where a link at a place leads after ids are numbered, or None."""


def narrative(div: str, visit: Visit, text: Text, link: Link, place: str) -> Generator[Slot, None, str | None]:
    """Yield the paragraphs of ``div``; return it with their edits, or None if it is dropped.

    Raises Refused. What cannot be read as XHTML is as the rules say of what is unknown.
    """
    from lxml import etree

    named = _ENTITY.sub(_character, div)
    try:
        root = parsed(named.encode("utf-8"))
    except Refused:
        root = None
    if root is None or _name(root) != "div":
        return div if visit.rule("unknown", f"{place}, a narrative that is no XHTML") == KEEP else None
    _join_lines(root)
    changed = _pruned(root, visit, place)
    walker = _Walker(visit, text, link, place)
    yield from walker.element(root)
    yield from walker.flushed()
    if not (changed or walker.changed):
        return div
    written: str = etree.tostring(root, encoding="unicode", with_tail=False)
    return written


def _join_lines(element: Any) -> None:
    """Write a space for each line break that nobody sees: the lines of a wrapped source tell how long a name was."""
    if _name(element) in ("", "pre") or "white-space" in element.get("style", ""):
        return
    element.text = element.text and _BREAKS.sub(" ", element.text)
    for child in element:
        _join_lines(child)
        child.tail = child.tail and _BREAKS.sub(" ", child.tail)


def _character(found: re.Match[str]) -> str:
    if found[1] in _OF_XML:
        return found[0]
    return html.escape(html.unescape(found[0])) if html.unescape(found[0]) != found[0] else "&amp;" + found[0][1:]


def _name(element: Any) -> str:
    return element.tag.removeprefix(XHTML).lower() if isinstance(element.tag, str) else ""


def _pruned(root: Any, visit: Visit, place: str) -> bool:
    """Remove what is neither text nor look from ``root``; return whether there was something."""
    changed = False
    for element in list(root.iter()):
        name, rule = _name(element), ""
        if not name:
            rule = KEEP if visit.rule("comments", f"{place}, a comment") == KEEP else "drop"
        elif name in _PROGRAMS:
            rule = visit.rule("programs", f"{place}, what is no text")
        elif name == "img":
            rule = visit.rule("images", f"{place}, a picture")
        elif name not in BLOCKS | _INLINE:
            rule = visit.rule("unknown", f"{place}, a part of no known kind")
        if rule and rule != KEEP and element is not root and element.getparent() is not None:
            _remove(element)
            changed = True
    return changed


def _remove(element: Any) -> None:
    parent, before = element.getparent(), element.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + (element.tail or "")
    else:
        parent.text = (parent.text or "") + (element.tail or "")
    parent.remove(element)


@dataclass(slots=True)
class _Walker:
    """The paragraphs of a narrative: pieces of text between the edges of blocks."""

    visit: Visit
    text: Text
    link: Link
    place: str
    changed: bool = False
    paragraphs: int = 0
    pieces: list[tuple[Any, str, str]] = field(default_factory=list)

    def element(self, element: Any) -> Generator[Slot, None, None]:
        name = _name(element)
        if not name or name in _PROGRAMS:  # which the rules keep as they are
            return
        if name == "br":
            self.pieces.append((None, "", "\n"))
        is_block = name not in _INLINE
        if is_block:
            yield from self.flushed()
        for key in list(element.attrib):
            yield from self._attribute(element, key)
        self.pieces.append((element, "text", element.text or ""))
        for child in element:
            yield from self.element(child)
            self.pieces.append((child, "tail", child.tail or ""))
        if is_block:
            yield from self.flushed()

    def flushed(self) -> Generator[Slot, None, None]:
        """Yield the paragraph that ends here, and write it."""
        pieces, self.pieces = self.pieces, []
        texts = [text for _, _, text in pieces]
        if not "".join(texts).strip():
            return
        self.paragraphs += 1
        edits = yield from self.text("".join(texts), f"{self.place}, paragraph {self.paragraphs}")
        for (element, where, before), after in zip(pieces, spread(texts, edits), strict=True):
            if after != before and element is not None:
                setattr(element, where, fit(after))
                self.changed = True

    def _attribute(self, element: Any, key: str) -> Generator[Slot, None, None]:
        value = element.attrib[key]
        new = yield from self._new(key, value, f"{self.place}, paragraph {self.paragraphs + 1}, {_told(key)}")
        if new != value:
            self.changed = True
            if new is None:
                del element.attrib[key]
            else:
                element.set(key, fit(new))

    def _new(self, key: str, value: str, place: str) -> Generator[Slot, None, str | None]:
        if (key in _LOOK and _LOOK_VALUE.fullmatch(value)) or (key == "class" and _CLASSES.fullmatch(value)):
            return value
        if key == "style" and _STYLE.fullmatch(value):
            return value
        if key in _DESCRIPTIONS and (rule := self.visit.rule("descriptions", place)) == TREAT:
            return "".join(spread([value], (yield from self.text(value, place))))
        if key in _IDS:
            new = yield from self.link(f"#{value}", place)
            return new and new[1:]
        if key in _LINKS:
            return (yield from self.link(value, place))
        rule = rule if key in _DESCRIPTIONS else self.visit.rule("unknown", place)
        return value if rule == KEEP else None


def _told(key: str) -> str:
    return key if key in _DESCRIPTIONS | _LINKS | _IDS | {"class", "style"} else "an attribute"
