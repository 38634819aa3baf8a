"""ROUGE-L against the reference library, and bracketed."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.attacks.linkage import held, linked
from sfumato.attacks.rouge import RougeJudge, RougeL, record_distances

pytest.importorskip("rouge_score")

WORDS = np.array(["a", "b", "c", "d", "e", "f", "g", "red", "green", "blue"])


def texts(count: int, length: int, seed: int) -> list[str]:
    draw = np.random.default_rng(seed)
    return [" ".join(draw.choice(WORDS, draw.integers(0, length))) for _ in range(count)]


def test_the_length_is_that_of_the_reference() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"])
    queries, records = [*texts(12, 9, 1), "A. b-c 38.5!"], [*texts(12, 100, 2), "", "b 38 5 a C"]
    found = RougeL(records).scores(queries)
    for query, row in zip(queries, found, strict=True):
        expected = [scorer.score(query, record)["rougeL"].recall for record in records]
        assert row == pytest.approx(expected)


def test_identity_is_linked_and_redaction_by_chance() -> None:
    claims = [(f"person {n} sleeps in room {n * 7}", f"number {n} eats soup", f"house {n} is red") for n in range(40)]
    records = [". ".join(own) for own in claims]
    asked, truth = held(claims, "random", 2), np.arange(40)
    assert (linked(RougeL(records), asked) == truth).mean() > 0.9
    chance = [(linked(RougeL(["[X]"] * 40), asked, seed) == truth).mean() for seed in range(30)]
    assert 0 < np.mean(chance) < 0.1


def test_distances_by_hand() -> None:
    claims = [["the red cat sleeps", "", "a dog"], ["a dog"]]
    records = [["it is red", "the old red cat never sleeps"], []]
    assert RougeJudge().distances(claims, records) == [[0.0, 1.0, 1.0], [1.0]]
    [[half]] = RougeJudge().distances([["cat the sleeps red"]], [["the red cat sleeps"]])
    assert half == 0.5  # the order counts


def test_the_distance_of_records_is_that_of_the_reference() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"])
    originals, records = [*texts(20, 40, 3), "", "a b", ""], [*texts(20, 90, 4), "a", "", ""]
    pairs = zip(originals, records, strict=True)
    expected = [1.0 - scorer.score(own, other)["rougeL"].fmeasure for own, other in pairs]
    assert record_distances(originals, records) == pytest.approx(expected)
    assert record_distances(["the red cat"], ["the red cat"]) == [0.0]
    # an unchanged record that also holds more is not at distance 0, as it is by recall
    assert record_distances(["the red cat"], ["the red cat and a dog"]) == [pytest.approx(1 / 3)]
