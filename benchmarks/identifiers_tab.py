"""What redaction covers of the Text Anonymization Benchmark: recall, precision and over-masking by entity type.

Usage: identifiers_tab.py [--split dev] [--record]

A mention counts as covered where every letter and digit of it is; a document that is missing from the release would
count with all its mentions as not covered. The network learned from the train documents, never from these.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from recording import DATA, models, table, written

import sfumato
from sfumato.detectors.identifiers import Identifiers
from sfumato.language.en.words import stop_words
from sfumato.text.document import Document

ASKED = {"DIRECT": 0.98, "QUASI": 0.90}
WORD = re.compile(r"\w+")


def documents(split: str) -> list[dict[str, Any]]:
    """The annotated documents of one split."""
    lines = (DATA / "tab" / "annotated.jsonl").read_text(encoding="utf-8").splitlines()
    return [one for line in lines if (one := json.loads(line))["split"] == split]


def covered(
    records: Sequence[Mapping[str, Any]], strict: str = Identifiers().strict
) -> tuple[dict[str, bytearray], float]:
    """For each document which characters are replaced, and CPU seconds for a million characters."""
    editor = sfumato.build("redaction", operator="label", detect_options={"strict": strict})
    given = [Document(record["text"], record["doc_id"]) for record in records]
    editor.records(given[:1])
    started = time.process_time()
    found: dict[str, bytearray] = {}
    layouts = [layout for record in editor.records(given) for layout in record.layouts]
    for document, layout in zip(given, layouts, strict=True):
        mask = bytearray(len(document.text))
        for start, end in layout.spans:
            mask[start:end] = b"\1" * (end - start)
        found[document.id] = mask
    return found, (time.process_time() - started) / sum(len(one.text) for one in given) * 1e6


def mentions(
    records: Sequence[Mapping[str, Any]], masks: Mapping[str, bytearray]
) -> dict[tuple[str, str], list[bool]]:
    """Whether each mention is covered, by identifier type and entity type ("all" for their sum)."""
    found: dict[tuple[str, str], list[bool]] = {}
    for record in records:
        mask = masks.get(record["doc_id"], bytearray(len(record["text"])))
        for one in record["entities"]:
            start, end = one["start_offset"], one["end_offset"]
            whole = all(mask[at] for at in range(start, end) if record["text"][at].isalnum())
            for kind in ("all", one["entity_type"]):
                found.setdefault((one["identifier_type"], kind), []).append(whole)
    return found


def words(records: Sequence[Mapping[str, Any]], masks: Mapping[str, bytearray]) -> Counter[str]:
    """Content words: all, replaced, and replaced where an annotator wants it, or marked an entity of any kind."""
    found: Counter[str] = Counter()
    for record in records:
        text, mask = record["text"], masks[record["doc_id"]]
        gold, any_mark = bytearray(len(text)), bytearray(len(text))
        for one in record["entities"]:
            start, end = one["start_offset"], one["end_offset"]
            any_mark[start:end] = b"\1" * (end - start)
            if one["identifier_type"] != "NO_MASK":
                gold[start:end] = b"\1" * (end - start)
        for match in WORD.finditer(text):
            if match.group().lower() in stop_words():
                continue
            place = slice(*match.span())
            found["all"] += 1
            if all(mask[place]):
                found["replaced"] += 1
                found["wanted"] += any(gold[place])
                found["entity"] += any(any_mark[place])
            found["gold"] += any(gold[place])
    return found


def recall(marks: Sequence[bool]) -> str:
    return f"{sum(marks) / len(marks):.3f}" if marks else "–"


def report(split: str) -> tuple[str, list[str]]:
    """The table by entity type, and the row of the summary."""
    records = documents(split)
    masks, seconds = covered(records)
    found, counted = mentions(records, masks), words(records, masks)
    kinds = sorted({kind for _, kind in found if kind != "all"})
    rows: list[list[object]] = []
    for kind in ["all", *kinds]:
        row: list[object] = [kind]
        for identifier in ("DIRECT", "QUASI", "NO_MASK"):
            marks = found.get((identifier, kind), [])
            row += [len(marks), recall(marks)]
        rows.append(row)
    heads = ["entity type", "DIRECT", "recall", "QUASI", "recall", "need no mask", "covered all the same"]
    summary = [
        *(recall(found.get((identifier, "all"), [])) for identifier in ASKED),
        f"{counted['wanted'] / counted['replaced']:.3f}",
        f"{counted['entity'] / counted['replaced']:.3f}",
        f"{(counted['replaced'] - counted['wanted']) / (counted['all'] - counted['gold']):.3f}",
        f"{seconds:.0f} s",
    ]
    return table(heads, rows), summary


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--split", default="dev")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    detail, row = report(given.split)
    asked = [f"{kind} recall (target {least})" for kind, least in ASKED.items()]
    measured = ["precision", "precision, any marked entity", "over-masking", "CPU per million characters"]
    heads = [*asked, *measured]
    text = (
        f"{len(documents(given.split))} {given.split} documents, all of them in the release. A mention is "
        "covered if all its letters and digits are replaced. Precision: the share of replaced content words that an "
        "annotator wants replaced (or marked as an entity of any kind). Over-masking: the share of the other content "
        "words that is replaced too.\n\n" + table(heads, [list(row)]) + "\n\n" + detail
    )
    written("identifiers", text, given.record, page="reproduction.md", used=models("detector"))


if __name__ == "__main__":
    main()
