"""Differences and separations: their intervals hold what they should as often as they should, and have power."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.metrics.estimates import difference, mean, share
from sfumato.metrics.guesses import auc, hits_at


def test_a_difference_of_shares_covers_the_truth_and_finds_a_real_one() -> None:
    draw, covered, found = np.random.default_rng(0), 0, 0
    for _ in range(200):
        alike = difference(share(int(draw.binomial(60, 0.1)), 60), share(int(draw.binomial(80, 0.1)), 80))
        covered += alike.low <= 0.0 <= alike.high
        apart = difference(share(int(draw.binomial(60, 0.4)), 60), share(int(draw.binomial(80, 0.1)), 80))
        found += apart.low > 0.0
    assert covered >= 188
    assert found >= 150


def test_two_rates_of_zero_are_not_a_certain_difference_of_zero() -> None:
    none = difference(share(0, 30), share(0, 30))
    assert none.value == 0.0
    assert none.low < -0.05
    assert none.high > 0.05


def test_a_difference_of_means_is_that_of_the_values() -> None:
    draw = np.random.default_rng(1)
    first, second = mean(draw.normal(1, 1, 400), 0), mean(draw.normal(0, 1, 400), 0)
    apart = difference(first, second)
    assert apart.low < 1.0 < apart.high
    assert apart.high - apart.low == pytest.approx(2 * 1.96 * np.sqrt(2 / 400), rel=0.15)
    assert apart.n == 800


def test_the_area_is_the_share_of_pairs_and_covers_the_truth() -> None:
    assert auc(np.array([1.0, 2.0]), np.array([1.0, 0.0, 3.0])).value == pytest.approx(3.5 / 6)
    draw, covered, found = np.random.default_rng(2), 0, 0
    for _ in range(200):
        others = draw.normal(0, 1, 70)
        alike = auc(draw.normal(0, 1, 50), others)
        covered += alike.low <= 0.5 <= alike.high
        found += auc(draw.normal(1, 1, 50), others).low > 0.5
    assert covered >= 186
    assert found >= 195


def test_areas_of_separated_scores_have_an_interval() -> None:
    for sign, value in ((1.0, 1.0), (-1.0, 0.0)):
        area = auc(sign * np.ones(20), sign * np.zeros(20))
        assert area.value == value
        assert 0.05 < area.high - area.low < 0.3
    assert np.isnan(auc(np.zeros(0), np.zeros(3)).value)


def test_hits_at_few_false_alarms() -> None:
    draw = np.random.default_rng(3)
    others, ranks = draw.normal(0, 1, 1000), np.arange(1000.0)
    assert hits_at(ranks, ranks, 0.01, 0).value == 0.01  # type: ignore[union-attr]
    alike = hits_at(draw.normal(0, 1, 1000), others, 0.01, 0)
    apart = hits_at(draw.normal(2, 1, 1000), others, 0.01, 0)
    assert alike is not None
    assert apart is not None
    assert alike.low <= 0.01 <= alike.high
    assert apart.low > 0.2
    assert hits_at(ranks, ranks[:99], 0.01, 0) is None
    equal = hits_at(np.zeros(200), np.zeros(200), 0.01, 0)
    assert equal is not None
    assert equal.value == 0.0
    assert equal.high > 0.01
