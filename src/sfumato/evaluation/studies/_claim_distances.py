"""What the records that were found tell: distances of the claims not held, by record and by kind of claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.attacks.claim_judges import EmbeddingJudge, Judge, LexicalJudge, stepped
from sfumato.attacks.rouge_l import RougeJudge
from sfumato.errors import MissingExtraError
from sfumato.evaluation.results import Figure, Setting, Skipped
from sfumato.metrics.estimates import Estimate, mean, mean_by_record
from sfumato.types import Progress

SEMANTIC, LEXICAL = "claims not supported", "claims' words not found"
ROUGE_DISTANCE, EMBEDDING_DISTANCE = "claims' ROUGE-L distance", "claims' embedding distance"
BY_RECORD, AGREEMENT = "records' distance", "agreement of the judges"

Distances = list[list[float | None]]


@dataclass(frozen=True, eq=False)
class ClaimDistances:
    """Distances of ``claims`` (those not held, a row a person) to what was found: 0 all is told, 1 nothing.

    ``semantic`` is by the judge named ``judge``, ``others`` by figures' names.
    """

    claims: Sequence[Sequence[str]]
    semantic: Distances
    others: dict[str, Distances]
    judge: str
    setting: Setting
    skipped: Sequence[Skipped] = ()

    def figures(self, seed: int) -> list[Figure]:
        """The mean of each distance, and how far the judge agrees with the others."""
        found = [self._figure(SEMANTIC, self.semantic, self.judge, seed)]
        found += [self._figure(name, one, _HOW[name], seed) for name, one in self.others.items()]
        by_record = [value for value in self.by_record() if value is not None]
        found.append(Figure(BY_RECORD, mean(by_record, seed), {**self.setting, "judge": self.judge}, "high"))
        for name, one in self.others.items():
            agreement = _agreement(self.semantic, one)
            if agreement is not None:
                with_whom: Setting = {"of": "claims, Spearman", "judge": self.judge, "with": _HOW[name]}
                found.append(Figure(AGREEMENT, agreement, with_whom))
        return found

    def by_record(self) -> list[float | None]:
        """The mean distance of each person's claims, by the judge."""
        told = [[one for one in own if one is not None] for own in self.semantic]
        return [float(np.mean(own)) if own else None for own in told]

    def _figure(self, name: str, found: Distances, judge: str, seed: int) -> Figure:
        flat = [(one, at) for at, own in enumerate(found) for one in own if one is not None]
        values, owners = [one for one, _ in flat], [at for _, at in flat]
        return Figure(name, mean_by_record(values, owners, seed, "claims"), {**self.setting, "judge": judge}, "high")


_HOW = {LEXICAL: "words", ROUGE_DISTANCE: "ROUGE-L", EMBEDDING_DISTANCE: "cosine"}


def claim_distances(
    judge: Judge, encoder: Encoder, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str] | None],
    setting: Setting, progress: Progress | None = None,
) -> ClaimDistances:  # fmt: skip
    """``claims`` judged against the ``records`` (as claims) beside them; None: the record could not be read."""
    skipped = []
    there = [record or () for record in records]
    embedded = EmbeddingJudge(encoder)
    if isinstance(judge, EmbeddingJudge):
        cosines = judge.similarities(claims, there, progress)
        semantic = stepped(cosines)
    else:
        cosines = embedded.similarities(claims, there)
        semantic = judge.distances(claims, there, progress)
    others: dict[str, Distances] = {
        LEXICAL: LexicalJudge().distances(claims, there),
        EMBEDDING_DISTANCE: [[1.0 - one for one in own] for own in cosines],
    }
    try:
        others[ROUGE_DISTANCE] = RougeJudge().distances(claims, there)
    except MissingExtraError as error:
        skipped.append(Skipped(ROUGE_DISTANCE, str(error), again=True))
    missing = [number for number, record in enumerate(records) if record is None]
    for number in missing:
        for found in (semantic, *others.values()):
            found[number] = [None] * len(claims[number])
    unread = sum(one is None for own in semantic for one in own) - sum(len(claims[number]) for number in missing)
    if missing:
        skipped.append(Skipped(f"what {len(missing):,} found records tell", "they could not be split into claims"))
    if unread:
        skipped.append(Skipped(f"judgment of {unread:,} claims", "the judge gave no readable answer"))
    return ClaimDistances(claims, semantic, others, judge.name, setting, skipped)


def _agreement(
    semantic: Sequence[Sequence[float | None]], other: Sequence[Sequence[float | None]]
) -> Estimate | None:
    """Spearman's rank correlation of two judges over the claims, with its interval; None for too few."""
    from scipy.stats import spearmanr

    rows = [(one, two) for own, others in zip(semantic, other, strict=True)
            for one, two in zip(own, others, strict=True) if one is not None and two is not None]  # fmt: skip
    table = np.array(rows, dtype=np.float64).reshape(-1, 2)
    if len(table) < 10 or np.ptp(table[:, 0]) == 0 or np.ptp(table[:, 1]) == 0:
        return None
    value = float(spearmanr(table[:, 0], table[:, 1]).statistic)
    people = sum(any(one is not None for one in own) for own in semantic)
    half = 1.96 / np.sqrt(max(1, people - 3))  # Fisher's transformation; claims of one person are no news
    low, high = (float(np.tanh(np.arctanh(np.clip(value, -0.999999, 0.999999)) + sign * half)) for sign in (-1, 1))
    return Estimate(value, low, high, len(table), "claims")
