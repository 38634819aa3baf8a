"""Integer noise follows the exact law of the discrete Gaussian; what looks like it is rejected by the same test."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, product
from math import exp
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sfumato.errors import GuaranteeError
from sfumato.privacy import discrete_noise
from sfumato.privacy.discrete_noise import discrete_gaussian, discrete_laplace
from sfumato.privacy.randomness import PinnedRandomness, SeededRandomness, SystemRandomness

ACCEPT, REJECT = 1e-4, 1e-9


def words(seed: int) -> Any:
    return SeededRandomness(seed).words(b"noise")


def law(variance: float, reach: int) -> Any:
    weights = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * variance))
    return weights / weights.sum()


def fit(drawn: Any, variance: float) -> float:
    """p-value of the chi-squared test against the exact law; each tail with under 12 expected draws is one bin."""
    reach = int(12 * variance**0.5) + 3
    expected = law(variance, reach) * len(drawn)
    seen = np.bincount(np.clip(drawn, -reach, reach) + reach, minlength=len(expected))
    rare = max(1, int(np.searchsorted(np.cumsum(expected), 12.0)))
    binned = [np.concatenate([[row[:rare].sum()], row[rare:-rare], [row[-rare:].sum()]]) for row in (seen, expected)]
    return float(stats.chisquare(*binned, sum_check=False).pvalue)


@pytest.mark.law
@pytest.mark.parametrize("variance", [Fraction(1, 4), Fraction(1), Fraction(7, 3), Fraction(121), Fraction(5.7) ** 2])
def test_integer_noise_follows_its_law_and_no_other(variance: Fraction) -> None:
    drawn = discrete_gaussian(variance, 30_000, words(3))
    assert fit(drawn, float(variance)) > ACCEPT
    for factor in (0.9, 1.1):
        assert fit(drawn, float(variance) * factor**2) < REJECT, factor
    if variance <= 1:  # a continuous normal number, rounded, is another law
        rounded = np.rint(np.random.default_rng(3).normal(0.0, float(variance) ** 0.5, 30_000)).astype(int)
        assert fit(rounded, float(variance)) < REJECT


def test_the_chance_of_every_outcome_is_exact_for_a_short_stream() -> None:
    """Fed with words of which every combination comes once, a coin falls as often as its chance says, to the last."""
    steps = [number << 56 for number in range(256)]
    heads = sum(discrete_noise._coin(3, 8, iter([word, 0])) for word in steps)
    assert heads == 96  # 3/8 of 256
    twos = [sum(discrete_noise._below(3, iter([a, b, 0])) == 2 for a, b in product(steps[::64], repeat=2))]
    assert twos == [5]  # of 16: a 2 at first, or a refused 3 and then a 2


def test_the_coin_reads_on_where_the_first_word_does_not_decide() -> None:
    third = (1 << 64) // 3
    assert discrete_noise._coin(1, 3, iter([third, third - 1]))
    assert not discrete_noise._coin(1, 3, iter([third, third + 1]))
    assert discrete_noise._coin(1, 1, iter([]))
    assert not discrete_noise._coin(0, 5, iter([]))


@pytest.mark.law
@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2)])
def test_a_coin_by_exponent(exponent: Fraction) -> None:
    source, tries = words(11), 20_000
    heads = sum(discrete_noise._happens_by_exponent(*exponent.as_integer_ratio(), source) for _ in range(tries))
    assert stats.binomtest(heads, tries, exp(-exponent)).pvalue > ACCEPT


def test_no_floating_point_number_takes_part() -> None:
    for wrong in (2.5, Fraction(0), Fraction(-1), float("nan"), np.float64(3.0)):
        with pytest.raises(GuaranteeError, match="exact fraction"):
            discrete_gaussian(wrong, 1, words(1))  # type: ignore[arg-type]


def test_divergence_of_shifted_noise_is_within_the_claim() -> None:
    """Proposition 5 in numbers: D_a(N(k) | N(0)) <= a·k²/(2σ²), attained for an order that is an integer."""
    for variance, shift in product((0.3, 1.0, 9.0), (1, 2, 5)):
        reach = int(40 * variance**0.5) + 60
        plain = -(np.arange(-reach, reach + 1.0) ** 2) / (2 * variance)
        plain -= np.logaddexp.reduce(plain)
        for order in (1.5, 2.0, 8.0):
            weights = order * plain[shift:] + (1 - order) * plain[:-shift]  # the ratio of a point and its shift
            found = np.logaddexp.reduce(weights) / (order - 1)
            claimed = order * shift**2 / (2 * variance)
            assert found <= claimed * (1 + 1e-9)
            if order.is_integer():
                assert found > 0.999 * claimed


def test_streams_of_words() -> None:
    key = PinnedRandomness(bytes(range(32)))
    stream = list(islice(key.words(b"a"), 3000))
    assert stream == list(islice(key.words(b"a"), 3000))
    assert stream[:1024] == key._words(1, 1024, [b"a"], 0)[0].tolist()  # however few were asked for first
    assert len(set(stream)) == 3000  # further blocks are fresh
    assert set(stream).isdisjoint(islice(key.words(b"b"), 3000))
    system = SystemRandomness()
    assert set(islice(system.words(), 100)).isdisjoint(islice(system.words(), 100))
    assert all(0 <= word < 1 << 64 for word in stream)


@pytest.mark.law
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(30, 7), Fraction(25, 2)])
def test_integer_laplace_noise_follows_its_law_and_no_other(scale: Fraction) -> None:
    source, draws = words(7), 20_000
    drawn = np.array([discrete_laplace(scale, source) for _ in range(draws)])
    reach = int(12 * scale) + 3

    def p_value(scale: float) -> float:
        expected = np.exp(-np.abs(np.arange(-reach, reach + 1.0)) / scale)
        expected *= draws / expected.sum()
        seen = np.bincount(np.clip(drawn, -reach, reach) + reach, minlength=len(expected))
        rare = max(1, int(np.searchsorted(np.cumsum(expected), 12.0)))
        both = (seen, expected)
        binned = [np.concatenate([[row[:rare].sum()], row[rare:-rare], [row[-rare:].sum()]]) for row in both]
        return float(stats.chisquare(*binned, sum_check=False).pvalue)

    assert p_value(float(scale)) > ACCEPT
    for factor in (0.8, 1.25):
        assert p_value(float(scale) * factor) < REJECT, factor
    for wrong in (2.5, Fraction(0), Fraction(-1)):
        with pytest.raises(GuaranteeError, match="exact fraction"):
            discrete_laplace(wrong, source)  # type: ignore[arg-type]
