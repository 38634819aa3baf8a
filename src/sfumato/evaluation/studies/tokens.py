"""The token study: does a masked model guess private words from the released words around them?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.abstract.models import MaskedModel
from sfumato.attacks.mask_inference import Guesses, MaskInference, comparable
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.metrics.estimates import mean_by_record
from sfumato.models.masked.embedded import embedded_masked
from sfumato.types import Progress

GUESSED, REPLACED = "masked words guessed", "replaced words guessed"


@dataclass(frozen=True, eq=False)
class TokenStudy(Measure):
    """``model`` guesses up to ``most`` words of the release, and as many of the originals, to compare with."""

    model: MaskedModel
    most: int = 1000
    seed: int = 0

    @classmethod
    def of(cls, bench: Bench) -> TokenStudy:
        """Return the study with what is on the ``bench``."""
        return cls(embedded_masked(), bench.plan.sample, bench.plan.seed)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """All of it on the records that were released."""
        there = [number for number, text in enumerate(pairs.released) if text is not None]
        if not there:
            return Study("tokens", skipped=[Skipped(GUESSED, "no released record is known to belong to an original")])
        before, after = [pairs.originals[number] for number in there], [pairs.texts[number] for number in there]
        told = progress or (lambda _: None)
        attack = MaskInference(self.model, self.most, self.seed)
        alike = [text for text, other in zip(before, after, strict=True) if comparable(text, other)]
        known = attack.guesses(alike, alike, lambda done: told(0.5 * done))
        found = attack.guesses(before, after, lambda done: told(0.5 + 0.5 * done))
        setting: Setting = {"model": self.model.id}
        figures = [
            self._share(GUESSED, known, np.ones(len(known.right), dtype=bool), {**setting, "of": "originals"}),
            self._share(GUESSED, found, np.ones(len(found.right), dtype=bool), {**setting, "of": "release"}),
            self._share(REPLACED, found, ~found.kept, {**setting, "of": "release"}),
        ]
        why = "the number of words changed, so that no word stands beside another"
        skipped = [Skipped(f"words of {found.left_out:,} records", why)] if found.left_out else []
        return Study("tokens", [one for one in figures if one.estimate.n], skipped)

    def _share(self, name: str, found: Guesses, which: np.ndarray, setting: Setting) -> Figure:
        right, owners = found.right[which].astype(np.float64), found.owners[which]
        return Figure(name, mean_by_record(right, owners.tolist(), self.seed, "words"), setting, "low")
