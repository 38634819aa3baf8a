"""The search for people in a release: every way of looking is done once, and its rate of success is a figure."""

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
"""Rewords claims; None where no answer came."""

RATE, REWORDED = "linkage rate", "linkage rate, claims reworded"


@dataclass(frozen=True, eq=False)
class Search:
    """Attackers who know ``claims`` of the originals ``numbers`` and look for them among the released ``texts``.

    ``owners`` are the originals that the texts belong to, -1 for none.
    """

    texts: Sequence[str]
    owners: IntArray
    numbers: IntArray
    claims: Sequence[Sequence[str]]
    seed: int = 0
    _found: dict[tuple[Knowledge, int], IntArray] = field(default_factory=dict, repr=False)

    @cached_property
    def bm25(self) -> BM25:
        """The index, built once."""
        return BM25(self.texts)

    def held(self, knowledge: Knowledge, k: int) -> list[Held]:
        """What each attacker knows."""
        return held(self.claims, knowledge, k, self.seed)

    def found(self, knowledge: Knowledge, k: int) -> IntArray:
        """The text that each attacker finds by BM25 with one query."""
        if (knowledge, k) not in self._found:
            self._found[knowledge, k] = linked(self.bm25, self.held(knowledge, k), self.seed)
        return self._found[knowledge, k]

    def merged(self, knowledge: Knowledge, k: int) -> Figure:
        """How often :meth:`found` is right."""
        return self._rate(self.found(knowledge, k), "bm25", "merged", knowledge, k)

    def majority(self, released: Sequence[Sequence[str]], cut: str, knowledge: Knowledge, k: int) -> Figure:
        """The rate by vote over the parts ``released`` of the texts; ``cut`` says what the parts are."""
        guesses = voted(BM25, released, self.held(knowledge, k), self.seed)
        figure = self._rate(guesses, "bm25", "majority", knowledge, k)
        return replace(figure, setting={**figure.setting, "released": cut})

    def by(self, linker: Linker, name: str, knowledge: Knowledge, k: int) -> Figure:
        """The rate of another linker over the texts."""
        return self._rate(linked(linker, self.held(knowledge, k), self.seed), name, "merged", knowledge, k)

    def reworded(self, paraphrase: Paraphrasing, knowledge: Knowledge, k: int) -> tuple[list[Figure], int]:
        """The rate with claims in other words beside that with the claims as they stand, and how many were lost.

        Both are over the attackers who know at least one claim in other words.
        """
        asked = self.held(knowledge, k)
        answers = iter(paraphrase([claim for one in asked for claim in one.known]))
        heard = [Held(tuple(next(answers) or "" for _ in one.known), one.hidden) for one in asked]
        heard = [replace(one, known=tuple(claim for claim in one.known if claim)) for one in heard]
        there = np.array([bool(one.known) for one in heard], dtype=bool)
        lost = sum(len(one.known) - len(other.known) for one, other in zip(asked, heard, strict=True))
        told = self.some(there)
        guesses = linked(self.bm25, [one for one in heard if one.known], self.seed)
        figures = []
        for words, found in (("as written", self.found(knowledge, k)[there]), ("reworded", guesses)):
            figure = told._rate(found, "bm25", "merged", knowledge, k)
            figures.append(replace(figure, name=REWORDED, setting={**figure.setting, "claims": words}))
        return figures, lost

    def some(self, chosen: NDArray[np.bool_]) -> Search:
        """The ``chosen`` attackers only."""
        claims = [own for own, inside in zip(self.claims, chosen, strict=True) if inside]
        return Search(self.texts, self.owners, self.numbers[chosen], claims, self.seed)

    def _rate(self, guesses: IntArray, linker: str, query: str, knowledge: Knowledge, k: int) -> Figure:
        hits = int((self.owners[guesses] == self.numbers).sum())
        setting: Setting = {"linker": linker, "query": query, "knowledge": knowledge, "k": k}
        return Figure(RATE, share(hits, len(self.numbers)), setting, "low")
