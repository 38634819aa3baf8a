"""What usual measures say of the same release: beside the claims, to show what they see and what they miss.

Paper: A False Sense of Privacy (Appendix D.4): ROUGE-L distance, embedding distance, existence of personal details,
MAUVE. Differences: records are compared with their own releases, without an attacker; details are the entities that
spaCy finds; where no record belongs to an original, each is compared with the record that is nearest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import regex
from numpy.typing import NDArray

from sfumato.abstract.models import Encoder
from sfumato.attacks.claims import DEFAULT_PIPELINE
from sfumato.attacks.linkage import BM25, Held, linked
from sfumato.errors import MissingExtraError, SfumatoError
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.evaluation.samples import drawn
from sfumato.metrics.estimates import mean, mean_by_record, share
from sfumato.metrics.mauve_score import mauve_score
from sfumato.metrics.overlap import rouge
from sfumato.models.spacy.pipelines import load_pipeline
from sfumato.types import Progress

ROUGE_AWAY, EMBEDDING_AWAY = "ROUGE-L distance", "embedding distance"
ENTITIES_KEPT, ENTITIES_GONE = "entities still there", "records without their entities"
MAUVE = "MAUVE"
_NUMBERS = frozenset({"CARDINAL", "ORDINAL", "PERCENT"})  # which point at nobody
_WORD = regex.compile(r"[\p{L}\p{N}]+")


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
        """All of it on ``pairs``; a missing record counts as an empty text."""
        told = progress or (lambda _: None)
        texts, _ = pairs.candidates
        if not texts:
            return Study("surface", skipped=[Skipped("surface", "the release holds no records")])
        places = drawn(len(pairs), self.sampled, self.seed)
        before = [pairs.originals[at] for at in places]
        after = [pairs.texts[at] for at in places] if pairs.linkable else self._nearest(before, texts)
        of: Setting = {"of": "own record" if pairs.linkable else "nearest record"}
        figures = [Figure(ROUGE_AWAY, mean([1 - one for one in rouge(before, after)], self.seed), of, "high")]
        told(0.2)
        vectors = self.encoder.encode(before, lambda done: told(0.2 + 0.3 * done))
        others = after if pairs.linkable else [texts[at] for at in drawn(len(texts), self.sampled, self.seed)]
        released = self.encoder.encode(others, lambda done: told(0.5 + 0.3 * done))
        cosines = vectors * released if pairs.linkable else vectors @ released.T
        nearest = cosines.sum(axis=1) if pairs.linkable else cosines.max(axis=1)
        where: Setting = {**of, "encoder": self.encoder.id, "among": len(others)}
        figures.append(Figure(EMBEDDING_AWAY, mean(1 - nearest, self.seed), where, "high"))
        skipped: list[Skipped] = []
        parts: dict[str, Iterator[Figure]] = {
            ENTITIES_KEPT: self._entities(before, after if pairs.linkable else texts, pairs.linkable),
            MAUVE: self._spread(vectors, released),
        }
        for name, part in parts.items():
            try:
                figures += list(part)
            except SfumatoError as error:  # something is not installed, or there is too little
                skipped.append(Skipped(name, str(error), again=isinstance(error, MissingExtraError)))
        told(1.0)
        return Study("surface", figures, skipped)

    def _nearest(self, before: Sequence[str], texts: Sequence[str]) -> list[str]:
        """For each original the released text that BM25 finds with all of it as the query."""
        found = linked(BM25(texts), [Held((text,), ()) for text in before], self.seed)
        return [texts[at] for at in found]

    def _entities(self, before: Sequence[str], after: Sequence[str], own: bool) -> Iterator[Figure]:
        """Whether the words of each entity still stand, one behind the other: in the own record or in any."""
        nlp = load_pipeline(self.pipeline)
        found = [
            {_plain(one.text) for one in parsed.ents if one.label_ not in _NUMBERS} - {"  "}
            for parsed in nlp.pipe(before, batch_size=64)
        ]
        there = [_plain(text) for text in after] if own else ["".join(map(_plain, after))] * len(before)
        kept = [[entity in text for entity in entities] for entities, text in zip(found, there, strict=True)]
        flat = [(float(one), at) for at, row in enumerate(kept) for one in row]
        of: Setting = {"of": "own record" if own else "any record", "entities": self.pipeline}
        values, owners = [one for one, _ in flat], [at for _, at in flat]
        yield Figure(ENTITIES_KEPT, mean_by_record(values, owners, self.seed, "entities"), of, "low")
        rows = [row for row in kept if row]
        yield Figure(ENTITIES_GONE, share(sum(not any(row) for row in rows), len(rows)), of, "high")

    def _spread(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> Iterator[Figure]:
        yield Figure(MAUVE, mauve_score(before, after, self.seed), {"encoder": self.encoder.id}, "low")


def _plain(text: str) -> str:
    """The words of ``text`` in lower case between single spaces, one before and one behind."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
