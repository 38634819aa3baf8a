"""The strings of a page, for the search of what was marked: read by lxml, and taken from the source."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from urllib.parse import unquote, unquote_to_bytes

from sfumato.documents.formats import Seen
from sfumato.documents.names import is_public
from sfumato.documents.web.html_known import INLINE
from sfumato.documents.web.html_style import unescaped

_TAG = re.compile(r"<[/!?a-zA-Z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")
_VALUE = re.compile(r"=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))")
_DATA = re.compile(r"data:[\w/+.;=-]*?(;base64)?,([^\"')\s>]+)", re.IGNORECASE)


def page_strings(text: str) -> Iterator[Seen]:
    """Yield every string of a page: blocks as they are read, attributes, comments, and what its source holds."""
    yield from _read(text)
    place = 0
    for number, match in enumerate(_TAG.finditer(text), 1):
        yield from _raw(text[place : match.start()], f"source, after tag {number - 1}")
        if match[0].startswith(("<!", "<?")):
            yield from _raw(match[0][2:-1], f"source, tag {number}")
        for values in _VALUE.findall(match[0]):
            yield from _raw("".join(values), f"source, tag {number}")
        place = match.end()
    yield from _raw(text[place:], "source, the end")
    for number, match in enumerate(_DATA.finditer(unescape(text)), 1):
        yield Seen(f"data {number}", _data(match), raw=True)


def _read(text: str) -> Iterator[Seen]:
    from lxml import etree, html

    parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
    if not text.strip():
        return
    try:
        root = html.document_fromstring(text.encode(errors="replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        return
    block = list[str]()
    for number, (event, element) in enumerate(etree.iterwalk(root, events=("start", "end", "comment", "pi")), 1):
        inside = isinstance(element.tag, str) and element.tag in INLINE
        if not inside and isinstance(element.tag, str) and block:
            yield Seen(f"block before {number}", " ".join("".join(block).split()))
            block = []
        if event == "end":
            block.append(element.tail or "")
            continue
        if not isinstance(element.tag, str):
            yield Seen(f"comment {number}", element.text or "")
            block.append(element.tail or "")
            continue
        block.append(element.text or "")
        for value in element.attrib.values():
            yield Seen(f"attribute {number}", unquote(value))
    yield Seen("block at the end", " ".join("".join(block).split()))


def _raw(source: str, place: str) -> Iterator[Seen]:
    """Yield a piece of the source as it is and resolved, unless it has only words of HTML and CSS."""
    if not source.strip() or is_public(source):
        return
    yield Seen(place, source, raw=True)
    for new in {unescape(source), unescaped(source), unquote(unescape(source))} - {source}:
        yield Seen(place, new, raw=True)


def _data(match: re.Match[str]) -> str:
    data = unquote_to_bytes(match[2])
    if match[1]:
        with suppress(Error):
            data = b64decode(data + b"===")
    return data.decode("utf-8", "replace")
