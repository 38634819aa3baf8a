"""The strings of a part as its bytes hold them: XML and what is encoded in it, and runs of letters of all else."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from sfumato.documents.office_names import NAMESPACES, short
from sfumato.documents.office_values import OFFICE_URI, fixed_value
from sfumato.documents.rules import Refused
from sfumato.documents.xml import parsed

_RUN = re.compile(rb"[\x20-\x7e\t\xc2-\xf4\x80-\xbf]{4,}")
_WIDE = re.compile(rb"(?:[\x20-\x7e\xa0-\xff]\x00){3,}")
_WIDE_BIG = re.compile(rb"(?:\x00[\x20-\x7e\xa0-\xff]){3,}")
_SPACE = re.compile(rb"""xmlns(?::[^\s=]+)?\s*=\s*["']([^"']*)["']""")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{16,}={0,2}")


def strings_of(content: bytes) -> Iterator[str]:
    """Yield the strings of a part."""
    start = content[:4].lstrip(b"\xef\xbb\xbf \r\n\t")
    if start.startswith(b"<") or content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            root = parsed(content)
        except Refused:
            root = None
        if root is not None:
            yield from _of_xml(root)
            yield from _spaces(content)
            return
    yield from _of_bytes(content)


def _of_xml(root: Any) -> Iterator[str]:
    for element in root.iter():
        if element.text and not element.text.isspace():
            yield from encoded_in(element.text)
        if element.tail and not element.tail.isspace():
            yield element.tail
        if not isinstance(element.tag, str):
            continue
        name = short(element.tag)
        if not name:
            yield element.tag.rpartition("}")[2]
        for key, value in element.items():
            attribute = short(key)
            if name and attribute and fixed_value(name, attribute, value):
                continue
            if value and OFFICE_URI.fullmatch(value) is None:
                yield from encoded_in(value)


def _spaces(content: bytes) -> Iterator[str]:
    """Yield the namespaces that Office does not have."""
    for space in {found.group(1) for found in _SPACE.finditer(content)}:
        if OFFICE_URI.fullmatch(text := space.decode("utf-8", "replace")) is None and text not in NAMESPACES:
            yield text


def encoded_in(text: str) -> Iterator[str]:
    """Yield a text, and what it holds if it is the code of an address or of bytes."""
    yield text
    if "%" in text:
        yield unquote(text)
    if _BASE64.fullmatch(text.strip()):
        joined = "".join(text.split())
        try:
            content = b64decode(joined[: len(joined) // 4 * 4])
        except ValueError:
            return
        yield from _of_bytes(content)


def _of_bytes(content: bytes) -> Iterator[str]:
    yield from (found.group().decode("utf-8", "replace") for found in _RUN.finditer(content))
    yield from (found.group().decode("utf-16-le") for found in _WIDE.finditer(content))
    yield from (found.group().decode("utf-16-be") for found in _WIDE_BIG.finditer(content))
