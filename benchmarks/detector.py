"""How well the detector `identifiers` marks text that nothing was chosen by.

Usage: detector.py [--part kept] [--record]

The dev part of each corpus is read in two halves: records 0, 2, 4, … were looked at while thresholds were chosen, the
others are kept (``--part choose`` shows the first). Recall: words of a kind that the corpus marks without gaps, which
a mark of any kind covers. Precision: words under a mark of such a kind, which the corpus marks as anything. Exact:
F1 of marks with the bounds and the kind of the corpus. Letters and notes come from the held templates of
``training/detector/made.py``, which share neither sentences nor names with those of the training.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import identifiers_tab as tab
import numpy as np
from recording import DATA, models, table, written

from sfumato.detectors import identifier_finder
from sfumato.detectors.identifier_finder import IdentifierFinder
from sfumato.text.document import Document
from sfumato.text.marks import Finding

WORD = re.compile(r"\w+")
KIND_OF = {
    "TIME": "DATE", "DURATION": "QUANTITY", "PHONE_NUMBER": "PHONE", "EMAIL_ADDRESS": "EMAIL", "IP_ADDRESS": "IP",
    "ACCOUNT": "USERNAME", "SECRET": "CODE",
}  # fmt: skip
MOST = 400
HALVES = {"choose": slice(0, None, 2), "kept": slice(1, None, 2)}
NAMES = ("PERSON", "LOCATION", "ORGANIZATION", "DATE")


class Corpus(NamedTuple):
    name: str
    language: str
    exhaustive: frozenset[str]
    records: Sequence[Mapping[str, Any]]


def corpora(part: str) -> list[Corpus]:
    """The dev parts of the corpora, every second record of them."""
    read: list[Corpus] = []
    for about in sorted((DATA / "detection").glob("*/about.json")):
        path = about.with_name("dev.jsonl")
        told = json.loads(about.read_text(encoding="utf-8"))
        if path.exists() and told["exhaustive"]:
            records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            half = records[HALVES[part]][:MOST]
            read.append(Corpus(told["name"], told["language"], frozenset(told["exhaustive"]), half))
    return read


def made(part: str, count: int = 600) -> Corpus:
    """Letters, notes, forms, chats and logs of the held templates."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "training" / "detector"))
    from made import made_records

    records = list(made_records(seed=11 if part == "choose" else 12, count=count, part="held"))
    kinds = frozenset(label for record in records for label in (entity["label"] for entity in record["entities"]))
    return Corpus("made", "all", kinds - {"QUANTITY"}, records)


def finder(strict: str = "medium") -> IdentifierFinder:
    return IdentifierFinder(None, "en", strict)


def findings(detector: IdentifierFinder, records: Sequence[Mapping[str, Any]]) -> list[list[Finding]]:
    return detector.findings([Document(record["text"], str(number)) for number, record in enumerate(records)])


def counted(corpus: Corpus, found: Sequence[Sequence[Finding]]) -> Counter[str]:
    """Sums over the records of a corpus, from which :func:`shares` are taken."""
    counts: Counter[str] = Counter()
    for record, marks in zip(corpus.records, found, strict=True):
        text = record["text"]
        covered, judged, wanted, any_kind = (bytearray(len(text) + 1) for _ in range(4))
        made_marks = {(mark.start, mark.end, KIND_OF.get(mark.label, mark.label)) for mark in marks}
        gold = {(entity["start"], entity["end"], entity["label"]) for entity in record["entities"]}
        for start, end, kind in made_marks:
            covered[start:end] = b"\1" * (end - start)
            if kind in corpus.exhaustive:
                judged[start:end] = b"\1" * (end - start)
        for start, end, kind in gold:
            any_kind[start:end] = b"\1" * (end - start)
            if kind in corpus.exhaustive:
                wanted[start:end] = b"\1" * (end - start)
        for kind in corpus.exhaustive:
            own, marked = ({bounds for bounds in spans if bounds[2] == kind} for spans in (gold, made_marks))
            counts[f"gold {kind}"] += len(own)
            counts[f"made {kind}"] += len(marked)
            counts[f"exact {kind}"] += len(own & marked)
        for match in WORD.finditer(text):
            place = match.start()
            counts["words"] += 1
            counts["wanted"] += wanted[place]
            counts["covered"] += wanted[place] & covered[place]
            counts["judged"] += judged[place]
            counts["right"] += judged[place] & any_kind[place]
            counts["nothing"] += covered[place] & (1 - any_kind[place])
    return counts


def worth(corpus: Corpus, found: Sequence[Sequence[Finding]]) -> list[tuple[float, float]]:
    """The score of each mark of the network, of a kind without gaps, and the share of its words that are marked."""
    pairs: list[tuple[float, float]] = []
    step = 2 if corpus.name == "made" else 1  # calibrating.py reads the first of every two made records
    for record, marks in list(zip(corpus.records, found, strict=True))[step - 1 :: step]:
        any_kind, other = bytearray(len(record["text"]) + 1), bytearray(len(record["text"]) + 1)
        for entity in record["entities"]:
            own = other if entity["label"] == "OTHER" else any_kind
            own[entity["start"] : entity["end"]] = b"\1" * (entity["end"] - entity["start"])
        for mark in marks:
            words = [match.start() for match in WORD.finditer(record["text"], mark.start, mark.end)]
            known = KIND_OF.get(mark.label, mark.label) in corpus.exhaustive and not any(
                other[place] for place in words
            )
            if words and known and mark.finder == identifier_finder.NETWORK:
                pairs.append((mark.score or 0.0, sum(any_kind[place] for place in words) / len(words)))
    return pairs


def calibration_error(pairs: Sequence[tuple[float, float]]) -> float:
    """The mean distance between score and share right, over fifteen bins of scores weighted by their marks."""
    scores, right = np.array(pairs).T
    bins = np.minimum((scores * 15).astype(int), 14)
    return sum(
        (bins == each).mean() * abs(scores[bins == each].mean() - right[bins == each].mean())
        for each in np.unique(bins)
    )


def shares(counts: Mapping[str, int], kinds: Sequence[str]) -> tuple[float, float, float]:
    """Recall and precision in words, and exact F1 over ``kinds``."""
    gold, marked, exact = (
        sum(counts.get(f"{what} {kind}", 0) for kind in kinds) for what in ("gold", "made", "exact")
    )
    recall, precision = counts["covered"] / max(1, counts["wanted"]), counts["right"] / max(1, counts["judged"])
    return recall, precision, 2 * exact / max(1, gold + marked)


def f1(counts: Mapping[str, int], kind: str) -> str:
    gold, marked = counts.get(f"gold {kind}", 0), counts.get(f"made {kind}", 0)
    return f"{2 * counts.get(f'exact {kind}', 0) / (gold + marked):.3f}" if gold >= 20 else "–"


def on_tab(part: str, detector: IdentifierFinder) -> tuple[float, float, float]:
    """Recall of direct and of indirect identifiers, and precision, on half of the dev documents."""
    records = tab.documents("dev")[HALVES[part]]
    masks: dict[str, bytearray] = {}
    for record, marks in zip(records, findings(detector, records), strict=True):
        masks[record["doc_id"]] = mask = bytearray(len(record["text"]))
        for mark in marks:
            mask[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
    told, words = tab.mentions(records, masks), tab.words(records, masks)
    recalls = [sum(told[kind, "all"]) / len(told[kind, "all"]) for kind in ("DIRECT", "QUASI")]
    return recalls[0], recalls[1], words["wanted"] / words["replaced"]


def report(part: str) -> str:
    every, letters = corpora(part), made(part)
    whole = finder()
    levels: list[list[object]] = []
    for strict in identifier_finder.POINTS:
        levels.append([strict, *(f"{value:.3f}" for value in on_tab(part, finder(strict)))])
    rows: list[list[object]] = []
    languages: dict[str, Counter[str]] = {}
    started, characters, pairs = time.process_time(), 0, list[tuple[float, float]]()
    for corpus in [*every, letters]:
        found = findings(whole, corpus.records)
        counts = counted(corpus, found)
        pairs += worth(corpus, found)
        characters += sum(len(record["text"]) for record in corpus.records)
        if corpus is letters:
            nothing = 1000 * counts["nothing"] / counts["words"]
        else:
            languages.setdefault(corpus.language, Counter()).update(counts)
        figures = shares(counts, sorted(corpus.exhaustive))
        rows.append([corpus.name, corpus.language, *(f"{value:.3f}" for value in figures)])
    seconds = (time.process_time() - started) / characters * 1e6
    spoken = [[language, *(f1(counts, kind) for kind in NAMES)] for language, counts in sorted(languages.items())]
    return "\n\n".join((
        f"Half of each dev part ({part}). CPU seconds a million characters: {seconds:.0f}.",
        table(["strict", "TAB: DIRECT", "QUASI", "precision"], levels),
        table(["corpus", "language", "recall", "precision", "exact F1"], rows),
        f"Made text of held templates: {nothing:.1f} marked words a thousand are nothing.",
        f"Expected calibration error of the scores of {len(pairs):,} marks of the network: "
        f"{calibration_error(pairs):.3f}.",
        table(["language", *(f"exact F1, {kind}" for kind in NAMES)], spoken),
    ))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=("choose", "kept"), default="kept")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    written("detector", report(given.part), given.record, page="reproduction.md", used=models("detector"))


if __name__ == "__main__":
    main()
