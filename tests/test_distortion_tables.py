"""The parts of the distortion paper's tables that need no model: answers, counts, overlaps and choices."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = str(Path(__file__).parents[1] / "benchmarks")
sys.path.append(BENCHMARKS)
try:
    import answer_defences
    import ndd_speed
    import recogniser
    from reproduction_ndd import overlap
    from tagged_sentences import Entity, Sentence, document, entities
finally:
    sys.path.remove(BENCHMARKS)

ANSWERS = np.array([[0.9, 0.08, 0.02], [0.2, 0.5, 0.3]])


@pytest.mark.parametrize(
    "defended",
    [
        answer_defences.softened(ANSWERS),
        answer_defences.reverse_sigmoid(ANSWERS, beta=0.5),
        answer_defences.most_least(ANSWERS),
        answer_defences.perturbed(ANSWERS, np.random.default_rng(0)),
    ],
)
def test_defended_answers_are_probabilities(defended: np.ndarray) -> None:
    assert defended.min() >= 0.0
    assert defended.sum(axis=1) == pytest.approx([1.0, 1.0])


def test_softening_and_the_reverse_sigmoid_keep_the_order_and_lose_certainty() -> None:
    for defended in (answer_defences.softened(ANSWERS), answer_defences.reverse_sigmoid(ANSWERS, beta=0.5)):
        assert (defended.argsort(axis=1) == ANSWERS.argsort(axis=1)).all()
        assert defended[0, 0] < 0.8


def test_softening_divides_the_scores() -> None:
    odds = np.log(answer_defences.softened(ANSWERS, 2.0))
    assert odds[0, 0] - odds[0, 1] == pytest.approx(np.log(0.9 / 0.08) / 2)


def test_most_and_least_tells_two_classes_alone() -> None:
    assert answer_defences.most_least(ANSWERS, 0.1).tolist() == [[0.6, 0.0, 0.4], [0.4, 0.6, 0.0]]


def test_noise_is_as_large_as_it_is_said_to_be() -> None:
    even = np.full((4000, 2), 0.5)
    moved = answer_defences.perturbed(even, np.random.default_rng(1), 0.05)[:, 0] - 0.5
    assert moved.std() == pytest.approx(0.05 / np.sqrt(2), rel=0.1)  # what both classes share is normalised away


def test_a_nasty_teacher_is_right_and_answers_unlike_an_honest_one() -> None:
    pytest.importorskip("torch")
    inputs = np.random.default_rng(2).normal(size=(80, 4))
    labels = (inputs[:, 0] > 0).astype(int)
    honest = np.column_stack([1.0 - labels, labels]) * 0.6 + 0.2
    plain, nasty = (answer_defences.undermined(inputs, labels, honest, 0, weight)(inputs) for weight in (0.0, 0.02))
    assert (nasty.argmax(axis=1) == labels).mean() > 0.9
    apart = [float((honest * np.log(honest / own)).sum()) for own in (plain, nasty)]
    assert apart[1] > apart[0]


def test_entities_of_tags() -> None:
    assert entities(["B-a", "I-a", "B-a", "O", "I-b", "I-a"]) == [
        Entity(0, 2, "a"), Entity(2, 3, "a"), Entity(4, 5, "b"), Entity(5, 6, "a"),
    ]  # fmt: skip


def test_the_spans_of_a_sentence_are_those_of_its_entities() -> None:
    made = document(0, Sentence(("in", "New", "York", "!"), ("O", "B-x", "I-x", "O")))
    [(start, end, label)] = made.metadata["spans"]
    assert (made.text[start:end], label) == ("New York", "x")


def test_counts_tell_places_from_labels() -> None:
    test = [Sentence(("a", "b", "c"), ("B-x", "O", "B-y"))]
    assert recogniser.counts(test, [["B-x", "O", "B-x"]]) == [[2, 1, 2, 2]]


def test_f1_is_the_mean_over_seeds_and_its_gain_is_paired() -> None:
    good, bad = [[2, 1, 2, 2]] * 50, [[1, 0, 2, 2]] * 50
    assert recogniser.f1([good, bad]).tolist() == [75.0, 25.0]
    assert recogniser.interval([good], [bad]) == [(50.0, 50.0, 50.0), (50.0, 50.0, 50.0)]


def test_the_interval_covers_what_sentences_change() -> None:
    mixed = [[1, 1, 1, 1]] * 30 + [[0, 0, 1, 1]] * 30
    value, low, high = recogniser.interval([mixed])[0]
    assert value == 50.0
    assert 35 < low < 42
    assert 58 < high < 65


def test_overlap_counts_words_in_order() -> None:
    assert overlap("a b c d", "a x c d e f") == 0.75
    assert overlap("a b", "b a") == 0.5


def test_the_same_choice_and_what_another_one_loses() -> None:
    exact = [0.0, *[1.0] * 7, *[1.0] * 7, 0.0]
    other = [0.0, *[1.0] * 7, 0.0, *[1.0] * 7]
    assert ndd_speed.same_choice(exact, other) == (1, 2)
    assert ndd_speed.lost(exact, exact) == 0.0
    assert ndd_speed.lost(exact, other) == pytest.approx(0.5 / 0.875)
