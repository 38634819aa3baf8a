"""Two studies with a masked model.

The token study: does the model guess private words from the released words around them? The divergence study: how
much does a release change the model's predictions of the words that were kept? Paper: Semantics-preserved distortion
(§3). A stretch of each record is compared with its release. The change of pseudo-perplexity over the same stretches
and the cosine similarity of their meanings are reported with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.abstract.models import Encoder, MaskedModel
from sfumato.attacks.mask_inference import Guesser, Guesses, MaskInference
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.metrics.divergence import Edit, NeighboringDivergence, aligned
from sfumato.metrics.estimates import mean, of_statistic, share_by_record
from sfumato.metrics.perplexity import Surprise, masked_surprises, mean_surprise
from sfumato.models.masked.embedded import embedded_masked
from sfumato.models.masked.windows import units
from sfumato.types import FloatArray, Progress, part_of

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


NDD, PSEUDO, CHANGE = "neighboring divergence", "pseudo-perplexity", "change of pseudo-perplexity"
SIMILARITY = "cosine similarity of the same stretches"
GONE = "records without a kept word"
_STRETCH = 60  # words and signs of a record


class _Stretch(NamedTuple):
    """A part of a record, its release, and whether a word of it was kept."""

    before: str
    after: str
    kept: bool


@dataclass(frozen=True, eq=False)
class DivergenceStudy(Measure):
    """Compares a random stretch of up to 60 words of each of ``sampled`` records, drawn at random, with its release.

    ``block`` words are masked in one pass. A record that is missing or of which no word was kept counts as 1, the
    largest possible divergence; their number is a fact of the study.
    """

    model: MaskedModel
    encoder: Encoder
    sampled: int = 100
    seed: int = 0
    block: int = 4

    @classmethod
    def of(cls, bench: Bench) -> DivergenceStudy:
        """Return the study with what is on the ``bench``."""
        return cls(embedded_masked(), bench.encoder, min(bench.plan.sample, 100), bench.plan.seed)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return divergence, pseudo-perplexity and similarity on the records whose original has words."""
        able = [index for index, text in enumerate(pairs.originals) if text.strip()] if pairs.linkable else []
        if not able:
            return Study("divergence", skipped=[Skipped(NDD, "no released record is known to belong to an original")])
        report, draw = progress or (lambda _: None), np.random.default_rng([self.seed, 19])
        sample = [able[index] for index in drawn(len(able), self.sampled, self.seed, 17)]
        stretches = [_stretch(pairs.originals[index], pairs.texts[index], draw) for index in sample]
        kept = [stretch for stretch in stretches if stretch.kept]
        metric = NeighboringDivergence(self.model, block=self.block)
        edits = [Edit(stretch.before, stretch.after) for stretch in kept]
        moved = np.ones(len(stretches))  # without a kept word, no neighbourhood of a word was kept
        moved[[stretch.kept for stretch in stretches]] = metric.of(edits, part_of(report, 0.0, 0.5))
        setting: Setting = {"model": self.model.id, "divergence": metric.divergence, "block": self.block}
        figures = [Figure(NDD, mean(moved, self.seed), setting)]
        figures += self._surprise(stretches, report)
        before, after = (self.encoder.encode(texts) for texts in _sides(stretches))
        near = (before * after).sum(axis=1) / (np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1))
        figures.append(Figure(SIMILARITY, mean(near, self.seed), {"encoder": self.encoder.id}))
        report(1.0)
        facts = {"stretch": _STRETCH, GONE: len(stretches) - len(kept)}
        records = {pairs.ids[index]: {NDD: float(value)} for index, value in zip(sample, moved, strict=True)}
        return Study("divergence", figures, records=records, facts=facts)

    def _surprise(self, stretches: Sequence[_Stretch], report: Progress) -> list[Figure]:
        """Return pseudo-perplexity of both sides and its change, over the records with a word on both sides."""
        sides = [
            masked_surprises(self.model, texts, self.block, part_of(report, 0.5 + 0.2 * side, 0.2))
            for side, texts in enumerate(_sides(stretches))
        ]
        both = [(before, after) for before, after in zip(*sides, strict=True) if before.pieces and after.pieces]
        if not both:
            return []
        known, new = (_columns([pair[side] for pair in both]) for side in (0, 1))
        setting: Setting = {"model": self.model.id}
        figures = [
            Figure(PSEUDO, of_statistic(lambda w, own=own: mean_surprise(w, own), len(both), self.seed).estimate(),  # type: ignore[misc]
                   {**setting, "of": name})
            for name, own in (("originals", known), ("release", new))
        ]  # fmt: skip
        change = of_statistic(lambda w: mean_surprise(w, new) - mean_surprise(w, known), len(both), self.seed)
        return [*figures, Figure(CHANGE, change.estimate(), setting)]


def _stretch(before: str, after: str, draw: np.random.Generator) -> _Stretch:
    """Return a stretch of ``before`` that begins and ends with a kept word, and its release."""
    old, new = units(before), units(after)
    same = [unit.strip() for unit in old] == [unit.strip() for unit in new]
    kept = [(index, index) for index in range(len(old))]
    if not same:
        kept = [(pair.before, pair.after) for pair in aligned(old, new)]
    if not kept:
        return _Stretch("".join(old[:_STRETCH]).strip(), "".join(new[:_STRETCH]).strip(), False)
    if len(old) <= _STRETCH:
        return _Stretch("".join(old).strip(), "".join(new).strip(), True)
    start = int(draw.integers(len(old) - _STRETCH + 1))
    inside = [pair for pair in kept if start <= pair[0] < start + _STRETCH]
    if not inside:  # no word was kept here: begin at the nearest kept word
        inside = [min(kept, key=lambda pair: abs(pair[0] - start))]
    (a, b), (c, d) = inside[0], inside[-1]
    return _Stretch("".join(old[a : c + 1]).strip(), "".join(new[b : d + 1]).strip(), True)


def _sides(stretches: Sequence[_Stretch]) -> tuple[list[str], list[str]]:
    return [stretch.before for stretch in stretches], [stretch.after for stretch in stretches]


def _columns(surprises: Sequence[Surprise]) -> FloatArray:
    """Return nats and counts, shape (2, records)."""
    return np.array([(surprise.nats, surprise.pieces) for surprise in surprises], dtype=np.float64).T
