"""The linkage study: how often a person is found again, and what the record found tells beyond what was known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract import Encoder, Progress
from sfumato.attacks.claims import ClauseSplitter
from sfumato.attacks.disclosure import Judge, LexicalJudge
from sfumato.attacks.linkage import BM25, Dense, Held, Knowledge, held, linked, voted
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.metrics.estimates import Estimate, mean, mean_by_record, share

IntArray = NDArray[np.int64]
RATE, SEMANTIC, LEXICAL = "linkage rate", "claims not supported", "claims' words not found"
_DENSE_FREELY = 2_000  # records up to which embedding all of them is quick


@dataclass(frozen=True, eq=False)
class LinkageStudy:
    """What is asked: linkers, kinds and numbers of known claims, and how many records the judge sees.

    ``knowledge`` and ``k`` are the setting of the judged attack; the other kinds of knowledge and 1 to 5 claims are
    tried with the same linker. ``judged`` records, drawn at random, are judged, because that takes the longest.
    """

    encoder: Encoder
    judge: Judge
    knowledge: Knowledge = "random"
    k: int = 3
    judged: int = 1000
    dense: bool | None = None
    worst: int = 20
    seed: int = 0
    splitter: ClauseSplitter = field(default_factory=ClauseSplitter)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """All of it on ``pairs``."""
        told = progress or (lambda _: None)
        before = self.splitter.split(pairs.originals, lambda done: told(0.4 * done))
        texts, owners = pairs.candidates
        if not texts:
            return Study("linkage", skipped=[Skipped("linkage", "the release holds no records")])
        able = [number for number, claims in enumerate(before) if len(claims) > 1]
        figures: list[Figure] = []
        skipped = _too_short(len(pairs) - len(able))
        claims = [before[number] for number in able]
        asked = held(claims, self.knowledge, self.k, self.seed)
        guesses = linked(BM25(texts), asked, self.seed)
        if pairs.linkable:
            figures, more = self._rates(pairs, claims, able, texts, owners)
            skipped += more
        else:
            skipped.append(Skipped(RATE, "no released record is known to belong to an original"))
        told(0.6)
        judged = self._judged(able)
        found, records = self._disclosure(judged, asked, guesses, texts, able, pairs, lambda d: told(0.6 + 0.4 * d))
        facts = {"claims": self.splitter.description, "judge": self.judge.name, "claims_a_record": _average(claims)}
        return Study("linkage", [*figures, *found], skipped, records, facts)

    def _judged(self, able: Sequence[int]) -> list[int]:
        """The places in ``able`` of the records that are judged."""
        if len(able) <= self.judged:
            return list(range(len(able)))
        drawn = np.random.default_rng([self.seed, 7]).choice(len(able), self.judged, replace=False)
        return sorted(drawn.tolist())

    def _rates(
        self, pairs: Pairs, claims: Sequence[Sequence[str]], able: Sequence[int], texts: Sequence[str],
        owners: Sequence[int],
    ) -> tuple[list[Figure], list[Skipped]]:  # fmt: skip
        """The linkage rate by knowledge, by number of claims and by linker."""
        bm25, truth, owned = BM25(texts), np.array(able), np.array(owners)

        def rate(guesses: IntArray, linker: str, query: str, knowledge: Knowledge, k: int) -> Figure:
            hits = int((owned[guesses] == truth).sum())
            setting: Setting = {"linker": linker, "query": query, "knowledge": knowledge, "k": k}
            return Figure(RATE, share(hits, len(truth)), setting, "low")

        kinds: tuple[Knowledge, ...] = ("first", "random", "last")
        tried = [(kind, self.k) for kind in kinds] + [(self.knowledge, k) for k in range(1, 6) if k != self.k]
        found = []
        for kind, k in tried:
            asked = held(claims, kind, k, self.seed)
            found.append(rate(linked(bm25, asked, self.seed), "bm25", "merged", kind, k))
        asked = held(claims, self.knowledge, self.k, self.seed)
        released = self.splitter.split(texts)
        guesses = voted(BM25, released, asked, self.seed)
        found.append(rate(guesses, "bm25", "majority", self.knowledge, self.k))
        few = len(texts) <= _DENSE_FREELY
        if self.dense or (self.dense is None and few):
            dense = linked(Dense(texts, self.encoder), asked, self.seed)
            found.append(rate(dense, "embeddings", "merged", self.knowledge, self.k))
            return found, []
        why = f"embedding {len(texts):,} records takes long; ask for it with --dense" if not few else "not asked for"
        return found, [Skipped("linkage by embeddings", why)]

    def _disclosure(
        self, judged: Sequence[int], asked: Sequence[Held], guesses: IntArray, texts: Sequence[str],
        able: Sequence[int], pairs: Pairs, progress: Progress,
    ) -> tuple[list[Figure], dict[str, Any]]:  # fmt: skip
        """Distances of the claims not held to the record that was found, semantic and lexical."""
        hidden = [asked[place].hidden for place in judged]
        records = self.splitter.split([texts[guesses[place]] for place in judged])
        semantic = self.judge.distances(hidden, records, progress)
        lexical = LexicalJudge().distances(hidden, records)
        setting: Setting = {"judge": self.judge.name, "knowledge": self.knowledge, "k": self.k}
        figures = []
        for name, found, how in ((SEMANTIC, semantic, setting), (LEXICAL, lexical, {**setting, "judge": "words"})):
            flat = [(one, at) for at, own in enumerate(found) for one in own if one is not None]
            values, owners = [one for one, _ in flat], [at for _, at in flat]
            figures.append(Figure(name, mean_by_record(values, owners, self.seed, "claims"), how, "high"))
        means = {
            pairs.ids[able[place]]: float(np.mean([one for one in own if one is not None]))
            for place, own in zip(judged, semantic, strict=True)
            if any(one is not None for one in own)
        }
        figures.append(Figure("records' distance", mean(list(means.values()), self.seed), setting, "high"))
        lowest = sorted(means, key=lambda name: (means[name], name))[: self.worst]
        counts, edges = np.histogram(list(means.values()), bins=10, range=(0.0, 1.0))
        histogram = {f"{low:.1f}": float(count) for low, count in zip(edges, counts, strict=False)}
        agreement = _agreement(semantic, lexical)
        if agreement is not None:
            figures.append(Figure("agreement of the judges", agreement, {"of": "claims, Spearman"}))
        return figures, {"worst": {name: means[name] for name in lowest}, "distances": histogram}


def _agreement(
    semantic: Sequence[Sequence[float | None]], lexical: Sequence[Sequence[float | None]]
) -> Estimate | None:
    """Spearman's rank correlation of both judges over the claims, with its interval; None for too few."""
    from scipy.stats import spearmanr

    rows = [(one, other) for own, others in zip(semantic, lexical, strict=True)
            for one, other in zip(own, others, strict=True) if one is not None and other is not None]  # fmt: skip
    table = np.array(rows, dtype=np.float64).reshape(-1, 2)
    if len(table) < 10 or np.ptp(table[:, 0]) == 0 or np.ptp(table[:, 1]) == 0:
        return None
    value = float(spearmanr(table[:, 0], table[:, 1]).statistic)
    half = 1.96 / np.sqrt(len(table) - 3)  # Fisher's transformation
    low, high = (float(np.tanh(np.arctanh(np.clip(value, -0.999999, 0.999999)) + sign * half)) for sign in (-1, 1))
    return Estimate(value, low, high, len(table), "claims")


def _average(claims: Sequence[Sequence[str]]) -> float:
    return round(sum(map(len, claims)) / max(1, len(claims)), 2)


def _too_short(count: int) -> list[Skipped]:
    why = "fewer than two claims, so that nothing is left to learn"
    return [Skipped(f"linkage of {count:,} records", why)] if count else []
