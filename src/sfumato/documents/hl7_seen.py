"""The strings of HL7 v2 that was written: as hl7apy reads them, and every part of every field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any

from sfumato.documents.formats import Seen, format_of
from sfumato.documents.hl7_files import bytes_in, media_type_of
from sfumato.documents.hl7_segments import Segment
from sfumato.documents.hl7_text import Leaf, Marks
from sfumato.documents.media import suffix_of


def seen(line: str, marks: Marks, version: str, place: str) -> Iterator[Seen]:
    """Yield the strings of a line."""
    yield Seen(place, Leaf(line).shown(marks), raw=True)
    segment = Segment.of(line, marks)
    for number, repetitions in segment.numbered():
        where = f"{place}, field {number}"
        for parts in repetitions:
            leaves = [leaf for component in parts for leaf in component if leaf.raw]
            yield from (Seen(where, leaf.shown(marks), raw=True) for leaf in leaves)
            yield Seen(where, " ".join(leaf.shown(marks) for leaf in leaves), raw=True)
            if len(parts) > 4:
                yield from _file(parts, marks, where)
    for text in _read(line, marks, version):
        yield Seen(
            place, Leaf(text).shown(marks), raw=len(text) < 5 and " " not in text
        )  # a code, or too short to say


def _file(parts: list[list[Leaf]], marks: Marks, place: str) -> Iterator[Seen]:
    content, encoding = bytes_in(parts, marks)
    if content is None or not encoding:
        return
    form = format_of(f"file{suffix_of(media_type_of([each[0].shown(marks) for each in parts[1:3]], content))}")
    if form is not None:
        for each in form.strings(BytesIO(content)):
            yield replace(each, place=f"{place}, {each.place}")
    yield Seen(place, content.decode("utf-8", errors="replace"), raw=True)
    yield Seen(place, content.decode("utf-16-le", errors="replace"), raw=True)


def _read(line: str, marks: Marks, version: str) -> list[str]:
    """Return the texts of a line as hl7apy reads them; none if it cannot."""
    from hl7apy import SUPPORTED_LIBRARIES
    from hl7apy.exceptions import HL7apyException
    from hl7apy.parser import parse_segment

    characters = {
        "FIELD": marks.of_fields, "COMPONENT": marks.of_components, "SUBCOMPONENT": marks.of_parts,
        "REPETITION": marks.of_repetitions, "ESCAPE": marks.escape, "SEGMENT": "\r", "GROUP": "\r",
    }  # fmt: skip
    try:
        found = parse_segment(
            line, version=version if version in SUPPORTED_LIBRARIES else "2.5.1", encoding_chars=characters
        )
        return list(_texts(found))
    except (HL7apyException, ValueError, IndexError, KeyError, AttributeError):
        return []


def _texts(element: Any) -> Iterator[str]:
    children = getattr(element, "children", None)
    if children:
        for child in children:
            yield from _texts(child)
    else:
        value = getattr(element, "value", None)
        value = getattr(value, "value", value)
        if value:
            yield str(value)
