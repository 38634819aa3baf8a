"""Measures of meaning by how many words two sentences share: Figure 3 of Semantics-preserved distortion, on STS-B.

Usage: reproduction_ndd_overlap.py FOLDER [--pairs N] [--smoke] [--record]

Pairs of the data set are put into five groups by their overlap: the words that both hold in the same order, as a
share of the shorter sentence. In each group every measure is compared with people's marks, as in reproduction_ndd.py.
FOLDER keeps figures, no text; no sentence is shown.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from recording import Cells, models, table, written
from reproduction_ndd import correlations, initial, told

from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.models.masked.embedded import embedded_masked

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, np.inf)
TOGETHER = "NDD + cosine, 1 : 0.0025"
Seen = Mapping[str, Sequence[float]]


def group(number: int) -> str:
    """Return the name of a group."""
    low, high = EDGES[number], EDGES[number + 1]
    return f"{low:.0%} and more" if np.isinf(high) else f"{low:.0%} to {high:.0%}"


def verdict(seen: Sequence[Seen]) -> str:
    """Return which of the three things that the paper reads in its figure hold here."""
    high, low = seen[-1], seen[:-1]
    claims = {
        "The cosine falls below zero where most words are shared": high["cosine"][0] < 0,
        "NDD is at its best where most words are shared": high["NDD"][0] >= max(own["NDD"][0] for own in low),
        "The sum of both beats either alone in every other group": all(
            own[TOGETHER][0] > max(own["NDD"][0], own["cosine"][0]) for own in low
        ),
    }
    verdicts = [f"{claim}: {'so it is here' if holds else 'not here'}." for claim, holds in claims.items()]
    return " ".join(["The paper reads three things in its figure.", *verdicts])


END = """What would have to be true for the paper's figure to come out: a cosine that does not see one changed word.
The paper takes it from the first token of a model that was trained to fill masks; a line above does the same. An
encoder that was trained on pairs of sentences follows people's marks better. The paper prints no figures for this
graph, so only its order can be compared. Not tested: a larger masked model, because none is here."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where figures are kept, so that a stopped run resumes")
    parser.add_argument("--pairs", type=int, default=40, help="at most so many of each group")
    parser.add_argument("--smoke", action="store_true", help="10 pairs of each group")
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md")
    given = parser.parse_args()
    most = 10 if given.smoke else given.pairs
    cells, model = Cells(given.folder, "overlap", models("masked", "encoder")), embedded_masked()
    groups, encoder = [initial(most, low, high) for low, high in pairwise(EDGES)], SentenceEncoder()
    seen: list[Seen] = [
        cells.get(lambda cases=cases: correlations(cases, model, encoder), group=number, pairs=most)
        for number, cases in enumerate(groups)
    ]
    header = ["measure", *(f"{group(number)} ({len(cases)})" for number, cases in enumerate(groups))]
    lines: list[list[object]] = [[measure, *(told(own[measure]) for own in seen)] for measure in seen[0]]
    text = (
        f"{table(header, lines)}\n\n"
        "Pearson's correlation with people's marks, times 100, with its 95 % interval, by the words that the two "
        "sentences share (pairs in brackets). Pairs are drawn once from STS-B's development part; one word is masked "
        f"in a pass. {cells.described}\n\n{verdict(seen)}\n\n{END}"
    )
    written("ndd-overlap", text, given.record, page="reproduction.md")


if __name__ == "__main__":
    main()
