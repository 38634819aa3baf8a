"""Laws in whole numbers: what rounding keeps, what the loss is, and that draws have exactly this law."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from sfumato.errors import GuaranteeError
from sfumato.privacy.integer_law import TOTAL, integer_loss, integer_weights, log_ratio, running_sums
from sfumato.privacy.randomness import RandomDraws, SeededRandomness, SystemRandomness
from sfumato.privacy.set_law import SetLaw
from sfumato.types import IntArray

LAW = np.array([[0.5, 0.25, 0.125, 0.125], [0.1, 0.2, 0.3, 0.4]])


def one_set(weights: IntArray) -> SetLaw:
    """The law of a vocabulary that is one set."""
    size = len(weights)
    return SetLaw(np.arange(size), np.array([0, size]), np.zeros(size, dtype=np.int64), (weights,))


@given(st.lists(st.floats(0.0, 1e300), min_size=1, max_size=40).filter(lambda row: sum(row) > 0.0))
def test_rounding_keeps_the_sum_the_zeros_and_every_outcome_that_a_law_gives(row: list[float]) -> None:
    if not math.isfinite(sum(row)):
        return
    weights = integer_weights(np.array([row]))[0]
    assert weights.sum() == TOTAL
    assert [weight > 0 for weight in weights] == [value > 0 for value in row]
    others = np.arange(len(row)) != int(np.argmax(row))
    exact = [Fraction(value) / sum(map(Fraction, row)) * TOTAL for value in row]
    for weight, share in zip(weights[others], [exact[i] for i in np.flatnonzero(others)], strict=True):
        assert weight >= share * (1 - Fraction(1, 2**45))
        assert weight <= share * (1 + Fraction(1, 2**45)) + 1


def test_the_loss_is_the_largest_log_ratio_and_is_never_below_the_exact_one() -> None:
    weights = integer_weights(LAW)
    exact = max(Fraction(int(a), int(b)) for column in weights.T for a in column for b in column)
    loss = integer_loss(weights)
    assert loss == pytest.approx(math.log(5.0), rel=1e-14)
    assert math.exp(loss) >= float(exact)
    assert integer_loss(np.array([[TOTAL, 0], [TOTAL - 1, 1]])) == math.inf
    assert integer_loss(np.array([[TOTAL, 0], [TOTAL, 0]])) == 0.0


@given(st.integers(1, TOTAL), st.integers(1, TOTAL))
def test_a_log_ratio_is_rounded_up(first: int, second: int) -> None:
    mpmath = pytest.importorskip("mpmath")
    larger, smaller = max(first, second), min(first, second)
    with mpmath.workdps(60):
        exact = mpmath.log(mpmath.mpf(larger) / smaller)
        assert exact <= log_ratio(larger, smaller) <= exact * (1 + mpmath.mpf(2) ** -48)


@pytest.mark.parametrize("row", [[0.0, 0.0], [-0.1, 1.1], [math.nan, 1.0], [math.inf, 1.0], [1e308, 1e308]])
def test_what_is_no_law_is_refused(row: list[float]) -> None:
    with pytest.raises(GuaranteeError):
        integer_weights(np.array([row]))


def test_weights_that_miss_a_unit_are_refused() -> None:
    weights = integer_weights(LAW)
    weights[0, 0] -= 1
    with pytest.raises(GuaranteeError):
        running_sums(weights)


def test_draws_have_the_law_and_not_one_near_by() -> None:
    n = 40_000
    laws = one_set(integer_weights(np.concatenate([LAW, LAW])))
    for row, law in enumerate(LAW):
        drawn = laws.draw(np.full(n, row), SeededRandomness(row).integers(n, 1, _contexts(n))[:, 0])
        counts = np.bincount(drawn, minlength=4)
        assert chisquare(counts, law * n).pvalue > 1e-4
        other = law**1.1 / (law**1.1).sum()
        assert chisquare(counts, other * n).pvalue < 1e-6


def test_every_number_decides_as_the_sums_say() -> None:
    laws = one_set(np.array([[1, TOTAL - 3, 2, 0]] * 4))
    edges = [0, TOTAL - 4, TOTAL - 3, TOTAL - 2, TOTAL - 1]
    words = np.array([edge << 2 for edge in edges] + [(TOTAL - 1 << 2) + 3], dtype=np.uint64)
    assert laws.draw(np.zeros(len(words), dtype=np.int64), words).tolist() == [1, 1, 2, 2, 0, 0]


def test_integers_share_nothing_with_the_uniforms_of_their_contexts() -> None:
    source, contexts = SeededRandomness(3), _contexts(50)
    words = source.integers(50, 1, contexts)[:, 0]
    fractions = source.uniforms(50, 1, contexts)[:, 0]
    assert not np.isclose(words.astype(np.float64) / 2.0**64, fractions, rtol=1e-9).any()
    np.testing.assert_array_equal(words, source.integers(50, 1, contexts)[:, 0])
    draws: Any = RandomDraws(SystemRandomness(), 5)
    assert draws.words(2).shape == (5, 2)
    assert draws(3).shape == (5, 3)


def _contexts(n: int) -> list[bytes]:
    return [number.to_bytes(8, "little") for number in range(n)]
