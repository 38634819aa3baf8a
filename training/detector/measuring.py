"""What a network finds of labelled text that it did not learn from, by corpus and by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import corpora
import numpy as np
import torch
from batching import batch_of
from network import Network
from numpy.typing import NDArray

from sfumato.models.token_classifier.labels import CLASSES, KINDS, Mark, marks_of
from sfumato.models.token_classifier.network import OVERLAP, load_tokenizer, windows_of

PARTS = ("choose", "kept")
"""The first half of a dev part, by which choices are made, and the other."""
_MOST = 60  # records of a part of a corpus


@dataclass(frozen=True)
class Test:
    """The dev part of a corpus."""

    name: str
    records: Mapping[str, Sequence[corpora.Record]]
    exhaustive: frozenset[str]

    def figures(self, network: Network, part: str, threshold: float = 0.5) -> dict[str, float]:
        """Return exact F1 over the kinds that are marked without gaps, and recall and precision in words."""
        counts: Counter[str] = Counter()
        for record, marks in answered(network, self.records[part], threshold):
            counts += counted(record, marks, self.exhaustive)
        return summed(counts)


def counted(record: corpora.Record, marks: Sequence[Mark], exhaustive: frozenset[str]) -> Counter[str]:
    """Count marks: exact bounds and kind; words of gold that are marked; marked words that are gold of any kind."""
    counts: Counter[str] = Counter()
    gold = {bounds for bounds in record.entities if bounds[2] in (exhaustive or KINDS)}
    made = {(mark.start, mark.end, KINDS[mark.kind]) for mark in marks}
    counted_made = {bounds for bounds in made if bounds[2] in exhaustive}
    counts["gold"], counts["made"], counts["exact"] = len(gold), len(counted_made), len(gold & counted_made)
    pieces = record.pieces
    covered, wanted, any_kind, judged = (np.zeros(len(record.text) + 1, dtype=bool) for _ in range(4))
    for start, end, kind in made:
        covered[start:end] = True
        judged[start:end] = kind in exhaustive
    for start, end, kind in record.entities:
        any_kind[start:end] = True
        wanted[start:end] |= kind in exhaustive
    begins = pieces.starts[np.flatnonzero(np.diff(pieces.words, prepend=-1))]
    begins = np.array([begin for begin in begins if record.text[begin].isalnum()], dtype=int)
    counts["words wanted"], counts["words covered"] = int(wanted[begins].sum()), int((wanted & covered)[begins].sum())
    counts["words judged"] = int((covered & judged)[begins].sum())
    counts["words right"] = int((covered & judged & any_kind)[begins].sum())
    return counts


def summed(counts: Mapping[str, int]) -> dict[str, float]:
    """Return shares of counts."""
    share = lambda part, whole: round(counts[part] / counts[whole], 4) if counts[whole] else 1.0  # noqa: E731
    exact = 2 * counts["exact"] / max(1, counts["gold"] + counts["made"])
    return {
        "f1": round(exact, 4),
        "recall": share("words covered", "words wanted"),
        "precision": share("words right", "words judged"),
    }


def tests(folder: Path, made: Path | None, limit: int | None) -> list[Test]:
    """Return the dev parts of all corpora, and the held part of the made text."""
    tokenizer = load_tokenizer()
    every = corpora.corpora(folder, "dev")
    if made:
        every.append(corpora.made(made))
    found: list[Test] = []
    for corpus in every:
        if not corpus.exhaustive:
            continue
        records = corpus.records(tokenizer, 2 * min(_MOST, limit or _MOST))
        halves = {part: records[number::2] for number, part in enumerate(PARTS)}
        found.append(Test(corpus.name, halves, corpus.exhaustive))
    return found


def answered(
    network: Network, records: Sequence[corpora.Record], threshold: float
) -> Iterator[tuple[corpora.Record, list[Mark]]]:
    """Yield each record with its marks."""
    for record, classes, telling in probabilities(network, records):
        yield record, marks_of(record.pieces, classes, telling, threshold)


def probabilities(
    network: Network, records: Sequence[corpora.Record]
) -> Iterator[tuple[corpora.Record, NDArray[np.float32], NDArray[np.float32]]]:
    """Yield each record with the probabilities of its pieces; windows overlap, and the inner part counts."""
    for record in records:
        count = len(record.pieces)
        classes, telling = np.zeros((count, CLASSES), dtype=np.float32), np.zeros(count, dtype=np.float32)
        rows = [(record, start, stop) for start, stop in windows_of(count)]
        for begin in range(0, len(rows), 16):
            given = rows[begin : begin + 16]
            batch = batch_of(given)
            with torch.autocast("cpu", torch.bfloat16, enabled=torch.cpu._is_avx512_bf16_supported()):
                logits, told = network(batch.ids, batch.shapes, batch.gaps, batch.mask)
            shares = torch.softmax(logits.float(), -1).numpy()
            told_shares = torch.sigmoid(told.float()).numpy()
            for number, (_, start, stop) in enumerate(given):
                skip = OVERLAP // 2 if start else 0
                classes[start + skip : stop] = shares[number, 1 + skip : stop - start + 1]
                telling[start + skip : stop] = told_shares[number, 1 + skip : stop - start + 1]
        yield record, classes, telling


def table(figures: Mapping[str, Mapping[str, float]]) -> str:
    """Return the figures as lines."""
    rows = [f"{name:20}" + "".join(f"{value:8.3f}" for value in own.values()) for name, own in figures.items()]
    return "\n".join([f"{'':20}      f1  recall   prec.", *rows])
