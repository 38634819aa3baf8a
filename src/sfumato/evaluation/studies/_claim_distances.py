"""What found records disclose: distances of the claims that the attacker did not hold, by judge and by category.

Paper on categories: A False Sense of Privacy (Appendix D.2). Leakage is one minus the mean distance of the claims of
a kind. The paper counts: a claim leaks if the found record supports it at least in part ("a score of 2 or higher" on
a scale whose 3 is unsupported, so that the better half of the scale must be meant). Both are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.attacks.claim_judges import EmbeddingJudge, Judge, LexicalJudge, Sorter, stepped
from sfumato.attacks.rouge import RougeJudge
from sfumato.errors import MissingExtraError
from sfumato.evaluation.results import Figure, Setting, Skipped
from sfumato.metrics.estimates import Estimate, mean, mean_by_record, mean_of_rows, share_by_record
from sfumato.types import Progress

LEAKAGE, LEAKED = "leakage by category", "claims leaked by category"
_FEWEST = 5
_IN_PART = 0.5  # support of a claim from which it leaks

SEMANTIC, LEXICAL = "claims not supported", "claims' words not found"
ROUGE_DISTANCE, EMBEDDING_DISTANCE = "claims' ROUGE-L distance", "claims' embedding distance"
SEMANTIC_REWORDED = "claims not supported, those held reworded"
ROUGE_OF_RECORDS, OVERLAP = "records' ROUGE-L distance", "claims not told by those held"
BY_RECORD, AGREEMENT = "records' distance", "agreement of the judges"

Distances = list[list[float | None]]


@dataclass(frozen=True, eq=False)
class ClaimDistances:
    """Distances of ``claims`` (those not held, a row a person) to the found records: 0 is all disclosed, 1 nothing.

    ``semantic`` is by the judge named ``judge``, ``others`` by figures' names.
    """

    claims: Sequence[Sequence[str]]
    semantic: Distances
    others: dict[str, Distances]
    judge: str
    setting: Setting
    skipped: Sequence[Skipped] = ()

    def figures(self, seed: int) -> list[Figure]:
        """Return the mean of each distance, and how far the judge agrees with the others."""
        figures = [self._figure(SEMANTIC, self.semantic, self.judge, seed)]
        figures += [self._figure(name, distances, _HOW[name], seed) for name, distances in self.others.items()]
        by_record = [value for value in self.by_record() if value is not None]
        figures.append(Figure(BY_RECORD, mean(by_record, seed), {**self.setting, "judge": self.judge}, "high"))
        for name, distances in self.others.items():
            agreement = _agreement(self.semantic, distances)
            if agreement is not None:
                with_whom: Setting = {"of": "claims, Spearman", "judge": self.judge, "with": _HOW[name]}
                figures.append(Figure(AGREEMENT, agreement, with_whom))
        return figures

    def by_record(self) -> list[float | None]:
        """Return the mean distance of each person's claims, by the judge; None without a judged claim."""
        judged = [[distance for distance in row if distance is not None] for row in self.semantic]
        return [float(np.mean(row)) if row else None for row in judged]

    def by_category(self, sorter: Sorter, seed: int) -> tuple[list[Figure], list[Skipped]]:
        """Return two figures for each kind with five claims or more, the largest first, and how many claims and kinds
        have none.
        """
        judged = [
            (claim, 1.0 - distance, person)
            for person, (own, row) in enumerate(zip(self.claims, self.semantic, strict=True))
            for claim, distance in zip(own, row, strict=True) if distance is not None
        ]  # fmt: skip
        sorted_as = sorter.of([claim for claim, _, _ in judged])
        groups: dict[str, list[tuple[float, int]]] = {}
        for kinds, (_, leak, person) in zip(sorted_as, judged, strict=True):
            for kind in kinds or ():
                groups.setdefault(kind, []).append((leak, person))
        large = {kind: leaks for kind, leaks in groups.items() if len(leaks) >= _FEWEST}
        setting = {**self.setting, "judge": self.judge}
        figures = []
        for kind, leaks in large.items():
            mean_leak = mean_by_record([leak for leak, _ in leaks], [who for _, who in leaks], seed, "claims")
            figures.append(Figure(LEAKAGE, mean_leak, {**setting, "category": kind}, "low"))
            hits = [float(leak >= _IN_PART) for leak, _ in leaks]
            leaked = share_by_record(hits, [who for _, who in leaks], seed, "claims")
            figures.append(Figure(LEAKED, leaked, {**setting, "category": kind}, "low"))
        figures.sort(key=lambda figure: (figure.name, -figure.estimate.value, str(figure.setting["category"])))
        left_out = [
            (len(groups) - len(large), "categories", f"fewer than {_FEWEST} claims each"),
            (sum(kinds == () for kinds in sorted_as), "claims", "they could not be sorted into a category"),
            (sum(kinds is None for kinds in sorted_as), "claims", "the sorter gave no readable answer"),
        ]
        return figures, [Skipped(f"leakage of {count:,} {what}", why) for count, what, why in left_out if count]

    def _figure(self, name: str, distances: Distances, judge: str, seed: int) -> Figure:
        return Figure(name, mean_of_rows(distances, seed, "claims"), {**self.setting, "judge": judge}, "high")


_HOW = {LEXICAL: "words", ROUGE_DISTANCE: "ROUGE-L", EMBEDDING_DISTANCE: "cosine"}


def claim_distances(
    judge: Judge, encoder: Encoder, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str] | None],
    setting: Setting, progress: Progress | None = None,
) -> ClaimDistances:  # fmt: skip
    """Judge each row of ``claims`` against the claims of its record in ``records`` (None: it could not be read)."""
    skipped = []
    known = [record or () for record in records]
    if isinstance(judge, EmbeddingJudge):
        cosines = judge.similarities(claims, known, progress)
        semantic = stepped(cosines)
    else:
        cosines = EmbeddingJudge(encoder).similarities(claims, known)
        semantic = judge.distances(claims, known, progress)
    others: dict[str, Distances] = {
        LEXICAL: LexicalJudge().distances(claims, known),
        EMBEDDING_DISTANCE: [[1.0 - cosine for cosine in row] for row in cosines],
    }
    try:
        others[ROUGE_DISTANCE] = RougeJudge().distances(claims, known)
    except MissingExtraError as error:
        skipped.append(Skipped(ROUGE_DISTANCE, str(error), again=True))
    unread = sum(distance is None for row, record in zip(semantic, records, strict=True) if record is not None
                 for distance in row)  # fmt: skip
    missing = [number for number, record in enumerate(records) if record is None]
    for number in missing:
        for distances in (semantic, *others.values()):
            distances[number] = [None] * len(claims[number])
    if missing:
        why = "they could not be split into claims"
        skipped.append(Skipped(f"what {len(missing):,} found records disclose", why))
    if unread:
        skipped.append(Skipped(f"judgment of {unread:,} claims", "the judge gave no readable answer"))
    return ClaimDistances(claims, semantic, others, judge.name, setting, skipped)


def _agreement(
    semantic: Sequence[Sequence[float | None]], other: Sequence[Sequence[float | None]]
) -> Estimate | None:
    """Return Spearman's rank correlation of two judges over the claims, with its interval; None for too few."""
    from scipy.stats import spearmanr

    pairs = [pair for row, others in zip(semantic, other, strict=True) for pair in zip(row, others, strict=True)]
    rows = [pair for pair in pairs if None not in pair]
    table = np.array(rows, dtype=np.float64).reshape(-1, 2)
    if len(table) < 10 or np.ptp(table[:, 0]) == 0 or np.ptp(table[:, 1]) == 0:
        return None
    value = float(spearmanr(table[:, 0], table[:, 1]).statistic)
    people = sum(any(distance is not None for distance in row) for row in semantic)
    half = 1.96 / np.sqrt(max(1, people - 3))  # Fisher's transformation; the claims of one person count as one
    low, high = (float(np.tanh(np.arctanh(np.clip(value, -0.999999, 0.999999)) + sign * half)) for sign in (-1, 1))
    return Estimate(value, low, high, len(table), "claims")
