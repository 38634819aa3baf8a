"""CluSanT's perplexity maps (Figures 4 and 8): how surprising sanitized court cases are to a language model.

Usage: reproduction_clusant_perplexity.py FOLDER [--record] [--paragraphs 20]

Laws, draws and paragraphs are those of reproduction_clusant.py, at the published program's scales. The reader is
SmolLM2 (135M) in place of GPT-2. A cell of the maps is the perplexity over that after SanText at the same ε, less
one, in percent: lower is better. Intervals resample paragraphs.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
from clusant_cases import paragraphs, vocabulary, with_tokens
from clusant_report import named
from recording import Cells, models, table, written
from reproduction_clusant import Texts, farthest_of, laws

from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.metrics.perplexity import surprises
from sfumato.models.causal.gguf import smollm2
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.types import FloatArray
from sfumato.vocabularies.load import embed

EPSILONS, KS, CLUSTERS = (1.0, 8.0), (1.0, 16.0, 64.0, math.inf), (40, 720)
RESAMPLES = 2000
Read = list[list[float]]
"""Nats, pieces and characters of each text."""


def relative(rows: dict[str, Read], cell: str, unit: int) -> FloatArray:
    """Return by how many percent perplexity is above SanText's, and after it that of every resample.

    ``unit`` 1 counts nats by piece, 2 by character.
    """
    ours, base = np.array(rows[cell]), np.array(rows[""])
    picked = np.random.default_rng(0).integers(0, len(ours), (RESAMPLES, len(ours)))
    picked = np.concatenate([np.arange(len(ours))[None], picked])
    both = [read[picked, 0].sum(axis=1) / read[picked, unit].sum(axis=1) for read in (ours, base)]
    return np.asarray(100.0 * (np.exp(both[0] - both[1]) - 1.0))


def shown(values: FloatArray) -> str:
    """Return the first value, and the 95 % interval of the others."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return f"{values[0]:+.1f} ({low:+.1f} to {high:+.1f})"


def report(reads: dict[float, dict[str, Read]], original: Read, sizes: str) -> str:
    """Return the tables and what they say."""

    def perplexity(read: Read, unit: int) -> float:
        nats, counts = np.array(read)[:, 0].sum(), np.array(read)[:, unit].sum()
        return math.exp(nats / counts)

    lines: list[list[object]] = []
    falls, steps = 0, 0
    for epsilon, rows in reads.items():
        for number in CLUSTERS:
            values = [relative(rows, f"{number} {k:g}", 1) for k in KS]
            characters = relative(rows, f"{number} inf", 2)
            lines.append([f"{epsilon:g}", number, *map(shown, values), shown(characters)])
            changes = np.diff([value[0] for value in values])
            falls, steps = falls + int((changes < 0.0).sum()), steps + len(changes)
    base = ", ".join(f"{perplexity(rows[''], 1):.1f} at ε = {epsilon:g}" for epsilon, rows in reads.items())
    head = ["ε", "clusters", *(f"k = {named(k)}" for k in KS), "k = ∞, by character"]
    return "\n\n".join([
        f"`python benchmarks/reproduction_clusant_perplexity.py FOLDER`. {sizes}, one seed. Perplexity by piece over "
        "that after SanText, less one, in percent (95 % interval); lower is better. Originals: "
        f"{perplexity(original, 1):.1f}; after SanText: {base}.",
        table(head, lines),
        WHY.format(falls=falls, steps=steps),
    ])  # fmt: skip


WHY = """Why they differ:

- **The paper** shows its maps as pictures, without numbers. Its text says that perplexity falls with k and with the
  number of clusters. Here it falls in {falls} of {steps} steps to the next k.
- **Unit.** The published program divides the nats of overlapping parts by their characters, so its perplexity is one
  for each character, as in the last column.
- **Reader and text.** SmolLM2 (135M) in place of GPT-2 (large), and paragraphs in place of whole cases. Not tested.

For the paper's figure to come out, the numbers behind its maps would have to be known."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where finished cells are kept")
    parser.add_argument("--paragraphs", type=int, default=20)
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md")
    asked = parser.parse_args()
    names, encoder = vocabulary(), SentenceEncoder()
    words = Vocabulary(names, np.asarray(embed(names, encoder)), "public phrases")
    given, _ = with_tokens(paragraphs(asked.paragraphs), names, words.vectors, encoder)
    texts, model = Texts(given, names, 1, encoder), smollm2()
    cells = Cells(asked.folder, "clusant-perplexity", models("causal", "encoder"))

    def read(law: Mechanism | None) -> Read:
        shown = [paragraph.text for paragraph in given] if law is None else texts.sanitized(law)[0]
        return [[surprise.nats, surprise.pieces, len(text)]
                for surprise, text in zip(surprises(model, shown), shown, strict=True)]  # fmt: skip

    shared = Cells(asked.folder, "clusant", models("encoder"))  # with reproduction_clusant.py
    farthest = shared.get(lambda: farthest_of(words.vectors), law="farthest", phrases=len(names))
    sizes = {"paragraphs": len(given)}
    original = cells.get(lambda: read(None), law="none", **sizes)
    reads: dict[float, dict[str, Read]] = {epsilon: {} for epsilon in EPSILONS}
    cells_read = [("santext", 0, 0.0), *((("custext" if math.isinf(k) else "program"), number, k)
                                         for number in CLUSTERS for k in KS)]  # fmt: skip
    for family, number, k in cells_read:
        for epsilon, law in laws(words, family, number, k, farthest):
            if epsilon in EPSILONS:
                cell = f"{number} {k:g}" if number else ""
                reads[epsilon][cell] = cells.get(lambda law=law: read(law), epsilon=epsilon, cell=cell, **sizes)
    text = report(reads, original, f"{len(given)} paragraphs")
    written("clusant-perplexity", f"{text}\n\n{cells.described}", asked.record, page="reproduction.md")


if __name__ == "__main__":
    main()
