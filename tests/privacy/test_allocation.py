"""A unit in one of several mechanisms, in secret: against exact divergences, quadrature, and mistakes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sfumato.errors import GuaranteeError
from sfumato.privacy.accounting import Allocated, Concentrated, GaussianNoise, epsilon_of, smallest_sigma
from sfumato.privacy.allocation import divergences
from sfumato.types import FloatArray

DELTA = 1e-6
ORDERS = np.array([1.2, 1.5, 2.0, 2.5, 3.0, 5.0, 8.0, 20.0])


def exact(p: FloatArray, q: FloatArray) -> FloatArray:
    """The larger of both directions' Rényi divergences, at each of the orders."""
    both = [
        np.logaddexp.reduce(order[0] * np.log(a)[:, None] + (1.0 - order[0]) * np.log(b)[:, None], axis=0)[0]
        / (order[0] - 1.0)
        for order in ORDERS[:, None]
        for a, b in ((p, q), (q, p))
    ]
    return np.array(both).reshape(-1, 2).max(axis=1)


def mixture(count: int, there: FloatArray, away: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The laws of all answers with the unit in one mechanism of ``count``, and with it in none."""
    p, q = [], []
    for answers in itertools.product(range(len(away)), repeat=count):
        own = away[list(answers)]
        ratios = there[list(answers)] / own
        q.append(own.prod())
        p.append(own.prod() * ratios.mean())
    return np.array(p), np.array(q)


def smallest_rho(p: FloatArray, q: FloatArray) -> float:
    """The ρ of zero-concentrated DP of a pair of laws, over a fine grid of orders."""
    orders = np.linspace(1.001, 60.0, 3000)[:, None]
    of_p, of_q = np.log(p), np.log(q)
    both = [
        np.logaddexp.reduce(orders * a + (1.0 - orders) * b, axis=1) / (orders[:, 0] - 1.0) / orders[:, 0]
        for a, b in ((of_p, of_q), (of_q, of_p))
    ]
    return float(np.max(both))


def pairs(seeds: int) -> list[tuple[FloatArray, FloatArray]]:
    generator = np.random.default_rng(3)
    drawn = [generator.dirichlet(np.full(3, spread), 2) + 1e-3 for spread in (0.5, 3.0) for _ in range(seeds)]
    return [(a / a.sum(), b / b.sum()) for a, b in drawn]


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_exact_divergences_stay_below_the_bound(count: int) -> None:
    for there, away in pairs(8):
        bound = divergences(smallest_rho(there, away), count, ORDERS)
        assert (exact(*mixture(count, there, away)) <= bound * (1.0 + 1e-9)).all()


@pytest.mark.parametrize("rho", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("count", [2, 3])
def test_gaussian_noise_takes_nearly_all_of_it(rho: float, count: int) -> None:
    """The moments are those of normal noise, so at whole orders the bound is the divergence from the unit's side."""
    seen, step = np.linspace(-9.0, 9.0 + 8.0 * np.sqrt(2 * rho), 121, retstep=True)
    shift = np.sqrt(2.0 * rho)
    axes = np.stack(np.meshgrid(*[seen] * count, indexing="ij"), axis=-1).reshape(-1, count)
    log_q = (-0.5 * axes**2 - 0.5 * np.log(2.0 * np.pi)).sum(axis=1)
    log_ratio = np.logaddexp.reduce(shift * axes - rho, axis=1) - np.log(count)
    for order in (2.0, 3.0):
        true = np.logaddexp.reduce(log_q + order * log_ratio + count * np.log(step)) / (order - 1.0)
        stated = divergences(rho, count, np.array([order]))[0]
        assert true * (1.0 - 1e-6) <= stated
        assert stated == pytest.approx(max(true, rho * (count + order - 1.0) / count), rel=1e-4)


def test_more_mechanisms_cost_less_and_one_costs_all() -> None:
    for rho in (0.01, 1.0, 5.0):
        bounds = np.array([divergences(rho, count, ORDERS) for count in (1, 2, 5, 40, 600)])
        assert bounds[0] == pytest.approx(rho * ORDERS)
        assert (np.diff(bounds, axis=0) <= 1e-12).all()
    costs = [epsilon_of((Allocated(0.01, 100, count),), DELTA) for count in (1, 2, 16, 600)]
    assert costs[0] == pytest.approx(epsilon_of((Concentrated(0.01, 100),), DELTA))
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < 0.4 * costs[0]


def test_orders_without_moments_cost_all_of_it() -> None:
    orders = np.array([128.0, 128.5, 1000.0])
    assert divergences(0.001, 50, orders)[1:] == pytest.approx(0.001 * orders[1:])
    assert divergences(0.001, 50, orders)[0] < 0.128


def test_a_place_that_is_told_is_refuted() -> None:
    """Who sees the drawn place faces the unit's own mechanism, which the bound for a secret place does not cover."""
    there, away = np.array([0.7, 0.2, 0.1]), np.array([0.3, 0.4, 0.3])
    told = exact(there, away)
    assert (told > divergences(smallest_rho(there, away), 6, ORDERS)).any()


def test_places_that_are_not_uniform_are_refuted() -> None:
    """Nine times of ten the unit is in the first of six mechanisms."""
    there, away = np.array([0.7, 0.2, 0.1]), np.array([0.3, 0.4, 0.3])
    p, q = [], []
    chance = np.array([0.9, *[0.02] * 5])
    for answers in itertools.product(range(3), repeat=6):
        own = away[list(answers)]
        q.append(own.prod())
        p.append(own.prod() * float((chance * there[list(answers)] / own).sum()))
    assert (exact(np.array(p), np.array(q)) > divergences(smallest_rho(there, away), 6, ORDERS)).any()


def test_secret_groups_compose_with_counts_and_with_themselves() -> None:
    alone, counts = Allocated(0.01, 100, 300), GaussianNoise(20.0, 2)
    both = epsilon_of((counts, alone), DELTA)
    assert both > epsilon_of((alone,), DELTA)
    assert both == epsilon_of((alone, counts), DELTA)
    assert epsilon_of((Concentrated(0.5 / 20.0**2, 2), alone), DELTA) == pytest.approx(both)
    assert epsilon_of((alone, alone), DELTA) > epsilon_of((alone,), DELTA)
    assert alone.as_dict() == {"zero_concentrated_rho": 0.01, "releases": 100, "secret_groups": 300}
    with pytest.raises(GuaranteeError, match="not accounted for in one run"):
        epsilon_of((GaussianNoise(1.0, 3, 0.1), alone), DELTA)


@pytest.mark.parametrize(
    ("epsilon", "groups", "times"), [(8.0, 4, 1.3), (8.0, 34, 1.8), (8.0, 625, 2.6), (1.0, 34, 9.6), (1.0, 625, 16.0)]
)
def test_how_many_times_the_tokens_are_paid_for_as_the_pages_say(epsilon: float, groups: int, times: float) -> None:
    def most(among: int) -> float:
        return 0.5 / smallest_sigma(lambda sigma: (Allocated(0.5 / sigma**2, 1, among),), epsilon, DELTA) ** 2

    assert most(groups) / most(1) == pytest.approx(times, rel=0.03)


@pytest.mark.parametrize(("epsilon", "secret"), [(8.0, 2.9), (1.0, 0.09)])
def test_what_a_group_alone_costs_falls_in_secret_as_the_pages_say(epsilon: float, secret: float) -> None:
    sigma = smallest_sigma(lambda each: (Concentrated(0.5 / each**2),), epsilon, DELTA)
    assert epsilon_of((Allocated(0.5 / sigma**2, 1, 625),), DELTA) == pytest.approx(secret, rel=0.03)
