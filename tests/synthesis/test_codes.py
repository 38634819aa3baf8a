"""Control codes: declared or found, counted with noise; one unit more moves the counts by at most 1."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest, norm

from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.errors import ConfigurationError
from sfumato.privacy.randomness import SystemRandomness
from sfumato.synthesis.codes import (
    OTHER,
    CodeField,
    CodeTable,
    apportioned,
    check_found,
    counts_of,
    found,
    noisy_shares,
    threshold,
    value_of,
)
from sfumato.synthesis.evolve.votes import EvolveSchedule, scheduled
from sfumato.synthesis.request import Request, planned

WORK = Workspace(Path(), SystemRandomness())


@pytest.mark.parametrize(
    ("text", "values"),
    [("topic=move,call", ("move", "call")), ("topic", None), (" topic = move , call ", ("move", "call"))],
)
def test_a_code_is_read(text: str, values: tuple[str, ...] | None) -> None:
    assert CodeField.of(text) == CodeField("topic", values)


@pytest.mark.parametrize("text", ["=a,b", "topic=a", "topic=a,a", "topic=a,", "topic=a|b,c", f"topic={'a' * 99},b"])
def test_a_code_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError):
        CodeField.of(text)


@pytest.mark.parametrize(
    ("value", "code"),
    [("move", "move"), (5, "5"), (None, OTHER), ("", OTHER), ([1], OTHER), ({}, OTHER), ("a | b\n c", "a b c"),
     ("x" * 200, "x" * 80)],
)  # fmt: skip
def test_the_value_of_a_record_is_one_line(value: object, code: str) -> None:
    assert value_of({"topic": value}, "topic") == code


def test_every_record_has_a_code_and_what_is_not_declared_is_other() -> None:
    table = CodeTable.of([CodeField.of("topic=move,call"), CodeField.of("stars")], {"stars": ("1", "5")})
    assert len(table) == 9
    assert table.rows()[table.index({"topic": "call", "stars": 5})] == {"topic": "call", "stars": "5"}
    assert table.rows()[table.index({"topic": "Anna Quill"})] == {"topic": OTHER, "stars": OTHER}
    assert table.texts()[0] == "topic: move | stars: 1"
    assert CodeTable.of([], {}).texts() == ("",)
    assert CodeTable.of([], {}).index({"topic": "call"}) == 0
    with pytest.raises(ConfigurationError, match="combinations"):
        CodeTable(tuple((str(n), tuple(map(str, range(30)))) for n in range(3)))


def test_one_unit_moves_the_counts_by_one_at_most() -> None:
    rng = np.random.default_rng(1)
    base = [Unit(("a", "b"), (0, 3)), Unit(("c",), (1,))]
    for _ in range(50):
        size = int(rng.integers(1, 5))
        more = Unit(("x",) * size, tuple(map(int, rng.integers(0, 4, size))))
        moved = counts_of([*base, more], 4) - counts_of(base, 4)
        assert np.linalg.norm(moved) <= 1.0 + 1e-12


@pytest.mark.law
def test_the_counts_get_normal_noise_of_the_stated_size() -> None:
    """Of two codes with 200 units each, the share of the first is (200 + n) / (400 + n + m) with normal n, m."""
    units = [Unit(("a",), (code,)) for code in (0, 1)] * 200
    shares = np.array([noisy_shares(units, 2, 3.0, WORK)[0] for _ in range(9000)])
    spread = (shares - 0.5) * 800 / np.sqrt(2.0)
    assert kstest(spread, norm(0, 3.0).cdf).pvalue > 1e-9
    assert spread.std() == pytest.approx(3.0, rel=0.05)  # 6.7 standard errors: a tenth more or less is seen as surely


def test_shares_without_counts_are_equal_and_records_add_up() -> None:
    assert noisy_shares([], 4, None, WORK).tolist() == [0.25] * 4
    assert apportioned(np.array([0.5, 0.3, 0.2]), 7) == [0, 0, 0, 0, 1, 1, 2]
    for wanted in range(1, 20):
        assert len(apportioned(np.array([0.61, 0.29, 0.1]), wanted)) == wanted


@pytest.mark.law
def test_a_value_of_one_unit_is_found_no_more_often_than_delta_says() -> None:
    delta, sigma, rounds = 0.02, 4.0, 4000
    limit = threshold(sigma, delta)
    crowd = ["move"] * 200 + ["call"] * 200
    hits = sum("Quill" in found([*crowd, "Quill"], "topic", sigma, delta, WORK) for _ in range(rounds))
    assert hits <= rounds * delta + 6 * np.sqrt(rounds * delta)
    assert hits >= rounds * delta - 6 * np.sqrt(rounds * delta)  # the threshold is not wasteful either
    many = sum(
        "Quill" in found([*crowd, *["Quill"] * int(limit + 4 * sigma)], "topic", sigma, delta, WORK)
        for _ in range(50)
    )
    assert many >= 48


def test_too_few_values_are_an_error_that_names_none() -> None:
    kept = found(["Quill", "move", *[OTHER] * 500], "topic", 4.0, 1e-9, WORK)
    with pytest.raises(ConfigurationError) as caught:
        check_found({"topic": kept})
    assert "Quill" not in str(caught.value)
    assert "Fewer than two" in str(caught.value)


@pytest.mark.parametrize(
    ("codes", "texts", "least"),
    [
        ([], ("",), 1),
        (["topic=move,call"], ("topic: move", "topic: call", "topic: other"), 3),
        (["topic"], ("",), 3),
        (["topic=move,call", "stars"], ("topic: move", "topic: call", "topic: other"), 9),
        (["topic", "stars"], ("",), 9),
    ],
)
def test_a_schedule_sees_the_declared_codes_and_how_many_there_will_be(
    codes: list[str], texts: tuple[str, ...], least: int
) -> None:
    """Evolve needs votes for the candidates of every code: one code in place of nine would hide that they lack."""
    seen: list[Order] = []

    def schedule(order: Order) -> EvolveSchedule:
        seen.append(order)
        return scheduled(order, 5, 100)

    method: Any = SimpleNamespace(schedule=schedule, takes_public_fields=False)
    request = Request(12, 900, 8.0, codes=tuple(map(CodeField.of, codes)))
    warnings = planned(method, request).schedule.warnings
    assert (seen[0].codes, seen[0].least_codes) == (texts, least)
    assert any(f"vote on {100 * least} candidates" in line for line in warnings) is (least == 9)
