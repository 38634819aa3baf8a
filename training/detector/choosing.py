"""Shows what the detector gains and loses on court cases by each least probability of telling.

    python training/detector/choosing.py --weights src/sfumato/data/identifiers.safetensors --likely 0.2

It reads the first halves of the dev parts of TAB, by which choices are made, and begins with no least probability.
Each step raises that of one kind, by which precision gains most for the indirect identifiers that are lost, until
``--least`` of them are left. A step that loses a direct identifier is not taken.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import detector as benchmark
import identifiers_tab as tab

from sfumato.detectors.identifier_finder import POINTS, IdentifierFinder, Point
from sfumato.models.token_classifier.labels import KINDS
from sfumato.models.token_classifier.network import Answer, TokenClassifier
from sfumato.text.document import Document

LADDER = (0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5)


class Remembered:
    """A network that answers for a text once."""

    def __init__(self, network: TokenClassifier) -> None:
        self.network = network
        self.card = network.card
        self.kept: dict[str, Answer] = {}

    def answers(self, texts: Sequence[str]) -> list[Answer]:
        """Return the answers; those that were given before are not computed."""
        new = [text for text in texts if text not in self.kept]
        self.kept |= dict(zip(new, self.network.answers(new), strict=True))
        return [self.kept[text] for text in texts]


def figures(network: Remembered, records: Sequence[Mapping[str, Any]], point: Point) -> tuple[float, float, float]:
    """Return the recall of direct and of indirect identifiers, and the precision."""
    finder = IdentifierFinder(None, "en", "medium")
    finder.__dict__["_network"] = network
    POINTS["medium"] = point
    masks: dict[str, bytearray] = {}
    documents = [Document(record["text"], record["doc_id"]) for record in records]
    for record, marks in zip(records, finder.findings(documents), strict=True):
        masks[record["doc_id"]] = mask = bytearray(len(record["text"]))
        for mark in marks:
            mask[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
    told, words = tab.mentions(records, masks), tab.words(records, masks)
    direct, quasi = (sum(told[kind, "all"]) / len(told[kind, "all"]) for kind in ("DIRECT", "QUASI"))
    return direct, quasi, words["wanted"] / words["replaced"]


def main() -> None:
    """Walk along the curve and print each step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--likely", type=float, default=0.2)
    parser.add_argument("--least", type=float, default=0.85)
    asked = parser.parse_args()
    network = Remembered(TokenClassifier(asked.weights))
    records = tab.documents("dev")[benchmark.HALVES["choose"]]
    telling: dict[str, float] = {}
    now = figures(network, records, Point(asked.likely, telling))
    while now[1] >= asked.least:
        print(f"{now[0]:.3f} {now[1]:.3f} {now[2]:.3f}", telling, flush=True)
        tried: list[tuple[float, str, float, tuple[float, float, float]]] = []
        for kind in KINDS:
            for step in LADDER:
                if step > telling.get(kind, 0.0):
                    after = figures(network, records, Point(asked.likely, {**telling, kind: step}))
                    if after[0] >= now[0] and after[2] > now[2]:
                        tried.append(((after[2] - now[2]) / (now[1] - after[1] + 1e-3), kind, step, after))
        if not tried:
            break
        _, kind, step, now = max(tried)
        telling[kind] = step


if __name__ == "__main__":
    main()
