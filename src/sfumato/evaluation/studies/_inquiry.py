"""What attackers learn from the records that they found, beyond what they knew.

Paper: A False Sense of Privacy (§2, Appendices D.3 and D.6). Its overlap judges the claims that an attacker does not
hold against those held, as if these were the record: how much the attacker needed no release for. Its distance with
reworded claims judges the records that are found by the same claims in other words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sfumato.abstract.models import Encoder
from sfumato.attacks.chat_judges import ChatJudge
from sfumato.attacks.claim_judges import EmbeddingJudge, Judge
from sfumato.attacks.linkage import Held, Knowledge
from sfumato.attacks.rouge import record_distances
from sfumato.errors import MissingExtraError
from sfumato.evaluation.results import Figure, Setting
from sfumato.evaluation.studies._claim_distances import (
    OVERLAP,
    ROUGE_OF_RECORDS,
    SEMANTIC_REWORDED,
    ClaimDistances,
    claim_distances,
)
from sfumato.evaluation.studies._search import AS_WRITTEN, IN_OTHER_WORDS, Reworded, Search
from sfumato.metrics.estimates import mean, mean_of_rows
from sfumato.types import Progress

Released = dict[str, tuple[str, ...] | None]
"""Released texts and their claims; None where the splitter gave no answer."""

Splitting = Callable[[Sequence[str]], Released]
"""Splits released texts into claims."""


@dataclass(frozen=True, eq=False)
class Inquiry:
    """The attackers of a ``search`` numbered ``judged``, by ``knowledge`` of ``k`` claims, and what each found."""

    search: Search
    judged: Sequence[int]
    judge: Judge
    encoder: Encoder
    knowledge: Knowledge
    k: int
    seed: int = 0

    @cached_property
    def attackers(self) -> list[Held]:
        """Return what each of them knows, and what would be new."""
        attackers = self.search.held(self.knowledge, self.k)
        return [attackers[number] for number in self.judged]

    @cached_property
    def found(self) -> list[str]:
        """Return the text that each of them found."""
        guesses = self.search.guesses(self.knowledge, self.k)
        return [self.search.texts[guesses[number]] for number in self.judged]

    @property
    def _hidden(self) -> list[tuple[str, ...]]:
        return [attacker.hidden for attacker in self.attackers]

    @property
    def _setting(self) -> Setting:
        return {"knowledge": self.knowledge, "k": self.k}

    def distances(self, split: Splitting, progress: Progress | None = None) -> ClaimDistances:
        """Return the distances of the claims that they did not hold to the records that they found."""
        claims = split(self.found)
        records = [claims[text] for text in self.found]
        return claim_distances(self.judge, self.encoder, self._hidden, records, self._setting, progress)

    def of_records(self, originals: Sequence[str]) -> list[Figure]:
        """Return the distance by words of their ``originals`` to the records found; nothing without rouge-score."""
        try:
            by_words = mean(record_distances(originals, self.found), self.seed)
        except MissingExtraError:  # the distances of claims say so
            return []
        return [Figure(ROUGE_OF_RECORDS, by_words, {**self._setting, "judge": "ROUGE-L"}, "high")]

    def overlap(self) -> Figure:
        """Return the distance of the claims that they did not hold to those held.

        Embeddings take the place of a language model, which would be asked as many questions again.
        """
        judge = EmbeddingJudge(self.encoder) if isinstance(self.judge, ChatJudge) else self.judge
        apart = judge.distances(self._hidden, [attacker.known for attacker in self.attackers])
        estimate = mean_of_rows(apart, self.seed, "claims")
        return Figure(OVERLAP, estimate, {**self._setting, "judge": judge.name}, "high")

    def reworded(self, reworded: Reworded, plain: ClaimDistances, split: Splitting) -> list[Figure]:
        """Return the distance by the judge to what is found by the claims as they are, and by reworded ones.

        Both are over the attackers who know at least one claim in other words. Where these find the same record as
        before, its distances in ``plain`` count; nothing is judged twice.
        """
        guesses = dict(zip(reworded.able.tolist(), reworded.guesses.tolist(), strict=True))
        now = {row: self.search.texts[guesses[n]] for row, n in enumerate(self.judged) if n in guesses}
        others = {row: text for row, text in now.items() if text != self.found[row]}
        claims = split(list(others.values()))
        read = {row: record for row, text in others.items() if (record := claims[text]) is not None}
        hidden = self._hidden
        anew = dict(zip(read, self.judge.distances([hidden[n] for n in read], list(read.values())), strict=True))
        rows = [row for row in now if row in read or row not in others]
        setting: Setting = {**self._setting, "judge": self.judge.name}
        of_rows = {
            AS_WRITTEN: [plain.semantic[row] for row in rows],
            IN_OTHER_WORDS: [anew.get(row, plain.semantic[row]) for row in rows],
        }
        return [
            Figure(SEMANTIC_REWORDED, mean_of_rows(values, self.seed, "claims"), {**setting, "claims": words}, "high")
            for words, values in of_rows.items()
        ]
