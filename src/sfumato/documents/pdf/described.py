"""What files of pictures and of colours say beside them: authors, devices, places. It is taken out of the bytes."""

from __future__ import annotations

import struct

_JPEG = b"\xff\xd8"
_KEPT_SEGMENTS = {0xE0: b"JFIF\0", 0xEE: b"Adobe"}
"""The application segments that say how a picture is decoded."""
_SCAN, _COMMENT = 0xDA, 0xFE
_ALONE = frozenset((0x01, *range(0xD0, 0xDA)))
_JPEG2000 = b"\x00\x00\x00\x0cjP  "
_KEPT_BOXES = frozenset((b"jP  ", b"ftyp", b"jp2h", b"jp2c"))
_HEADER, _ROW = 128, 12
_OF_COLOUR = frozenset(
    kind.encode().ljust(4)
    for kind in ("XYZ", "curv", "para", "mft1", "mft2", "mAB", "mBA", "sf32", "chrm", "meas", "view", "sig", "clrt",
                 "ui08", "ui16", "ui32", "cicp", "mpet")
)  # fmt: skip
_TEXTS = b"mluc"


def bare_jpeg(content: bytes) -> bytes | None:
    """Return a JPEG picture without comments and what cameras and programs add, or None if it is damaged."""
    if not content.startswith(_JPEG):
        return None
    new, at = bytearray(_JPEG), 2
    while at + 4 <= len(content):
        if content[at] != 0xFF:
            return None
        kind = content[at + 1]
        if kind == 0xFF or kind in _ALONE:
            new += content[at : at + (1 if kind == 0xFF else 2)]
            at += 1 if kind == 0xFF else 2
            continue
        (length,) = struct.unpack(">H", content[at + 2 : at + 4])
        segment = content[at : at + 2 + length]
        if kind == _SCAN:
            end = content.rfind(b"\xff\xd9")
            new += content[at : end + 2 if end > at else len(content)]
            return bytes(new)
        application = 0xE0 <= kind <= 0xEF
        if not application and kind != _COMMENT:
            new += segment
        elif application and (start := _KEPT_SEGMENTS.get(kind)) and segment[4:].startswith(start):
            new += segment[:4] + segment[4:18] if kind == 0xE0 and length == 16 else segment if kind == 0xEE else b""
        at += 2 + length
    return None


def bare_jpeg2000(content: bytes) -> bytes:
    """Return a JPEG 2000 picture without the boxes that describe it."""
    if not content.startswith(_JPEG2000):
        return content
    new, at = bytearray(), 0
    while at + 8 <= len(content):
        length, kind = struct.unpack(">I4s", content[at : at + 8])
        if length == 1 and at + 16 <= len(content):
            (length,) = struct.unpack(">Q", content[at + 8 : at + 16])
        end = len(content) if length < 8 else at + length
        if kind in _KEPT_BOXES:
            new += content[at:end]
        at = end
    return bytes(new)


def bare_profile(content: bytes) -> bytes | None:
    """Return a profile of colours without its texts, dates and devices, or None if it is damaged."""
    if len(content) < _HEADER + 4 or content[36:40] != b"acsp":
        return None
    new = bytearray(content)
    for start, end in ((4, 8), (24, 36), (40, 44), (48, 56), (80, 100), (100, 128)):
        new[start:end] = bytes(end - start)
    (count,) = struct.unpack(">I", content[_HEADER : _HEADER + 4])
    kept = bytearray(_HEADER + 4 + _ROW * count)
    if len(kept) > len(content):
        return None
    used = [(0, len(kept))]
    for number in range(count):
        row = _HEADER + 4 + _ROW * number
        offset, size = struct.unpack(">II", content[row + 4 : row + 12])
        if offset + size > len(content) or size < 8:
            return None
        used.append((offset, offset + size))
        kind = bytes(content[offset : offset + 4])
        if kind not in _OF_COLOUR:
            new[offset + 8 : offset + size] = bytes(size - 8)
            if kind == _TEXTS and size >= 16:
                new[offset + 12 : offset + 16] = struct.pack(">I", 12)
    done = 0
    for start, end in sorted(used):
        if start > done:
            new[done:start] = bytes(start - done)
        done = max(done, end)
    new[done:] = bytes(len(new) - done)
    return bytes(new)
