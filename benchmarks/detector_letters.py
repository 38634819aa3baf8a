"""Discharge letters that nothing was chosen by: what is marked of them, under which kind, and what is nothing.

Usage: detector_letters.py [--part looked] [--count 200] [--record]

The letters stand in ``detector_letters.txt``, written for this measurement alone, in the grammar of
``training/detector/made_grammar.py``; names and values are those of the held part. The even ones may be looked at
(``--part looked``); the odd ones are only measured. Covered: values whose letters and digits are all marked. Right:
covered values of which at least half is under a mark of their kind. Exact: values with a mark of their bounds and
kind. On nothing: words under a mark that no value touches, each thousand words. A title before a name may belong to
its mark. Diagnoses and amounts are in no figure: corpora disagree on them.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import detector
from recording import models, table, written

from sfumato.detectors.identifiers import LEVELS
from sfumato.text.marks import Finding

TEXTS = Path(__file__).with_suffix(".txt")
PARTS = ("looked", "kept")
TITLES = re.compile(r"(?:\b(?:Dr|Mr|Mrs|Ms|Miss|Nurse|Sister|Professor|Prof)\b\.? )*$")
NEITHER = {"HEALTH", "QUANTITY", "DURATION", "OTHER"}


def letters(part: str, count: int, seed: int = 1) -> list[dict[str, Any]]:
    """``count`` letters of a part, each with its values."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "training" / "detector"))
    from made_grammar import parsed
    from made_surface import joined, record_of
    from made_world import World

    templates = TEXTS.read_text(encoding="utf-8").split("\n===\n")[PARTS.index(part) :: 2]
    records = []
    for number in range(count):
        world = World(random.Random(f"{seed} {part} {number}"), "held", "en")
        text, entities = record_of(joined(world.write(parsed(templates[number % len(templates)]))))
        records.append({"text": text, "entities": entities, "template": number % len(templates)})
    return records


def counted(record: dict[str, Any], marks: Sequence[Finding]) -> Counter[str]:
    """Counts of values and of words; of values by kind too."""
    text, counts = record["text"], Counter[str]()
    covered, touched, shown = bytearray(len(text)), bytearray(len(text)), bytearray(len(text))
    kinds = [""] * len(text)
    for mark in marks:
        kind = detector.KIND_OF.get(mark.label, mark.label)
        for place in range(mark.start, mark.end):
            covered[place], kinds[place] = 1, kind
            shown[place] = mark.label not in NEITHER
    for value in record["entities"]:
        places = [place for place in range(value["start"], value["end"]) if text[place].isalnum()]
        titled = TITLES.search(text, max(0, value["start"] - 40), value["start"]).start()  # type: ignore[union-attr]
        touched[titled : value["end"]] = b"\1" * (value["end"] - titled)
        if value["label"] in NEITHER or not places:
            continue
        whole = all(covered[place] for place in places)
        right = 2 * sum(kinds[place] == value["label"] for place in places) >= len(places)
        exact = any(
            mark.start in (titled, value["start"])
            and mark.end == value["end"]
            and detector.KIND_OF.get(mark.label, mark.label) == value["label"]
            for mark in marks
        )
        for name in ("all", value["label"]):
            counts.update({f"{name} values": 1, f"{name} covered": whole, f"{name} right": whole and right,
                           f"{name} exact": exact})  # fmt: skip
    for word in detector.WORD.finditer(text):
        places = range(*word.span())
        counts["words"] += 1
        counts["nothing"] += any(shown[place] for place in places) and not any(touched[place] for place in places)
    return counts


def report(part: str, count: int) -> str:
    records = letters(part, count)
    rows: list[list[object]] = []
    kinds: list[list[object]] = []
    for strict in LEVELS:
        counts: Counter[str] = Counter()
        for record, marks in zip(records, detector.findings(detector.finder(strict), records), strict=True):
            counts += counted(record, marks)
        rows.append([strict, *_shares(counts, "all"), f"{1000 * counts['nothing'] / counts['words']:.1f}"])
        if strict == "medium":
            names = sorted(name.removesuffix(" values") for name in counts if name.endswith(" values"))
            kinds = [[name, *_shares(counts, name)] for name in names if name != "all"]
    return "\n\n".join((
        f"{count} letters ({part}).",
        table(["strict", "values", "covered", "right", "exact", "words marked that are nothing, a thousand"], rows),
        table(["kind", "values", "covered", "right", "exact"], kinds),
    ))  # fmt: skip


def _shares(counts: Counter[str], name: str) -> list[object]:
    values = counts[f"{name} values"]
    return [values, *(f"{counts[f'{name} {what}'] / values:.3f}" for what in ("covered", "right", "exact"))]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=PARTS, default="kept")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    written(
        "detector letters",
        report(given.part, given.count),
        given.record,
        page="reproduction.md",
        used=models("detector"),
    )


if __name__ == "__main__":
    main()
