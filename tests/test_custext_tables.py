"""The pure parts of the scripts that play the CusText paper's tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
counter_fitting = pytest.importorskip("counter_fitting")
custext_tasks = pytest.importorskip("custext_tasks")
masks = pytest.importorskip("reproduction_custext_masks")


def cosine(rows: Any, first: int, second: int) -> float:
    return float(rows[first] @ rows[second])


def test_counter_fitting_pulls_synonyms_together_and_pushes_antonyms_apart() -> None:
    rows = np.random.default_rng(0).normal(size=(6, 8))
    rows[3] = rows[2] + 0.3  # neighbours, and antonyms
    rows[5] = rows[4] + 0.01  # neighbours that no list names
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    made = counter_fitting.fitted(rows, np.array([[0, 1]]), np.array([[2, 3]]), rounds=60)
    assert np.allclose(np.linalg.norm(made, axis=1), 1.0)
    assert cosine(made, 0, 1) > max(0.9, cosine(rows, 0, 1))
    assert cosine(made, 2, 3) < 0.5 < 0.8 < cosine(rows, 2, 3)
    assert cosine(made, 4, 5) == pytest.approx(cosine(rows, 4, 5), abs=1e-6)


def test_a_correlation_and_an_accuracy_have_an_interval_around_them() -> None:
    right = custext_tasks.score([(1.0, 1.0)] * 75 + [(0.0, 1.0)] * 25, numeric=False)
    assert right.value == 0.75
    assert 0.6 < right.low < 0.7 < 0.8 < right.high < 0.9
    numbers = [(float(n), float(n)) for n in range(50)]
    assert custext_tasks.score(numbers, numeric=True).value == pytest.approx(1.0)
    assert custext_tasks.score([(2.0, label) for _, label in numbers], numeric=True).value == 0.0


def test_protection_is_the_share_of_wrong_guesses_and_its_interval_is_over_records() -> None:
    many = masks.protection([*range(100)], [1.0] * 20 + [0.0] * 80)
    few = masks.protection([0] * 50 + [1] * 50, [1.0] * 20 + [0.0] * 80)
    assert many.value == few.value == 0.8
    assert many.high - many.low < few.high - few.low == pytest.approx(0.4)


def test_words_without_a_vector_stay_and_others_are_drawn_one_by_one(make_vocabulary: Any) -> None:
    from sfumato import mechanism

    vocabulary = make_vocabulary(np.random.default_rng(1).normal(size=(8, 3)).tolist(), [*"abcdefgh"])
    made = mechanism("custext", vocabulary, 0.5, set_size=8)
    texts = ["a zz a a a a a a a a a a", "b !"]
    released = custext_tasks.sanitized(made, texts, seed=1)
    assert released == custext_tasks.sanitized(made, texts, seed=1)
    assert released != custext_tasks.sanitized(made, texts, seed=2)
    assert released[0].split()[1] == "zz"
    assert released[1].split()[1] == "!"
    assert len(set(released[0].split()) - {"zz"}) > 2
    assert set(" ".join(released).split()) <= {*"abcdefgh", "zz", "!"}
