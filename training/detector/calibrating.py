"""Measures what the probabilities of the shipped network are worth, writes it into its card, and pins the card.

    python training/detector/made.py --seed 12 --records 600 --part held -o held.jsonl
    python training/detector/calibrating.py --corpora ../shared/data/detection --made-held held.jsonl

Run it after every export. It reads the first halves of the dev parts (``measuring.PARTS``): choices are made by them.
A word counts where the corpus marks its likeliest kind without gaps. ``benchmarks/detector.py`` measures the error
on the other halves.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import corpora
import measuring
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from sfumato.detectors.identifier_finder import LABELS, POINTS, RULES
from sfumato.models.token_classifier import card as card_file
from sfumato.models.token_classifier.calibration import ALL_RULES, GROUPS, log_odds
from sfumato.models.token_classifier.labels import KINDS, marks_of, words_of
from sfumato.models.token_classifier.network import TokenClassifier, load_tokenizer

CHARACTERS = 40_000
"""Of a corpus, so that a run takes a few minutes."""
EDGES = np.linspace(-8, 8, 16)
"""Between bins, in log-odds; all that lies beyond has a bin at either end."""
ENOUGH = 50
"""Marks of a rule, so that their share is known to a few hundredths."""
KIND_OF = {label: kind for kind, label in LABELS.items()} | {"TIME": "DATE", "DURATION": "QUANTITY", "SECRET": "CODE"}
_PINNED = re.compile(r'(?<=^CARD = ")[0-9a-f]*(?=")', re.MULTILINE)


class Answered(NamedTuple):
    """A record of a corpus with the probabilities of its pieces."""

    corpus: corpora.Corpus
    record: corpora.Record
    classes: NDArray[np.float32]
    telling: NDArray[np.float32]


def answered(classifier: TokenClassifier, folder: Path, made_held: Path | None) -> Iterator[Answered]:
    """Yield the records of the halves that choices are made by, with the answers of the network."""
    tokenizer = load_tokenizer()
    for corpus in [*corpora.corpora(folder, "dev"), *([corpora.made(made_held)] if made_held else [])]:
        if not corpus.exhaustive:
            continue
        records = corpus.records(tokenizer)[measuring.PARTS.index("choose") :: len(measuring.PARTS)]
        read = np.cumsum([len(record.text) for record in records])
        records = records[: int(np.searchsorted(read, CHARACTERS)) + 1]
        answers = classifier.answers([record.text for record in records])
        for record, answer in zip(records, answers, strict=True):
            if len(record.pieces):
                yield Answered(corpus, record, answer.classes, answer.telling)


def judged(given: Answered) -> tuple[NDArray[np.str_], NDArray[np.float64], NDArray[np.bool_]]:
    """Return group, log-odds and truth of the words whose likeliest kind the corpus marks without gaps."""
    record = given.record
    first, words = words_of(record.pieces, given.classes)
    kinds = words[:, 1:].argmax(axis=1) // 2
    gold = record.classes[first]
    letters = np.array([record.text[place].isalnum() for place in record.pieces.starts[first]])
    known = letters & (gold != corpora.UNKNOWN) & ~record.open[1 + 2 * kinds]
    return np.array(GROUPS)[kinds][known], log_odds(1 - words[known, 0]), gold[known] > 0


def table_of(odds: NDArray[np.float64], truth: NDArray[np.bool_]) -> dict[str, list[float]]:
    """Return a monotone table: the mean log-odds of each bin, and its share of identifiers."""
    bins = np.digitize(odds, EDGES)
    full = np.unique(bins)
    means = [float(odds[bins == each].mean()) for each in full]
    counts = [int((bins == each).sum()) for each in full]
    shares = isotonic_regression([truth[bins == each].mean() for each in full], weights=counts).x
    return {"odds": [round(mean, 3) for mean in means], "shares": [round(float(share), 4) for share in shares]}


def spoken(every: Sequence[Answered]) -> dict[str, dict[str, float]]:
    """Return for each language how many words of its corpora were to be marked, and which shares were, rightly."""
    point, counts = POINTS["medium"], defaultdict[str, Counter[str]](Counter)
    for given in every:
        if given.corpus.name != corpora.MADE:
            marks = marks_of(given.record.pieces, given.classes, given.telling, point.likely)
            kept = [mark for mark in marks if point.keeps(mark)]
            counts[given.corpus.language] += measuring.counted(given.record, kept, given.corpus.exhaustive)
    return {
        language: {"words": own["words wanted"], **measuring.summed(own)} for language, own in sorted(counts.items())
    }


def ruled(every: Sequence[Answered]) -> dict[str, float]:
    """Return how often words that a rule marks were identifiers, for each rule that marks enough, and for all."""
    marked, right = Counter[str](), Counter[str]()
    for given in every:
        record, pieces = given.record, given.record.pieces
        for name, rule in RULES.items():
            for mark in rule(record.text, given.corpus.language):
                kind = KIND_OF.get(mark.label, mark.label)
                inside = (pieces.starts >= mark.start) & (pieces.ends <= mark.end)
                if kind not in KINDS or record.open[1 + 2 * KINDS.index(kind)] or not inside.any():
                    continue
                if (gold := record.classes[inside]).min() > corpora.UNKNOWN:
                    for counted in (name, ALL_RULES):
                        marked[counted] += 1
                        right[counted] += float((gold > 0).mean())
    return {name: round(right[name] / count, 4) for name, count in marked.items() if count >= ENOUGH}


def calibrated(every: Sequence[Answered]) -> dict[str, dict[str, list[float]]]:
    """Return a table for each group of kinds."""
    groups, odds, truth = (np.concatenate(part) for part in zip(*map(judged, every), strict=True))
    return {str(name): table_of(odds[groups == name], truth[groups == name]) for name in np.unique(groups)}


def pin(card: Path, source: Path) -> None:
    """Write the hash of ``card`` into ``source``."""
    digest = hashlib.sha256(card.read_bytes()).hexdigest()
    source.write_text(_PINNED.sub(digest, source.read_text(encoding="utf-8")), encoding="utf-8")


def main(words: Sequence[str] | None = None) -> None:
    """Calibrate, write, pin."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True, help="folder of corpora, each with about.json")
    parser.add_argument("--made-held", type=Path, help="made text of held templates")
    parser.add_argument("--weights", type=Path, default=card_file.packaged(), help="those of the package, usually")
    parser.add_argument("--source", type=Path, default=Path(card_file.__file__), help="the file that pins the card")
    given = parser.parse_args(words)
    every = list(answered(TokenClassifier(given.weights), given.corpora, given.made_held))
    card = given.weights.with_suffix(".json")
    told = json.loads(card.read_text(encoding="utf-8"))
    told |= {"calibration": {"tables": calibrated(every), "rules": ruled(every)}, "languages": spoken(every)}
    card.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    pin(card, given.source)
    print(json.dumps(told["languages"], indent=2))


if __name__ == "__main__":
    main()
