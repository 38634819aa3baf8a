"""The machinery of exact losses and of calibration, on laws whose loss is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sfumato.distances import Distance
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy_loss import DistanceLoss, Worst, largest_scale, pairwise_loss


def test_pairwise_loss_of_known_laws() -> None:
    warner = np.log(np.array([[0.75, 0.25], [0.25, 0.75]]))
    assert pairwise_loss(warner) == pytest.approx(math.log(3.0))
    assert pairwise_loss(warner, np.array([[0.0, 4.0], [4.0, 0.0]])) == pytest.approx(math.log(3.0) / 4.0)
    with np.errstate(divide="ignore"):
        never = np.log(np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]))
        both = np.log(np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]]))
    assert pairwise_loss(never) == math.inf
    assert pairwise_loss(both) == pytest.approx(math.log(2.5))
    assert pairwise_loss(warner, np.zeros((2, 2))) == math.inf
    assert pairwise_loss(warner[[0, 0]], np.zeros((2, 2))) == 0.0


@pytest.mark.parametrize("limit", [math.inf, 0.7])
@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, math.inf])
def test_distance_loss_is_the_pairwise_loss(p: float, limit: float) -> None:
    """Also across blocks: more rows than one block holds."""
    for count, scale in ((7, 0.8), (60, 2.5)):
        vectors = np.random.default_rng(count).normal(size=(count, 3))
        metric = Distance(p)
        d = np.array([[np.linalg.norm(x - y, ord=p) for y in vectors] for x in vectors])
        scores = -scale * np.minimum(d, limit)
        law = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        oracle = DistanceLoss(vectors, metric, limit)
        worst = oracle.worst(scale)
        assert worst.loss == pytest.approx(pairwise_loss(law, d), rel=1e-9)
        assert oracle.diameter == pytest.approx(d.max(), rel=1e-12)
        assert oracle.follow(worst.pairs)(scale) == pytest.approx(worst.loss, rel=1e-9)
        np.testing.assert_allclose(oracle.log_normalizers(scale), np.log(np.exp(scores).sum(axis=1)), rtol=1e-12)


def test_distance_loss_in_blocks_is_that_of_one_block(monkeypatch: Any) -> None:
    from sfumato import privacy_loss

    vectors = np.random.default_rng(3).normal(size=(50, 4))
    whole = DistanceLoss(vectors, Distance()).worst(1.3).loss
    monkeypatch.setattr(privacy_loss, "_EDGE", 7)
    assert DistanceLoss(vectors, Distance()).worst(1.3).loss == pytest.approx(whole, rel=1e-12)


class Curve:
    """An oracle whose loss is a function; its check may see more than the pairs it hands out."""

    def __init__(self, check: Callable[[float], float], pairs: Callable[[float], float] | None = None) -> None:
        self.check, self.pairs, self.checks = check, pairs or check, 0

    def worst(self, scale: float) -> Worst:
        self.checks += 1
        return Worst(self.check(scale), np.zeros((1, 2), dtype=np.int64))

    def follow(self, pairs: Any) -> Callable[[float], float]:
        return self.pairs


def test_calibration_meets_epsilon_from_below_in_few_checks() -> None:
    curve = Curve(lambda s: s + 0.3 * math.tanh(s))
    scale, loss = largest_scale(curve, 2.0, 1.0, 2.0)
    assert 2.0 * (1 - 1e-6) <= loss <= 2.0
    assert curve.check(scale) == loss
    assert curve.checks <= 4


def test_calibration_stops_at_the_highest_scale() -> None:
    assert largest_scale(Curve(lambda s: 0.1 * s), 2.0, 1.0, 2.0) == (2.0, 0.2)


def test_calibration_survives_a_check_that_rounds_up() -> None:
    """The full check of a pair a hair apart may exceed what following the pair gives; that must not cost the rest."""
    for error in (1e-10, 1e-8, 1e-5, 1e-3):
        curve = Curve(lambda s, error=error: 1.1 * s * (1.0 + error), lambda s: 1.1 * s)
        _, loss = largest_scale(curve, 2.0, 1.0, 2.0)
        assert 2.0 * (1.0 - 5.0 * error - 1e-6) <= loss <= 2.0
        assert curve.checks <= 5


def test_calibration_refuses_what_no_scale_can_carry() -> None:
    for hopeless in (lambda s: 5.0, lambda s: math.inf, lambda s: 1e300 * s):
        with pytest.raises(GuaranteeError, match="No scale"):
            largest_scale(Curve(hopeless), 2.0, 1.0, 2.0)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0, math.inf])
def test_distances(p: float) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(9, 5)), rng.normal(size=(13, 5))
    metric = Distance(p)
    expected = np.array([[np.linalg.norm(a - b, ord=p) for b in y] for a in x])
    np.testing.assert_allclose(metric.block(x, y), expected, rtol=1e-12)
    assert (np.diag(metric.block(x, x)) == 0.0).all()
    starts, groups = np.array([0, 5, 6, 13]), np.array([0, 1, 2, 0, 2, 2, 1, 1, 0])
    found = metric.to_groups(x, np.arange(9), y, starts, groups)
    for row, (one, group) in enumerate(zip(found, groups, strict=True)):
        inside = expected[row, starts[group] : starts[group + 1]]
        np.testing.assert_allclose(one[: len(inside)], inside, rtol=1e-12)
        assert np.isinf(one[len(inside) :]).all()


@pytest.mark.parametrize("shift", [0.0, 1.0, 1e4])
@pytest.mark.parametrize("gap", [1e-2, 1e-6, 1e-10])
def test_distances_of_near_pairs_keep_their_digits(gap: float, shift: float) -> None:
    x = shift + np.random.default_rng(0).normal(size=(20, 8))
    y = x + gap * np.eye(8)[0]
    expected = np.linalg.norm((x.astype(np.longdouble) - y), axis=1).astype(float)
    np.testing.assert_allclose(np.diag(Distance().block(x, y)), expected, rtol=1e-9)


@pytest.mark.parametrize("p", [0.5, 0.0, -1.0, math.nan])
def test_what_is_no_metric_is_refused(p: float) -> None:
    with pytest.raises(ConfigurationError, match="metric"):
        Distance(p)
