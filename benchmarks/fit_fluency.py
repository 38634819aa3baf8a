"""Perplexity of the releases of `fit.py` under SmolLM2-135M, relative to that of the original texts.

Usage: fit_fluency.py [--read 60] [--record]

A model that reads a release is about as surprised as by the original if the release is as fluent. The intervals are
bootstraps over the texts; they hold the sampling of texts, not another run's draws.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from fit_releases import corpora, released, ways
from recording import table, written

from sfumato.building.chat import causal_model
from sfumato.metrics.estimates import of_statistic
from sfumato.metrics.perplexity import Surprise, surprises
from sfumato.types import FloatArray


def relative(before: Sequence[Surprise], after: Sequence[Surprise]) -> str:
    """Return the ratio of perplexities for each piece, and its interval over the texts."""
    pairs = zip(before, after, strict=True)
    columns = np.array([[first.nats, first.pieces, last.nats, last.pieces] for first, last in pairs]).T

    def statistic(weights: FloatArray) -> FloatArray:
        nats, pieces, own_nats, own_pieces = (weights @ column for column in columns)
        return np.asarray(np.exp(own_nats / own_pieces - nats / pieces))

    estimate = of_statistic(statistic, columns.shape[1], 0).estimate()
    return f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--read", type=int, default=60)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    corpus = next(iter(corpora()))
    chosen = range(0, len(corpus.documents), max(1, len(corpus.documents) // given.read))[: given.read]
    model = causal_model("smollm2")
    nats = surprises(model, [corpus.documents[index].text for index in chosen])
    rows: list[list[object]] = []
    for way in ways(corpus):
        if "not repaired" in way.name:
            continue  # its words are those of the repaired release
        releases, _ = released(way.make(), corpus)
        after = surprises(model, [releases[index].text for index in chosen])
        rows.append([way.name, relative(nats, after)])
        print(*rows[-1], flush=True)
    header = [f"{corpus.name}, {len(chosen)} texts", "perplexity relative to the original"]
    written("fit-fluency", table(header, rows), given.record)


if __name__ == "__main__":
    main()
