"""Plain text as a document: the whole file is one text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from sfumato.documents.formats import Seen
from sfumato.documents.rules import Refused, Visit
from sfumato.documents.slot import Slot

_MARK = b"\xef\xbb\xbf"


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:  # noqa: ARG001
    """Yield the text of ``file``, which is UTF-8. Raise Refused."""
    content = file.read()
    slot = Slot(_decoded(content.removeprefix(_MARK)), "text")
    yield slot
    if target is not None:
        target.write((_MARK if content.startswith(_MARK) else b"") + slot.new.encode())


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the text of a written file."""
    yield Seen("text", _decoded(file.read()))


def _decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        pass
    raise Refused("the text is not valid UTF-8; save it as UTF-8")
