"""DP-MLM at equal promise: how much of a text survives under the paper's calibration and under the exact one.

Usage: rewriting_quality.py [--sentences N] [--detect words|content-words] [--block B] [--record]

The first N sentences of SST-2's development set, the model that ships with sfumato, the budgets of the paper's
Tables 1 and 2 for each word. Both calibrations promise the same epsilon for a word, and so for a document. The last
columns clip by the paper's rule (mean to mean + 4 standard deviations), at the epsilons where most is at stake.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from dataclasses import replace

import sacrebleu
from recording import table, written
from rewriting import kept, sentences

from sfumato.building.build import build_contextual
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.models.calibration import Calibration
from sfumato.models.clip_ranges import PAPER, measured_range
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.clipped_softmax import loss
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document

EPSILONS = (10.0, 25.0, 50.0, 100.0, 250.0)
CALIBRATIONS = ("paper", "exact")
CLIPPED = (25.0, 100.0)


class Quality:
    """Scores rewritten texts against the texts they come from, whose vectors are computed once."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._documents = [Document(text, str(number)) for number, text in enumerate(texts)]
        self._texts, self._encoder = list(texts), SentenceEncoder()
        self._vectors = self._encoder.encode(self._texts)

    def of(self, rewriter: Engine) -> list[str]:
        """BLEU (0 to 1), mean cosine similarity and share of words kept of one run of ``rewriter``."""
        releases = rewriter.sanitize_batch(self._documents, SeededRandomness(1))
        outputs = [release.text for release in releases]
        bleu = sacrebleu.corpus_bleu(outputs, [self._texts], lowercase=True).score / 100
        cosine = float((self._encoder.encode(outputs) * self._vectors).sum(axis=1).mean())
        return [f"{bleu:.3f}", f"{cosine:.3f}", f"{kept(self._documents, releases, rewriter):.3f}"]

    def draws(self, rewriter: Engine) -> float:
        """Mean number of draws of a document."""
        return statistics.mean(len(spans.bounds) for spans in rewriter.detector.detect(self._documents))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--detect", default="words")
    parser.add_argument("--block", type=int, default=1)
    parser.add_argument("--smoke", action="store_true", help="20 sentences")
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    given = parser.parse_args()
    number = 20 if given.smoke else given.sentences
    first = build_contextual("dp-mlm", EPSILONS[0], detect=given.detect, block=given.block)
    quality = Quality(sentences(number))
    draws = quality.draws(first)
    by_paper = measured_range(Calibration(first.others.mechanism.model), PAPER)
    rows: list[list[object]] = []
    for epsilon in EPSILONS:
        row: list[object] = [f"{epsilon:g}", f"{epsilon * draws:,.0f}"]
        for calibration in CALIBRATIONS:
            mechanism = replace(first.others.mechanism, epsilon=epsilon, calibration=calibration)  # type: ignore[type-var]
            softmax = mechanism.softmax
            row += [f"{loss(softmax.scale(epsilon), softmax.outcomes):.4g}"]
            row += quality.of(replace(first, others=Contextual(mechanism)))
        clipped = replace(first.others.mechanism, epsilon=epsilon, clip=by_paper)  # type: ignore[type-var]
        row += quality.of(replace(first, others=Contextual(clipped))) if epsilon in CLIPPED else ["", "", ""]
        rows.append(row)
        print(*row, flush=True)
    header = ["epsilon a word", "a document (mean)"]
    for calibration in CALIBRATIONS:
        header += [f"{calibration}: certified a word", "BLEU", "cosine", "words kept"]
    header += ["exact, the paper's clip range: BLEU", "cosine", "words kept"]
    told = (
        f"The first {number} sentences of SST-2 dev, {draws:.1f} words each on average, `--detect {given.detect}`"
        f"{f', `--set block={given.block}`' if given.block > 1 else ''}; "
        "case-insensitive BLEU of the whole set by sacrebleu, from 0 to 1; cosine similarity by all-MiniLM-L6-v2, "
        "the encoder of the shipped model."
    )
    text = f"{table(header, rows)}\n\n{told}"
    written("rewriting-quality", text, given.record)


if __name__ == "__main__":
    main()
