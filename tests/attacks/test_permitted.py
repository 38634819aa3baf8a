"""What a guarantee permits, against linear programs over all laws that keep the promise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.attacks.token_attacks import bayes_attack, permitted, permitted_by_distance
from sfumato.building import methods

N = 5


def best_law(prior: np.ndarray, distances: np.ndarray, epsilon: float) -> float:
    """The largest Bayes success over all laws P (n inputs, n names) with P(y|x) <= e^(εd) P(y|x'), by simplex."""
    from scipy.optimize import linprog

    n = len(prior)
    place = np.arange(n * n).reshape(n, n)
    rows = []
    for y in range(n):
        for x in range(n):
            for other in range(n):
                if x != other and np.isfinite(distances[x, other]):
                    row = np.zeros(n * n)
                    row[place[x, y]], row[place[other, y]] = 1.0, -math.exp(epsilon * distances[x, other])
                    rows.append(row)
    sums = np.array([[float(at in place[x]) for at in range(n * n)] for x in range(n)])
    gain = np.zeros(n * n)
    gain[place.diagonal()] = -prior
    solved = linprog(gain, A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=sums, b_eq=np.ones(n), bounds=(0, 1))
    assert solved.status == 0
    return -float(solved.fun)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_ldp_permits_exactly_what_the_best_law_reaches(epsilon: float, seed: int) -> None:
    prior = np.random.default_rng(seed).dirichlet(np.full(N, 0.6))
    assert permitted(prior, epsilon) == pytest.approx(best_law(prior, 1.0 - np.eye(N), epsilon), abs=1e-8)


def test_groups_that_show_are_added_up() -> None:
    prior, groups = np.array([0.4, 0.1, 0.2, 0.2, 0.1]), np.array([0, 0, 1, 1, 1])
    distances = np.where(groups[:, None] == groups, 1.0 - np.eye(N), np.inf)
    for epsilon in (0.1, 1.0, 4.0):
        assert permitted(prior, epsilon, groups) == pytest.approx(best_law(prior, distances, epsilon), abs=1e-8)
    assert permitted(prior, 0.0, groups) == pytest.approx(0.6)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_metric_guarantee_is_bounded_from_above_and_not_far(epsilon: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    prior, points = draw.dirichlet(np.full(N, 0.6)), draw.normal(size=(N, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    bound = permitted_by_distance(prior, epsilon, lambda rows, columns: distances[np.ix_(rows, columns)])
    best = best_law(prior, distances, epsilon)
    assert best - 1e-9 <= bound <= min(1.0, 1.5 * best)
    assert bound <= permitted(prior, epsilon * distances.max()) + 1e-9  # the diameter alone says less


def test_constant_distances_are_ldp() -> None:
    prior = np.random.default_rng(4).dirichlet(np.full(40, 0.5))
    found = permitted_by_distance(prior, 2.0, lambda rows, columns: 1.0 * (rows[:, None] != columns))
    assert found == pytest.approx(permitted(prior, 2.0))


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
def test_no_attack_on_santext_exceeds_what_is_permitted(epsilon: float) -> None:
    draw = np.random.default_rng(5)
    vocabulary = Vocabulary(tuple(f"w{n}" for n in range(30)), draw.normal(size=(30, 3)), "a toy made by the tests")
    distances = np.linalg.norm(vocabulary.vectors[:, None] - vocabulary.vectors, axis=2)
    prior = draw.dirichlet(np.full(30, 0.5))

    def success(spent: float) -> float:
        return bayes_attack(methods.mechanism("santext", vocabulary, spent).law, prior, 30).success

    def block(rows: Any, columns: Any) -> Any:
        return distances[np.ix_(rows, columns)]

    assert success(epsilon) <= permitted_by_distance(prior, epsilon, block)
    assert success(40.0) > permitted_by_distance(prior, epsilon, block)  # the mistake: a law far beyond the promise


def test_an_output_that_nothing_becomes_names_nothing() -> None:
    attack = bayes_attack(lambda _: np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.5]), 3)
    assert attack.guess.tolist() == [-1, 0, -1]
