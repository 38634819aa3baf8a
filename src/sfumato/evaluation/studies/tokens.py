"""The token study: does a masked model guess private words from the released words around them?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.abstract.models import MaskedModel
from sfumato.attacks.mask_inference import Guesses, MaskInference
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.metrics.estimates import share_by_record
from sfumato.models.masked.embedded import embedded_masked
from sfumato.types import Progress

GUESSED, REPLACED = "masked words guessed", "replaced words guessed"


@dataclass(frozen=True, eq=False)
class TokenStudy(Measure):
    """``model`` guesses up to ``most`` words of the release, and as many of the originals for comparison."""

    model: MaskedModel
    most: int = 1000
    seed: int = 0

    @classmethod
    def of(cls, bench: Bench) -> TokenStudy:
        """Return the study with what is on the ``bench``."""
        return cls(embedded_masked(), bench.plan.sample, bench.plan.seed)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return the rates of right guesses on the records that were released."""
        released = [number for number, text in enumerate(pairs.released) if text is not None]
        if not released:
            return Study("tokens", skipped=[Skipped(GUESSED, "no released record is known to belong to an original")])
        before, after = [pairs.originals[number] for number in released], [pairs.texts[number] for number in released]
        report = progress or (lambda _: None)
        attack = MaskInference(self.model, self.most, self.seed)
        known = attack.guesses(before, before, lambda done: report(done / 3))
        guesses = attack.guesses(before, after, lambda done: report((1 + done) / 3))
        replaced = attack.guesses(before, after, lambda done: report((2 + done) / 3), replaced_alone=True)
        setting: Setting = {"model": self.model.id}
        people = np.array([pairs.owners[number] if pairs.owners else number for number in released], dtype=np.int64)
        figures = [
            self._share(GUESSED, known, people, {**setting, "of": "originals"}),
            self._share(GUESSED, guesses, people, {**setting, "of": "release"}),
            self._share(REPLACED, replaced, people, {**setting, "of": "release"}),
        ]
        why = "no word has a counterpart in the release"
        skipped = [Skipped(f"words of {guesses.left_out:,} records", why)] if guesses.left_out else []
        return Study("tokens", [figure for figure in figures if figure.estimate.n], skipped)

    def _share(self, name: str, guesses: Guesses, people: np.ndarray, setting: Setting) -> Figure:
        right, owners = guesses.right.astype(np.float64), people[guesses.owners]
        return Figure(name, share_by_record(right, owners.tolist(), self.seed, "words"), setting, "low")
