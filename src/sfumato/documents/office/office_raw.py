"""The strings of a part as its bytes hold them: XML and what is encoded in it, and runs of letters of all else."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from sfumato.documents.office.office_names import NAMESPACES, short
from sfumato.documents.office.office_skipped import is_skipped, is_usual_name
from sfumato.documents.office.office_values import OFFICE_URI
from sfumato.documents.rules import Refused
from sfumato.documents.xml import parsed

_RUN = re.compile(rb"[\x20-\x7e\t\xc2-\xf4\x80-\xbf]{4,}")
_WIDE = re.compile(rb"(?:[\x20-\x7e\xa0-\xff]\x00){3,}")
_WIDE_BIG = re.compile(rb"(?:\x00[\x20-\x7e\xa0-\xff]){3,}")
_SPACE = re.compile(rb"""xmlns(?::[^\s=]+)?\s*=\s*["']([^"']*)["']""")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{16,}={0,2}")


_PNG = b"\x89PNG\r\n\x1a\n"
_SHARED = 1 << 20
"""A part of so many bytes may be one that many files have, such as the styles of a program."""


def strings_of(content: bytes) -> Iterable[str]:
    """Return the strings of a part."""
    return _of_part(content) if len(content) > _SHARED else _of_shared(content)


@lru_cache(maxsize=32)
def _of_shared(content: bytes) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_of_part(content)))


def _of_part(content: bytes) -> Iterator[str]:
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
        name = short(element.tag) if isinstance(element.tag, str) else ""
        if element.text and not element.text.isspace() and not is_skipped(name, "", element.text):
            yield from encoded_in(element.text)
        if element.tail and not element.tail.isspace():
            yield element.tail
        if not isinstance(element.tag, str):
            continue
        yield from unusual(element.tag)
        for key, value in element.items():
            yield from unusual(key)
            attribute = short(key)
            if name and attribute and is_skipped(name, attribute, value):
                continue
            if value and OFFICE_URI.fullmatch(value) is None:
                yield from encoded_in(value)


def unusual(tag: str, spaces: Collection[str] = ()) -> Iterator[str]:
    """Yield the name of an element or attribute, unless it looks as those of Office and of ``spaces`` do."""
    space, _, local = tag.rpartition("}")
    if not (short(tag) or space[1:] in spaces) or not is_usual_name(local):
        yield local


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
    content = content.removeprefix(_PNG)
    yield from (found.group().decode("utf-8", "replace") for found in _RUN.finditer(content))
    yield from (found.group().decode("utf-16-le") for found in _WIDE.finditer(content))
    yield from (found.group().decode("utf-16-be") for found in _WIDE_BIG.finditer(content))
