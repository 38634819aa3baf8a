"""The usual measures of the same release, for comparison with the claims: what they see and what they miss.

Paper: A False Sense of Privacy (Appendix D.4): ROUGE-L distance, embedding distance, existence of personal details,
MAUVE. Differences: records are compared with their own releases, without an attacker; details are the entities that
spaCy finds; if no record belongs to an original, each is compared with the nearest record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sfumato.abstract.models import Encoder
from sfumato.attacks.claims import DEFAULT_PIPELINE
from sfumato.attacks.linkage import BM25, Held, linked
from sfumato.errors import MissingExtraError, SfumatoError
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.metrics.estimates import mean, mean_of_rows, share
from sfumato.metrics.similarity import mauve_score, rouge
from sfumato.models.spacy.pipelines import load_pipeline
from sfumato.text.sentences import spaced_words
from sfumato.types import Progress, part_of

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
