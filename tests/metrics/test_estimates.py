"""Intervals against values computed by hand, and their coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.metrics.estimates import mean, mean_by_record, nothing, share, share_by_record
from sfumato.metrics.guesses import accuracy, advantage, macro_f1


def test_a_share_has_the_clopper_pearson_interval() -> None:
    assert share(0, 10).high == pytest.approx(1 - 0.025 ** (1 / 10))
    assert share(10, 10).low == pytest.approx(0.025 ** (1 / 10))
    assert (share(0, 10).low, share(10, 10).high) == (0.0, 1.0)
    assert share(5, 10).value == 0.5
    assert math.isnan(share(0, 0).value)


def test_the_interval_of_a_mean_holds_it_as_often_as_it_says() -> None:
    draw = np.random.default_rng(0)
    hits = 0
    for seed in range(300):
        found = mean(draw.normal(3.0, 1.0, 60), seed)
        assert found.low <= found.value <= found.high
        hits += found.low <= 3.0 <= found.high
    assert 0.89 < hits / 300 < 0.985


def test_records_are_resampled_as_wholes() -> None:
    values, owners = [0.0] * 50 + [1.0] * 50, [0] * 50 + [1] * 50
    wide, narrow = mean_by_record(values, owners, 0, "claims"), mean(values, 0)
    assert wide.value == narrow.value == 0.5
    assert (wide.low, wide.high) == (0.0, 1.0)  # two records only
    assert narrow.high - narrow.low < 0.25


def test_answers_of_one_record_do_not_count_as_independent() -> None:
    """Words of a record are guessed together. Counted one by one, the exact interval misses far too often."""
    draw, covered, naively = np.random.default_rng(5), 0, 0
    owners = np.repeat(np.arange(25), 20)
    for seed in range(200):
        right = (draw.random(500) < draw.beta(0.4, 1.6, 25)[owners]).astype(float)  # 0.2 on average
        found, alone = share_by_record(right, owners.tolist(), seed, "words"), share(int(right.sum()), 500)
        covered += found.low <= 0.2 <= found.high
        naively += alone.low <= 0.2 <= alone.high
    assert covered / 200 >= 0.93
    assert naively / 200 < 0.8


def test_few_uneven_records_are_covered() -> None:
    """Most hits are in very few records: the spread of those that were seen says little."""
    draw, missed = np.random.default_rng(5), 0
    owners = np.repeat(np.arange(10), 30)
    for seed in range(120):
        right = (draw.random(300) < draw.beta(0.05, 0.95, 10)[owners]).astype(float)  # 0.05 on average
        missed += share_by_record(right, owners.tolist(), seed, "words").high < 0.05
    assert missed / 120 <= 0.05


def test_hits_of_one_record_alone_show_little() -> None:
    """Five hits in one of ten records: neither the words one by one nor the resamples show how little that is."""
    right, owners = [1.0] * 5 + [0.0] * 495, [number // 50 for number in range(500)]
    found = share_by_record(right, owners, 0, "words")
    assert found.value == 0.01
    assert found.high > 2 * share(5, 500).high
    assert found.high > 1.5 * mean_by_record(right, owners, 0, "words").high


def test_without_a_hit_a_record_counts_once() -> None:
    owners = [number // 50 for number in range(500)]
    none, every = share_by_record([0.0] * 500, owners, 0, "words"), share_by_record([1.0] * 500, owners, 0, "words")
    assert (none.value, none.low, none.high, none.n) == (0.0, 0.0, share(0, 10).high, 500)
    assert (every.low, every.high) == (share(10, 10).low, 1.0)
    assert math.isnan(share_by_record([], [], 0, "words").value)


def test_no_records_give_no_figure() -> None:
    assert all(math.isnan(one.value) and one.n == 0 for one in (mean([], 0), nothing()))


def test_classification_by_hand() -> None:
    labels, guesses = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 0, 0])
    assert accuracy(guesses, labels).value == 0.5
    assert advantage(guesses, labels, 0).value == 0.0
    assert macro_f1(guesses, labels, 0).value == pytest.approx((4 / 7 + 1 / 2 + 0) / 3)
    assert advantage(labels, labels, 0).value == pytest.approx(0.5)
