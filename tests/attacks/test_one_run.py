"""The one-run audit: its bound is valid for whoever satisfies the claim, has power, and refutes whoever does not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from sfumato.attacks.distinguishing import Guessed, guessed, lower_bound, p_value
from sfumato.errors import ConfigurationError


def success(epsilon: float) -> float:
    return float(1 / (1 + np.exp(-epsilon)))


def refuted(canaries: int, right: float, epsilon: float, delta: float, doubt: float) -> float:
    """How often the bound lies above ``epsilon``, exactly, where a guess is right with probability ``right``."""
    above = [v for v in range(canaries + 1)
             if lower_bound(Guessed(canaries, canaries, v), delta, 1 - doubt) > epsilon + 1e-9]  # fmt: skip
    return float(binom.pmf(above, canaries, right).sum())


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0, 4.0])
def test_randomized_response_is_hardly_ever_refuted_and_hardly_less_often_than_allowed(epsilon: float) -> None:
    """Pure DP: the bound is tight, since randomized response attains it. The discrete steps cost a little."""
    often = refuted(300, success(epsilon), epsilon, 0.0, 0.05)
    assert 0.01 < often <= 0.05


def test_leaking_with_probability_delta_is_allowed_where_delta_is_claimed_and_only_there() -> None:
    """Each coin is told with probability δ, else by randomized response: (ε, δ)-DP, and no better ε for δ = 0."""
    epsilon, delta, canaries = 1.0, 0.1, 300
    right = delta + (1 - delta) * success(epsilon)
    assert refuted(canaries, right, epsilon, delta, 0.05) <= 0.05
    assert refuted(canaries, right, epsilon, 0.0, 0.05) > 0.2


def test_telling_everything_with_a_small_probability_is_covered_by_delta() -> None:
    """(0, δ)-DP that tells all coins together: the case for which δ is multiplied by the number of canaries."""
    canaries, delta = 200, 0.1
    p = p_value(Guessed(canaries, canaries, canaries), 0.0, delta)
    assert p >= delta / 10
    assert lower_bound(Guessed(canaries, canaries, 120), delta, 0.95) == 0.0
    assert lower_bound(Guessed(canaries, canaries, 120), 0.0, 0.95) > 0.0


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_the_bound_has_power(epsilon: float) -> None:
    typical = round(1000 * success(epsilon))
    bound = lower_bound(Guessed(1000, 1000, typical), 1e-5)
    assert 0.7 * epsilon < bound < epsilon
    assert lower_bound(Guessed(1000, 1000, 1000)) == pytest.approx(5.81, abs=0.01)


def test_the_p_value_is_the_sum_of_the_theorem_by_brute_force() -> None:
    canaries, guesses, right, epsilon, delta = 20, 12, 9, 0.7, 0.003
    chances = [float(binom.pmf(v, guesses, success(epsilon))) for v in range(guesses + 1)]
    steepest = max(sum(chances[right - i : right]) / i for i in range(1, right + 1))
    expected = sum(chances[right:]) + 2 * canaries * delta * steepest
    assert p_value(Guessed(canaries, guesses, right), epsilon, delta) == pytest.approx(expected)
    assert p_value(Guessed(canaries, guesses, 0), epsilon, delta) == 1.0


def test_p_values_fall_as_the_claim_shrinks_and_the_guesses_improve() -> None:
    grid = np.array([[p_value(Guessed(100, 60, v), e, 1e-4) for e in np.linspace(0, 6, 25)] for v in range(61)])
    assert (np.diff(grid, axis=1) >= -1e-12).all()
    assert (np.diff(grid, axis=0) <= 1e-12).all()


def test_simulated_mechanisms_with_coins_and_scores() -> None:
    """The whole way: coins, noisy scores, guesses. Gaussian noise for ε = 2 is not refuted, an eighth of it is."""
    sigma, delta = 1.68, 1e-5  # of the Gaussian mechanism with sensitivity 1 at ε = 2.5 (Balle and Wang 2018)
    draw, refutations = np.random.default_rng(3), np.zeros(2)
    for _ in range(40):
        coins = draw.random(1000) < 0.5
        for number, noise in enumerate((sigma, sigma / 8)):
            scores = coins + draw.normal(0, noise, 1000)
            refutations[number] += lower_bound(guessed(scores, coins, 1000), delta) > 2.5
    assert refutations[0] <= 2
    assert refutations[1] == 40


def test_guesses_take_both_ends_and_abstain_between() -> None:
    coins = np.array([False, True, False, True, True, False])
    scores = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    assert guessed(scores, coins, 2) == Guessed(6, 2, 1)
    assert guessed(scores, coins, 4) == Guessed(6, 4, 2)
    assert guessed(scores, coins, 6) == Guessed(6, 6, 4)
    assert guessed(-scores, coins, 2) == Guessed(6, 2, 1)


def test_a_score_that_is_no_number_counts_as_a_wrong_guess() -> None:
    coins = np.array([False, True, True, False])
    assert guessed(np.array([0.0, np.nan, 1.0, np.nan]), coins, 4) == Guessed(4, 4, 2)


@pytest.mark.parametrize("guesses", [0, 1, 3, 8])
def test_impossible_numbers_of_guesses_are_refused(guesses: int) -> None:
    with pytest.raises(ConfigurationError, match="even number"):
        guessed(np.zeros(6), np.zeros(6, dtype=bool), guesses)


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ConfigurationError):
        p_value(Guessed(10, 11, 5), 1.0)
    with pytest.raises(ConfigurationError):
        p_value(Guessed(10, 10, 5), float("nan"))
    with pytest.raises(ConfigurationError):
        lower_bound(Guessed(10, 10, 5), 0.0, 1.0)
