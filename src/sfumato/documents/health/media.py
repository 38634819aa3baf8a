"""Files inside records, by their media types: plain text, files of a known format, pictures, and unknown ones."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Generator

from sfumato.documents.formats import nested
from sfumato.documents.rules import Refused, Visit
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


def is_picture(media_type: str) -> bool:
    """Return whether files of a ``media_type`` are pictures, sounds or films."""
    return media_type.strip().lower().startswith(_PICTURES)


def suffix_of(media_type: str) -> str:
    """Return the suffix of files of a ``media_type``: "" for an unknown one, and ".txt" for plain text."""
    kind = media_type.partition(";")[0].strip().lower()
    return ".txt" if kind in _PLAIN else _SUFFIXES.get(kind, "")


def bytes_of(text: str) -> bytes | None:
    """Return the bytes that ``text`` is the base64 of, or None."""
    try:
        return b64decode("".join(text.split()), validate=True)
    except ValueError:
        return None


def walked_file(
    content: bytes, media_type: str, visit: Visit, text: Text, place: str, record: int, fields: dict[str, str]
) -> Generator[Slot, None, bytes | None]:
    """Yield the texts of a file; return it with their edits, or None if it is dropped. Raise Refused."""
    suffix = suffix_of(media_type)
    if suffix != ".txt":
        return (yield from _in_record(nested(f"file{suffix}", content, visit, place, record), fields))
    charset = found[1] if (found := _CHARSET.search(media_type)) else "utf-8"
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


def _in_record(
    slots: Generator[Slot, None, bytes | None], fields: dict[str, str]
) -> Generator[Slot, None, bytes | None]:
    while True:
        try:
            slot = next(slots)
        except StopIteration as ended:
            content: bytes | None = ended.value
            return content
        slot.fields = fields
        yield slot
