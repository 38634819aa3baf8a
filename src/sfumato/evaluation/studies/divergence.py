"""The divergence study: how much a release changes what a masked model expects of the words that it left.

Paper: Semantics-preserved distortion (§3). Of each record a stretch is compared with what became of it; the change of
pseudo-perplexity over the same stretches and the cosine similarity of their meanings stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.abstract.models import Encoder, MaskedModel
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.evaluation.samples import drawn
from sfumato.metrics.divergence import Edit, NeighboringDivergence, aligned, units
from sfumato.metrics.estimates import mean, of_statistic
from sfumato.metrics.perplexity import Surprise
from sfumato.metrics.pseudo_perplexity import masked_surprises
from sfumato.models.masked.embedded import embedded_masked
from sfumato.types import FloatArray, Progress

NDD, PSEUDO, CHANGE = "neighboring divergence", "pseudo-perplexity", "change of pseudo-perplexity"
SIMILARITY = "cosine similarity of the same stretches"
GONE = "records of which no word was left"
_STRETCH = 60  # words and signs of a record


class _Stretch(NamedTuple):
    """A part of a record, what it became, and whether a word of it was left."""

    before: str
    after: str
    left: bool


@dataclass(frozen=True, eq=False)
class DivergenceStudy(Measure):
    """``sampled`` records, drawn at random, of each a stretch of up to 60 words, drawn at random, and its release.

    ``block`` words are masked in one pass. A record that is missing, and one of which no word was left, counts as 1,
    the largest divergence there is; how many these are is a fact of the study.
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
        """All of it on the records that have an original with words."""
        able = [at for at, text in enumerate(pairs.originals) if text.strip()] if pairs.linkable else []
        if not able:
            return Study("divergence", skipped=[Skipped(NDD, "no released record is known to belong to an original")])
        told, draw = progress or (lambda _: None), np.random.default_rng([self.seed, 19])
        places = [able[at] for at in drawn(len(able), self.sampled, self.seed, 17)]
        found = [_stretch(pairs.originals[at], pairs.texts[at], draw) for at in places]
        left = [one for one in found if one.left]
        metric = NeighboringDivergence(self.model, block=self.block)
        edits = [Edit(one.before, one.after) for one in left]
        moved = np.ones(len(found))  # where no word was left, nothing of what was around a word was
        moved[[one.left for one in found]] = metric.of(edits, lambda done: told(0.5 * done))
        setting: Setting = {"model": self.model.id, "divergence": metric.divergence, "block": self.block}
        figures = [Figure(NDD, mean(moved, self.seed), setting)]
        figures += self._surprise(found, told)
        before, after = (self.encoder.encode(texts) for texts in _sides(found))
        near = (before * after).sum(axis=1) / (np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1))
        figures.append(Figure(SIMILARITY, mean(near, self.seed), {"encoder": self.encoder.id}))
        told(1.0)
        facts = {"stretch": _STRETCH, GONE: len(found) - len(left)}
        records = {pairs.ids[at]: {NDD: float(one)} for at, one in zip(places, moved, strict=True)}
        return Study("divergence", figures, records=records, facts=facts)

    def _surprise(self, found: Sequence[_Stretch], told: Progress) -> list[Figure]:
        """Pseudo-perplexity of both sides and its change, over the records that have a word for it on both."""
        sides = [
            masked_surprises(self.model, texts, self.block, _part(told, 0.5 + 0.2 * side))
            for side, texts in enumerate(_sides(found))
        ]
        both = [(one, two) for one, two in zip(*sides, strict=True) if one.pieces and two.pieces]
        if not both:
            return []
        known, new = (_columns([pair[side] for pair in both]) for side in (0, 1))
        setting: Setting = {"model": self.model.id}
        figures = [
            Figure(PSEUDO, of_statistic(lambda w, own=own: _mean(w, own), len(both), self.seed).estimate(),  # type: ignore[misc]
                   {**setting, "of": name})
            for name, own in (("originals", known), ("release", new))
        ]  # fmt: skip
        change = of_statistic(lambda w: _mean(w, new) - _mean(w, known), len(both), self.seed)
        return [*figures, Figure(CHANGE, change.estimate(), setting)]


def _stretch(before: str, after: str, draw: np.random.Generator) -> _Stretch:
    """A stretch of ``before`` that begins and ends with a word that was left, and what became of it."""
    old, new = units(before), units(after)
    same = [one.strip() for one in old] == [one.strip() for one in new]
    kept = [(at, at) for at in range(len(old))] if same else [(one.before, one.after) for one in aligned(old, new)]
    if not kept:
        return _Stretch("".join(old[:_STRETCH]).strip(), "".join(new[:_STRETCH]).strip(), False)
    if len(old) <= _STRETCH:
        return _Stretch("".join(old).strip(), "".join(new).strip(), True)
    start = int(draw.integers(len(old) - _STRETCH + 1))
    inside = [pair for pair in kept if start <= pair[0] < start + _STRETCH]
    if not inside:  # nothing was left here: begin where something was
        inside = [min(kept, key=lambda pair: abs(pair[0] - start))]
    (a, b), (c, d) = inside[0], inside[-1]
    return _Stretch("".join(old[a : c + 1]).strip(), "".join(new[b : d + 1]).strip(), True)


def _sides(found: Sequence[_Stretch]) -> tuple[list[str], list[str]]:
    return [one.before for one in found], [one.after for one in found]


def _part(told: Progress, start: float) -> Progress:
    return lambda done: told(start + 0.2 * done)


def _columns(found: Sequence[Surprise]) -> FloatArray:
    """Nats and counts, shape (2, records)."""
    return np.array([(one.nats, one.pieces) for one in found], dtype=np.float64).T


def _mean(weights: FloatArray, own: FloatArray) -> FloatArray:
    """The perplexity of a word in each resample."""
    return np.asarray(np.exp((weights @ own[0]) / (weights @ own[1])))
