"""FHIR as lines of JSON, as bulk exports are: a line is a resource, and a record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from sfumato.documents.formats import Seen
from sfumato.documents.health.exact_json import parsed, written
from sfumato.documents.health.fhir import walked
from sfumato.documents.health.fhir_seen import seen
from sfumato.documents.rules import Refused, Visit
from sfumato.documents.slot import Slot

_LONGEST = 256 << 20


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the texts of each line in turn, and write it with their edits. Raise Refused."""
    for number, line in _lines(file):
        reason = ""
        try:
            root = parsed(line)
            yield from walked(root, visit, number, apart=False)
        except Refused as error:
            reason = str(error)
        if reason:
            raise Refused(f"record {number + 1}: {reason}")
        if target is not None:
            target.write("".join([*written(root), "\n"]).encode("utf-8"))


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the strings of a written file, line by line, as orjson reads them."""
    for number, line in _lines(file):
        yield from seen(line, f"record {number + 1}")


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := file.readline(_LONGEST):
        if len(line) == _LONGEST:
            raise Refused(f"record {number + 1} is longer than {_LONGEST >> 20} MiB; it is no line of a bulk export")
        if line.strip():
            yield number, line
            number += 1
