"""Packages of Office in memory, into which tests put parts and XML; and every string that a file's bytes hold."""

from __future__ import annotations

import base64
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from urllib.parse import unquote

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MICROSOFT = "http://schemas.microsoft.com/office"
_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"


class Packing:
    """A package as a dictionary of its members."""

    def __init__(self, content: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            self.members = {name: package.read(name) for name in package.namelist()}

    def add(self, name: str, content: str | bytes, content_type: str) -> None:
        """Add a part with its content type."""
        self.members[name] = content.encode() if isinstance(content, str) else content
        override = f'<Override PartName="/{name}" ContentType="{content_type}"/></Types>'
        self.replace("[Content_Types].xml", "</Types>", override)

    def relate(self, name: str, kind: str, target: str, id: str, external: bool = False) -> None:
        """Add a relationship of a part, or of the package."""
        folder, _, base = name.rpartition("/")
        rels = f"{folder}/_rels/{base}.rels" if name else "_rels/.rels"
        self.members.setdefault(rels, f'<Relationships xmlns="{_RELS}"></Relationships>'.encode())
        mode = ' TargetMode="External"' if external else ""
        kind = kind if "://" in kind else f"{OFFICE}/{kind}"
        text = self.members[rels].decode()
        text = re.sub(r"<Relationships([^>]*)/>", r"<Relationships\1></Relationships>", text)
        new = f'<Relationship Id="{id}" Type="{kind}" Target="{target}"{mode}/></Relationships>'
        self.members[rels] = text.replace("</Relationships>", new).encode()

    def replace(self, name: str, old: str, new: str) -> None:
        """Replace the first ``old`` in a part."""
        text = self.members[name].decode()
        assert old in text, f"{old} is not in {name}"
        self.members[name] = text.replace(old, new, 1).encode()

    def content(self) -> bytes:
        """Return the package as bytes."""
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
            for name, content in self.members.items():
                package.writestr(name, content)
        return target.getvalue()


class Canaries:
    """Words that are planted, each in a place of its own."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}

    def __call__(self, place: str) -> str:
        """Return a new word for a place."""
        word = f"Kanari{len(self.places) + 100}Q"
        self.places[word] = place
        return word

    def found(self, text: str) -> set[str]:
        """Return the places of those that are in a text, in capitals or not."""
        lower = text.lower()
        return {place for word, place in self.places.items() if word.lower() in lower}


def every_string(content: bytes) -> str:
    """Return all that bytes hold, decoded in every way that programs use; files inside files too."""
    return "\n".join(_strings(content, 0))


def _strings(content: bytes, depth: int) -> Iterator[str]:
    text = content.decode("latin-1")
    yield text
    yield content.decode("utf-8", "ignore")
    if b"\0" in content:
        yield content.decode("utf-16-le", "ignore")
        yield content[1:].decode("utf-16-le", "ignore")
    yield unquote(text)
    yield re.sub(r"&#(x?)([0-9a-fA-F]+);", lambda found: chr(int(found[2], 16 if found[1] else 10)), text)
    yield re.sub(r"<[^>]*>", "", text)
    if depth > 4:
        return
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            for name in package.namelist():
                yield name
                yield from _strings(package.read(name), depth + 1)
            yield package.comment.decode("latin-1")
        return
    for found in re.findall(r"[A-Za-z0-9+/\r\n]{16,}={0,2}", text):
        joined = "".join(found.split())
        yield from _strings(base64.b64decode(joined[: len(joined) // 4 * 4]), 9)
    for place in (found.start() for found in re.finditer(b"\x78[\x01\x9c\xda]", content)):
        try:
            yield zlib.decompressobj().decompress(content[place:]).decode("latin-1")
        except zlib.error:
            continue
