"""Presidio's synthetic sentences: F2 by entity type of the detector `identifiers` and of Presidio with its defaults.

Usage: identifiers_synth.py [--record]

Both use the same spaCy model in one run. A mention is found where all its letters and digits are marked, under a
label that fits its type (a title before a name may be a PERSON, a number of any kind a CODE). A mark that touches no
mention whose type it fits is a false one of the label's own type. The same table of labels holds for both.
"""

from __future__ import annotations

import argparse
import json
import logging
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from recording import DATA, models, table, written

from sfumato.detectors.identifiers import Identifiers
from sfumato.detectors.tagger import DEFAULT_PIPELINE
from sfumato.text.document import Document

NUMBERS = (
    "CODE", "US_BANK_NUMBER", "US_DRIVER_LICENSE", "US_ITIN", "US_PASSPORT", "US_SSN", "UK_NHS", "MEDICAL_LICENSE",
    "CREDIT_CARD", "CRYPTO", "PHONE_NUMBER", "IBAN_CODE",
)  # fmt: skip
FITS: dict[str, tuple[str, ...]] = {
    "PERSON": ("PERSON",),
    "LOCATION": ("LOCATION",),
    "ORGANIZATION": ("ORGANIZATION",),
    "DATE_TIME": ("DATE_TIME", "DATE", "TIME", "DURATION", "AGE"),
    "TITLE": ("TITLE", "PERSON", "OCCUPATION"),
    "AGE": ("AGE", "DATE_TIME", "DATE", "DURATION", "QUANTITY"),
    "NRP": ("NRP", "GROUP"),
    "EMAIL_ADDRESS": ("EMAIL_ADDRESS",),
    "DOMAIN_NAME": ("URL",),
    "IP_ADDRESS": ("IP_ADDRESS",),
    "CREDIT_CARD": NUMBERS,
    "PHONE_NUMBER": NUMBERS,
    "IBAN_CODE": NUMBERS,
    "US_SSN": NUMBERS,
    "US_DRIVER_LICENSE": NUMBERS,
    "ZIP_CODE": (*NUMBERS, "LOCATION", "QUANTITY", "DATE_TIME", "DATE"),
}
"""Which labels fit a type of the data."""
SAME = {"STREET_ADDRESS": "LOCATION", "GPE": "LOCATION"}
HOME = {"URL": "DOMAIN_NAME", "GROUP": "NRP", "DATE": "DATE_TIME", "TIME": "DATE_TIME"}

Marks = Sequence[tuple[int, int, str]]


class Score(NamedTuple):
    """Counts of mentions, but for ``wrong``, which counts marks."""

    right: int
    wrong: int
    missed: int

    @property
    def f2(self) -> float:
        weighted = 5 * self.right
        whole = weighted + 4 * self.missed + self.wrong
        return weighted / whole if whole else 0.0


def scores(records: Sequence[Mapping[str, Any]], found: Sequence[Marks]) -> dict[str, Score]:
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for record, marks in zip(records, found, strict=True):
        spans = [(one["start_position"], one["end_position"], one["entity_type"]) for one in record["spans"]]
        gold = [(start, end, SAME.get(kind, kind)) for start, end, kind in spans]
        covered = {place for start, end, _ in marks for place in range(start, end)}
        for start, end, kind in gold:
            text = record["full_text"]
            whole = all(place in covered for place in range(start, end) if text[place].isalnum())
            fits = whole and any(label in FITS[kind] for label in overlapping(marks, start, end))
            (right if fits else missed)[kind] += 1
            (right if whole else missed)["any"] += 1
        for start, end, label in marks:
            kinds = overlapping(gold, start, end)
            if not any(label in FITS[kind] for kind in kinds):
                wrong[HOME.get(label, label)] += 1
            wrong["any"] += not kinds
    return {kind: Score(right[kind], wrong[kind], missed[kind]) for kind in (*FITS, "any")}


def overlapping(marks: Marks, start: int, end: int) -> list[str]:
    """The labels of the marks that share a character with a span."""
    return [label for first, last, label in marks if first < end and start < last]


def ours() -> Callable[[Sequence[str]], list[Marks]]:
    detector = Identifiers()

    def find(texts: Sequence[str]) -> list[Marks]:
        spans = detector.detect([Document(text, str(number)) for number, text in enumerate(texts)])
        return [[(one.start, one.end, one.label) for one in own] for own in spans]

    return find


def folder_of(pipeline: str) -> Path:
    """The folder of an installed pipeline."""
    package = Path(str(find_spec(pipeline).origin)).parent  # type: ignore[union-attr]
    return next(path.parent for path in sorted(package.rglob("config.cfg")))


def presidio() -> Callable[[Sequence[str]], list[Marks]]:
    """Presidio's analyzer as it comes, with the loaded pipeline; what overlaps is united, as ours is."""
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    for name in ("presidio-analyzer", "tldextract"):  # the second tries to fetch a list
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")
    model = {"lang_code": "en", "model_name": str(folder_of(DEFAULT_PIPELINE))}
    shipped = NlpEngineProvider().nlp_configuration  # with the labels that Presidio leaves out
    engine = NlpEngineProvider(nlp_configuration={**shipped, "models": [model]}).create_engine()
    analyzer = AnalyzerEngine(nlp_engine=engine)

    def find(texts: Sequence[str]) -> list[Marks]:
        return [
            [
                (one.start, one.end, one.entity_type)
                for one in sorted(analyzer.analyze(text, "en"), key=lambda x: x.score)
            ]
            for text in texts
        ]

    return find


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    records = json.loads((DATA / "presidio_synth" / "synth_dataset_v2.json").read_text(encoding="utf-8"))
    texts = [record["full_text"] for record in records]
    mine, theirs = scores(records, ours()(texts)), scores(records, presidio()(texts))
    rows: list[list[object]] = [
        [
            kind,
            one.right + one.missed,
            f"{one.f2:.3f}",
            f"{theirs[kind].f2:.3f}",
            "yes" if one.f2 < theirs[kind].f2 else "",
        ]
        for kind, one in mine.items()
    ]
    whole = mine["any"], theirs["any"]
    recalls = [one.right / (one.right + one.missed) for one in whole]
    precisions = [one.right / (one.right + one.wrong) for one in whole]
    text = (
        f"{len(texts):,} sentences; Presidio with the spaCy model {DEFAULT_PIPELINE}.\n\n"
        + table(["type", "mentions", "F2, identifiers", "F2, Presidio's defaults", "worse"], rows)
        + f"\n\nOver all types, labels ignored: recall {recalls[0]:.3f} and {recalls[1]:.3f}, precision "
        f"{precisions[0]:.3f} and {precisions[1]:.3f}."
    )
    written("presidio", text, given.record, page="reproduction.md", used=models("detector"))


if __name__ == "__main__":
    main()
