"""The linkage study: how often a person is re-identified, and what the found record discloses in addition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.abstract.chat import ChatModel, Question
from sfumato.abstract.models import Encoder
from sfumato.attacks import chat_judges, verified_linkage
from sfumato.attacks.chat_judges import ChatCategories, ChatJudge, ChatSplitter, paraphrased
from sfumato.attacks.claim_judges import EmbeddedSorter, EmbeddingJudge, EntailmentJudge, Judge, Sorter, kinds
from sfumato.attacks.claims import ClauseSplitter, Splitter
from sfumato.attacks.linkage import Knowledge, sentences
from sfumato.attacks.linkers import BM25, Dense, Fused, Linker
from sfumato.attacks.rouge import RougeL
from sfumato.building.chat import ChatChoice
from sfumato.errors import MissingExtraError
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.results import Figure, Skipped, Study
from sfumato.evaluation.studies._claim_distances import (
    BY_RECORD,
    EMBEDDING_DISTANCE,
    LEXICAL,
    ROUGE_DISTANCE,
    ROUGE_OF_RECORDS,
    SEMANTIC,
    ClaimDistances,
)
from sfumato.evaluation.studies._inquiry import Inquiry, Released
from sfumato.evaluation.studies._learned import BY_LAW, by_training, law_of
from sfumato.evaluation.studies._search import (
    RATE,
    REWORDED,
    Paraphrasing,
    Parts,
    Reworded,
    Search,
)
from sfumato.evaluation.studies._verifying import verified
from sfumato.models.entailment import EntailmentModel
from sfumato.types import Progress, part_of

__all__ = ["CLAIMS_A_RECORD", "RATE", "REWORDED", "LinkageStudy", "Paraphrasing", "Search"]

CLAIMS_A_RECORD = "claims_a_record"
"""The setting that says how many claims a record of the originals has on average."""
_KINDS: tuple[Knowledge, ...] = ("first", "random", "last")
_DENSE_FREELY = 2_000  # records up to which embedding all of them is quick
_SPLIT_FREELY = 2_000_000  # characters of a release up to which all of it is split for the vote
_PAIRS = 250_000  # of an attacker and a record, compared by ROUGE-L: about ten seconds
_FEWEST = 25  # attackers for whom that is worth it


@dataclass(frozen=True, eq=False)
class LinkageStudy(Measure):
    """Searches a release for people by linkers, kinds and numbers of known claims, and judges what is found.

    ``knowledge`` and ``k`` are the setting of the judged attack; the other kinds of knowledge and 1 to 5 claims are
    tried with the same linker. If there are more than ``targets`` people, so many are drawn at random; they
    are searched for among all records. ``judged`` of them, drawn at random, are judged, because that takes longest.
    The vote is over all claims of a small release; over its sentences if it is large or ``split_all`` is False.
    ``dense`` links by embeddings too (None: if the release is small). The ids of the ``worst`` records are kept.
    ``sorter`` sorts the judged claims into categories, ``paraphrased_knowledge`` rewords the claims held.
    ``verifier`` extracts profiles of the records and verifies whom they are about. The statement beside ``release``
    names the law of its words.
    """

    encoder: Encoder
    judge: Judge
    knowledge: Knowledge = "random"
    k: int = 3
    judged: int = 1000
    dense: bool | None = None
    worst: int = 20
    seed: int = 0
    splitter: Splitter = field(default_factory=ClauseSplitter)
    targets: int = 1000
    split_all: bool = True
    sorter: Sorter | None = None
    paraphrased_knowledge: Paraphrasing | None = None
    verifier: ChatModel | None = None
    release: Path | None = None

    may_ask: ClassVar[bool] = True
    compared: ClassVar[Mapping[str, Mapping[str, str]]] = {
        name: {} for name in (SEMANTIC, LEXICAL, ROUGE_DISTANCE, ROUGE_OF_RECORDS, EMBEDDING_DISTANCE, BY_RECORD)
    }

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """Return a readable answer to a question of splitter, judge, sorter or verifier, without a model."""
        return chat_judges.dry_run_answer(question) or verified_linkage.dry_run_answer(question)

    @classmethod
    def of(cls, bench: Bench) -> LinkageStudy:
        """Return the study with what is on the ``bench``."""
        plan, chat = bench.plan, bench.chat
        judge: Judge = EmbeddingJudge(bench.encoder)
        if plan.entailment is not None:
            judge = EntailmentJudge(EntailmentModel(plan.entailment))
        made = partial(
            cls, bench.encoder, knowledge=plan.knowledge, k=plan.claims, judged=plan.sample,
            dense=True if plan.dense else None, seed=plan.seed, release=bench.release,
        )  # fmt: skip
        if chat is None:
            sorter = EmbeddedSorter(bench.encoder, kinds(plan.kinds))
            splitter = bench.splitter or ClauseSplitter()
            return made(judge=judge, splitter=splitter, sorter=sorter, targets=max(plan.sample, 1000))
        if plan.entailment is None:
            judge = ChatJudge(chat, plan.chat.votes if plan.chat else ChatChoice.votes)
        return made(
            judge=judge, splitter=ChatSplitter(chat, plan.texts == "chats"),
            sorter=ChatCategories(chat, kinds(plan.kinds)), targets=plan.sample, split_all=False,
            paraphrased_knowledge=partial(paraphrased, chat) if plan.paraphrased_knowledge else None, verifier=chat,
        )  # fmt: skip

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return all rates, and all distances of claims, on ``pairs``."""
        report = progress or (lambda _: None)
        texts, owners = pairs.candidates
        if not texts:
            return Study("linkage", skipped=[Skipped("linkage", "the release holds no records")])
        people = drawn(len(pairs), self.targets, self.seed, 5)
        originals = [pairs.originals[number] for number in people]
        claims = self.splitter.split(originals, part_of(report, 0.0, 0.3))
        unread = claims.count(None)
        able = {number: own for number, own in zip(people, claims, strict=True) if own is not None and len(own) > 1}
        skipped = _left_out(len(people) - len(able) - unread, unread, len(pairs) - len(people))
        if not able:
            return Study("linkage", skipped=skipped)
        search = Search(texts, np.array(owners), np.array(list(able)), list(able.values()), self.seed)
        figures: list[Figure] = []
        released: Released = {}
        reworded: Reworded | None = None
        answers: dict[str, int] = {}
        if pairs.linkable:
            if self.split_all and sum(map(len, texts)) <= _SPLIT_FREELY:
                released = self._released(texts, part_of(report, 0.3, 0.2))
            if self.paraphrased_knowledge is not None:
                reworded = search.reworded(self.paraphrased_knowledge, self.knowledge, self.k)
            figures, more = self._rates(search, pairs, released, reworded)
            skipped += more
            if self.verifier is not None:
                told = verified(
                    search, self.verifier, self.encoder, self.knowledge, self.k, bool(self.dense),
                    part_of(report, 0.5, 0.1),
                )  # fmt: skip
                figures, skipped, answers = [*figures, *told.figures], [*skipped, *told.skipped], told.counts
        else:
            skipped.append(Skipped(RATE, "no released record is known to belong to an original"))
        report(0.6)
        judged = drawn(len(search.claims), self.judged, self.seed, 7)
        inquiry = Inquiry(search, judged, self.judge, self.encoder, self.knowledge, self.k, self.seed)
        split = (lambda _: released) if released else self._released
        distances = inquiry.distances(split, part_of(report, 0.6, 0.35))
        figures += distances.figures(self.seed)
        figures += inquiry.of_records([pairs.originals[number] for number in search.numbers[judged]])
        figures.append(inquiry.overlap())
        if reworded is not None:
            figures += inquiry.reworded(reworded, distances, split)
        if self.sorter is not None:
            leaks, more = distances.by_category(self.sorter, self.seed)
            figures += leaks
            skipped += more
        report(1.0)
        claims_a_record = round(sum(map(len, search.claims)) / len(search.claims), 2)
        facts = {
            "claims": self.splitter.description, "judge": self.judge.name, CLAIMS_A_RECORD: claims_a_record,
            "people": len(search.claims), "candidates": len(texts), "judged": len(distances.claims),
            **({"verified": answers} if answers else {}),
        }  # fmt: skip
        records = self._records([pairs.ids[search.numbers[index]] for index in judged], distances)
        return Study("linkage", figures, [*skipped, *distances.skipped], records, facts)

    def _released(self, texts: Sequence[str], progress: Progress | None = None) -> Released:
        """Return the claims of released ``texts``, each split once."""
        distinct = list(dict.fromkeys(texts))
        return dict(zip(distinct, self.splitter.split(distinct, progress), strict=True))

    def _rates(
        self, search: Search, pairs: Pairs, released: Released, reworded: Reworded | None
    ) -> tuple[list[Figure], list[Skipped]]:
        """Return the linkage rate by knowledge, by number of claims and by linker."""
        tried = [(kind, self.k) for kind in _KINDS] + [(self.knowledge, k) for k in range(1, 6) if k != self.k]
        rates = [search.rate(search.guesses(kind, k), "bm25", "merged", kind, k) for kind, k in tried]
        rates += search.recall_by_words(self.knowledge, self.k)
        parts = (
            Parts([released[text] or () for text in search.texts], "claims")
            if released
            else Parts([sentences(text) for text in search.texts], "sentences")
        )
        rates.append(search.majority(BM25, "bm25", parts, self.knowledge, self.k))
        skipped: list[Skipped] = []
        for figures, why in (self._by_rouge(search), self._by_embeddings(search, parts, pairs)):
            rates += figures
            skipped += why
        if reworded is not None:
            rates += search.rates_reworded(reworded, self.knowledge, self.k)
            if reworded.lost:
                why_lost = "the model gave no readable answer"
                skipped.append(Skipped(f"rewording of {reworded.lost:,} claims", why_lost))
        return rates, skipped

    def _by_rouge(self, search: Search) -> tuple[list[Figure], list[Skipped]]:
        people = min(len(search.claims), _PAIRS // len(search.texts))
        if people < min(_FEWEST, len(search.claims)):
            why = f"comparing each of {len(search.texts):,} records by ROUGE-L takes too long"
            return [], [Skipped("linkage by ROUGE-L", why)]
        chosen = np.array(drawn(len(search.claims), people, self.seed, 13), dtype=np.int64)
        try:
            return search.only(chosen).by(RougeL(search.texts), "ROUGE-L", self.knowledge, self.k), []
        except MissingExtraError as error:
            return [], [Skipped("linkage by ROUGE-L", str(error), again=True)]

    def _by_embeddings(self, search: Search, parts: Parts, pairs: Pairs) -> tuple[list[Figure], list[Skipped]]:
        few = len(search.texts) <= _DENSE_FREELY
        if not (self.dense or (self.dense is None and few)):
            slow = f"embedding {len(search.texts):,} records takes long; add --dense to run it"
            return [], [Skipped("linkage by embeddings", "not asked for" if few else slow)]
        dense = Dense(search.texts, self.encoder)
        rates = search.by(dense, "embeddings", self.knowledge, self.k)
        rates += search.by(Fused((search.bm25, dense)), "bm25 and embeddings", self.knowledge, self.k)
        law, skipped = law_of(self.release, search.texts, pairs)
        if law is not None:
            rates += search.by(law, BY_LAW, self.knowledge, self.k)
        scored: list[Linker] = [search.bm25, dense, *([] if law is None else [law])]
        for figures, why in (
            by_training(search, scored, self.knowledge, self.k), self._by_vote_of_embeddings(search, parts)
        ):  # fmt: skip
            rates += figures
            skipped += why
        return rates, skipped

    def _by_vote_of_embeddings(self, search: Search, parts: Parts) -> tuple[list[Figure], list[Skipped]]:
        count = sum(map(len, parts.parts))
        if not self.dense and count > _DENSE_FREELY:
            slow = f"embedding {count:,} {parts.cut} takes long; add --dense to run it"
            return [], [Skipped("linkage by embeddings and vote", slow)]
        build = partial(Dense, encoder=self.encoder)
        return [search.majority(build, "embeddings", parts, self.knowledge, self.k)], []

    def _records(self, ids: Sequence[str], distances: ClaimDistances) -> dict[str, Any]:
        """Return the records that disclose most, by id, and the histogram of the distances."""
        means = {name: value for name, value in zip(ids, distances.by_record(), strict=True) if value is not None}
        lowest = sorted(means, key=lambda name: (means[name], name))[: self.worst]
        counts, edges = np.histogram(list(means.values()), bins=10, range=(0.0, 1.0))
        histogram = {f"{low:.1f}": float(count) for low, count in zip(edges, counts, strict=False)}
        return {"worst": {name: means[name] for name in lowest}, "distances": histogram}


def _left_out(short: int, unread: int, others: int) -> list[Skipped]:
    """Return how many originals were not searched for, and why."""
    reasons = [
        (short, "fewer than two claims, so that nothing is left to learn"),
        (unread, "the splitter gave no readable answer"),
        (others, "a sample was drawn; they remain among the records that are searched"),
    ]
    return [Skipped(f"linkage of {count:,} record{'s' if count > 1 else ''}", why) for count, why in reasons if count]
