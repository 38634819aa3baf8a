"""The study of copies: what of a record is in synthetic ones, word by word or by meaning.

A run of words that many people write is in synthetic records without any training on it. So the figures of members
mean little by themselves: those of people held out of training are shown beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.attacks.membership import longest_runs
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.results import Figure, Skipped, Study
from sfumato.metrics.estimates import mean, share
from sfumato.text.sentences import words
from sfumato.types import FloatArray, Progress, part_of

RUN, COPIED, NEAREST = "longest copied run", "records with a copied run", "nearest record"
_MOST = 10_000  # synthetic records that are embedded


@dataclass(frozen=True, eq=False)
class CopiesStudy(Measure):
    """Looks for all records, word by word, and for ``sampled`` of them by embeddings, among the synthetic ones.

    A run counts as copied from so many words (``lengths``) on; a shorter record cannot have one, and is left out. The
    ids of the ``worst`` records are kept.
    """

    encoder: Encoder
    sampled: int = 500
    seed: int = 0
    lengths: tuple[int, ...] = (8, 20, 50)
    worst: int = 20

    needs: ClassVar[tuple[str, ...]] = ("synthetic",)
    compared: ClassVar[Mapping[str, Mapping[str, str]]] = {RUN: {}, COPIED: {}, NEAREST: {}}

    @classmethod
    def of(cls, bench: Bench) -> CopiesStudy:
        """Return the study with what is on the ``bench``."""
        return cls(bench.encoder, bench.plan.sample, bench.plan.seed)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return runs and cosines of the originals."""
        texts, _ = pairs.candidates
        if not texts:
            return Study("copies", skipped=[Skipped("copies", "the release holds no records")])
        runs = longest_runs(pairs.originals, texts)
        sizes = np.array([len(words(text)) for text in pairs.originals], dtype=np.int64)
        figures, skipped = (
            [Figure(RUN, mean(runs.astype(np.float64), self.seed), {"in": "words"}, "low")],
            list[Skipped](),
        )
        for length in self.lengths:
            able = sizes >= length
            if able.any():
                copied = share(int((runs[able] >= length).sum()), int(able.sum()))
                figures.append(Figure(COPIED, copied, {"words": length}, "low"))
            if not able.all():
                why = "they are shorter, so that they cannot have one"
                skipped.append(Skipped(f"runs of {length} words in {int((~able).sum()):,} records", why))
        chosen = [pairs.originals[index] for index in drawn(len(pairs), self.sampled, self.seed)]
        near, among = nearest(self.encoder, chosen, texts, self.seed, progress)
        figures.append(Figure(NEAREST, mean(near, self.seed), {"by": "cosine", "among": among}, "low"))
        if among < len(texts):
            skipped.append(Skipped(f"{len(texts) - among:,} synthetic records, by embeddings", "a sample was drawn"))
        order = sorted(np.flatnonzero(runs >= min(self.lengths)).tolist(), key=lambda index: -runs[index])[
            : self.worst
        ]
        worst = {pairs.ids[index]: float(runs[index]) for index in order}
        return Study("copies", figures, skipped, {"worst": worst} if worst else {}, {"synthetic": len(texts)})


def nearest(
    encoder: Encoder, texts: list[str], released: list[str], seed: int, progress: Progress | None = None
) -> tuple[FloatArray, int]:
    """Return the cosine of each text and its nearest released one, and how many of these were looked at."""
    others = [released[index] for index in drawn(len(released), _MOST, seed, 17)]
    theirs = encoder.encode(others, part_of(progress, 0.0, 0.7))
    own = encoder.encode(texts, part_of(progress, 0.7, 0.3))
    blocks = [(own[start : start + 256] @ theirs.T).max(axis=1) for start in range(0, len(own), 256)]
    return np.concatenate(blocks) if blocks else np.zeros(0), len(others)
