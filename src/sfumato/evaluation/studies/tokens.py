"""The token study: does a masked model guess private words from the released words around them?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.attacks.mask_inference import Guesser, Guesses, MaskInference
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.metrics.estimates import share_by_record
from sfumato.models.masked.embedded import embedded_masked
from sfumato.types import Progress, part_of

GUESSED, REPLACED = "masked words guessed", "replaced words guessed"


@dataclass(frozen=True, eq=False)
class TokenStudy(Measure):
    """``guesser`` guesses up to ``most`` words of the release, and as many of the originals for comparison.

    With ``replaced_alone``, only words that the release replaced, which is what a policy limits.
    """

    guesser: Guesser
    most: int = 1000
    seed: int = 0
    replaced_alone: bool = False

    @classmethod
    def of(cls, bench: Bench) -> TokenStudy:
        """Return the study with what is on the ``bench``."""
        guesser = bench.guesser or Guesser(embedded_masked())
        return cls(guesser, bench.plan.sample, bench.plan.seed, bench.limits_alone)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return the rates of right guesses on the records that were released."""
        released = [number for number, text in enumerate(pairs.released) if text is not None]
        if not released:
            return Study("tokens", skipped=[Skipped(GUESSED, "no released record is known to belong to an original")])
        before, after = [pairs.originals[number] for number in released], [pairs.texts[number] for number in released]
        people = np.array([pairs.owners[number] if pairs.owners else number for number in released], dtype=np.int64)
        guesses = list(self._guesses(before, after, progress))
        setting: Setting = {"model": self.guesser.model.id}
        figures = [self._share(name, seen, people, {**setting, "of": text}) for name, text, seen in guesses]
        left_out = guesses[-1][-1].left_out
        why = "no word has a counterpart in the release"
        skipped = [Skipped(f"words of {left_out:,} records", why)] if left_out else []
        return Study("tokens", [figure for figure in figures if figure.estimate.n], skipped)

    def _guesses(
        self, before: Sequence[str], after: Sequence[str], progress: Progress | None
    ) -> Iterator[tuple[str, str, Guesses]]:
        """Yield a figure's name, of which text it is, and the guesses behind it."""
        attack = MaskInference(self.guesser, self.most, self.seed)
        if not self.replaced_alone:
            yield GUESSED, "originals", attack.guesses(before, before, part_of(progress, 0.0, 1 / 3))
            yield GUESSED, "release", attack.guesses(before, after, part_of(progress, 1 / 3, 1 / 3))
        replaced = attack.guesses(before, after, part_of(progress, 2 / 3, 1 / 3), replaced_alone=True)
        yield REPLACED, "release", replaced

    def _share(self, name: str, guesses: Guesses, people: np.ndarray, setting: Setting) -> Figure:
        right, owners = guesses.right.astype(np.float64), people[guesses.owners]
        return Figure(name, share_by_record(right, owners.tolist(), self.seed, "words"), setting, "low")
