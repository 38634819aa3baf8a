"""The utility study: how close a release is to its original, by meaning and by words, and how well it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sfumato.abstract.models import CausalModel, Encoder
from sfumato.building.chat import causal_model
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.metrics.estimates import mean
from sfumato.metrics.perplexity import perplexity, surprises
from sfumato.metrics.similarity import bleu, kept, rouge
from sfumato.types import Progress, part_of

COSINE, BLEU, ROUGE, ROUGE_1, KEPT = "cosine similarity", "BLEU", "ROUGE-L", "ROUGE-1", "words kept"
PERPLEXITY, WORD_PERPLEXITY = "perplexity", "perplexity per word"


@dataclass(frozen=True, eq=False)
class UtilityStudy(Measure):
    """Compares ``sampled`` records, drawn at random, by meaning and ROUGE; all of them by BLEU and words kept.

    Perplexity is measured if a ``causal`` model is given, on only ``read`` records of each file, because every piece
    of a text takes a step of the model.
    """

    encoder: Encoder
    sampled: int = 1000
    seed: int = 0
    causal: CausalModel | None = None
    read: int = 100

    @classmethod
    def of(cls, bench: Bench) -> UtilityStudy:
        """Return the study with what is on the ``bench``."""
        causal = None if bench.plan.causal is None else causal_model(bench.plan.causal)
        return cls(bench.encoder, bench.plan.sample, bench.plan.seed, causal)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return all measures of ``pairs``; a missing record counts as an empty text, which has no perplexity."""
        share = 1.0 if self.causal is None else 0.3
        figures: list[Figure] = []
        skipped: list[Skipped] = []
        if pairs.linkable:
            figures += self._likeness(pairs, part_of(progress, 0.0, share))
        else:
            why = "no released record is known to belong to an original"
            skipped.append(Skipped("similarity of records", why))
        if self.causal is not None:
            figures += self._fluency(self.causal, pairs, part_of(progress, share, 1 - share))
        return Study("utility", figures, skipped)

    def _likeness(self, pairs: Pairs, report: Progress) -> Iterator[Figure]:
        """Yield how close each record is to its original."""
        before, after = list(pairs.originals), pairs.texts
        sample = drawn(len(before), self.sampled, self.seed)
        originals, released = [before[index] for index in sample], [after[index] for index in sample]
        vectors = self.encoder.encode([*originals, *released], part_of(report, 0.0, 0.7))
        cosines = (vectors[: len(originals)] * vectors[len(originals) :]).sum(axis=1)
        longest = rouge(originals, released, part_of(report, 0.7, 0.3))
        setting: Setting = {"encoder": self.encoder.id}
        yield Figure(COSINE, mean(cosines, self.seed), setting)
        yield Figure(ROUGE, mean(longest, self.seed))
        yield Figure(ROUGE_1, mean(rouge(originals, released, kind="rouge1"), self.seed))
        yield Figure(BLEU, bleu(before, after, self.seed))
        yield Figure(KEPT, mean(kept(before, after), self.seed))

    def _fluency(self, causal: CausalModel, pairs: Pairs, report: Progress) -> Iterator[Figure]:
        """Yield how well originals and release read, on the same records if these belong together."""
        sample = drawn(len(pairs), self.read, self.seed)
        before = [pairs.originals[index] for index in sample]
        if pairs.linkable:
            after = [pairs.texts[index] for index in sample]
        else:
            texts, _ = pairs.candidates
            after = [texts[index] for index in drawn(len(texts), self.read, self.seed)]
        yield from self._perplexities(causal, before, "originals", part_of(report, 0.0, 0.5))
        yield from self._perplexities(causal, after, "release", part_of(report, 0.5, 0.5))

    def _perplexities(self, causal: CausalModel, texts: Sequence[str], of: str, report: Progress) -> Iterator[Figure]:
        nats = surprises(causal, texts, report)
        setting: Setting = {"of": of, "model": causal.id}
        yield Figure(PERPLEXITY, perplexity(nats, self.seed), setting)
        yield Figure(WORD_PERPLEXITY, perplexity(nats, self.seed, by_word=True), setting)
