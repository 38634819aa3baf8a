"""What is measured of one release for the tables of A False Sense of Privacy; figures only, no text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from linkage_cases import CHATS, Case, reworded

from sfumato.attacks.claim_judges import EmbeddedSorter, EmbeddingJudge, kinds
from sfumato.attacks.claims import DEFAULT_PIPELINE, ClauseSplitter
from sfumato.detectors.identifiers import Identifiers
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.studies._claim_distances import ROUGE_DISTANCE, SEMANTIC
from sfumato.evaluation.studies._inquiry import Inquiry, Released
from sfumato.evaluation.studies._search import Search
from sfumato.evaluation.studies.files import Memory, RememberingEncoder, RememberingSplitter
from sfumato.evaluation.studies.linkage import LinkageStudy
from sfumato.metrics.estimates import Estimate, mean_by_record, share
from sfumato.metrics.similarity import mauve_score
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.models.spacy.pipelines import load_pipeline
from sfumato.text.document import Document
from sfumato.text.sentences import spaced_words

BINS = 10
SPACY, SHIPPED = "spaCy's entities", "sfumato's detector"


class Measures:
    """Measures of releases by one encoder and one splitter, which remember; ``judged`` people are judged."""

    def __init__(self, judged: int, seed: int = 0) -> None:
        self.judged, self.seed = judged, seed
        self.encoder = RememberingEncoder(SentenceEncoder(), Memory(60_000))
        self.splitter = RememberingSplitter(ClauseSplitter())
        self.judge = EmbeddingJudge(self.encoder)

    def study(self, case: Case) -> dict[str, Any]:
        """Every figure of the linkage study, with claims reworded by synonyms beside the claims as they are."""
        sorter = EmbeddedSorter(self.encoder, kinds("chat" if case.data == CHATS else "clinical"))
        made = LinkageStudy(
            self.encoder, self.judge, judged=self.judged, dense=True, worst=0, seed=self.seed, sorter=sorter,
            splitter=self.splitter, targets=case.most, paraphrased_knowledge=reworded,
        )  # fmt: skip
        pairs = Pairs([str(number) for number in range(len(case.before))], case.before, case.after)
        return made.run(pairs).as_json()

    def search(self, case: Case) -> Search:
        """The same attackers and records as the study's."""
        claims = {number: own for number, own in enumerate(self.splitter.split(case.before)) if len(own) > 1}
        owners = np.arange(len(case.after))
        return Search(case.after, owners, np.array(list(claims)), list(claims.values()), self.seed)

    def inquiry(self, search: Search, knowledge: Any, k: int) -> Inquiry:
        """What those who are judged found."""
        judged = drawn(len(search.claims), self.judged, self.seed, 7)
        return Inquiry(search, judged, self.judge, self.encoder, knowledge, k, self.seed)

    def _split(self, texts: Sequence[str]) -> Released:
        distinct = list(dict.fromkeys(texts))
        return dict(zip(distinct, self.splitter.split(distinct), strict=True))

    def by_number(self, case: Case) -> list[dict[str, Any]]:
        """For each number of last claims: the distance to what is found, and the overlap with what was held."""
        search, rows = self.search(case), list[dict[str, Any]]()
        for k in range(1, 6):
            inquiry = self.inquiry(search, "last", k)
            distance = inquiry.distances(self._split).figures(self.seed)[0].estimate
            rows.append({"distance": distance.as_json(), "overlap": inquiry.overlap().estimate.as_json()})
        return rows

    def spread(self, case: Case) -> dict[str, Any]:
        """How many people have a distance of nothing, of everything, and in between; the linker's failures apart."""
        search = self.search(case)
        inquiry = self.inquiry(search, "random", 3)
        guesses = search.guesses("random", 3)[inquiry.judged]
        missed = search.owners[guesses] != search.numbers[inquiry.judged]
        rows = inquiry.distances(self._split).by_record()
        told = np.array([(value, miss) for value, miss in zip(rows, missed, strict=True) if value is not None])
        values, misses = told[:, 0], told[:, 1] > 0
        counts = np.histogram(values, BINS, (0.0, 1.0))[0]
        high = values >= 1.0 - 1.0 / BINS
        return {
            "people": len(values), "none": int((values == 0.0).sum()), "all": int((values == 1.0).sum()),
            "counts": counts.tolist(), "missed": int(misses.sum()), "high": int(high.sum()),
            "high missed": int((high & misses).sum()),
        }  # fmt: skip

    def details(self, case: Case) -> dict[str, Any]:
        """The share of personal details, not among the claims held, that the record found has no more, by finder."""
        search = self.search(case)
        inquiry = self.inquiry(search, "random", 3)
        originals = [case.before[number] for number in search.numbers[inquiry.judged]]
        found = [spaced_words(text) for text in inquiry.found]
        held = [spaced_words(" ".join(attacker.known)) for attacker in inquiry.attackers]
        finders: dict[str, Callable[[Sequence[str]], list[set[str]]]] = {SPACY: _entities, SHIPPED: _identifiers}
        shares = {}
        for name, finder in finders.items():
            gone = [
                (float(detail not in found[row]), row)
                for row, details in enumerate(finder(originals))
                for detail in sorted(details) if detail not in held[row]
            ]  # fmt: skip
            estimate = mean_by_record([value for value, _ in gone], [row for _, row in gone], self.seed, "details")
            shares[name] = estimate.as_json()
        return shares

    def other_words(self, case: Case) -> dict[str, Any]:
        """The linkage rate and both distances if every claim of the originals, held or judged, is in other words."""
        plain = self.search(case)
        claims = [tuple(filter(None, reworded(own))) for own in plain.claims]
        search = Search(plain.texts, plain.owners, plain.numbers, claims, self.seed)
        figures = self.inquiry(search, "random", 3).distances(self._split).figures(self.seed)
        by_name = {figure.name: figure.estimate.as_json() for figure in figures}
        found = search.rate(search.guesses("random", 3), "bm25", "merged", "random", 3)
        return {"lexical": by_name[ROUGE_DISTANCE], "semantic": by_name[SEMANTIC], "found": found.estimate.as_json()}

    def marks(self, case: Case) -> dict[str, Any]:
        """The semantic distance by a judge that reads placeholders as words."""
        inquiry = self.inquiry(self.search(case), "random", 3)
        strict = replace(inquiry, judge=EmbeddingJudge(self.encoder, marks=True))
        return strict.distances(self._split).figures(self.seed)[0].estimate.as_json()

    def mauve(self, case: Case) -> dict[str, Any]:
        """MAUVE of originals and release. Raises MissingExtraError without mauve-text."""
        before, after = (self.encoder.encode(texts) for texts in (case.before, case.after))
        return mauve_score(before, after, self.seed).as_json()

    def bigrams(self, case: Case) -> dict[str, Any]:
        """ROUGE-2 precision of the reworded claims against the claims, and how many are unchanged."""
        from rouge_score.rouge_scorer import RougeScorer

        inquiry = self.inquiry(self.search(case), "random", 3)
        known = [" ".join(attacker.known) for attacker in inquiry.attackers]
        others = [" ".join(filter(None, reworded(attacker.known))) for attacker in inquiry.attackers]
        scorer = RougeScorer(["rouge2"])
        scores = [scorer.score(text, other)["rouge2"].precision for text, other in zip(known, others, strict=True)]
        same = sum(text == other for text, other in zip(known, others, strict=True))
        return {"bigrams": float(np.mean(scores)), "unchanged": share(same, len(known)).as_json()}


def estimate(kept: dict[str, Any]) -> Estimate:
    """The estimate of a figure as it was kept."""
    return Estimate(**{name: kept[name] for name in ("value", "low", "high", "n", "of")})


def _entities(texts: Sequence[str]) -> list[set[str]]:
    nlp = load_pipeline(DEFAULT_PIPELINE)
    return [
        {spaced_words(entity.text) for entity in parsed.ents} - {"  "} for parsed in nlp.pipe(texts, batch_size=64)
    ]


def _identifiers(texts: Sequence[str]) -> list[set[str]]:
    marks = Identifiers().detect([Document(text) for text in texts])
    return [
        {spaced_words(text[span[0] : span[1]]) for span in own} - {"  "}
        for text, own in zip(texts, marks, strict=True)
    ]
