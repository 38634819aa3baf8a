"""Files inside resources of FHIR: Attachment and Binary, whose bytes are base64."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator
from typing import Any

from sfumato.documents.exact_json import Number
from sfumato.documents.fhir_values import mask
from sfumato.documents.formats import nested
from sfumato.documents.rules import DROP, KEEP, Refused, Visit
from sfumato.documents.slot import Slot

Text = Callable[[str, str], Generator[Slot, None, str]]
"""What yields a text at a place, and returns it with its edits."""
_SUFFIXES = {
    "application/pdf": ".pdf", "application/fhir+json": ".fhir.json", "application/fhir+ndjson": ".fhir.ndjson",
    "text/html": ".html", "application/xhtml+xml": ".html", "message/rfc822": ".eml", "text/vtt": ".vtt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.ms-outlook": ".msg", "application/mbox": ".mbox", "application/x-subrip": ".srt",
    "application/hl7-v2": ".hl7", "application/hl7-v2+er7": ".hl7", "x-application/hl7-v2+er7": ".hl7",
    "application/zip": ".zip",
}  # fmt: skip
_PLAIN = frozenset({"text/plain", "text/markdown", "text/csv", "text/tab-separated-values"})
_PICTURES = ("image/", "audio/", "video/", "application/dicom")
_CHARSET = re.compile(r';\s*charset\s*=\s*"?([A-Za-z0-9_.:\-]+)', re.IGNORECASE)
_PARAGRAPHS = re.compile(r"((?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)\s*)")


def suffix_of(content_type: str) -> str:
    """Return the suffix of files of a ``content_type``: "" for an unknown one, and ".txt" for plain text."""
    kind = content_type.partition(";")[0].strip().lower()
    return ".txt" if kind in _PLAIN else _SUFFIXES.get(kind, "")


def bytes_of(text: str) -> bytes | None:
    """Return the bytes that ``text`` is the base64 of, or None."""
    try:
        return b64decode("".join(text.split()), validate=True)
    except ValueError:
        return None


def attachment(
    node: dict[str, Any], key: str, visit: Visit, text: Text, place: str, record: int
) -> Generator[Slot, None, None]:
    """Walk over the file in the element ``key`` of ``node``. What is changed loses its hash, and has a new size."""
    kind = str(node.get("contentType", ""))
    is_picture = kind.strip().lower().startswith(_PICTURES)
    rule = visit.rule("images" if is_picture else "attachments", place)
    if rule == KEEP:
        return
    before = None if rule == DROP else bytes_of(node[key])
    after: bytes | None = None
    if before is not None:
        after = yield from _walked(before, kind, visit, text, place, record)
    elif rule != DROP:
        raise Refused(f"its base64 cannot be read, at {place}; write it again")
    if after is None or after != before:
        node.pop("hash", None)
        node.pop("size", None)
    if after is None:
        mask(node, key)
    elif after != before:
        node[key] = b64encode(after).decode("ascii")
        node |= {"size": Number(str(len(after)))} if node.get("resourceType") != "Binary" else {}


def _walked(
    content: bytes, kind: str, visit: Visit, text: Text, place: str, record: int
) -> Generator[Slot, None, bytes | None]:
    suffix = suffix_of(kind)
    if suffix != ".txt":
        return (yield from nested(f"file{suffix}", content, visit, place, record))
    charset = found[1] if (found := _CHARSET.search(kind)) else "utf-8"
    new = None
    try:
        read = content.decode(charset)
    except (UnicodeDecodeError, LookupError):
        read = None
    if read is not None:
        pieces = _PARAGRAPHS.split(read)
        for number, piece in enumerate(pieces[::2]):
            pieces[2 * number] = yield from text(piece, f"{place}, paragraph {number + 1}")
        try:
            new = "".join(pieces).encode(charset)
        except UnicodeEncodeError:
            new = None
    if new is None:
        raise Refused(f"its characters cannot be read or written as its content type says, at {place}; use UTF-8")
    return new
