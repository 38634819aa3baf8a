"""The utility study: how near a release stays to its original, by meaning and by words, and how well it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sfumato.abstract.models import CausalModel, Encoder
from sfumato.building.chat import causal_model
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.evaluation.samples import drawn
from sfumato.metrics.estimates import mean
from sfumato.metrics.overlap import bleu, kept, rouge
from sfumato.metrics.perplexity import perplexity, surprises
from sfumato.types import Progress

COSINE, BLEU, ROUGE, ROUGE_1, KEPT = "cosine similarity", "BLEU", "ROUGE-L", "ROUGE-1", "words kept"
PERPLEXITY, WORD_PERPLEXITY = "perplexity", "perplexity per word"


@dataclass(frozen=True, eq=False)
class UtilityStudy(Measure):
    """Compares ``sampled`` records, drawn at random, by meaning and ROUGE; all of them by BLEU and words kept.

    Perplexity is measured where a ``causal`` model is given, on ``read`` records of each file, because it takes a
    model's step for every piece of them.
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
        """All of it on ``pairs``; a missing record counts as an empty text, which has no perplexity."""
        told = progress or (lambda _: None)
        share = 1.0 if self.causal is None else 0.3
        figures: list[Figure] = []
        skipped: list[Skipped] = []
        if pairs.linkable:
            figures += self._likeness(pairs, lambda done: told(share * done))
        else:
            why = "no released record is known to belong to an original"
            skipped.append(Skipped("similarity of records", why))
        if self.causal is not None:
            figures += self._fluency(self.causal, pairs, lambda done: told(share + (1 - share) * done))
        return Study("utility", figures, skipped)

    def _likeness(self, pairs: Pairs, told: Progress) -> Iterator[Figure]:
        """Record beside record."""
        before, after = list(pairs.originals), pairs.texts
        places = drawn(len(before), self.sampled, self.seed)
        some, others = [before[at] for at in places], [after[at] for at in places]
        vectors = self.encoder.encode([*some, *others], lambda done: told(0.7 * done))
        cosines = (vectors[: len(some)] * vectors[len(some) :]).sum(axis=1)
        longest = rouge(some, others, lambda done: told(0.7 + 0.3 * done))
        setting: Setting = {"encoder": self.encoder.id}
        yield Figure(COSINE, mean(cosines, self.seed), setting)
        yield Figure(ROUGE, mean(longest, self.seed))
        yield Figure(ROUGE_1, mean(rouge(some, others, kind="rouge1"), self.seed))
        yield Figure(BLEU, bleu(before, after, self.seed))
        yield Figure(KEPT, mean(kept(before, after), self.seed))

    def _fluency(self, causal: CausalModel, pairs: Pairs, told: Progress) -> Iterator[Figure]:
        """Originals beside the release: the same records where they belong together."""
        places = drawn(len(pairs), self.read, self.seed)
        before = [pairs.originals[at] for at in places]
        if pairs.linkable:
            after = [pairs.texts[at] for at in places]
        else:
            texts, _ = pairs.candidates
            after = [texts[at] for at in drawn(len(texts), self.read, self.seed)]
        yield from self._perplexities(causal, before, "originals", lambda done: told(0.5 * done))
        yield from self._perplexities(causal, after, "release", lambda done: told(0.5 + 0.5 * done))

    def _perplexities(self, causal: CausalModel, texts: Sequence[str], of: str, told: Progress) -> Iterator[Figure]:
        found = surprises(causal, texts, told)
        setting: Setting = {"of": of, "model": causal.id}
        yield Figure(PERPLEXITY, perplexity(found, self.seed), setting)
        yield Figure(WORD_PERPLEXITY, perplexity(found, self.seed, by_word=True), setting)
