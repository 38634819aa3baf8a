"""FHIR as JSON: a resource is a record, and so is every entry of a Bundle."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import IO, Any

from sfumato.documents.formats import Seen
from sfumato.documents.health.exact_json import parsed, written
from sfumato.documents.health.fhir_objects import Resources
from sfumato.documents.health.fhir_seen import seen
from sfumato.documents.health.fhir_strings import At
from sfumato.documents.health.fhir_subjects import fields_of, subjects_of
from sfumato.documents.rules import Refused, Visit
from sfumato.documents.slot import Slot

_INDENT = re.compile(rb"\n([ \t]{1,8})\S")
_PIECES = 20_000


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the texts of a resource or a Bundle, and write it with their edits. Raise Refused."""
    content = file.read()
    root = parsed(content)
    indent = found[1].decode("ascii") if (found := _INDENT.search(content[:4096])) else ""
    del content
    yield from walked(root, visit, 0)
    if target is not None:
        pieces = list[str]()
        for piece in written(root, indent):
            pieces.append(piece)
            if len(pieces) >= _PIECES:
                target.write("".join(pieces).encode("utf-8"))
                pieces.clear()
        target.write("".join([*pieces, "\n" if indent else ""]).encode("utf-8"))


def walked(root: Any, visit: Visit, record: int, apart: bool = True) -> Generator[Slot, None, None]:
    """Yield the texts of the resource ``root``, and write edits into it.

    The entries of a Bundle are records of their own if they are ``apart``. What a Bundle says beside them belongs to
    the first.
    """
    if not isinstance(root, dict) or not isinstance(root.get("resourceType"), str):
        raise Refused("it is no resource of FHIR: it has no resourceType; give it the suffix of what it is")
    entries = root.get("entry") if root["resourceType"] == "Bundle" else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        walker = Resources(visit, record, fields_of(root, {}, ""))
        yield from walker.resource(root, At(""))
        return
    subjects, only = subjects_of(entries)
    whole = fields_of(entries[0].get("resource") if entries else None, subjects, only)
    header = Resources(visit, record, whole)
    header_only = {key: value for key, value in root.items() if key != "entry"}
    yield from header.resource(header_only, At(""))
    for key in [key for key in root if key not in header_only and key != "entry"]:
        del root[key]
    root |= header_only
    for number, entry in enumerate(entries):
        fields = fields_of(entry.get("resource"), subjects, only) if apart else whole
        walker = Resources(visit, record + number if apart else record, fields)
        yield from walker.object(entry, At(f"entry {number + 1}", f"entry {number + 1}"))


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the strings of a written file: as orjson reads them."""
    yield from seen(file.read(), "")
