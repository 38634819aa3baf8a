"""Amounts are whole nano-nats, never less than what was spent; currencies are told apart by all that they mean."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ConfigurationError
from sfumato.ledger import Budget, Currency, Level, nano, nats
from sfumato.ledger.accounts import cap_of
from sfumato.privacy.guarantee import Guarantee


@given(st.fractions(0, 1000), st.integers(0, 500))
def test_an_amount_is_never_rounded_down_and_by_less_than_one(epsilon: Fraction, times: int) -> None:
    exact = epsilon * times * 10**9
    assert exact <= nano(epsilon, times) < exact + 1


def test_ten_draws_at_a_tenth_are_one() -> None:
    assert nano(0.1, 10) == 10**9 == sum(nano(0.1) for _ in range(10))
    assert nano(1e-12) == 1


@pytest.mark.parametrize("amount", [math.inf, math.nan, -1.0, "much", 1e9, 1e308, "1e999999999", "1e-999999999"])
def test_what_is_no_amount_is_refused(amount: float | str) -> None:
    with pytest.raises(ConfigurationError):
        nano(amount)


@pytest.mark.parametrize(("amount", "text"), [(0, "0"), (1, "0.000000001"), (10**9, "1"), (-1_500_000_000, "-1.5")])
def test_nats_are_printed_exactly(amount: int, text: str) -> None:
    assert nats(amount) == text


def test_a_cap_is_rounded_down() -> None:
    assert cap_of("0.0000000019") == 1
    assert cap_of("unlimited") is None
    for wrong in (True, None, "-1", "inf", [1]):
        with pytest.raises(ConfigurationError):
            cap_of(wrong)


DATE = Guarantee("metric-LDP", 0.1, "one value", "any two dates", "absolute", "proof", per="day")


@pytest.mark.parametrize(
    "other",
    [
        replace(DATE, distance="circle"),
        replace(DATE, unit="one mention"),
        replace(DATE, adjacency="any two dates of a month"),
        replace(DATE, per="month"),
        replace(DATE, definition="LDP", distance=None, per=""),
    ],
)
def test_a_currency_is_all_that_it_means(other: Guarantee) -> None:
    assert Currency.of(DATE, "DATE").digest == Currency.of(replace(DATE, epsilon=9.0), "DATE").digest
    assert Currency.of(other, "DATE").digest != Currency.of(DATE, "DATE").digest
    assert Currency.of(DATE, "AGE").digest != Currency.of(DATE, "DATE").digest


def test_the_domain_counts_where_the_distance_comes_from_it() -> None:
    vectors = Guarantee("metric-LDP", 1.0, "one token", "any two tokens", "Euclidean", "proof")
    assert Currency.of(vectors, "", "a").digest != Currency.of(vectors, "", "b").digest


def test_all_of_ldp_is_one_currency_and_dp_is_none() -> None:
    ldp = Guarantee("LDP", 1.0, "one token", "any two", None, "proof")
    assert Currency.of(ldp, "AGE") == Currency.of(replace(ldp, epsilon=2.0, unit="one document"), "DATE")
    with pytest.raises(ConfigurationError):
        Currency.of(replace(ldp, definition="DP", delta=1e-6))


def test_a_budget_limits_what_it_names_and_refuses_what_it_does_not() -> None:
    budget = Budget.of("notes", {"subject": {"LDP": 2}, "record": {"*": 1, "LDP": "unlimited"}})
    assert budget.limits("LDP") == {Level.RECORD: None, Level.SUBJECT: 2 * 10**9, Level.DATASET: None}
    assert budget.limits("DATE per day")[Level.RECORD] == 10**9
    assert Budget.from_dict(budget.as_dict()).as_dict() == budget.as_dict()
    with pytest.raises(ConfigurationError, match="no cap for the currency"):
        Budget.of("notes", {"subject": {"LDP": 2}}).limits("DATE per day")
    for wrong in ({}, {"subject": {}}, {"person": {"LDP": 1}}):
        with pytest.raises(ConfigurationError):
            Budget.of("notes", wrong)
    with pytest.raises(ConfigurationError):
        Budget.of(" ", {"subject": {"LDP": 2}})
