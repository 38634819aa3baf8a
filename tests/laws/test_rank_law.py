"""The law by rank: its loss over every order, its price, its profiles, its draws, and mistakes that are caught."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import chisquare

from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.integer_law import TOTAL
from sfumato.privacy.randomness import RandomDraws, SeededRandomness
from sfumato.privacy.rank_law import RankLaw
from sfumato.privacy.rank_profile import Profile, RankGains, geometric, plateau, staircase

ORDERS = np.array([1.0001, 1.5, 2.0, 8.0, 64.0, 1000.0])


def gains(ranks: int, *means: float) -> RankGains:
    """Gains of 1, 2, ... first ranks; all are worth a falling amount if no ``means`` are given."""
    firsts = tuple(range(1, ranks + 1))
    return RankGains(firsts, means or tuple(1.0 / first for first in firsts), "test")


def law(ranks: int) -> RankLaw:
    return RankLaw(gains(ranks), ranks)


def draws(seed: int, n: int) -> RandomDraws:
    return RandomDraws(SeededRandomness(seed), n, [number.to_bytes(4, "little") for number in range(n)])


# --- profiles -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "weights"),
    [
        ((1, 1), (TOTAL // 4, 3 * (TOTAL // 4))),  # rises
        ((1, 1), (TOTAL - 2, 1)),  # does not add up
        ((2, 1), (TOTAL // 2, 1)),
        ((1, 1), (TOTAL, 0)),  # an outcome that never comes
        ((), ()),
        ((1,), (TOTAL // 2, TOTAL // 2)),
        ((0, 1), (TOTAL, TOTAL)),
    ],
)
def test_what_is_no_profile_is_refused(counts: tuple[int, ...], weights: tuple[int, ...]) -> None:
    with pytest.raises(GuaranteeError):
        Profile(counts, weights)


def test_a_profile_that_loses_more_than_epsilon_is_refused() -> None:
    profile = plateau(6, 2, 3.0)
    assert profile.checked(3.0) is profile
    with pytest.raises(GuaranteeError, match=r"more than the 2\.9"):
        profile.checked(2.9)


@given(
    ranks=st.integers(2, 60_000),
    share=st.floats(0.0, 1.0),
    epsilon=st.one_of(st.floats(1e-6, 60.0), st.sampled_from([1e-6, 1.0, 43.0, 500.0, 1e4])),
)
def test_every_plateau_is_within_epsilon_and_close_to_it(ranks: int, share: float, epsilon: float) -> None:
    first = 1 + int(share * (ranks - 2))
    profile = plateau(ranks, first, epsilon)
    assert profile.ranks == ranks
    assert profile.loss <= epsilon
    if epsilon < 20.0:
        assert profile.loss >= epsilon * (1 - 1e-6) - 1e-10
    exact = Fraction(profile.weights[0], profile.weights[-1])
    assert math.log1p(float(exact - 1)) <= profile.loss


@pytest.mark.parametrize("edges", [(1,), (2, 5), (1, 3, 9)])
def test_stairs_fall_by_equal_factors(edges: tuple[int, ...]) -> None:
    profile = staircase(20, edges, 6.0)
    found = profile.probabilities
    assert profile.loss <= 6.0
    levels = [found[0], *(found[edge] for edge in edges)]
    for above, below in itertools.pairwise(levels):
        assert math.log(above / below) == pytest.approx(6.0 / len(edges), rel=1e-9)
    for wrong in ((), (0,), (20,), (5, 5), (7, 3)):
        with pytest.raises(ConfigurationError):
            staircase(20, wrong, 6.0)


def test_a_geometric_profile_falls_to_its_floor_and_stays_there() -> None:
    found = geometric(50, 4.0, 5.0).probabilities
    np.testing.assert_allclose(np.diff(np.log(found[:20])), -0.25, rtol=1e-9)
    np.testing.assert_allclose(np.log(found[0] / found[20:]), 5.0, rtol=1e-9)
    for mean in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ConfigurationError):
            geometric(50, mean, 5.0)


@given(
    st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=9),
    st.floats(0.05, 12.0),
    st.integers(0, 10_000),
)
def test_no_profile_gains_more_than_the_best_plateau(worth: list[float], epsilon: float, seed: int) -> None:
    ranks = len(worth)
    means = np.cumsum(worth) / np.arange(1, ranks + 1)
    found = gains(ranks, *means.tolist())
    best = max(found.expected(found.best(epsilon), epsilon), float(means[-1]))  # all ranks alike: the flat profile
    free = np.sort(np.random.default_rng(seed).uniform(0.0, epsilon, size=(300, ranks)), axis=1)[:, ::-1]
    profiles = np.exp(free - free[:, -1:])
    profiles /= profiles.sum(axis=1, keepdims=True)
    stairs = [staircase(ranks, edges, epsilon).probabilities for edges in itertools.combinations(range(1, ranks), 2)]
    slopes = [geometric(ranks, mean, epsilon).probabilities for mean in (0.3, 1.0, 5.0)]
    for profile in [*profiles, *stairs, *slopes]:
        assert float(profile @ worth) <= best + 1e-9


def test_what_ranks_are_worth_decides_where_the_plateau_ends() -> None:
    few, many = gains(100), gains(100, *[0.5] * 30, *[0.5 * 30 / first for first in range(31, 101)])
    assert few.best(12.0) == 1
    assert many.best(3.0) == 30
    assert many.expected(30, 3.0) == pytest.approx(float(plateau(100, 30, 3.0).probabilities[:30].sum() * 0.5))
    for wrong in (((1,), (1.0,)), ((2, 1), (1.0, 1.0)), ((1, 2), (1.0, math.nan)), ((0, 2), (1.0, 1.0))):
        with pytest.raises(ConfigurationError):
            RankGains(*wrong, "test")
    with pytest.raises(ConfigurationError, match="100 outcomes"):
        RankLaw(few, 99)


# --- the law --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranks", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 3.0, 1e4])
def test_the_loss_over_every_two_orders_is_what_is_certified(ranks: int, epsilon: float) -> None:
    made = law(ranks)
    orders = np.array(list(itertools.permutations(range(ranks))), dtype=np.float64)
    laws = np.log(made.law(orders, epsilon))
    worst = float((laws.max(axis=0) - laws.min(axis=0)).max())  # any two rows are two texts
    certificate = made.certificate(epsilon)
    assert certificate.kind == "exact"
    assert certificate.certified <= epsilon
    assert worst <= certificate.certified * (1 + 1e-12) + 4e-16
    assert worst >= certificate.certified * (1 - 1e-9) - 4e-16


@pytest.mark.parametrize("ranks", [2, 3, 4, 5, 6])
def test_the_price_is_the_largest_over_every_two_orders(ranks: int) -> None:
    made = law(ranks)
    q = made.profile(2.5).probabilities
    logs = np.log(q)[:, None]
    curves = [
        logsumexp(ORDERS * logs + (1 - ORDERS) * logs[list(order)], axis=0) / (ORDERS - 1)
        for order in itertools.permutations(range(ranks))
    ]
    np.testing.assert_allclose(made.renyi(2.5, ORDERS), np.max(curves, axis=0), rtol=1e-6)
    assert (made.renyi(2.5, ORDERS) <= 2.5 * (1 + 1e-9)).all()


def test_scores_that_say_nothing_leave_the_public_order() -> None:
    made, epsilon = law(5), 4.0
    q = made.profile(epsilon).probabilities
    np.testing.assert_array_equal(made.law(np.zeros((1, 5)), epsilon)[0], q)
    tied = np.array([[0.0, 7.0, 7.0, -np.inf, np.inf]])
    np.testing.assert_array_equal(made.law(tied, epsilon)[0], q[[3, 1, 2, 4, 0]])


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_draws_follow_the_law_and_no_other(kind: str) -> None:
    epsilon, n = 1.5, 30_000
    made = RankLaw(gains(8, *[1.0] * 3, *[3.0 / first for first in range(4, 9)]), 8)
    scores = np.array([[0, 3, 3, 5, -2, 3, 9, -np.inf]], dtype=kind)  # ties, some of them across the plateau's edge
    seen = np.bincount(made.draw(np.repeat(scores, n, axis=0), [epsilon] * n, draws(3, n)), minlength=8)
    assert chisquare(seen, made.law(scores, epsilon)[0] * n).pvalue > 1e-4
    for factor in (0.7, 1.3):
        assert chisquare(seen, made.law(scores, factor * epsilon)[0] * n).pvalue < 1e-6


def test_every_row_has_its_own_epsilon() -> None:
    made, n = law(40), 200
    scores = np.random.default_rng(0).normal(size=(n, 40))
    epsilons = np.random.default_rng(1).choice([0.5, 9.0, 40.0], size=n).tolist()
    drawn = made.draw(scores, epsilons, draws(1, n))
    words: Any = draws(1, n)
    for row in range(n):
        alone: Any = type("One", (), {"words": lambda self, width, row=row: words.words(1)[row : row + 1]})()
        assert made.draw(scores[row : row + 1], [epsilons[row]], alone)[0] == drawn[row]
    sure = np.array(epsilons) == 40.0
    assert (drawn[sure] == scores[sure].argmax(axis=1)).all()


@pytest.mark.parametrize("place", [0, 7])
def test_scores_that_are_not_numbers_or_too_few_are_refused(place: int) -> None:
    made, scores = law(4), np.zeros((2, 4), dtype=np.float32)
    scores.flat[place] = np.nan
    for ask in (lambda given: made.law(given, 1.0), lambda given: made.draw(given, [1.0] * 2, draws(0, 2))):
        with pytest.raises(GuaranteeError, match="not numbers"):
            ask(scores)
        with pytest.raises(GuaranteeError, match="4 outcomes"):
            ask(np.zeros((2, 5)))


def test_scores_for_an_audit_have_the_law_they_are_made_from() -> None:
    made = law(30)
    wanted = made.law(np.random.default_rng(5).normal(size=(1, 30)), 2.0)
    np.testing.assert_array_equal(made.law(made.scores_with(wanted[0], 2.0)[None], 2.0), wanted)


# --- mistakes -------------------------------------------------------------------------------------------------


def test_ties_broken_by_the_private_word_break_the_public_order() -> None:
    """The mistake: among equal scores the private word comes first, so the scores alone no longer decide the law."""
    made, scores = law(6), np.zeros((1, 6))

    def tied(private: int) -> Any:
        return made.law(scores + 1e-9 * (np.arange(6) == private), 3.0)[0]

    honest = made.law(scores, 3.0)[0]
    assert not np.array_equal(tied(4), tied(5))
    assert [np.array_equal(tied(private), honest) for private in range(6)] == [True, *[False] * 5]


def test_a_profile_chosen_on_the_private_text_loses_more_than_it_claims() -> None:
    """The mistake: each text gets the plateau that suits it. Two texts then have two profiles, and lose more."""
    epsilon, orders = 3.0, np.array(list(itertools.permutations(range(6))), dtype=np.float64)
    private = [plateau(6, first, epsilon).probabilities for first in (1, 5)]
    ranks = np.argsort(np.argsort(-orders, axis=1), axis=1)
    laws = np.log(np.concatenate([profile[ranks] for profile in private]))
    assert (laws.max(axis=0) - laws.min(axis=0)).max() > 1.2 * epsilon
    one = np.log(private[0][ranks])
    assert (one.max(axis=0) - one.min(axis=0)).max() <= epsilon * (1 + 1e-12)


def test_more_gains_do_not_change_what_is_promised() -> None:
    made = law(20)
    other = replace(made, gains=gains(20, *[0.1] * 20))
    assert made.certificate(2.0).certified <= 2.0
    assert other.certificate(2.0).certified <= 2.0
    assert made.parameters != other.parameters
