"""The strings of FHIR that was written, as orjson reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from typing import Any

from sfumato.documents.formats import Seen, format_of
from sfumato.documents.health import fhir_names as names
from sfumato.documents.health.fhir_values import is_local, is_of_census, is_of_standard, parts_named, read_parts
from sfumato.documents.health.media import bytes_of, suffix_of
from sfumato.documents.health.narrative import BLOCKS
from sfumato.documents.health.public_uris import rest_of
from sfumato.documents.rules import Refused
from sfumato.language.en.words import is_everyday

_NUMBER = re.compile(r"\d{1,5}(-\d)?")
"""A short code of a standard, which is also a year or the number of a house."""
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{16,}={0,2}\s*")


def seen(content: bytes, place: str) -> Iterator[Seen]:
    """Yield the strings of ``content``: those that a person reads, and as raw ones what is below a public address."""
    import orjson

    try:
        root = orjson.loads(content)
    except orjson.JSONDecodeError:
        root = None
    if root is None:
        raise Refused("what was written is not JSON that can be read")
    yield from _strings(root, "", place)


def _strings(value: Any, key: str, place: str) -> Iterator[Seen]:
    if isinstance(value, dict) and not is_of_census(value):
        if composed := parts_named(value):
            yield Seen(place, read_parts(value, composed).text)
        for name, each in value.items():
            if name.removeprefix("_") not in names.names().values:
                yield Seen(f"{place}, the name of an element", name, raw=True)
            inner = f"{place}, {name}".removeprefix(", ") if name in names.names().values else place
            if isinstance(each, str) and name in ("data", "content"):
                yield from _file(str(value.get("contentType", "")), each, inner)
            elif name == "code" and isinstance(each, str) and names.is_code(each):
                is_known = _is_everyday(each) or (is_of_standard(value) and _NUMBER.fullmatch(each) is not None)
                if isinstance(value.get("system"), str) and is_local(value):
                    yield Seen(inner, each)
                elif not is_known:
                    yield Seen(inner, each, raw=True)
            else:
                yield from _strings(each, name, inner)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _strings(each, key, f"{place} {number + 1}")
    elif isinstance(value, str):
        if key == "div":
            yield from _narrative(value, place)
        elif (rest := rest_of(value)) is not None:
            yield from _below(rest, place)
        elif names.names().values.get(key) == names.CODE and names.is_code(value):
            if not _is_everyday(value):
                yield Seen(place, value, raw=True)
        else:
            yield Seen(place, value)
            if _BASE64.fullmatch(value) and (content := bytes_of(value)):
                yield from _decoded(content, place)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield Seen(place, str(value))


@lru_cache(maxsize=1 << 10)
def _is_everyday(code: str) -> bool:
    """Return whether ``code`` is of everyday words alone, as "female" and "final" are, which a text may hold too."""
    return code.replace("-", "").islower() and all(word.isalpha() and is_everyday(word) for word in code.split("-"))


def _below(rest: str, place: str) -> Iterator[Seen]:
    """Yield what is below a public address, where a file may have written anything, unless it is a small number."""
    if any(map(str.isalpha, rest)):
        yield Seen(place, rest, raw=True)


def _narrative(div: str, place: str) -> Iterator[Seen]:
    """Yield the text of a narrative, and every piece of it and of its attributes."""
    import lxml.etree
    import lxml.html

    try:
        root = lxml.html.fromstring(div)
    except lxml.etree.LxmlError:
        yield Seen(place, div)
        return
    values = [value for element in root.iter() for value in element.attrib.values()]
    for piece in (*root.itertext(), *values):
        rest = rest_of(piece)
        yield from (Seen(place, piece, raw=True),) if rest is None else _below(rest, place)
    for element in root.iter():
        if element.tag in BLOCKS or element.tag == "br":
            element.text, element.tail = f"\n{element.text or ''}", f"\n{element.tail or ''}"
    yield Seen(place, root.text_content())


def _file(kind: str, value: str, place: str) -> Iterator[Seen]:
    content = bytes_of(value)
    if content is None:
        yield Seen(place, value, raw=True)
        return
    form = format_of(f"file{suffix_of(kind)}")
    if form is not None:
        for each in form.strings(BytesIO(content)):
            yield replace(each, place=f"{place}, {each.place}")
    yield from _decoded(content, place)


def _decoded(content: bytes, place: str) -> Iterator[Seen]:
    yield Seen(place, content.decode("utf-8", errors="replace"), raw=True)
    if b"\0" in content:
        yield Seen(place, content.decode("utf-16-le", errors="replace"), raw=True)
        yield Seen(place, content.decode("utf-16-be", errors="replace"), raw=True)
