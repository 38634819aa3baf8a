"""Linkage bracketed: identity is linked, redaction is not, random text as often as by chance."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from sfumato.attacks.claim_judges import EmbeddingJudge
from sfumato.attacks.linkage import Held, held, linked, voted
from sfumato.attacks.linkers import BM25, Dense, Fused
from sfumato.errors import ConfigurationError

pytest.importorskip("bm25s")

COLORS = ("red", "green", "blue", "black", "white", "grey", "brown")
ANIMALS = ("cat", "dog", "horse", "cow", "goat", "hen", "fox")
CLAIMS = [(f"the {one} {two} sleeps", f"{two} number {n} eats", f"a {one} house {n}") for n, (one, two) in
          enumerate((one, two) for one in COLORS for two in ANIMALS)]  # fmt: skip
RECORDS = [". ".join(own) for own in CLAIMS]


class Letters:
    """An encoder that counts letters and figures."""

    id = "letters"

    def encode(self, phrases: list[str], progress: object = None) -> np.ndarray:
        found = np.array(
            [[phrase.count(sign) for sign in "abcdefghijklmnopqrstuvwxyz0123456789"] for phrase in phrases]
        )
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)


@pytest.mark.parametrize("knowledge", ["first", "random", "last"])
def test_identity_is_linked(knowledge: str) -> None:
    guesses = linked(BM25(RECORDS), held(CLAIMS, knowledge, 2))  # type: ignore[arg-type]
    assert (guesses == np.arange(len(RECORDS))).mean() > 0.95


def test_other_linkers_link_too() -> None:
    own = np.arange(len(RECORDS))
    asked = held(CLAIMS, "first", 2)
    assert (voted(BM25, CLAIMS, asked) == own).mean() > 0.8
    by_meaning = voted(partial(Dense, encoder=Letters()), CLAIMS, asked)  # type: ignore[arg-type]
    assert (by_meaning == own).mean() > 0.8
    assert (voted(partial(Dense, encoder=Letters()), CLAIMS[1:] + CLAIMS[:1], asked) == own).mean() < 0.2  # type: ignore[arg-type]
    assert (linked(Dense(RECORDS, Letters()), asked) == own).mean() > 0.5  # type: ignore[arg-type]


@pytest.mark.parametrize("redacted", ["", "[NAME]", "\x00"])
def test_redaction_is_linked_by_chance_only(redacted: str) -> None:
    asked = held(CLAIMS, "random", 2)
    rates = [
        (linked(BM25([redacted] * len(RECORDS)), asked, seed) == np.arange(len(RECORDS))).mean() for seed in range(40)
    ]
    expected = 1 / len(RECORDS)
    assert abs(np.mean(rates) - expected) < 5 * np.sqrt(expected / (40 * len(RECORDS)))
    assert np.mean(rates) > 0  # ties are not always lost either


def test_shuffled_records_are_found_where_they_are() -> None:
    order = np.random.default_rng(3).permutation(len(RECORDS))
    guesses = linked(BM25([RECORDS[n] for n in order]), held(CLAIMS, "first", 3))
    assert (order[guesses] == np.arange(len(RECORDS))).mean() > 0.95


def test_what_is_held_and_what_is_hidden() -> None:
    claims = [tuple("abcdef"), ("x",), (), ("p", "q")]
    first, last = held(claims, "first", 2), held(claims, "last", 2)
    assert first[0] == Held(tuple("ab"), tuple("cdef"))
    assert last[0] == Held(tuple("ef"), tuple("abcd"))
    assert first[1] == Held(("x",), ())
    assert first[2] == Held((), ())
    assert first[3] == Held(("p",), ("q",))  # something is always left to learn
    several = held([tuple("abcdef")] * 200, "random", 3, seed=5)
    assert several == held([tuple("abcdef")] * 200, "random", 3, seed=5)
    assert len({one.known for one in several}) > 10
    assert all(len(one.known) == 3 and sorted(one.known + one.hidden) == list("abcdef") for one in several)


@pytest.mark.parametrize(("knowledge", "k"), [("some", 3), ("first", 0), ("first", 101)])
def test_other_knowledge_is_refused(knowledge: str, k: int) -> None:
    with pytest.raises(ConfigurationError):
        held(CLAIMS, knowledge, k)  # type: ignore[arg-type]


def test_the_judge_passes_placeholders_over() -> None:
    claims, gone = [["abc def 12"]], [["abc [PERSON_NAME] def 12", "****"], ["[REDACTED]", "<DATE> **", "…"]]
    judge, reads = EmbeddingJudge(Letters()), EmbeddingJudge(Letters(), marks=True)  # type: ignore[arg-type]
    assert judge.distances(claims, gone[:1]) == [[0.0]]
    assert judge.similarities(claims, gone[:1]) == [[pytest.approx(1.0)]]
    assert judge.distances(claims, gone[1:]) == [[1.0]]  # nothing is left of it
    assert judge.similarities(claims, [["[brackets] of one's own"]]) == reads.similarities(
        claims, [["[brackets] of one's own"]]
    )


def test_the_index_tells_nothing_whatever_others_made_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"):
        assert BM25(["the river rose", "a dog slept"]).scores(["river"])[0].argmax() == 0
    assert caplog.records == []


def test_words_of_which_no_stem_is_left_are_searched_for_nowhere() -> None:
    """Porter's stem of a lone "s" is empty, which the index takes for a word of its own."""
    linker = BM25(["the patient's hip", "a dog's s", "s"])
    assert linker.scores(["s s"]).tolist() == [[0.0, 0.0, 0.0]]
    assert linker.scores(["patients"])[0].argmax() == 0


@pytest.mark.parametrize("gone", ["", "[NAME]"])
def test_fusion_of_a_redacted_release_prefers_no_record(gone: str) -> None:
    records = [gone] * 9
    linker = Fused((BM25(records), Dense(records, Letters())))  # type: ignore[arg-type]
    scores = linker.scores(["the red cat"])
    assert np.ptp(scores) == 0.0
    assert linker.sure(scores).tolist() == [0.0]


def test_fusion_finds_what_either_part_finds() -> None:
    own, asked = np.arange(len(RECORDS)), held(CLAIMS, "first", 2)
    words, meaning = BM25(RECORDS), Dense(RECORDS, Letters())  # type: ignore[arg-type]
    rates = [(linked(linker, asked) == own).mean() for linker in (Fused((words, meaning)), words, meaning)]
    assert rates[0] >= min(rates[1:])
    assert rates[0] > 0.8
    ranked = Fused((words, words)).scores(["the red cat sleeps"])[0]
    assert ranked.max() == pytest.approx(2 / 61)  # the first of both
    assert Fused((words,)).scores([]).shape == (0, len(RECORDS))
