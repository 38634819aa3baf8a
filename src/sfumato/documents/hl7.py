"""HL7 v2: a message is a record; one file may hold many, as batches or in the frames of a connection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from sfumato.documents.formats import Seen
from sfumato.documents.hl7_fields import is_known
from sfumato.documents.hl7_messages import Message
from sfumato.documents.hl7_seen import seen
from sfumato.documents.hl7_segments import HEADERS, Segment
from sfumato.documents.hl7_text import Leaf, Marks, charset_of
from sfumato.documents.rules import DROP, KEEP, TREAT, Refused, Rules, Visit
from sfumato.documents.slot import Slot

_LINE = re.compile(rb"([^\r\n]*)(\r\n|\r|\n)")
_FRAME = b"\x0b\x1c"
_CHUNK = 1 << 20
_LONGEST = 256 << 20
_SEGMENT = re.compile(r"[A-Z][A-Z0-9]{2}")


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


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the texts of each message in turn, and write it with their edits. Raise Refused."""
    for record, lines in enumerate(groups(file)):
        reason = ""
        try:
            for piece in _message(lines, visit, record):
                if isinstance(piece, Slot):
                    yield piece
                elif target is not None:
                    target.write(piece)
        except Refused as error:
            reason = str(error)
        if reason:
            raise Refused(f"message {record + 1}: {reason}")


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the strings of a written file: as hl7apy reads them, as a person does, and as they are in it."""
    everything = Visit(Rules(unknown=KEEP, links=TREAT, attachments=DROP, images=DROP))
    yield from (Seen(slot.place, slot.text) for slot in walk(file, everything, None))
    file.seek(0)
    for record, lines in enumerate(groups(file)):
        marks, charset, version = declared(lines)
        for line in lines:
            yield from seen(line.content.decode(charset), marks, version, f"message {record + 1}, {line.name}")


def _message(lines: list[Line], visit: Visit, record: int) -> Iterator[Slot | bytes]:
    marks, charset, version = declared(lines)
    walker = Message(visit, record, marks, {}, version)
    segments, counts, unknown = list[Segment](), dict[str, int](), 0
    written = list[tuple[Line, Segment | None]]()
    for number, line in enumerate(lines, 1):
        try:
            text = line.content.decode(charset)
        except UnicodeDecodeError:
            text = None
        if text is None:
            raise Refused("its characters are not those that MSH-18 declares; name them there, or use UTF-8")
        if not text.strip():
            written.append((line, None))
            continue
        is_segment = _SEGMENT.fullmatch(text[:3]) is not None and text[3:4] in ("", marks.of_fields)
        found = Segment.of(text, marks) if is_segment else Segment("", [[[[Leaf(text)]]]])
        told = found.name
        if is_segment and not is_known(found.name):
            if visit.rule("unknown", f"segment {number}, of no known kind") != KEEP:
                continue
            unknown += 1
            told = f"unknown segment {unknown}"
        counts[told] = counts.get(told, 0) + 1
        found.place = f"{told or 'a line that is no segment'} {counts[told]}"
        segments.append(found)
        written.append((line, found))
    walker.fields |= _fields(segments)
    places = {id(segment): index for index, segment in enumerate(segments)}
    for line, segment in written:
        if segment is None:
            yield line.before + line.content + line.after
            continue
        yield from walker.segment(segments, places[id(segment)])
        new = segment.line(marks) if segment.name else segment.fields[0][0][0][0].raw
        yield line.before + new.encode(charset, errors="replace") + line.after


def _fields(segments: list[Segment]) -> dict[str, str]:
    header = next((segment for segment in segments if segment.name == "MSH"), None)
    patient = next((segment for segment in segments if segment.name == "PID"), None)
    subject = "" if patient is None else patient.raw(3) or patient.raw(2) or patient.raw(18)
    kind = "" if header is None else f"{header.raw(9)}^{header.raw(9, 2)}".rstrip("^")
    return {"messageType": kind, "subject": subject}


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
