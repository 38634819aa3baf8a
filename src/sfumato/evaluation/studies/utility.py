"""Two studies of how close a release is to its original.

The utility study compares by meaning and by words, and shows how well the release reads. The surface study takes the
usual measures, for comparison with the claims: what they see and what they miss. Paper: A False Sense of Privacy
(Appendix D.4): ROUGE-L distance, embedding distance, existence of personal details, MAUVE. Differences: records are
compared with their own releases, without an attacker; details are the entities that spaCy finds; if no record belongs
to an original, each is compared with the nearest record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sfumato.abstract.models import CausalModel, Encoder
from sfumato.attacks.claims import DEFAULT_PIPELINE
from sfumato.attacks.linkage import Held, linked
from sfumato.attacks.linkers import BM25
from sfumato.building.chat import causal_model
from sfumato.errors import MissingExtraError, SfumatoError
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.metrics.estimates import mean, mean_of_rows, share
from sfumato.metrics.perplexity import perplexity, surprises
from sfumato.metrics.similarity import bleu, kept, mauve_score, rouge
from sfumato.models.spacy.pipelines import load_pipeline
from sfumato.text.sentences import spaced_words
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


ROUGE_AWAY, EMBEDDING_AWAY = "ROUGE-L distance", "embedding distance"
ENTITIES_KEPT, ENTITIES_GONE = "entities kept", "records without their entities"
MAUVE = "MAUVE"
_NUMBERS = frozenset({"CARDINAL", "ORDINAL", "PERCENT"})  # which identify nobody


@dataclass(frozen=True, eq=False)
class SurfaceStudy(Measure):
    """Compares ``sampled`` records, drawn at random, with what was released."""

    encoder: Encoder
    sampled: int = 1000
    seed: int = 0
    pipeline: str = DEFAULT_PIPELINE

    @classmethod
    def of(cls, bench: Bench) -> SurfaceStudy:
        """Return the study with what is on the ``bench``."""
        return cls(bench.encoder, sampled=bench.plan.sample, seed=bench.plan.seed)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return all measures of ``pairs``; a missing record counts as an empty text."""
        report = progress or (lambda _: None)
        texts, _ = pairs.candidates
        if not texts:
            return Study("surface", skipped=[Skipped("surface", "the release holds no records")])
        sample = drawn(len(pairs), self.sampled, self.seed)
        before = [pairs.originals[index] for index in sample]
        after = [pairs.texts[index] for index in sample] if pairs.linkable else self._nearest(before, texts)
        of: Setting = {"of": "own record" if pairs.linkable else "nearest record"}
        figures = [Figure(ROUGE_AWAY, mean([1 - score for score in rouge(before, after)], self.seed), of, "high")]
        report(0.2)
        vectors = self.encoder.encode(before, part_of(report, 0.2, 0.3))
        others = after if pairs.linkable else [texts[index] for index in drawn(len(texts), self.sampled, self.seed)]
        released = self.encoder.encode(others, part_of(report, 0.5, 0.3))
        cosines = vectors * released if pairs.linkable else vectors @ released.T
        nearest = cosines.sum(axis=1) if pairs.linkable else cosines.max(axis=1)
        where: Setting = {**of, "encoder": self.encoder.id, "among": len(others)}
        figures.append(Figure(EMBEDDING_AWAY, mean(1 - nearest, self.seed), where, "high"))
        skipped: list[Skipped] = []
        parts: dict[str, Callable[[], list[Figure]]] = {
            ENTITIES_KEPT: lambda: self._entities(before, after if pairs.linkable else texts, pairs.linkable),
            MAUVE: lambda: [
                Figure(MAUVE, mauve_score(vectors, released, self.seed), {"encoder": self.encoder.id}, "low")
            ],
        }
        for name, part in parts.items():
            try:
                figures += part()
            except SfumatoError as error:  # something is not installed, or there is too little
                skipped.append(Skipped(name, str(error), again=isinstance(error, MissingExtraError)))
        report(1.0)
        return Study("surface", figures, skipped)

    def _nearest(self, before: Sequence[str], texts: Sequence[str]) -> list[str]:
        """Return, for each original, the released text that BM25 finds with the whole original as the query."""
        indices = linked(BM25(texts), [Held((text,), ()) for text in before], self.seed)
        return [texts[index] for index in indices]

    def _entities(self, before: Sequence[str], after: Sequence[str], own: bool) -> list[Figure]:
        """Return whether the words of each entity remain, in this order: in the own record or in any."""
        nlp = load_pipeline(self.pipeline)
        entities_of = [
            {spaced_words(entity.text) for entity in parsed.ents if entity.label_ not in _NUMBERS} - {"  "}
            for parsed in nlp.pipe(before, batch_size=64)
        ]
        spaced = list(map(spaced_words, after))
        released = spaced if own else ["".join(spaced)] * len(before)
        kept = [[entity in text for entity in entities] for entities, text in zip(entities_of, released, strict=True)]
        of: Setting = {"of": "own record" if own else "any record", "entities": self.pipeline}
        left = Figure(ENTITIES_KEPT, mean_of_rows(kept, self.seed, "entities"), of, "low")
        rows = [row for row in kept if row]
        return [left, Figure(ENTITIES_GONE, share(sum(not any(row) for row in rows), len(rows)), of, "high")]
