"""HTML as browsers take it apart: texts, tags and comments, each with its own source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from html.entities import html5

SPACE = "\t\n\f\r "
_NAMED = re.compile(rf"<(/?)([a-zA-Z][^{SPACE}/>]*)")
_ATTRIBUTE = re.compile(
    rf"[{SPACE}/]*([^{SPACE}/>][^{SPACE}/>=]*)"
    rf"(?:[{SPACE}]*=[{SPACE}]*(?:\"([^\"]*)\"|'([^']*)'|([^{SPACE}>\"'][^{SPACE}>]*)?(?!\"|')))?"
)
_END_OF_TAG = re.compile(rf"[{SPACE}/]*>")
_COMMENT = re.compile(r"<!--(?:-?>|(.*?)(?:--!?>|\Z))", re.DOTALL)
_BOGUS = re.compile(r"<(?:!|\?|/(?![a-zA-Z>]))(.*?)(?:>|\Z)", re.DOTALL)
_REFERENCE = re.compile(r"&(?:#[xX][0-9a-fA-F]+|#[0-9]+|[a-zA-Z][a-zA-Z0-9]*);?")
_RAW = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes"})
_TEXT_ONLY = frozenset({"title", "textarea"})
FOREIGN = frozenset({"svg", "math"})
_NORMAL = re.compile(
    rf"<[a-zA-Z][\w:.-]*(?:[{SPACE}]+[\w:.-]+"
    rf"(?:[{SPACE}]*=[{SPACE}]*(?:\"[^\"<>]*\"|'[^'<>]*'|[^{SPACE}\"'=<>`]+))?)*[{SPACE}]*/?>"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a page. PRIVATE.

    Attributes:
        kind: "text", "start", "end", "comment", "doctype", "cdata", "other" (an instruction, a condition) or "raw"
            (what is in a script, a style ...).
        source: As the page writes it.
        name: Of a tag, in small letters; of "raw", the element that it is in.
        text: What is in a comment, or in what is raw.
        attributes: Of a tag, by name in small letters, references resolved. The first of one name counts.
        start: Where it begins.
        normal: Whether every program reads the tag alike.
    """

    kind: str
    source: str = field(repr=False)
    name: str = ""
    text: str = field(default="", repr=False)
    attributes: dict[str, str] = field(default_factory=dict, repr=False)
    start: int = 0
    normal: bool = True


def tokens(page: str) -> Iterator[Token]:
    """Yield the pieces of ``page``. A tag that does not end is no text, as browsers see it."""
    place, foreign = 0, 0
    while place < len(page):
        if (begin := _opening(page, place)) > place:
            yield Token("text", page[place:begin], start=place)
            place = begin
            continue
        token = _marked(page, place, foreign > 0)
        if token is None:
            yield Token("other", page[place:], text=page[place:], start=place)
            return
        yield token
        place += len(token.source)
        if token.name in FOREIGN and not token.source.endswith("/>"):
            foreign = max(foreign + (1 if token.kind == "start" else -1), 0)
        if token.kind == "start" and token.name in (_RAW if foreign else _RAW | _TEXT_ONLY):
            end = _end_of(page, place, token.name)
            inside = page[place:end]
            if inside:
                yield Token("text" if token.name in _TEXT_ONLY else "raw", inside, token.name, inside, start=place)
            place = end


def _opening(page: str, place: int) -> int:
    """Return where the next tag or comment begins: "<" before a space or a digit is a text."""
    while (place := page.find("<", place)) >= 0:
        if page[place + 1 : place + 2] in ("!", "?", "/") or _NAMED.match(page, place):
            return place
        place += 1
    return len(page)


def _marked(page: str, place: int, foreign: bool) -> Token | None:
    if named := _NAMED.match(page, place):
        return _tag(page, place, named)
    if page.startswith("</>", place):
        return Token("comment", "</>", start=place)
    if match := _COMMENT.match(page, place):
        return Token("comment", match[0], text=match[1] or "", start=place)
    if foreign and page.startswith("<![CDATA[", place):
        end = page.find("]]>", place)
        end = end if end >= 0 else len(page)
        return Token("cdata", page[place : end + 3], text=page[place + 9 : end], start=place)
    match = _BOGUS.match(page, place)
    if match is None:  # "</" at the end
        return None
    kind = "doctype" if match[1][:7].lower() == "doctype" and match[0][1] == "!" else "other"
    return Token(kind, match[0], text=match[1], start=place)


def _tag(page: str, place: int, named: re.Match[str]) -> Token | None:
    attributes, here, doubled = dict[str, str](), named.end(), False
    while match := _ATTRIBUTE.match(page, here):
        value = next((value for value in match.groups()[1:] if value is not None), "")
        doubled = doubled or match[1].lower() in attributes
        attributes.setdefault(match[1].lower(), attribute_text(value))
        here = match.end()
    end = _END_OF_TAG.match(page, here)
    if end is None:
        return None
    kind = "end" if named[1] else "start"
    source = page[place : end.end()]
    normal = not doubled and _NORMAL.fullmatch(source) is not None
    return Token(kind, source, named[2].lower(), attributes=attributes, start=place, normal=normal)


def _end_of(page: str, place: int, name: str) -> int:
    match = re.compile(rf"</{re.escape(name)}(?=[{SPACE}/>])", re.IGNORECASE).search(page, place)
    return match.start() if match else len(page)


def attribute_text(value: str) -> str:
    """Return the value of an attribute with its references resolved, as browsers do in attributes."""
    return _REFERENCE.sub(lambda match: _resolved(match, value), value) if "&" in value else value


def _resolved(match: re.Match[str], value: str) -> str:
    name = match[0][1:]
    if name.startswith("#"):
        return unescape(match[0])
    if not name.endswith(";") and value[match.end() : match.end() + 1] == "=":
        return match[0]
    return html5.get(name, match[0])


_PIECES = re.compile(
    rf"{_REFERENCE.pattern}|[{SPACE}]*[\t\n\f\r][{SPACE}]*| {{2,}}|[\u00ad\u200b\u2060\ufeff]+"
    r"|(?: (?! )|[^&\t\n\f\r \u00ad\u200b\u2060\ufeff])+|&| "
)
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))


def references(text: str) -> Iterator[tuple[str, str]]:
    """Yield ``text`` in pieces: what a reader sees of each, and its source, whatever follows it.

    A soft hyphen is not seen.
    """
    for match in _PIECES.finditer(text):
        source = match[0]
        shown = unescape(source) if source.startswith("&") and len(source) > 1 else source
        if match.end() == len(text) and source.startswith("&") and not source.endswith(";"):
            source = f"&amp;{source[1:]}" if shown == source else f"{source};"
        elif match.end() == len(text) and source.endswith("<"):
            source = f"{source[:-1]}&lt;"
        yield shown.translate(_UNSEEN), source
