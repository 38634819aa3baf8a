"""The machinery of exact losses and of calibration, on laws whose loss is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from brute_force import pairwise_loss
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.calibration import Worst, largest_scale, rounded_down
from sfumato.privacy.distances import Distance
from sfumato.privacy.privacy_loss import DistanceLoss


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
    from sfumato.privacy import privacy_loss

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
    scale, loss, exact, pair = largest_scale(curve, 2.0, 1.0, 2.0)
    assert 2.0 * (1 - 1e-6) <= loss <= 2.0
    assert curve.check(scale) == loss
    assert exact
    assert pair == (0, 0)
    assert curve.checks <= 4
    assert math.ldexp(math.frexp(scale)[0], 32).is_integer()  # the last digits are rounded off


def test_scales_are_rounded_down_by_less_than_their_last_digit() -> None:
    scales = 10.0 ** np.random.default_rng(4).uniform(-9.0, 3.0, size=1000)
    rounded = rounded_down(scales)
    assert ((1.0 - 2.0**-31) * scales < rounded).all()
    assert (rounded <= scales).all()
    assert (rounded < scales).any()
    np.testing.assert_array_equal(rounded_down(rounded), rounded)


def test_calibration_stops_at_the_highest_scale() -> None:
    assert largest_scale(Curve(lambda s: 0.1 * s), 2.0, 1.0, 2.0) == (2.0, 0.2, True, (0, 0))


def test_calibration_survives_a_check_that_rounds_up() -> None:
    """The full check of a pair a hair apart may exceed what following the pair gives; that must not cost the rest."""
    for error in (1e-10, 1e-8, 1e-5, 1e-3):
        curve = Curve(lambda s, error=error: 1.1 * s * (1.0 + error), lambda s: 1.1 * s)
        loss = largest_scale(curve, 2.0, 1.0, 2.0).loss
        assert 2.0 * (1.0 - 5.0 * error - 1e-6) <= loss <= 2.0
        assert curve.checks <= 5


def test_calibration_refuses_what_no_scale_can_carry() -> None:
    for hopeless in (lambda s: 2.000001, lambda s: 5.0, lambda s: math.inf, lambda s: 1e300 * s):
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
    scales = np.array([0.5, 1.0, 2.0])
    found = metric.weights_in_groups(x, np.arange(9), y, starts, groups, scales, 3.0)
    for row, (one, group) in enumerate(zip(found, groups, strict=True)):
        inside = expected[row, starts[group] : starts[group + 1]]
        np.testing.assert_allclose(one[: len(inside)], np.exp(-scales[group] * np.minimum(inside, 3.0)), rtol=1e-12)
        assert (one[len(inside) :] == 0.0).all()


@pytest.mark.parametrize("dimensions", [1, 3, 50, 300])
def test_a_weight_does_not_depend_on_the_draws_beside_it(dimensions: int) -> None:
    """To the last bit: equal weights are put in order by it, and a pinned run may be cut into other batches."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(200, dimensions))
    vectors[100:] = vectors[:100]
    starts, metric = np.append(np.arange(0, 200, 17), 200), Distance()
    inputs, groups = rng.integers(0, 200, size=400), np.sort(rng.integers(0, len(starts) - 1, size=400))

    def weights(inputs: Any, groups: Any) -> Any:
        return metric.weights_in_groups(vectors, inputs, vectors, starts, groups, np.array([0.7]), np.inf)

    together = weights(inputs, groups)
    shuffled = rng.permutation(400)
    np.testing.assert_array_equal(weights(inputs[shuffled], groups[shuffled])[np.argsort(shuffled)], together)
    for number in range(0, 400, 7):
        alone = weights(inputs[number : number + 1], groups[number : number + 1])[0]
        np.testing.assert_array_equal(alone, together[number, : len(alone)])


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0, 400.0, 1e6, 1e300, math.inf])
@pytest.mark.parametrize("size", [1e-100, 0.15, 1.0, 3.0, 1e100])
def test_distances_are_a_metric_whatever_p_and_size(p: float, size: float) -> None:
    """Powers of single differences would vanish or overflow here."""
    points = size * np.random.default_rng(1).normal(size=(12, 4))
    points[1] = points[0]
    d = Distance(p).block(points, points)
    largest = np.abs(points[:, None] - points[None]).max(axis=2)
    assert (d >= largest * (1.0 - 1e-12)).all()
    assert (d <= largest * 4.0 ** (1.0 / p) * (1.0 + 1e-12)).all()
    assert (d[:, None, :] <= (d[:, :, None] + d[None, :, :]) * (1.0 + 1e-12)).all()
    np.testing.assert_allclose(d[0], d[1], rtol=1e-12)
    np.testing.assert_allclose(Distance(p).block(points[:, :1], points[:, :1]), np.abs(points[:, :1] - points[:, 0]))


@pytest.mark.parametrize("p", [1.0, 2.0, 400.0])
def test_equal_vectors_are_exempt_and_unequal_ones_at_distance_zero_are_not(p: float) -> None:
    copies = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 0.0], [2.0, 0.0]])
    oracle = DistanceLoss(copies, Distance(p))
    assert 0.0 < oracle.worst(1.0).loss < math.inf
    assert oracle.follow(np.array([[0, 1], [2, 3]]))(1.0) == 0.0
    assert oracle.follow(np.array([[0, 0]]))(1.0) == 0.0


@pytest.mark.parametrize("wrong", [0.0, math.nan, math.inf])
def test_a_distance_that_is_none_makes_the_loss_infinite(wrong: float) -> None:
    """A pair that the distance cannot tell apart, though the vectors differ, is never left out."""

    class Blurred(Distance):
        def block(self, x: Any, y: Any) -> Any:
            found = super().block(x, y)
            found[np.isclose(found, 1.0)] = wrong
            return found

    vectors = np.array([[0.0], [1.0], [5.0], [5.0]])
    for limit in (math.inf, 2.0):
        oracle = DistanceLoss(vectors, Blurred(), limit)
        if math.isnan(wrong):
            with pytest.raises(GuaranteeError, match="normalisers"):
                oracle.worst(1.0)
        else:
            assert oracle.worst(1.0).loss == math.inf
        assert oracle.follow(np.array([[0, 1]]))(1.0) == math.inf
        with pytest.raises(GuaranteeError):
            largest_scale(oracle, 2.0, 1.0, 2.0)


def test_unequal_vectors_whose_squares_vanish_have_no_scale() -> None:
    vectors = np.array([[0.0], [1e-170], [1.0]])
    assert DistanceLoss(vectors, Distance()).worst(1.0).loss == math.inf
    with pytest.raises(GuaranteeError, match="No scale"):
        largest_scale(DistanceLoss(vectors, Distance()), 2.0, 1.0, 2.0)
    assert DistanceLoss(vectors, Distance(1.0)).worst(1.0).loss < math.inf


def test_a_loss_that_is_no_number_is_refused() -> None:
    with pytest.raises(GuaranteeError, match="cannot be computed"):
        largest_scale(Curve(lambda s: math.nan), 2.0, 1.0, 2.0)
    with pytest.raises(GuaranteeError, match="cannot be computed"):
        largest_scale(Curve(lambda s: s if s <= 1.0 else math.nan, lambda s: s), 2.0, 1.0, 2.0)
    with pytest.raises(GuaranteeError, match="cannot be computed"):
        DistanceLoss(np.array([[1.0], [-1.0], [3.0]]), Distance()).worst(math.nan)
    assert math.isnan(pairwise_loss(np.array([[math.nan, 0.0], [0.0, 0.0]])))


def test_calibration_says_whether_the_check_at_its_scale_was_exact() -> None:
    """The last check made need not be the one whose scale is returned."""

    class Mixed(Curve):
        def __init__(self, exact: Callable[[float], bool]) -> None:
            super().__init__(lambda s: s if s < 1.5 else 9.0, lambda s: s)
            self.exact = exact

        def worst(self, scale: float) -> Worst:
            return super().worst(scale)._replace(exact=self.exact(scale))

    bound_below = largest_scale(Mixed(lambda s: s > 1.4), 2.0, 1.0, 2.0, rounds=2)
    assert (bound_below.scale, bound_below.loss, bound_below.exact) == (1.0, 1.0, False)
    bound_above = largest_scale(Mixed(lambda s: s < 1.4), 2.0, 1.0, 2.0, rounds=2)
    assert (bound_above.scale, bound_above.loss, bound_above.exact) == (1.0, 1.0, True)


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
