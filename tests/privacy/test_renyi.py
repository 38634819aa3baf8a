"""Rényi curves against the definition in 40 digits, and composed costs against two accountants of dp-accounting."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from typing import Any

import dp_accounting
import numpy as np
import pytest
from dp_accounting import pld, rdp
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import GuaranteeError
from sfumato.privacy import renyi_of_sets
from sfumato.privacy.composition import ORDERS, compose, epsilon_at, of_guarantee, of_pure_loss
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.integer_law import integer_weights
from sfumato.privacy.renyi_of_sets import pair_divergences, worst_divergences

DELTA = 1e-6
FEW = ORDERS[[0, 40, 110, 200, 260, 300, -1]]


def law(seed: int, members: int, spread: float) -> Any:
    return np.exp(-spread * np.random.default_rng(seed).random((members, members)))


def _near() -> Any:
    rows = law(5, 6, 1.0)
    rows[3], rows[4] = rows[0], rows[0] * (1.0 + 1e-6 * np.arange(6))
    return rows


LAWS: dict[str, Any] = {
    "two": law(1, 2, 1.0),
    "flat": law(2, 5, 1e-5),
    "many": law(3, 8, 3.0),
    "steep": law(4, 4, 90.0),
    "near": _near(),
    "equal": np.ones((3, 3)),
    "integers": integer_weights(law(6, 5, 30.0)),
    "one": np.ones((1, 1)),
    "a column that no row gives": np.concatenate([law(7, 3, 1.0), np.zeros((3, 1))], axis=1),
}
"""Laws made to break an analysis: equal rows, rows 1e-6 apart, whole numbers, probabilities of e^-90, one member."""


def by_definition(one: Any, other: Any, order: float) -> Decimal:
    """D_α in 40 digits, from the numbers as they are."""
    with localcontext() as context:
        context.prec = 40
        first, second = ([Decimal(number) for number in row.tolist() if number] for row in (one, other))
        a = Decimal(order)
        shares = zip([p / sum(first) for p in first], [q / sum(second) for q in second], strict=True)
        total = sum(((a * p.ln() + (1 - a) * q.ln()).exp() for p, q in shares), Decimal(0))
        return total.ln() / (a - 1)


@pytest.mark.parametrize("name", LAWS)
def test_the_curve_is_the_largest_divergence_over_all_pairs(name: str) -> None:
    rows = LAWS[name]
    found = worst_divergences([rows], FEW)
    for place, order in enumerate(FEW.tolist()):
        pairs = itertools.permutations(range(len(rows)), 2)
        exact = max((by_definition(rows[i], rows[j], order) for i, j in pairs), default=Decimal(0))
        assert Decimal(found.divergences[place]) >= exact
        assert float(found.divergences[place]) <= float(exact) * (1 + 1e-9) + 2e-9
        i, j = found.pairs[place]
        assert float(by_definition(rows[i], rows[j], order)) == pytest.approx(float(exact), rel=1e-9, abs=2e-9)
        again = pair_divergences(rows[i], rows[j], np.array([order]))[0]
        assert again == pytest.approx(float(exact), rel=1e-9, abs=2e-9)


def test_the_worst_set_wins_at_every_order() -> None:
    often, rarely = np.array([[2.0, 1.0], [1.0, 2.0]]), np.ones((60, 60)) + 5.0 * np.eye(60)
    sets = [law(1, 4, 0.2), rarely, law(2, 4, 0.3), often]
    found = worst_divergences(sets, ORDERS)
    alone = np.array([worst_divergences([one], ORDERS).divergences for one in sets])
    assert found.divergences == pytest.approx(alone.max(axis=0), rel=1e-9, abs=1e-9)
    assert len(set(found.sets.tolist())) > 1  # at low orders another one than at high orders
    for place in (0, 150, 328):
        one, other = sets[found.sets[place]][found.pairs[place]]
        assert pair_divergences(one, other, ORDERS[place : place + 1])[0] == pytest.approx(
            found.divergences[place], rel=1e-8, abs=1e-9
        )


def test_randomized_response_bounds_every_law_and_is_below_zcdp() -> None:
    for epsilon in (1e-6, 0.01, 0.5, 1.0, 4.0, 30.0, 1e4):
        curve = of_pure_loss(epsilon, ORDERS)
        assert (curve > 0.0).all()
        assert (curve <= np.minimum(epsilon, 0.5 * epsilon**2 * ORDERS) * (1 + 1e-9)).all()
        assert (np.diff(curve) >= -1e-12 * epsilon).all()
    for epsilon, order in itertools.product((1e-6, 0.5, 4.0, 30.0, 100.0), FEW.tolist()):
        with localcontext() as context:
            context.prec = 40
            truth = Decimal(epsilon).exp() / (1 + Decimal(epsilon).exp())
            a = Decimal(order)
            both = [(truth, 1 - truth), (1 - truth, truth)]
            exact = sum(((a * p.ln() + (1 - a) * q.ln()).exp() for p, q in both), Decimal(0)).ln() / (a - 1)
        [found] = of_pure_loss(epsilon, np.array([order]))
        assert Decimal(found) >= min(exact, Decimal(epsilon)) * (1 - Decimal(10) ** -15)
        assert found <= float(exact) * (1 + 1e-11)
    assert np.isinf(of_pure_loss(math.inf, FEW)).all()


@settings(max_examples=60, deadline=None)
@given(
    members=st.integers(2, 7), seed=st.integers(0, 10**6), spread=st.floats(1e-3, 12.0), draws=st.integers(1, 3000),
    delta=st.sampled_from([1e-9, 1e-6, 1e-3]),
)  # fmt: skip
def test_the_exact_price_is_never_above_the_other_two(
    members: int, seed: int, spread: float, draws: int, delta: float
) -> None:
    logs = np.log(law(seed, members, spread))
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    epsilon = float((logs.max(axis=0) - logs.min(axis=0)).max()) * (1 + 1e-12)
    guarantee = Guarantee("LDP", epsilon, "one token", "tokens of the same set", None, "here")
    curve = worst_divergences([np.exp(logs)], ORDERS).divergences
    assert (curve <= of_pure_loss(epsilon, ORDERS) * (1 + 1e-9) + 1e-9).all()
    cost = compose(guarantee, draws, delta, lambda orders: worst_divergences([np.exp(logs)], orders).divergences)
    assert cost.renyi is not None
    assert cost.approximate is not None
    assert 0.0 <= cost.renyi <= min(cost.pure, cost.approximate)
    grid = epsilon_at(delta, draws * curve)[0]
    if ORDERS[0] < 1.0 + math.sqrt(math.log(1 / delta) / (draws * epsilon**2 / 2)) < ORDERS[-1]:  # zCDP's best order
        assert grid <= cost.approximate * 1.003 + 1e-9  # without the cut: the grid is dense enough


@pytest.mark.parametrize("delta", [1e-10, 1e-6, 1e-3])
@pytest.mark.parametrize("draws", [1, 80, 5000])
def test_the_conversion_is_that_of_dp_accounting(draws: int, delta: float) -> None:
    curve = worst_divergences([LAWS["many"]], ORDERS).divergences * draws
    known = ORDERS > 1.0101  # dp-accounting leaves smaller orders out
    found, order = epsilon_at(delta, curve[known], ORDERS[known])
    theirs, their_order = rdp.rdp_privacy_accountant.compute_epsilon(ORDERS[known], curve[known], delta)
    assert (found, order) == (pytest.approx(theirs, rel=1e-9), their_order)
    assert epsilon_at(delta, curve)[0] <= found


def test_a_gaussian_costs_what_its_accountant_says() -> None:
    """A curve that the accountant knows itself: ρ·α."""
    accountant = rdp.RdpAccountant(orders=ORDERS.tolist())
    accountant.compose(dp_accounting.ZCDpEvent(0.02), 80)
    assert epsilon_at(DELTA, 80 * 0.02 * ORDERS)[0] == pytest.approx(accountant.get_epsilon(DELTA), rel=1e-9)


def by_loss_distribution(one: Any, other: Any, draws: int, delta: float) -> float:
    """The ε of many draws of one law by its privacy loss distribution, tight up to its grid."""
    logs = [{place: math.log(share) for place, share in enumerate(row / row.sum())} for row in (one, other)]
    made = pld.privacy_loss_distribution.from_two_probability_mass_functions(
        *logs, value_discretization_interval=1e-3, symmetric=False
    )
    return float(made.self_compose(draws).get_epsilon_for_delta(delta))


@pytest.mark.parametrize("draws", [20, 80, 400])
def test_the_price_of_one_law_drawn_often_lies_just_above_its_loss_distribution(draws: int) -> None:
    """The Rényi bound is an upper bound, and close: within 15 % of the tight answer."""
    rows = law(3, 6, 1.0)
    worst = worst_divergences([rows], ORDERS)
    found, order = epsilon_at(DELTA, draws * worst.divergences)
    [pair] = worst.pairs[order == ORDERS]
    tight = by_loss_distribution(*rows[pair], draws, DELTA)
    assert tight <= found * (1 + 1e-9)
    assert found <= 1.15 * tight


def test_what_is_no_law_has_no_curve() -> None:
    for wrong in ([[0.0, 0.0], [1.0, 0.0]], [[math.nan, 1.0], [1.0, 1.0]], [[-1.0, 2.0], [1.0, 1.0]]):
        with pytest.raises(GuaranteeError, match="sum above 0"):
            worst_divergences([np.array(wrong)], FEW)
    certain = worst_divergences([LAWS["two"], np.array([[1.0, 0.0], [0.5, 0.5]])], FEW)
    assert np.isinf(certain.divergences).all()
    metric = Guarantee("metric-LDP", 3.0, "one token", "any two tokens", "Euclidean", "here")
    with pytest.raises(GuaranteeError, match="purely"):
        of_guarantee(metric, FEW)


@pytest.mark.parametrize(("name", "limit"), [("LARGEST_SET", 5), ("_LONGEST_LOGARITHM", 1.0)])
def test_a_set_that_is_too_large_gets_the_bound_of_its_loss(
    name: str, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = law(8, 6, 2.0)
    exact = worst_divergences([rows, LAWS["two"]], ORDERS)
    monkeypatch.setattr(renyi_of_sets, name, limit)
    bounded = worst_divergences([rows, LAWS["two"]], ORDERS)
    assert (exact.exact, bounded.exact) == (True, False)
    assert (bounded.divergences >= exact.divergences * (1 - 1e-9)).all()
    assert bounded.divergences[-1] == pytest.approx(exact.divergences[-1], rel=1e-2)
    assert bounded.divergences[100] > 1.2 * exact.divergences[100]
