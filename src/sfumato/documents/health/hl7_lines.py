"""The lines of a file of HL7 v2, message by message; and what a message declares about itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from sfumato.documents.health.hl7_segments import HEADERS, Segment
from sfumato.documents.health.hl7_text import Marks, charset_of
from sfumato.documents.rules import Refused

_LINE = re.compile(rb"([^\r\n]*)(\r\n|\r|\n)")
_FRAME = b"\x0b\x1c"
_CHUNK = 1 << 20
_LONGEST = 256 << 20


@dataclass(slots=True)
class Line:
    """A line of a file: what frames it, its bytes, and how it ends. PRIVATE."""

    before: bytes
    content: bytes = field(repr=False)
    after: bytes

    @property
    def name(self) -> str:
        """Return the name of its segment, or ""."""
        return self.content[:3].decode("ascii", errors="replace")


def declared(lines: list[Line]) -> tuple[Marks, str, str]:
    """Return the separators, the character set and the version that a message declares. Raise Refused."""
    header = next((line for line in lines if line.name == "MSH"), lines[0])
    text = header.content.decode("ascii", errors="replace")
    marks = Marks.of(text)
    headers = (line.content.decode("ascii", errors="replace") for line in lines if line.name in HEADERS)
    if any(Marks.of(each) != marks for each in headers):
        raise Refused("its batch and its message declare different separators; write the file again")
    segment = Segment.of(text, marks)
    is_message = header.name == "MSH"
    charset = charset_of(segment.raw(18) if is_message else "")
    return marks, charset, segment.raw(12) if is_message else ""


def groups(file: IO[bytes]) -> Iterator[list[Line]]:
    """Yield the lines of each message, with those of the batch before it. Raise Refused."""
    group, has_message, size = list[Line](), False, 0
    for line in _lines(file):
        if line.name in HEADERS and has_message:
            yield group
            group, has_message, size = [], False, 0
        if line.content.strip() and not any(each.name in HEADERS for each in group) and line.name not in HEADERS:
            raise Refused("it does not begin as HL7 v2 does (MSH, FHS or BHS); give it the suffix of what it is")
        group.append(line)
        has_message = has_message or line.name == "MSH"
        size += len(line.content)
        if size > _LONGEST:
            raise Refused(f"a message of it is larger than {_LONGEST >> 20} MiB; take it apart")
    if not any(line.name in HEADERS for line in group):
        raise Refused("it holds no message of HL7 v2")
    yield group


def _lines(file: IO[bytes]) -> Iterator[Line]:
    rest = b""
    while chunk := file.read(_CHUNK):
        rest += chunk
        if len(rest) > _LONGEST:
            raise Refused(f"a line of it is longer than {_LONGEST >> 20} MiB; it is no message of HL7 v2")
        begun = 0
        while (found := _LINE.match(rest, begun)) and found.end() < len(rest):
            yield _line(found[1], found[2])
            begun = found.end()
        rest = rest[begun:]
    begun = 0
    while found := _LINE.match(rest, begun):
        yield _line(found[1], found[2])
        begun = found.end()
    if rest[begun:]:
        yield _line(rest[begun:], b"")


def _line(content: bytes, end: bytes) -> Line:
    bare = content.lstrip(_FRAME)
    inner = bare.rstrip(_FRAME)
    return Line(content[: len(content) - len(bare)], inner, bare[len(inner) :] + end)
