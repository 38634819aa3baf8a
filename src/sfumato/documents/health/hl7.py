"""HL7 v2: a message is a record; one file may hold many, as batches or in the frames of a connection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, NamedTuple

from sfumato.documents.formats import Seen
from sfumato.documents.health.hl7_fields import is_known
from sfumato.documents.health.hl7_lines import Line, declared, groups
from sfumato.documents.health.hl7_messages import Message
from sfumato.documents.health.hl7_seen import files_in, read_by_another
from sfumato.documents.health.hl7_segments import Segment
from sfumato.documents.health.hl7_text import Leaf
from sfumato.documents.rules import KEEP, Refused, Rules, Visit
from sfumato.documents.slot import Slot

_LONG = re.compile(r"[A-Za-z]{4}|(?:\d\D*){7}")
"""A code that could be a name or a number of somebody."""
_SEGMENT = re.compile(r"[A-Z][A-Z0-9]{2}")


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
    """Yield the strings of a written file: as a person reads them, as they are in it, and as hl7apy reads them."""
    for record, lines in enumerate(groups(file)):
        read = _read(lines, Visit(Rules(unknown=KEEP, attachments=KEEP, images=KEEP)), record)
        walker, segments = read.walker, read.segments
        before = [[(id(leaf), Leaf(leaf.raw)) for leaf in segment.leaves() if leaf.raw] for segment in segments]
        files = [list(files_in(segment, walker.marks)) for segment in segments]
        texts = [line.content.decode(read.charset) for line, segment in read.lines if segment is not None]
        for index in range(len(segments)):
            for slot in walker.segment(segments, index):
                yield Seen(f"message {record + 1}, {slot.place}", slot.text)
        for index, segment in enumerate(segments):
            place = f"message {record + 1}, {segment.place}"
            codes = {leaf.raw for key, leaf in before[index] if key in walker.codes}
            leaves = [leaf for key, leaf in before[index] if key not in walker.codes]
            long = [code for code in codes if _LONG.search(code)]
            found = [*long, *(leaf.shown(walker.marks) for leaf in leaves), *files[index]]
            yield from (Seen(place, text, raw=True) for text in found)
            for text in read_by_another(texts[index], walker.marks, walker.version):
                yield from () if text in codes else (Seen(place, Leaf(text).shown(walker.marks), raw=len(text) < 3),)


class _Read(NamedTuple):
    """A message that was read: the lines that are written, and the segments among them."""

    walker: Message
    segments: list[Segment]
    lines: list[tuple[Line, Segment | None]]
    charset: str


def _message(lines: list[Line], visit: Visit, record: int) -> Iterator[Slot | bytes]:
    read = _read(lines, visit, record)
    places = {id(segment): index for index, segment in enumerate(read.segments)}
    for line, segment in read.lines:
        if segment is None:
            yield line.before + line.content + line.after
        else:
            yield from read.walker.segment(read.segments, places[id(segment)])
            yield line.before + segment.line(read.walker.marks).encode(read.charset, errors="replace") + line.after


def _read(lines: list[Line], visit: Visit, record: int) -> _Read:
    """Return a message with its places. A segment of no known kind is as the rules say."""
    marks, charset, version = declared(lines)
    written, counts, unknown = list[tuple[Line, Segment | None]](), dict[str, int](), 0
    for number, line in enumerate(lines, 1):
        text = _decoded(line.content, charset)
        if not text.strip():
            written.append((line, None))
            continue
        is_segment = _SEGMENT.fullmatch(text[:3]) is not None and text[3:4] in ("", marks.of_fields)
        segment = Segment.of(text, marks) if is_segment else Segment("", [[[[Leaf(text)]]]])
        told = segment.name or "a line that is no segment"
        if is_segment and not is_known(segment.name):
            if visit.rule("unknown", f"segment {number}, of no known kind") != KEEP:
                continue
            unknown += 1
            told = f"unknown segment {unknown}"
        counts[told] = counts.get(told, 0) + 1
        segment.place = f"{told} {counts[told]}"
        written.append((line, segment))
    segments = [segment for _, segment in written if segment is not None]
    return _Read(Message(visit, record, marks, _fields(segments), version=version), segments, written, charset)


def _decoded(content: bytes, charset: str) -> str:
    try:
        return content.decode(charset)
    except UnicodeDecodeError:
        pass
    raise Refused("its characters are not those that MSH-18 declares; name them there, or use UTF-8")


def _fields(segments: list[Segment]) -> dict[str, str]:
    header = next((segment for segment in segments if segment.name == "MSH"), None)
    patient = next((segment for segment in segments if segment.name == "PID"), None)
    subject = "" if patient is None else patient.raw(3) or patient.raw(2) or patient.raw(18)
    kind = "" if header is None else f"{header.raw(9)}^{header.raw(9, 2)}".rstrip("^")
    return {"messageType": kind, "subject": subject}
