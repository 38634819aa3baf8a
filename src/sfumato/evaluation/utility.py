"""The utility study: how near a release stays to its original, by meaning and by words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.abstract import Encoder, Progress
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.metrics.estimates import mean
from sfumato.metrics.overlap import bleu, kept, rouge

COSINE, BLEU, ROUGE, KEPT = "cosine similarity", "BLEU", "ROUGE-L", "words kept"


@dataclass(frozen=True, eq=False)
class UtilityStudy:
    """Compares ``sampled`` records, drawn at random, by meaning and ROUGE; all of them by BLEU and words kept."""

    encoder: Encoder
    sampled: int = 1000
    seed: int = 0

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """All of it on ``pairs``; a missing record counts as an empty text."""
        if not pairs.linkable:
            why = "no released record is known to belong to an original"
            return Study("utility", skipped=[Skipped("similarity of records", why)])
        told = progress or (lambda _: None)
        before, after = list(pairs.originals), pairs.texts
        drawn = np.random.default_rng([self.seed, 11]).permutation(len(before))[: self.sampled]
        some, others = [before[at] for at in drawn], [after[at] for at in drawn]
        vectors = self.encoder.encode([*some, *others], lambda done: told(0.7 * done))
        cosines = (vectors[: len(some)] * vectors[len(some) :]).sum(axis=1)
        longest = rouge(some, others, lambda done: told(0.7 + 0.3 * done))
        setting: Setting = {"encoder": self.encoder.id}
        figures = [
            Figure(COSINE, mean(cosines, self.seed), setting),
            Figure(ROUGE, mean(longest, self.seed)),
            Figure(BLEU, bleu(before, after, self.seed)),
            Figure(KEPT, mean(kept(before, after), self.seed)),
        ]
        return Study("utility", figures)
