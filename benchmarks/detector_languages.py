"""What the detector finds in German, Spanish, French, Italian, Dutch and Portuguese, beside Presidio without a model.

Usage: detector_languages.py [--part kept] [--record]

Each dev part is read in two halves, as in ``detector.py``; nothing was chosen by the half that is kept. Italian has
no labelled corpus: its text is made, of templates and names that no training saw, and so is a second row of each
language. Recall is the share of the words of a kind that a mark of any kind covers. Precision is the share of marked
words, of kinds that the corpus marks without gaps, that the corpus marks as anything. Presidio has its own
recognisers of a language and a pipeline of spaCy without a model, because no clean model of these languages can be
installed here. It marks hardly a name, so that no threshold brings both to one precision.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from detector import NAMES, WORD, Corpus, corpora, counted, findings, shares
from recording import models, table, written

from sfumato.detectors.identifier_finder import IdentifierFinder
from sfumato.text.marks import Finding

LANGUAGES = ("de", "es", "fr", "it", "nl", "pt")
MADE = 300
Finder = Callable[[Corpus], Sequence[Sequence[Finding]]]


def made_in(language: str, part: str) -> Corpus:
    """Text of held templates in one language."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "training" / "detector"))
    from made import made_records

    seed, records = (21 if part == "choose" else 22), []
    for record in made_records(seed=seed, count=200 * MADE, part="held"):
        if record["language"] == language:
            records.append(record)
        if len(records) == MADE:
            break
    kinds = frozenset(entity["label"] for record in records for entity in record["entities"])
    return Corpus(f"made ({language})", language, kinds - {"QUANTITY", "OTHER"}, records)


def ours(corpus: Corpus) -> Sequence[Sequence[Finding]]:
    """Read the records in their language."""
    return findings(IdentifierFinder(None, corpus.language, "medium"), corpus.records)


def presidio(corpus: Corpus) -> Sequence[Sequence[Finding]]:
    """Read the records by Presidio's recognisers of the language, over spaCy's tokenizer alone."""
    import spacy
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    engine = SpacyNlpEngine(models=[{"lang_code": corpus.language, "model_name": f"blank_{corpus.language}"}])
    engine.nlp = {corpus.language: spacy.blank(corpus.language)}
    registry = RecognizerRegistry(supported_languages=[corpus.language])
    registry.load_predefined_recognizers(languages=[corpus.language])
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=[corpus.language])
    label = {"PERSON": "PERSON", "LOCATION": "LOCATION", "DATE_TIME": "DATE", "NRP": "GROUP", "URL": "URL"}
    return [
        [
            Finding(own.start, own.end, label.get(own.entity_type, "CODE"), own.score, "presidio")
            for own in analyzer.analyze(record["text"], corpus.language)
        ]
        for record in corpus.records
    ]


def by_kind(corpus: Corpus, found: Sequence[Sequence[Finding]]) -> dict[str, str]:
    """Recall of the words of each kind that the corpus marks without gaps."""
    seen: Counter[str] = Counter()
    for record, marks in zip(corpus.records, found, strict=True):
        covered = bytearray(len(record["text"]) + 1)
        for mark in marks:
            covered[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
        for entity in record["entities"]:
            for match in WORD.finditer(record["text"], entity["start"], entity["end"]):
                seen[entity["label"]] += 1
                seen[f"{entity['label']} covered"] += covered[match.start()]
    kept = [kind for kind in NAMES if kind in corpus.exhaustive and seen[kind] >= 20]
    return {kind: f"{seen[f'{kind} covered'] / seen[kind]:.3f}" for kind in kept}


def rows_of(corpus: Corpus, find: Finder, name: str) -> list[object]:
    found = find(corpus)
    recall, precision, _ = shares(counted(corpus, found), sorted(corpus.exhaustive))
    kinds = by_kind(corpus, found)
    own = [kinds.get(kind, "–") for kind in NAMES]
    return [corpus.language, corpus.name, name, f"{recall:.3f}", f"{precision:.3f}", *own]


def report(part: str) -> str:
    every = [corpus for corpus in corpora(part) if corpus.language in LANGUAGES]
    every += [made_in(language, part) for language in LANGUAGES]
    rows: list[list[object]] = []
    for corpus in sorted(every, key=lambda corpus: (corpus.language, corpus.name)):
        rows += [rows_of(corpus, ours, "identifiers"), rows_of(corpus, presidio, "Presidio")]
    return table(["language", "text", "detector", "recall", "precision", *(f"{kind}" for kind in NAMES)], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=("choose", "kept"), default="kept")
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    written("detector-languages", report(asked.part), asked.record, used=models("others"))


if __name__ == "__main__":
    main()
