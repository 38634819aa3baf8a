"""The strings of HL7 v2 that was written: those of files in it, and its fields as hl7apy reads them."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from sfumato.documents.formats import format_of
from sfumato.documents.health.hl7_files import bytes_in, media_type_of
from sfumato.documents.health.hl7_segments import Segment
from sfumato.documents.health.hl7_text import Marks
from sfumato.documents.health.media import suffix_of


def files_in(segment: Segment, marks: Marks) -> Iterator[str]:
    """Yield the strings of the files in a segment."""
    for _, repetitions in segment.numbered():
        for parts in repetitions:
            content, encoding = bytes_in(parts, marks) if len(parts) > 4 else (None, "")
            if content is None or not encoding:
                continue
            form = format_of(
                f"file{suffix_of(media_type_of([each[0].shown(marks) for each in parts[1:3]], content))}"
            )
            if form is not None:
                yield from (each.text for each in form.strings(BytesIO(content)))
            yield content.decode("utf-8", errors="replace")
            yield content.decode("utf-16-le", errors="replace")


def read_by_another(line: str, marks: Marks, version: str) -> list[str]:
    """Return the texts of a line as hl7apy reads them; none if it cannot."""
    from hl7apy import SUPPORTED_LIBRARIES
    from hl7apy.exceptions import HL7apyException
    from hl7apy.parser import parse_segment

    characters = {
        "FIELD": marks.of_fields, "COMPONENT": marks.of_components, "SUBCOMPONENT": marks.of_parts,
        "REPETITION": marks.of_repetitions, "ESCAPE": marks.escape, "SEGMENT": "\r", "GROUP": "\r",
    }  # fmt: skip
    known = version if version in SUPPORTED_LIBRARIES else "2.5.1"
    try:
        return list(_texts(parse_segment(line, version=known, encoding_chars=characters)))
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
