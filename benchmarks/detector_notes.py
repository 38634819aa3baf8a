"""What the detector misses of the marked values of the demonstration's records, and what it marks that is nothing.

Usage: detector_notes.py [--show] [--record]

The records of ``examples/records.jsonl`` are made up and marked by hand; notes of a clinic, tickets and paragraphs of
courts. A value is missed if a letter or digit of it is in no mark. A mark is on nothing if it touches no value.
Diagnoses are marked by the detector and not by hand, so they count as neither. Measures (quantities, lengths of time)
are counted apart, because only those that identify were marked by hand. ``--show`` prints what was counted.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recording import models, table, written

from sfumato.detectors.identifiers import LEVELS, Identifiers
from sfumato.text.document import Document
from sfumato.text.marks import Finding

RECORDS = Path(__file__).parents[1] / "examples" / "records.jsonl"
NEITHER = {"HEALTH"}
MEASURES = {"QUANTITY", "DURATION"}


def missed(record: Mapping[str, Any], marks: Sequence[Finding]) -> Iterator[tuple[str, str]]:
    """The values that no mark covers whole, with their labels."""
    text = record["text"]
    covered = bytearray(len(text))
    for mark in marks:
        covered[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
    for span in record["spans"]:
        places = range(span["start"], span["end"])
        if not all(covered[place] for place in places if text[place].isalnum()):
            yield span["label"], text[span["start"] : span["end"]]


def on_nothing(record: Mapping[str, Any], marks: Sequence[Finding]) -> Iterator[Finding]:
    """The marks that touch no value."""
    for mark in marks:
        touched = any(mark.start < span["end"] and span["start"] < mark.end for span in record["spans"])
        if not touched and mark.label not in NEITHER:
            yield mark


def report(show: bool) -> str:
    records = [json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()]
    documents = [Document(record["text"], record["id"]) for record in records]
    rows: list[list[object]] = []
    for strict in LEVELS:
        counts: Counter[tuple[str, str]] = Counter()
        for record, marks in zip(records, Identifiers(strict=strict).findings(documents), strict=True):
            gaps, nothing = list(missed(record, marks)), list(on_nothing(record, marks))
            measures = sum(mark.label in MEASURES for mark in nothing)
            sums = {"values": len(record["spans"]), "missed": len(gaps), "nothing": len(nothing) - measures,
                    "measures": measures}  # fmt: skip
            for kind in (record["kind"], "all"):
                counts.update({(kind, what): count for what, count in sums.items()})
            if show and strict == "medium":
                for label, value in gaps:
                    print(f"{record['id']}: missed {label} {value!r}")
                for mark in nothing:
                    value = record["text"][mark.start : mark.end]
                    print(f"{record['id']}: nothing {mark.label} {value!r} {mark.finder}")
        for kind in sorted({kind for kind, _ in counts}):
            rows.append([strict, kind, *(counts[kind, what] for what in ("values", "missed", "nothing", "measures"))])
    return table(["strict", "records", "values", "missed", "marks on nothing", "measures on nothing"], rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    written("detector notes", report(given.show), given.record, page="reproduction.md", used=models("detector"))


if __name__ == "__main__":
    main()
