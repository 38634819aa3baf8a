"""What several releases cost together: against closed forms, another library's accountant, and simulated attacks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.accounting import Concentrated, GaussianNoise, check_delta, epsilon_of, smallest_sigma

DELTA = 1e-5


def gaussian_epsilon(sigma: float, delta: float) -> float:
    """The exact ε of one release with normal noise (Balle and Wang 2018, Theorem 8)."""

    def excess(epsilon: float) -> float:
        half, shift = 0.5 / sigma, epsilon * sigma
        return float(norm.cdf(half - shift) - math.exp(epsilon) * norm.cdf(-half - shift)) - delta

    return float(brentq(excess, 0.0, 200.0))


@pytest.mark.parametrize("sigma", [0.7, 1.0, 3.0, 30.0])
@pytest.mark.parametrize("count", [1, 4, 100])
def test_gaussian_releases_compose_exactly(sigma: float, count: int) -> None:
    exact = gaussian_epsilon(sigma / math.sqrt(count), DELTA)
    stated = epsilon_of((GaussianNoise(sigma, count),), DELTA)
    assert exact <= stated <= exact * 1.001 + 1e-3
    assert epsilon_of((GaussianNoise(sigma, count - 1), GaussianNoise(sigma)), DELTA) == pytest.approx(
        stated, abs=1e-3
    )


@pytest.mark.parametrize(
    ("sigma", "steps", "rate"), [(1.0, 100, 256 / 5000), (0.65, 100, 256 / 5000), (0.8, 1000, 0.01), (2.0, 500, 0.1)]
)
def test_sampled_releases_agree_with_another_accountant(sigma: float, steps: int, rate: float) -> None:
    opacus = pytest.importorskip("opacus.accountants")
    accountant = opacus.PRVAccountant()
    accountant.history = [(sigma, rate, steps)]
    theirs = accountant.get_epsilon(DELTA, eps_error=0.01)
    assert epsilon_of((GaussianNoise(sigma, steps, rate),), DELTA) == pytest.approx(theirs, abs=0.05)


def test_sampling_counts_and_a_wrong_rate_or_multiplier_is_seen() -> None:
    truth = epsilon_of((GaussianNoise(0.9, 100, 0.05),), DELTA)
    for wrong in (GaussianNoise(0.9, 100, 0.04), GaussianNoise(1.0, 100, 0.05), GaussianNoise(0.9, 80, 0.05)):
        assert epsilon_of((wrong,), DELTA) < 0.95 * truth
    assert epsilon_of((GaussianNoise(0.9, 100),), DELTA) > 5 * truth


def test_what_is_known_by_its_rho_composes_by_divergences() -> None:
    rho = 1.0 / 128.0
    spent = epsilon_of((Concentrated(rho, 100),), DELTA)
    total = 100 * rho
    assert total < spent <= total + 2.0 * math.sqrt(total * math.log(1.0 / DELTA))
    assert epsilon_of((Concentrated(rho, 50), Concentrated(rho, 50)), DELTA) == pytest.approx(spent)
    both = epsilon_of((Concentrated(rho, 100), GaussianNoise(5.0)), DELTA)
    assert both > max(spent, epsilon_of((GaussianNoise(5.0),), DELTA))
    # a Gaussian is 1/(2σ²)-concentrated, so its own analysis is never the dearer one
    assert epsilon_of((GaussianNoise(2.0, 9),), DELTA) <= epsilon_of((Concentrated(1.0 / 8.0, 9),), DELTA)


@pytest.mark.parametrize("epsilon", [0.5, 3.0, 8.0])
def test_the_smallest_noise_keeps_the_claim_and_less_does_not(epsilon: float) -> None:
    def events(sigma: float) -> tuple[GaussianNoise, ...]:
        return GaussianNoise(sigma, 60, 0.05), GaussianNoise(30.0)

    sigma = smallest_sigma(events, epsilon, DELTA)
    assert epsilon_of(events(sigma), DELTA) <= epsilon
    assert epsilon_of(events(0.99 * sigma), DELTA) > epsilon


def test_what_no_noise_can_keep_is_an_error() -> None:
    with pytest.raises(GuaranteeError, match="No noise"):
        smallest_sigma(lambda sigma: (GaussianNoise(sigma), GaussianNoise(0.5)), 1.0, DELTA)
    assert epsilon_of((), DELTA) == 0.0
    assert epsilon_of((GaussianNoise(1.0, 0),), DELTA) == 0.0


@pytest.mark.parametrize(("delta", "units"), [(0.0, 10), (1.0, 10), (0.1, 10), (1e-3, 5000)])
def test_a_delta_that_would_show_somebody_is_refused(delta: float, units: int) -> None:
    with pytest.raises(ConfigurationError, match="delta"):
        check_delta(delta, units)
    check_delta(1e-6, units)


@pytest.mark.law
def test_no_attacker_beats_the_stated_epsilon_and_a_wrong_claim_is_beaten() -> None:
    """Play the worst pair of Poisson sampling: add one unit whose every contribution is the whole norm."""
    sigma, steps, rate, delta = 1.2, 5, 0.2, 1e-2
    rng = np.random.default_rng(7)
    n = 200_000
    there = (rng.random((n, steps)) < rate) + sigma * rng.standard_normal((n, steps))
    away = sigma * rng.standard_normal((n, steps))

    def loss(seen: np.ndarray) -> np.ndarray:
        ratio = (1 - rate) + rate * np.exp((2 * seen - 1) / (2 * sigma**2))
        return np.log(ratio).sum(axis=1)

    stated = epsilon_of((GaussianNoise(sigma, steps, rate),), delta)

    def excess(epsilon: float) -> float:
        """An estimate of δ(ε) for the event that the loss exceeds ε, either way round."""
        one = (loss(there) > epsilon).mean() - math.exp(epsilon) * (loss(away) > epsilon).mean()
        other = (loss(away) < -epsilon).mean() - math.exp(epsilon) * (loss(there) < -epsilon).mean()
        return float(max(one, other))

    slack = 4.0 * math.exp(stated) * math.sqrt(delta / n)
    assert excess(stated) <= delta + slack
    assert excess(0.7 * stated) > delta + slack
