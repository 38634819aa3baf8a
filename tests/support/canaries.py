"""Words that nothing holds by chance: planted in every part of a file, and looked for in what was written."""

from __future__ import annotations

import binascii
import re
import zipfile
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from urllib.parse import unquote

from office import Walked, strings, walked
from sfumato.documents.rules import Rules

_BIRD = re.compile(r"qz[a-z]+qz", re.IGNORECASE)
_PACKED = re.compile(rb"[A-Za-z0-9+/\r\n]{12,}={0,2}")


def bird(number: int) -> str:
    """The canary of a number, such as "Qzbaqz": letters alone."""
    letters = ""
    while True:
        letters, number = letters + chr(ord("a") + number % 26), number // 26
        if not number:
            return f"Qz{letters}qz"


def birds(text: str | bytes) -> set[str]:
    """The canaries in a text, in small letters."""
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    return {each.lower() for each in _BIRD.findall(text)}


def everything(content: bytes, depth: int = 0) -> Iterator[str]:
    """Every reading of some bytes: unpacked, decoded, unescaped. It is no reader of any format."""
    for encoding in ("utf-8", "utf-16-le", "utf-16-be", "utf-7"):
        text = content.decode(encoding, "replace")
        yield text
        yield unescape(unescape(text))
        yield unquote(unescape(text))
        yield unescape(unquote(text))
        yield re.sub(r"\\([0-9a-fA-F]{1,6}) ?", lambda match: chr(int(match[1], 16) % 0x110000), text)
    yield binascii.a2b_qp(content).decode("utf-8", "replace")
    if content.startswith(b"PK"):
        with zipfile.ZipFile(BytesIO(content)) as package:
            for name in package.namelist():
                yield name
                yield from everything(package.read(name), depth + 1)
    if depth < 4:
        for match in _PACKED.finditer(content):
            packed = b"".join(match[0].rstrip(b"=").split())
            for start in range(4):  # a word before it may be taken for a part of it
                part = packed[start:]
                part = part[: len(part) - (len(part) % 4 == 1)]
                yield from everything(binascii.a2b_base64(part + b"=" * (-len(part) % 4)), depth + 2)


def left(content: bytes) -> set[str]:
    """The canaries that are anywhere in some bytes."""
    return set().union(*map(birds, everything(content)))


def replaced(name: str, content: bytes, rules: Rules | None = None, written: str = "") -> Walked:
    """Walk over a file and replace each canary that a text holds; none is then left where a reader looks."""
    planted = sorted({each for text in everything(content) for each in _BIRD.findall(text)})
    new = walked(
        name,
        content,
        {each: f"Gone{number}" for number, word in enumerate(planted) for each in {word, word.lower()}},
        rules,
    )
    seen = set().union(*(birds(each.text) for each in strings(written or name, new.content)))
    assert seen == left(new.content) == set()
    return new
