"""The checker of values agrees with the laws that run, by brute force, and notices weights that are wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.privacy.line_law import LineLaw
from sfumato.value_checker import SUMS, OnALine, independent_loss, shift_loss

LINES = [
    np.array([0.0, 1.0]),
    np.arange(40.0),
    np.array([-3.0, -2.9, 0.0, 0.5, 40.0, 41.0]),
    np.log(np.arange(1.0, 30.0)),
]


@pytest.mark.parametrize("positions", LINES, ids=len)
@pytest.mark.parametrize("scale", [0.02, 0.5, 3.0])
def test_a_line_has_the_law_that_is_drawn(positions: np.ndarray, scale: float) -> None:
    mixed = np.random.default_rng(4).permutation(len(positions))
    checked, drawn = OnALine(positions[mixed], scale), LineLaw(positions, scale)
    rows = np.exp([drawn.log_law(place) for place in range(len(positions))])
    assert np.log(checked.weights) == pytest.approx(drawn.log_weights[mixed], abs=1e-9)
    assert checked.is_law
    assert rows.sum(axis=1) == pytest.approx(1.0, abs=1e-9)
    first, second = 0, len(positions) - 1
    brute = np.abs(np.log(rows[mixed[first]]) - np.log(rows[mixed[second]])).max()
    apart = abs(positions[mixed[first]] - positions[mixed[second]])
    assert checked.loss(first, second) == pytest.approx(brute / apart, rel=1e-9)
    assert checked.loss(first, second) == pytest.approx(scale, rel=1e-9)


def test_equal_weights_are_no_law_of_this_form() -> None:
    """The usual exponential law has a normaliser for each input; with one weight for all the sums differ."""
    line = OnALine(np.arange(30.0), 0.3)
    line.weights[:] = line.weights.mean()
    order, decay = np.arange(30), np.full(29, math.exp(-0.3))
    assert line._worst_sum(order, decay) > 1e6 * SUMS
    line.worst_sum = line._worst_sum(order, decay)
    assert line.loss(0, 1) == math.inf


@pytest.mark.parametrize("positions", [[0.0], [1.0, 1.0], [0.0, 2.0, 2.0]])
def test_what_is_no_line_has_no_finite_loss(positions: list[float]) -> None:
    with np.errstate(all="ignore"):
        assert OnALine(np.array(positions), 1.0).loss(0, len(positions) - 1) == math.inf
        assert OnALine(np.array([0.0, 1.0]), -1.0).loss(0, 1) == math.inf


@pytest.mark.parametrize(("scale", "days"), [(30.0, 1), (0.5, 4), (1000.0, 365)])
def test_a_shift_loses_one_over_its_scale_a_day(scale: float, days: int) -> None:
    numbers = np.arange(-200_000, 200_001)
    law = math.tanh(0.5 / scale) * np.exp(-np.abs(numbers) / scale)
    assert law.sum() == pytest.approx(1.0, abs=1e-9)
    assert shift_loss(scale, days) == pytest.approx(1.0 / scale, rel=1e-12)
    for wrong in (0.0, -1.0, math.nan, math.inf):
        assert shift_loss(wrong, days) == math.inf


def test_a_draw_that_does_not_look_loses_nothing() -> None:
    assert independent_loss(17) == 0.0
    assert independent_loss(0) == math.inf
