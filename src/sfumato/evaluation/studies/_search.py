"""The search of a release by people who know some claims, by several linkers, and how often it succeeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sfumato.attacks.linkage import Held, Knowledge, held, linked, surely_linked, voted
from sfumato.attacks.linkers import BM25, Linker
from sfumato.evaluation.results import Figure, Setting
from sfumato.metrics.estimates import share
from sfumato.metrics.recall import recall_at_precision
from sfumato.types import FloatArray, IntArray, Progress

Paraphrasing = Callable[[Sequence[str]], list[str | None]]
"""Rewords claims; None for a claim without an answer."""

RATE, REWORDED = "linkage rate", "linkage rate, claims reworded"
RECALL, REACHED = "recall at 90 % precision", "precision reached"
AS_WRITTEN, IN_OTHER_WORDS = "as written", "reworded"


class Parts(NamedTuple):
    """The parts of each released text that claims vote for; ``cut`` names their kind: claims or sentences."""

    parts: Sequence[Sequence[str]]
    cut: str


class Reworded(NamedTuple):
    """What attackers find by claims in other words: ``guesses`` of those numbered ``able``, who know at least one.

    ``lost`` claims were not reworded.
    """

    able: IntArray
    guesses: IntArray
    lost: int


@dataclass(frozen=True, eq=False)
class Search:
    """Attackers who know ``claims`` of the originals ``numbers`` and look for them among the released ``texts``.

    ``owners`` are the originals that the texts belong to, -1 for none; ``seed`` draws the known claims.
    """

    texts: Sequence[str]
    owners: IntArray
    numbers: IntArray
    claims: Sequence[Sequence[str]]
    seed: int = 0
    _found: dict[tuple[Knowledge, int], tuple[IntArray, FloatArray]] = field(default_factory=dict, repr=False)

    @cached_property
    def bm25(self) -> BM25:
        """Return the index, built once."""
        return BM25(self.texts)

    def held(self, knowledge: Knowledge, k: int) -> list[Held]:
        """Return the claims that each attacker knows."""
        return held(self.claims, knowledge, k, self.seed)

    def guesses(self, knowledge: Knowledge, k: int) -> IntArray:
        """Return the number of the text that each attacker finds by BM25 with one query, shape (attackers,)."""
        return self._by_words(knowledge, k)[0]

    def _by_words(self, knowledge: Knowledge, k: int) -> tuple[IntArray, FloatArray]:
        if (knowledge, k) not in self._found:
            self._found[knowledge, k] = surely_linked(self.bm25, self.held(knowledge, k), self.seed)
        return self._found[knowledge, k]

    def majority(
        self, build: Callable[[Sequence[str]], Linker], name: str, released: Parts, knowledge: Knowledge, k: int
    ) -> Figure:
        """Return the rate by vote over the parts ``released`` of the texts, scored by the linker of ``build``."""
        guesses = voted(build, released.parts, self.held(knowledge, k), self.seed)
        figure = self.rate(guesses, name, "majority", knowledge, k)
        return replace(figure, setting={**figure.setting, "released": released.cut})

    def by(
        self, linker: Linker, name: str, knowledge: Knowledge, k: int, progress: Progress | None = None
    ) -> list[Figure]:
        """Return the rate of another linker over the texts, and its recall at 90 % precision."""
        guesses, sure = surely_linked(linker, self.held(knowledge, k), self.seed, progress)
        return [self.rate(guesses, name, "merged", knowledge, k), *self.recall(guesses, sure, name, knowledge, k)]

    def recall_by_words(self, knowledge: Knowledge, k: int) -> list[Figure]:
        """Return the recall of BM25."""
        return self.recall(*self._by_words(knowledge, k), "bm25", knowledge, k)

    def recall(self, guesses: IntArray, sure: FloatArray, linker: str, knowledge: Knowledge, k: int) -> list[Figure]:
        """Return how many are named rightly by who may abstain, and how often the names are right.

        Without a name there is no precision.
        """
        how: Setting = {"linker": linker, "query": "merged", "knowledge": knowledge, "k": k}
        found = recall_at_precision(sure, self.owners[guesses] == self.numbers, seed=self.seed)
        recall = Figure(RECALL, found.recall, how, "low")
        return [recall, Figure(REACHED, found.precision, how)] if found.precision.n else [recall]

    def reworded(self, paraphrase: Paraphrasing, knowledge: Knowledge, k: int) -> Reworded:
        """Return what the attackers find who know the same claims in other words."""
        attackers = self.held(knowledge, k)
        answers = iter(paraphrase([claim for attacker in attackers for claim in attacker.known]))
        told = [[next(answers) for _ in attacker.known] for attacker in attackers]
        reworded = [Held(tuple(filter(None, own)), by.hidden) for own, by in zip(told, attackers, strict=True)]
        able = np.flatnonzero([bool(each.known) for each in reworded])
        lost = sum(not claim for own in told for claim in own)
        guesses = linked(self.bm25, [each for each in reworded if each.known], self.seed)
        return Reworded(able, guesses, lost)

    def rates_reworded(self, reworded: Reworded, knowledge: Knowledge, k: int) -> list[Figure]:
        """Return the rate with the claims as they are and with reworded claims, over the same attackers."""
        search, figures = self.only(reworded.able), []
        before = self.guesses(knowledge, k)[reworded.able]
        for words, numbers in ((AS_WRITTEN, before), (IN_OTHER_WORDS, reworded.guesses)):
            figure = search.rate(numbers, "bm25", "merged", knowledge, k)
            figures.append(replace(figure, name=REWORDED, setting={**figure.setting, "claims": words}))
        return figures

    def only(self, chosen: IntArray) -> Search:
        """Return the search by the attackers with the numbers ``chosen`` only."""
        claims = [self.claims[number] for number in chosen]
        return Search(self.texts, self.owners, self.numbers[chosen], claims, self.seed)

    def rate(self, guesses: IntArray, linker: str, query: str, knowledge: Knowledge, k: int) -> Figure:
        """Return how often ``guesses`` are right."""
        hits = int((self.owners[guesses] == self.numbers).sum())
        setting: Setting = {"linker": linker, "query": query, "knowledge": knowledge, "k": k}
        return Figure(RATE, share(hits, len(self.numbers)), setting, "low")
