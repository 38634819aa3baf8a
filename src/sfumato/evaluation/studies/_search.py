"""The search for people in a release: every method of search runs once, and its success rate is a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.linkage import BM25, Held, Knowledge, Linker, held, linked, voted
from sfumato.evaluation.results import Figure, Setting
from sfumato.metrics.estimates import share
from sfumato.types import IntArray

Paraphrasing = Callable[[Sequence[str]], list[str | None]]
"""Rewords claims; None for a claim without an answer."""

RATE, REWORDED = "linkage rate", "linkage rate, claims reworded"


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
    _guesses: dict[tuple[Knowledge, int], IntArray] = field(default_factory=dict, repr=False)

    @cached_property
    def bm25(self) -> BM25:
        """Return the index, built once."""
        return BM25(self.texts)

    def held(self, knowledge: Knowledge, k: int) -> list[Held]:
        """Return the claims that each attacker knows."""
        return held(self.claims, knowledge, k, self.seed)

    def guesses(self, knowledge: Knowledge, k: int) -> IntArray:
        """Return the number of the text that each attacker finds by BM25 with one query, shape (attackers,)."""
        if (knowledge, k) not in self._guesses:
            self._guesses[knowledge, k] = linked(self.bm25, self.held(knowledge, k), self.seed)
        return self._guesses[knowledge, k]

    def merged(self, knowledge: Knowledge, k: int) -> Figure:
        """Return how often :meth:`guesses` is right."""
        return self._rate(self.guesses(knowledge, k), "bm25", "merged", knowledge, k)

    def majority(self, released: Sequence[Sequence[str]], cut: str, knowledge: Knowledge, k: int) -> Figure:
        """Return the rate by vote over the parts ``released`` of the texts; ``cut`` names the kind of parts."""
        guesses = voted(BM25, released, self.held(knowledge, k), self.seed)
        figure = self._rate(guesses, "bm25", "majority", knowledge, k)
        return replace(figure, setting={**figure.setting, "released": cut})

    def by(self, linker: Linker, name: str, knowledge: Knowledge, k: int) -> Figure:
        """Return the rate of another linker over the texts."""
        return self._rate(linked(linker, self.held(knowledge, k), self.seed), name, "merged", knowledge, k)

    def reworded(self, paraphrase: Paraphrasing, knowledge: Knowledge, k: int) -> tuple[list[Figure], int]:
        """Return the rate with reworded claims and that with the claims as they are, and how many claims were lost.

        Both are over the attackers who know at least one claim in other words.
        """
        attackers = self.held(knowledge, k)
        answers = iter(paraphrase([claim for attacker in attackers for claim in attacker.known]))
        reworded = [
            Held(tuple(next(answers) or "" for _ in attacker.known), attacker.hidden) for attacker in attackers
        ]
        reworded = [replace(each, known=tuple(claim for claim in each.known if claim)) for each in reworded]
        able = np.array([bool(each.known) for each in reworded], dtype=bool)
        lost = sum(len(before.known) - len(after.known) for before, after in zip(attackers, reworded, strict=True))
        search = self.only(able)
        guesses = linked(self.bm25, [each for each in reworded if each.known], self.seed)
        figures = []
        for words, numbers in (("as written", self.guesses(knowledge, k)[able]), ("reworded", guesses)):
            figure = search._rate(numbers, "bm25", "merged", knowledge, k)
            figures.append(replace(figure, name=REWORDED, setting={**figure.setting, "claims": words}))
        return figures, lost

    def only(self, chosen: NDArray[np.bool_]) -> Search:
        """Return the search by the ``chosen`` (attackers,) only."""
        claims = [own for own, inside in zip(self.claims, chosen, strict=True) if inside]
        return Search(self.texts, self.owners, self.numbers[chosen], claims, self.seed)

    def _rate(self, guesses: IntArray, linker: str, query: str, knowledge: Knowledge, k: int) -> Figure:
        hits = int((self.owners[guesses] == self.numbers).sum())
        setting: Setting = {"linker": linker, "query": query, "knowledge": knowledge, "k": k}
        return Figure(RATE, share(hits, len(self.numbers)), setting, "low")
