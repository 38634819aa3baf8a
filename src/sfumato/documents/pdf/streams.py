"""Streams of a file from anyone: decoded within limits."""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any, TypeGuard

from sfumato.documents.rules import Refused

_MOST_BYTES = 256 << 20
"""A stream that is longer when it is unpacked is refused."""
_MOST_PACKED = 64 << 20
"""A packed stream of another filter than Flate that is longer is refused."""
_MOST_TIMES = 1032
"""No stream is longer by Flate."""
_LONG = "a part of it is too long when it is unpacked; take it apart"
_DAMAGED = "a part of it is damaged or packed in a way that is not known; save it again"
_FLATE = ("/FlateDecode", "/Fl")
_PIECE = 1 << 20


@cache
def _types() -> dict[str, Any]:
    import pikepdf

    return {each: getattr(pikepdf, each) for each in ("Array", "Dictionary", "Name", "Stream", "String")}


def isa(value: Any, kind: str) -> TypeGuard[Any]:
    """Say whether ``value`` is an object of a file of the ``kind`` Array, Dictionary, Name, Stream or String."""
    return isinstance(value, _types()[kind])


def content_of(stream: Any) -> bytes:
    """Return the unpacked content of a ``stream``. Raise Refused if it is damaged, or longer than any in use."""
    import pikepdf

    check(stream)
    content: bytes | None
    try:
        content = bytes(stream.read_bytes())
    except (pikepdf.PdfError, RuntimeError, ValueError):
        content = None
    if content is None:
        raise Refused(_DAMAGED)
    return content


def check(stream: Any) -> None:
    """Raise Refused if a ``stream`` is longer than any in use when it is unpacked, or damaged."""
    import pikepdf

    filters = stream.get("/Filter")
    names = [str(each) for each in filters] if isa(filters, "Array") else [str(filters)] if filters else []
    raw: bytes | None
    try:
        raw = bytes(stream.read_raw_bytes())
        if (len(names) == 1 and len(raw) * _MOST_TIMES > _MOST_BYTES) or len(names) > 1:
            _unpack(raw, names)
    except (pikepdf.PdfError, RuntimeError, ValueError, zlib.error):
        raw = None
    if raw is None:
        raise Refused(_DAMAGED)


def _unpack(content: bytes, names: list[str]) -> None:
    """Unpack what is packed by Flate piece by piece, to see how long it is; trust no other filter with much."""
    for name in names:
        if name not in _FLATE:
            if len(content) > _MOST_PACKED:
                raise Refused(_LONG)
            return
        machine, total, pieces = zlib.decompressobj(), 0, []
        piece = machine.decompress(content, _PIECE)
        while piece:
            total += len(piece)
            if total > _MOST_BYTES:
                raise Refused(_LONG)
            if len(names) > 1:
                pieces.append(piece)
            piece = machine.decompress(machine.unconsumed_tail, _PIECE)
        content = b"".join(pieces)
