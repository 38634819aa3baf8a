"""Randomness: uniforms with their whole exponent, outcomes of probability e^-600, keys, contexts."""

from __future__ import annotations

import math
import pickle
import sys
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.kernels import order_by
from sfumato.privacy.randomness import PinnedRandomness, Randomness, SeededRandomness, SystemRandomness, context
from sfumato.privacy.sampling import LOG_RESOLUTION, LawTable, check_resolution, draw_once, gamma, gaussian

KEY = bytes(range(32))


class Scripted(Randomness):
    """Gives the words it was made with: ``layers[layer]`` is (high, low)."""

    keyed: ClassVar[bool] = False
    private: ClassVar[bool] = False
    stamp = "scripted"

    def __init__(self, *layers: tuple[int, int]) -> None:
        self.layers = layers

    def _words(self, n: int, width: int, contexts: Sequence[bytes] | None, layer: int) -> Any:
        high, low = self.layers[layer]
        half = width // 2
        return np.array([[high] * half + [low] * half] * n, dtype=np.uint64)


@pytest.mark.parametrize(
    ("layers", "value"),
    [
        ([(1 << 63, 0)], 0.5),
        ([((1 << 64) - 1, (1 << 64) - 1)], 1.0),
        ([(1, 0)], 2.0**-64),
        ([(1, 1 << 63)], 1.5 * 2.0**-64),
        ([(0, 99), (1 << 63, 0)], 2.0**-65),
        ([(0, 0), (0, 5), (3 << 62, 0)], 0.75 * 2.0**-128),
        ([(0, 0)] * 9 + [(1, 0)], 2.0**-640),
    ],
)
def test_uniforms_have_their_whole_exponent(layers: Any, value: float) -> None:
    found = Scripted(*layers).uniforms(2, 3)
    assert found.shape == (2, 3)
    np.testing.assert_allclose(found, value, rtol=1e-15)


def test_only_the_empty_places_are_drawn_on() -> None:
    class Half(Scripted):
        def _words(self, n: int, width: int, contexts: Any, layer: int) -> Any:
            words = super()._words(n, width, contexts, layer)
            if layer == 0:
                words[0, 0] = 1 << 62
            return words

    found = Half((0, 0), (1 << 63, 0)).uniforms(1, 2)
    np.testing.assert_allclose(found, [[0.25, 2.0**-65]], rtol=1e-15)


@pytest.mark.parametrize("source", [SystemRandomness(), SeededRandomness(1), PinnedRandomness(KEY)], ids=repr)
def test_uniforms_are_uniform_and_independent(source: Randomness) -> None:
    contexts = [context("r", place, "word") for place in range(20_000)]
    found = source.uniforms(20_000, 3, contexts)
    assert found.min() > 0.0
    assert found.max() <= 1.0
    assert stats.kstest(found.ravel(), "uniform").pvalue > 1e-8
    assert stats.kstest(found.ravel() ** 1.05, "uniform").pvalue < 1e-8  # power
    assert np.abs(np.corrcoef(found, rowvar=False) - np.eye(3)).max() < 0.045  # 6.4 standard errors
    assert abs(np.corrcoef(found[:-1, 0], found[1:, 0])[0, 1]) < 0.045


RARE = (1e-12, 1e-30, 1e-100, 1e-200)


@pytest.mark.parametrize("weights", [[1.0, 1e-12, 1e-30, 1e-100, 1e-200], [1e-200, 1e-100, 1.0, 1e-12, 1e-30]])
def test_rare_outcomes_are_drawn_exactly_at_their_boundaries(weights: list[float]) -> None:
    """No frequency could show an outcome of probability 1e-200; the uniforms that lead to it can."""
    order = np.argsort(weights)
    bounds = np.cumsum(np.array(weights, dtype=np.longdouble)[order]) / np.sum(np.array(weights, np.longdouble))
    table = LawTable.from_weights(np.array([weights]))
    for place, bound in enumerate(bounds[:-1].astype(np.float64)):
        below, above = bound * (1.0 - 1e-14), bound * (1.0 + 1e-14)
        for uniform, expected in ((below, order[place]), (above, order[place + 1])):
            assert table.draw(np.array([0]), np.array([uniform])) == [expected]
            assert draw_once(np.array([weights]), np.array([uniform])) == [expected]
    assert table.draw(np.array([0]), np.array([1.0])) == [order[-1]]


def test_impossible_outcomes_are_never_drawn() -> None:
    weights = np.array([[0.0, 1.0, 0.0, 1e-200]])
    table = LawTable.from_weights(weights)
    for uniform in (2.0**-1000, 1e-200, 1e-16, 0.3, 1.0):
        assert table.draw(np.array([0]), np.array([uniform]))[0] in (1, 3)
        assert draw_once(weights, np.array([uniform]))[0] in (1, 3)


@pytest.mark.parametrize("outcomes", [3, 60])
@pytest.mark.parametrize("wrong", [[math.nan], [math.inf], [0.0], [1e308], [1.0, math.nan]], ids=str)
def test_weights_that_make_no_law_are_refused(wrong: list[float], outcomes: int) -> None:
    weights = np.ones((4, outcomes))
    weights[2] = np.resize(wrong, outcomes)
    with pytest.raises(GuaranteeError, match="add up"):
        LawTable.from_weights(weights)
    with pytest.raises(GuaranteeError, match="add up"):
        draw_once(weights, np.full(4, 0.5))
    assert draw_once(weights[:0], np.empty(0)).shape == (0,)


def test_tables_keep_their_rows_when_they_grow() -> None:
    weights = np.random.default_rng(0).random((5, 7))
    table = LawTable.from_weights(weights[:3]).resized(5)
    table.put(slice(3, 5), weights[3:])
    whole = LawTable.from_weights(weights)
    np.testing.assert_array_equal(table.cumulative, whole.cumulative)
    np.testing.assert_array_equal(table.order, whole.order)
    rows, uniforms = np.arange(5).repeat(200), np.random.default_rng(1).random(1000)
    np.testing.assert_array_equal(whole.draw(rows, uniforms), draw_once(weights[rows], uniforms))


@pytest.mark.parametrize("outcomes", [1, 2, 17, 48])
def test_few_outcomes_have_one_order_in_tables_and_without(outcomes: int) -> None:
    """Equal weights too: a word that occurs often moves to a table, and its pinned draws must not notice."""
    rng = np.random.default_rng(0)
    weights = np.concatenate([rng.random((40, outcomes)), rng.integers(0, 3, size=(40, outcomes)) + 0.0])
    weights[:, 0] += 1e-9
    order = np.argsort(weights, axis=1, kind="stable")
    table = LawTable.empty(80, outcomes)
    table.put_few(slice(0, 80), weights)
    np.testing.assert_array_equal(table.order, order)
    np.testing.assert_allclose(table.cumulative, np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1))
    rows, uniforms = np.arange(80).repeat(300), 1.0 - rng.random(24_000)
    np.testing.assert_array_equal(table.draw(rows, uniforms), draw_once(weights[rows], uniforms))
    for wrong in (np.nan, np.inf, 0.0):
        with pytest.raises(GuaranteeError, match="add up"):
            LawTable.empty(1, outcomes).put_few(slice(0, 1), np.full((1, outcomes), wrong))


def test_draws_put_in_order_are_the_same_draws() -> None:
    """Many draws are sorted by their row first; each keeps its own uniform."""
    rng = np.random.default_rng(0)
    for rows_of_table in (5, 60_000):
        table = LawTable.from_weights(rng.random((rows_of_table, 7)))
        rows, uniforms = rng.integers(0, rows_of_table, size=30_000), 1.0 - rng.random(30_000)
        together = table.draw(rows, uniforms)
        parts = [table.draw(rows[n : n + 1000], uniforms[n : n + 1000]) for n in range(0, 30_000, 1000)]
        np.testing.assert_array_equal(together, np.concatenate(parts))


@given(st.lists(st.integers(0, 20)))
def test_order_by_is_a_stable_sort(values: list[int]) -> None:
    given = np.array(values, dtype=np.int64)
    np.testing.assert_array_equal(order_by(given, 21), np.argsort(given, kind="stable"))


def test_a_weight_at_the_limit_keeps_all_of_its_digits() -> None:
    assert math.exp(LOG_RESOLUTION) * 2.0**-53 > sys.float_info.min


def test_resolution_is_refused_below_the_limit() -> None:
    check_resolution(LOG_RESOLUTION, "here")
    with pytest.raises(GuaranteeError, match=r"here.*smaller epsilon"):
        check_resolution(LOG_RESOLUTION - 1.0, "here")
    with pytest.raises(GuaranteeError):
        check_resolution(math.nan, "here")


@pytest.mark.parametrize("id", ["santext", "clusant", "tem", "santext+"])
def test_a_giant_epsilon_is_refused(id: str, toys: Any) -> None:
    from sfumato.building.methods import mechanism

    vocabulary = toys["cases"]
    options = {"threshold": 50.0} if id == "tem" else {}
    made = mechanism(id, vocabulary, 1e5, **options)
    with pytest.raises(GuaranteeError, match="epsilon"):
        made.law(0)
    with pytest.raises(GuaranteeError, match="epsilon"):
        made.draw(np.array([0]), lambda width: np.full((1, width), 0.5))


def test_gaussian_and_gamma_invert_their_distributions() -> None:
    uniforms = np.array([1e-300, 1e-17, 0.01, 0.5, 0.99, 1.0 - 2.0**-53])
    np.testing.assert_allclose(stats.norm.cdf(gaussian(uniforms)), uniforms, rtol=1e-10)
    assert np.isfinite(gaussian(np.array([1.0]))).all()
    for shape in (1, 5, 300):
        np.testing.assert_allclose(stats.gamma.sf(gamma(shape, uniforms), shape), uniforms, rtol=1e-8)


def test_keys_are_long_and_never_shown() -> None:
    with pytest.raises(ConfigurationError, match="32 random bytes"):
        PinnedRandomness(b"short" * 6)
    assert "\\x01" not in repr(PinnedRandomness(KEY))
    assert KEY.hex() not in repr(PinnedRandomness(KEY))


def test_keyed_sources_want_a_context_for_every_draw() -> None:
    for contexts in (None, [b"one"]):
        with pytest.raises(ConfigurationError, match="context"):
            PinnedRandomness(KEY).uniforms(2, 1, contexts)


def test_every_part_of_a_context_and_the_key_decide_a_draw() -> None:
    base = context("record", 3, "word")
    others = [context("record2", 3, "word"), context("record", 4, "word"), context("record", 3, "ward")]
    drawn = PinnedRandomness(KEY).uniforms(4, 2, [base, *others])
    assert len(np.unique(drawn)) == 8
    np.testing.assert_array_equal(PinnedRandomness(KEY).uniforms(1, 2, [base])[0], drawn[0])
    assert (PinnedRandomness(KEY[::-1]).uniforms(1, 2, [base]) != drawn[0]).all()
    long_keys = [PinnedRandomness(KEY + tail) for tail in (b"a", b"b")]
    assert (long_keys[0].uniforms(1, 2, [base]) != long_keys[1].uniforms(1, 2, [base])).all()


@given(st.tuples(st.text(), st.integers(0, 9), st.text()), st.tuples(st.text(), st.integers(0, 9), st.text()))
def test_contexts_differ_wherever_their_parts_do(one: Any, other: Any) -> None:
    assert (context(*one) == context(*other)) == (one == other)


def test_stamps_say_what_is_not_private() -> None:
    assert not SeededRandomness(1).private
    assert "not private" in SeededRandomness(1).stamp
    assert SystemRandomness().private
    assert PinnedRandomness(KEY).private
    assert "computational" in PinnedRandomness(KEY).stamp


def test_sources_survive_pickling() -> None:
    contexts = [b"a", b"b"]
    for source in (SeededRandomness(5), PinnedRandomness(KEY)):
        copy = pickle.loads(pickle.dumps(source))
        np.testing.assert_array_equal(copy.uniforms(2, 2, contexts), source.uniforms(2, 2, contexts))
        assert copy.stamp == source.stamp
    assert pickle.loads(pickle.dumps(SystemRandomness())).private
    assert math.isclose(math.log(2.0**-937), LOG_RESOLUTION, rel_tol=0.01)
