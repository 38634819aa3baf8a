"""The linkage study without models: bracketed, sampled, each text split once, nothing concluded without an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sfumato.attacks.claim_judges import EmbeddingJudge, Judge
from sfumato.attacks.linkage import sentences
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies import linkage
from sfumato.evaluation.studies._claim_distances import (
    AGREEMENT,
    BY_RECORD,
    EMBEDDING_DISTANCE,
    LEAKAGE,
    LEAKED,
    LEXICAL,
    OVERLAP,
    ROUGE_DISTANCE,
    ROUGE_OF_RECORDS,
    SEMANTIC,
    SEMANTIC_REWORDED,
)
from sfumato.evaluation.studies._search import AS_WRITTEN, IN_OTHER_WORDS
from sfumato.evaluation.studies.linkage import RATE, REWORDED, LinkageStudy

pytest.importorskip("bm25s")
pytest.importorskip("rouge_score")

NAMES = [f"{first}{last}" for first in ("ka", "lo", "mi", "nu", "pe") for last in ("ran", "sol", "tek", "vid", "wof")]
TEXTS = [
    f"{name.title()} lives at {n * 7} Elm Street. The rent is {n * 31 + 400}. {name.title()} has {n + 2} cats. "
    f"In {1900 + n} a flood came. Doctor {name[::-1]} was called. Nobody paid."
    for n, name in enumerate(NAMES)
]
MEASURES = (SEMANTIC, LEXICAL, ROUGE_DISTANCE, ROUGE_OF_RECORDS, EMBEDDING_DISTANCE, BY_RECORD)
LINKERS = (
    ("bm25", "merged"), ("bm25", "majority"), ("ROUGE-L", "merged"), ("embeddings", "merged"),
    ("embeddings", "majority"),
)  # fmt: skip


class Words:
    """An encoder that counts words."""

    id = "words"
    dimensions = 512

    def encode(self, phrases: Sequence[str], progress: object = None) -> np.ndarray:
        found = np.zeros((len(phrases), 512))
        for row, phrase in zip(found, phrases, strict=True):
            for word in phrase.lower().replace(".", " ").split():
                row[sum(ord(sign) * 31**at for at, sign in enumerate(word)) % 512] += 1
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)


class Sentences:
    """A splitter at sentences that counts what it is given; texts with ``unreadable`` in them have no answer."""

    description = "sentences"

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()

    def split(self, texts: Sequence[str], progress: object = None) -> list[tuple[str, ...] | None]:
        self.seen.update(texts)
        return [None if "unreadable" in text else sentences(text) for text in texts]


def study(released: Sequence[str | None], **more: Any) -> Study:
    given = {"encoder": Words(), "judge": EmbeddingJudge(Words()), "splitter": Sentences(), **more}
    pairs = more.pop("pairs", None) or Pairs([f"r{n}" for n in range(len(TEXTS))], TEXTS, released)
    given.pop("pairs", None)
    return LinkageStudy(**given).run(pairs)


def value(found: Study, name: str, **setting: Any) -> float:
    figure = found.figure(name, **setting)
    assert figure is not None, (name, setting)
    return figure.estimate.value


def test_identity_redaction_and_random_text() -> None:
    draw = np.random.default_rng(0)
    words = " ".join(TEXTS).split()
    same, gone, other = (
        study(one) for one in (TEXTS, ["[X]"] * 25, [" ".join(draw.choice(words, 30)) for _ in TEXTS])
    )
    for linker, query in LINKERS:
        assert value(same, RATE, linker=linker, query=query, k=3) >= 0.9
        assert value(gone, RATE, linker=linker, query=query, k=3) <= 0.3
        assert value(other, RATE, linker=linker, query=query, k=3) <= 0.5
    for measure in MEASURES:
        assert value(same, measure) == pytest.approx(0.0, abs=1e-9)
        assert value(gone, measure) == 1.0
        assert 0.2 < value(other, measure) < 1.0 or measure == SEMANTIC
    assert value(other, SEMANTIC) > 0.5
    assert {one.setting["with"] for one in other.figures if one.name == AGREEMENT} <= {"words", "ROUGE-L", "cosine"}
    assert same.facts["people"] == same.facts["candidates"] == same.facts["judged"] == 25
    assert set(same.records["worst"]) <= {f"r{n}" for n in range(25)}
    assert sum(same.records["distances"].values()) == 25


def test_every_text_is_split_once() -> None:
    splitter = Sentences()
    released = [f"{text} Twice." for text in TEXTS]
    study(released, splitter=splitter)
    assert set(splitter.seen.values()) == {1}
    assert len(splitter.seen) == 50


def test_a_sample_of_people_among_all_records() -> None:
    found = study(TEXTS, targets=10, judged=4)
    assert (found.facts["people"], found.facts["candidates"], found.facts["judged"]) == (10, 25, 4)
    assert all(one.estimate.n == 10 for one in found.figures if one.name == RATE)
    assert any("15 records" in one.what and "sample" in one.why for one in found.skipped)
    assert found.as_json() == study(TEXTS, targets=10, judged=4).as_json()
    shuffled = TEXTS[1:] + TEXTS[:1]
    assert value(study(shuffled, targets=10), RATE, linker="bm25", query="merged") == 0.0


def test_a_long_release_is_cut_at_sentences_for_the_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    short = study(TEXTS).figure(RATE, query="majority")
    monkeypatch.setattr(linkage, "_SPLIT_FREELY", 100)
    monkeypatch.setattr(linkage, "_PAIRS", 20)
    splitter = Sentences()
    found = study([f"{text} Twice." for text in TEXTS], splitter=splitter, judged=5, targets=5)
    assert short is not None
    assert short.setting["released"] == "claims"
    assert value(found, RATE, query="majority", released="sentences") >= 0.8
    assert len(splitter.seen) <= 10  # five originals, and what was found of them
    assert "linkage by ROUGE-L" in {one.what for one in found.skipped}
    assert found.figure(RATE, linker="ROUGE-L") is None


def test_what_has_no_answer_is_missing_and_counted() -> None:
    originals = [*TEXTS[:20], *(f"unreadable {text}" for text in TEXTS[20:])]
    released = [f"unreadable {text}" if n < 8 else text for n, text in enumerate(TEXTS)]
    found = study(released, pairs=Pairs([str(n) for n in range(25)], originals, released))
    assert found.facts["people"] == 20
    assert any("5 records" in one.what and "no readable answer" in one.why for one in found.skipped)
    assert any("8 found records" in one.what for one in found.skipped)
    figure = found.figure(SEMANTIC)
    assert figure is not None
    assert figure.estimate.value == 0.0  # 1 if those unread counted as telling nothing
    assert len(found.records["worst"]) == 12


def test_a_vote_by_embeddings_of_many_claims_is_for_those_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linkage, "_DENSE_FREELY", 100)
    how = {"linker": "embeddings", "query": "majority"}
    found = study(TEXTS)
    assert found.figure(RATE, **how) is None
    assert found.figure(RATE, linker="embeddings", query="merged") is not None
    assert ["add --dense" in one.why for one in found.skipped if one.what == "linkage by embeddings and vote"] == [
        True
    ]
    assert value(study(TEXTS, dense=True), RATE, **how) >= 0.9


def test_the_claims_held_may_tell_of_the_others() -> None:
    """Appendix D.3 of the paper: the claims held take the place of the record."""
    twice = [f"{text.split('.')[0]}. {text.split('.')[0]} still." for text in TEXTS]
    told = value(study(twice, pairs=Pairs([str(n) for n in range(25)], twice, twice), k=1), OVERLAP)
    apart = value(study(TEXTS, k=1), OVERLAP)
    assert told < 0.1 < 0.5 < apart
    # whatever is released
    assert value(study(["[X]"] * 25, k=1), OVERLAP) == apart


class Silent(Judge):
    name = "silent"

    def distances(self, claims: Any, records: Any, progress: Any = None) -> list[list[float | None]]:
        return [[None] * len(own) for own in claims]


def test_a_judge_that_says_nothing() -> None:
    found = study(TEXTS, judge=Silent())
    figure = found.figure(SEMANTIC)
    assert figure is not None
    assert figure.estimate.n == 0
    assert np.isnan(figure.estimate.value)
    assert value(found, LEXICAL) == 0.0
    assert any("judgment of" in one.what for one in found.skipped)


def test_paraphrased_knowledge_beside_the_claims_as_they_stand() -> None:
    def reworded(claims: Sequence[str]) -> list[str | None]:
        return [None if "rent" in claim else claim.replace("lives", "dwells") for claim in claims]

    found = study(TEXTS, paraphrased_knowledge=reworded)
    plain, heard = (value(found, REWORDED, claims=words) for words in ("as written", "reworded"))
    assert plain >= heard > 0.5
    assert any("rewording of" in one.what for one in found.skipped)
    silent = study(TEXTS, paraphrased_knowledge=lambda claims: [None] * len(claims))
    figure = silent.figure(REWORDED, claims="reworded")
    assert figure is not None
    assert figure.estimate.n == 0


class Counting(EmbeddingJudge):
    """The judge by embeddings, which counts the claims that it is given against records (not against claims held)."""

    seen = 0

    def distances(self, claims: Any, records: Any, progress: Any = None) -> list[list[float | None]]:
        type(self).seen += sum(map(len, claims))
        return super().distances(claims, records, progress)


def test_reworded_claims_lead_to_other_records_and_these_are_judged() -> None:
    def distances(paraphrase: Any, **more: Any) -> list[float]:
        found = study(TEXTS, paraphrased_knowledge=paraphrase, **more)
        return [value(found, SEMANTIC_REWORDED, claims=words) for words in (AS_WRITTEN, IN_OTHER_WORDS)]

    assert distances(lambda claims: list(claims)) == [0.0, 0.0]
    as_written, other = distances(lambda claims: ["nothing of it"] * len(claims))
    assert as_written == 0.0
    assert other > 0.3
    # who is told of another person finds that one
    swapped = {claim: other for own, next_one in zip(TEXTS, TEXTS[1:] + TEXTS[:1], strict=True)
               for claim, other in zip(sentences(own), sentences(next_one), strict=True)}  # fmt: skip
    assert distances(lambda claims: [swapped[claim] for claim in claims])[1] > 0.3
    judge = Counting(Words())
    distances(lambda claims: list(claims), judge=judge)
    unchanged = Counting.seen
    distances(lambda claims: ["nothing of it"] * len(claims), judge=judge)
    assert Counting.seen > 2 * unchanged  # where another record is found, it is judged; otherwise nothing is twice


class Kinds:
    def of(self, claims: Sequence[str], progress: Any = None) -> list[tuple[str, ...] | None]:
        kinds = {"rent": ("money",), "cats": ("pets", "home"), "Nobody": (), "flood": None}
        return [next((kind for word, kind in kinds.items() if word in one), ("other",)) for one in claims]


def test_leakage_by_category() -> None:
    released = [text.replace(" cats", " [X]").replace(" has ", " [X] ") for text in TEXTS]
    found = study(released, sorter=Kinds())
    leaks = {str(one.setting["category"]): one.estimate for one in found.figures if one.name == LEAKAGE}
    assert set(leaks) == {"money", "pets", "home", "other"}
    assert leaks["money"].value == 1.0 > leaks["pets"].value == leaks["home"].value
    counted = {str(one.setting["category"]): one.estimate for one in found.figures if one.name == LEAKED}
    assert set(counted) == set(leaks)
    assert counted["money"].value == counted["pets"].value == 1.0  # in part is enough, as the paper counts
    assert [counted[kind].n for kind in leaks] == [leaks[kind].n for kind in leaks]
    gone = study(["[X]"] * 25, sorter=Kinds())
    assert {one.estimate.value for one in gone.figures if one.name == LEAKED} == {0.0}
    told = {(one.what, one.why) for one in found.skipped}
    assert any("could not be sorted" in why for _, why in told)
    assert any("sorter gave no readable answer" in why for _, why in told)
    few = study(released, sorter=Kinds(), judged=2)
    assert not [one for one in few.figures if one.name == LEAKAGE and one.estimate.n < 5]


def test_a_release_without_records_of_its_own() -> None:
    found = study([], pairs=Pairs([str(n) for n in range(25)], TEXTS, [None] * 25, strays=TEXTS[::-1]))
    assert RATE in {one.what for one in found.skipped}
    assert value(found, SEMANTIC) == 0.0


@pytest.mark.parametrize(
    ("originals", "released", "strays"),
    [
        (TEXTS[:1], TEXTS[:1], []),
        (TEXTS[:3], ["", "", ""], []),
        (TEXTS[:3], [None, None, None], []),
        (TEXTS[:3], [TEXTS[0], None, ""], ["a stray", ""]),
        (TEXTS[:1] * 4, TEXTS[:1] * 4, []),
        (["", " ", "one"], ["", " ", "one"], []),
    ],
)
def test_odd_files_give_figures_or_a_reason(
    originals: list[str], released: list[str | None], strays: list[str]
) -> None:
    found = study([], pairs=Pairs([str(n) for n in range(len(originals))], originals, released, strays))
    assert found.figures or found.skipped
    for one in found.figures:
        assert np.isnan(one.estimate.value) or -1 <= one.estimate.value <= 1
    if "" in released and released.count("") == 3:
        assert value(found, SEMANTIC) == 1.0
