"""Files inside messages of HL7 v2: the type ED, whose bytes are base64, hexadecimal or plain."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Generator, Sequence

from sfumato.documents.health.hl7_segments import Parts
from sfumato.documents.health.hl7_text import Leaf, Marks, escaped
from sfumato.documents.health.media import Text, bytes_of, is_picture, suffix_of, walked_file
from sfumato.documents.rules import DROP, KEEP, Refused, Visit
from sfumato.documents.slot import Slot

_PICTURES = frozenset(
    {"jpeg", "jpg", "png", "gif", "tiff", "tif", "bmp", "dicom", "basic", "image", "audio", "video", "im"}
)
_PLAIN = frozenset({"text", "txt", "plain", "tx", "ft"})
_SHORT = {"pdf": "application/pdf", "html": "text/html", "htm": "text/html", "eml": "message/rfc822"}


def media_type_of(told: Sequence[str], content: bytes) -> str:
    """Return the media type of a file whose type and subtype are ``told``; "" for an unknown one."""
    words = [word for each in told for word in [each.strip().lower(), *re.split(r"[/^]", each.strip().lower())]]
    for word in words:
        for kind in (word, f"application/{word}", _SHORT.get(word, "")):
            if suffix_of(kind) or is_picture(kind):
                return kind
    if any(word in _PICTURES for word in words):
        return "image/unknown"
    if content.startswith(b"%PDF-"):
        return "application/pdf"
    told = [word for word in words if word]
    return "text/plain" if told and (told[0] if len(told) == 1 else told[-1]) in _PLAIN else ""


def bytes_in(parts: Parts, marks: Marks) -> tuple[bytes | None, str]:
    """Return the bytes of the file in ``parts`` of an ED, or None if they cannot be read; and their encoding."""
    told = [component[0].shown(marks) for component in parts]
    encoding = told[3].strip().lower() if len(told) > 3 else ""
    text = marks.of_parts.join(leaf.shown(marks) for leaf in parts[4]) if len(parts) > 4 else ""
    if encoding == "base64":
        return bytes_of(text), encoding
    if encoding == "hex":
        try:
            return bytes.fromhex("".join(text.split())), encoding
        except ValueError:
            return None, encoding
    return text.encode("utf-8"), ""


def attached(
    parts: Parts, marks: Marks, visit: Visit, text: Text, place: str, record: int, fields: dict[str, str]
) -> Generator[Slot, None, None]:
    """Walk over the file in ``parts`` of an ED."""
    before, encoding = bytes_in(parts, marks)
    kind = media_type_of([component[0].shown(marks) for component in parts[1:3]], before or b"")
    rule = visit.rule("images" if is_picture(kind) else "attachments", place)
    if rule == KEEP or len(parts) < 5:
        return
    after: bytes | None = None
    if before is None and rule != DROP:
        raise Refused(f"its bytes cannot be read, at {place}; write it again")
    if before is not None and rule != DROP:
        after = yield from walked_file(before, kind, visit, text, place, record, fields)
    if after is None:
        parts[4] = [Leaf("")]
    elif after != before:
        read = b64encode(after).decode("ascii") if encoding == "base64" else after.hex().upper()
        parts[4] = [Leaf(read if encoding else escaped(after.decode("utf-8"), marks))]
