"""What many draws cost, against numbers computed independently."""

from __future__ import annotations

import json
import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting import rdp

from sfumato.privacy.composition import DELTA, compose, rounded_up
from sfumato.privacy.guarantee import Guarantee


def ldp(epsilon: float) -> Guarantee:
    return Guarantee("LDP", epsilon, "one token", "tokens of the same set", None, "here")


def by_definition(rho: float, delta: float) -> float:
    """The best ε of ρ-zCDP over all Rényi orders (Canonne, Kamath, Steinke 2020, Prop. 12), searched plainly."""
    best = math.inf
    for step in range(1, 400_000):
        order = 1.0 + step * 1e-3
        epsilon = rho * order + math.log1p(-1.0 / order) - math.log(delta * order) / (order - 1.0)
        best = min(best, epsilon)
    return best


@pytest.mark.parametrize(("epsilon", "draws"), [(0.1, 10), (0.5, 100), (0.5, 3), (1.0, 1000), (4.0, 50), (8.0, 1)])
def test_pure_adds_and_zcdp_lies_between_its_bounds(epsilon: float, draws: int) -> None:
    cost = compose(ldp(epsilon), draws)
    assert cost.pure == draws * epsilon
    rho = draws * epsilon**2 / 2.0
    closed_form = rho + 2.0 * math.sqrt(rho * math.log(1.0 / DELTA))  # Bun, Steinke 2016, Proposition 1.3
    assert cost.approximate is not None
    assert cost.approximate <= closed_form
    best = by_definition(rho, DELTA)
    assert best * (1.0 - 1e-9) <= cost.approximate <= best * 1.001
    assert cost.renyi is not None
    assert cost.renyi <= min(cost.pure, cost.approximate)
    assert cost.smallest == ("renyi" if cost.renyi < cost.pure else "pure")  # randomized response is below ε²/2
    assert cost.delta == DELTA


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (29.864, "29.87"), (29.86, "29.86"), (80.0, "80"), (10 * 0.1, "1"), (3 * 0.1, "0.3"), (1234.1, "1235"),
        (99999.0, "1e+05"), (3.3333e-08, "3.334e-08"), (0.0, "0"), (math.inf, "inf"),
    ],
)  # fmt: skip
def test_prices_are_rounded_up(amount: float, shown: str) -> None:
    assert rounded_up(amount) == shown
    assert float(shown) >= amount * (1 - 1e-14)


@pytest.mark.parametrize("epsilon", [1e-170, 1e-10])
def test_a_tiny_epsilon_has_a_price(epsilon: float) -> None:
    composed = compose(ldp(epsilon), 3)
    assert composed.pure == 3 * epsilon
    assert composed.approximate is not None
    assert composed.renyi is not None
    assert 0.0 <= composed.renyi <= composed.pure


def test_a_larger_delta_costs_less() -> None:
    costs = [compose(ldp(0.5), 100, delta).approximate for delta in (1e-9, 1e-6, 1e-3)]
    assert costs[0] > costs[1] > costs[2]


def test_which_is_smaller_depends_on_the_number_of_draws() -> None:
    assert compose(ldp(0.5), 2).smallest == "pure"
    assert compose(ldp(0.5), 1000).smallest == "renyi"
    weak = compose(ldp(0.5), 1000, curve=lambda orders: np.full(len(orders), 0.5))
    assert (weak.smallest, weak.renyi) == ("zcdp", weak.approximate)


def test_metric_privacy_and_no_draws_have_pure_cost_only() -> None:
    metric = Guarantee("metric-LDP", 3.0, "one token", "any two tokens", "Euclidean", "here")
    assert compose(metric, 7).as_dict() == {"draws": 7, "epsilon": 21.0}
    assert compose(ldp(3.0), 0).as_dict() == {"draws": 0, "epsilon": 0.0}
    found = compose(ldp(3.0), 7).as_dict()
    assert json.loads(json.dumps(found)) == found
    assert set(found) == {
        "draws", "epsilon", "epsilon_by_zcdp", "epsilon_by_renyi", "delta", "smallest", "assumes",
    }  # fmt: skip
    assert "not pure" in found["assumes"]
    assert "independent" in found["assumes"]


def test_a_sentence_never_gives_the_smallest_without_its_assumption() -> None:
    many, few = str(compose(ldp(0.5), 80)), str(compose(ldp(0.5), 1))
    assert many.startswith("80 draws: epsilon 40 (pure), or ")
    assert many.endswith(" at delta 1e-06 (not pure; independent draws)")
    assert few == "1 draw: epsilon 0.5 (pure)"


@pytest.mark.parametrize("draws", [1, 37, 10_000])
@pytest.mark.parametrize("epsilon", [1e-3, 0.7, 9.0, 1e8])
def test_zcdp_costs_what_dp_accounting_says(draws: int, epsilon: float) -> None:
    """With the same orders, of which dp-accounting leaves out those below 1.01; it never says less."""
    rho = 0.5 * epsilon**2
    best = math.sqrt(math.log(1e6) / (draws * rho))
    orders = [1.0 + best * 1.02**step for step in range(-70, 71)]
    plain = draws * rho + 2.0 * math.sqrt(draws * rho * math.log(1e6))
    accountant = rdp.RdpAccountant(orders=orders)
    accountant.compose(dp_accounting.ZCDpEvent(rho), draws)
    found = compose(Guarantee("LDP", epsilon, "one draw", "any two", None, "here"), draws).approximate
    assert found is not None
    theirs = min(accountant.get_epsilon(1e-6), plain)
    assert found <= theirs * (1 + 1e-9)
    if min(orders) > 1.02:
        assert found == pytest.approx(theirs, rel=1e-9)
