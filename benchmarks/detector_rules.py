"""What each rule of the detector adds to its network, on text that the rule was not written beside.

Usage: detector_rules.py [--record]

A word is gained by a rule if it belongs to a value, the rule marks it, and the network does not; it is lost if it
belongs to none. The words that no other rule marks are counted apart. Text: the kept halves of four corpora, the kept
letters of ``detector_letters.py``, the held part of made text, and the held-out half of the grid of forms, chats and
logs with its sentences that have nothing to protect. Rules of bounds are left out one by one; exact is F1 of marks.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import detector
import detector_letters
import grid_clean
import grid_held_out
from grid_templates import cases_of
from recording import models, table, written

from sfumato.detectors import identifier_finder
from sfumato.detectors.english import codes, formats, personal_attributes, trim_spans
from sfumato.detectors.found import Found
from sfumato.detectors.identifier_finder import IdentifierFinder

CORPORA = ("en_presidio_synth", "en_asq_phi", "en_gum_sa", "en_tab")
GRID = 2500
BOUNDS = ("apart", "whole_words", "trimmed")


class Tracing(IdentifierFinder):
    """Keeps the marks of each text before they are united, each with the number of its pattern."""

    marks: list[list[Found]]

    def _by_rules(self, text: str, *rest: Any) -> Iterator[Found]:
        for name, rule in identifier_finder.RULES.items():
            for span in rule(text, self.language):
                yield span._replace(finder=f"{name} {span.finder}".strip())

    def _marked(self, text: str, *rest: Any) -> list[Found]:
        marks = super()._marked(text, *rest)
        self.marks.append(marks)
        return marks


def texts() -> dict[str, list[Mapping[str, Any]]]:
    """Labelled texts, by where they are from."""
    given = {corpus.name: list(corpus.records) for corpus in detector.corpora("kept") if corpus.name in CORPORA}
    given["letters"] = list(detector_letters.letters("kept", 60))
    given["made"] = list(detector.made("kept").records)
    cases = list(cases_of(grid_held_out.PEOPLE, grid_held_out.NAMES, grid_held_out.VALUES))
    given["grid"] = [
        {"text": case.text, "entities": [{"start": start, "end": end, "label": ""} for start, end in case.places]}
        for case in cases[:: max(1, len(cases) // GRID)]
    ] + [{"text": text, "entities": []} for text in grid_clean.HELD_OUT]
    return given


def counted(records: Sequence[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """Words that each rule gains and loses beside the network, and those that it alone does."""
    reader, counts = Tracing(None, "en", "medium"), defaultdict[str, Counter[str]](Counter)
    reader.__dict__["marks"] = []
    found = detector.findings(reader, records)
    for record, marks, united in zip(records, reader.marks, found, strict=True):
        carried = [Found(*mark[:3], 0.0, mark.finder) for mark in united if mark.finder == "rule:carried"]
        wanted = {place for value in record["entities"] for place in range(value["start"], value["end"])}
        for word in detector.WORD.finditer(record["text"]):
            finders = {mark.finder for mark in [*marks, *carried] if mark.start <= word.start() < mark.end}
            if identifier_finder.NETWORK not in finders:
                what = "gained" if word.start() in wanted else "lost"
                for finder in finders:
                    counts[finder].update({what: 1, f"{what} alone": len(finders) == 1})
    return counts


def rules() -> Iterator[tuple[str, str]]:
    """Each rule and its pattern, or what it is."""
    for name, listed in (
        ("codes", codes.rules()),
        ("formats", formats.rules()),
        ("attributes", personal_attributes.rules()),
    ):
        for number, (label, score, pattern) in enumerate(listed):
            yield f"{name} {number}", f"{label} {score}: {pattern.pattern}"
    for kind in ("names", "by", "accounts", "secrets", "phrases"):
        yield f"fields {kind}", "the value of a field"
    yield "scripts", "words in a script that is not read"
    yield "rule:carried", "a name that was found elsewhere"


def bounds(given: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterable[list[object]]:
    """Exact F1 without each rule of bounds."""
    names = ("en_presidio_synth", "en_gum_sa", "letters")
    for left_out in ("", *BOUNDS):
        kept = getattr(trim_spans, left_out) if left_out else None
        if left_out:
            setattr(trim_spans, left_out, lambda _, spans: list(spans))
        cells = []
        for name in names:
            kinds = sorted({value["label"] for record in given[name] for value in record["entities"]} - {"OTHER"})
            corpus = detector.Corpus(name, "en", frozenset(kinds), given[name])
            counts = detector.counted(corpus, detector.findings(detector.finder(), corpus.records))
            cells.append(f"{detector.shares(counts, kinds)[2]:.3f}")
        if left_out:
            setattr(trim_spans, left_out, kept)
        yield [left_out or "nothing", *cells]


def report() -> str:
    given = texts()
    counts = {name: counted(records) for name, records in given.items()}
    rows: list[list[object]] = []
    for rule, pattern in rules():
        own = [counts[name].get(rule, Counter()) for name in given]
        cells = [f"{count['gained']} / {count['lost']}" if count else "" for count in own]
        alone = [sum(count[what] for count in own) for what in ("gained alone", "lost alone")]
        shown = pattern[:60].replace("|", "\\|").replace("`", "'")
        shown = shown.replace("](", "] (").replace("<!", "< !")  # which would be a link, and a declaration
        rows.append([rule, f"`{shown}`", *cells, f"{alone[0]} / {alone[1]}"])
    return "\n\n".join((
        "Words of values, and words that are nothing, which a rule marks and the network does not.",
        table(["rule", "pattern", *given, "alone"], rows),
        "Exact F1 without a rule of bounds.",
        table(["without", "en_presidio_synth", "en_gum_sa", "letters"], list(bounds(given))),
    ))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true")
    written("detector rules", report(), parser.parse_args().record, page="reproduction.md", used=models("detector"))


if __name__ == "__main__":
    main()
