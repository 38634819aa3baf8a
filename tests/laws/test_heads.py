"""The likeliest outcome decided early: no pair of uniforms has another outcome than on the whole way."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from sfumato.building.methods import mechanism as build
from sfumato.mechanisms import _exponential
from sfumato.mechanisms._exponential import kept_log_sums, log_sums_key
from sfumato.privacy.distance_law import DistanceLaw
from sfumato.privacy.distances import Distance
from sfumato.privacy.quick_draws import LikeliestOutcomes

pytestmark = pytest.mark.law

WORDS = 5000  # more than blocks: three members each


def vectors_of(name: str) -> Any:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(WORDS, 2))
    if name == "copies":  # in the same block and in others
        points[1::7] = points[::7][: len(points[1::7])]
        points[2500:2600] = points[:100]
    if name == "line":
        return np.arange(WORDS, dtype=np.float64)[:, None]
    if name == "pairs":  # two blocks of one weight each: neither may be put last by a guess
        points[2499:4998] = points[:2499]
    return points


def law_of(vectors: Any, scale: float, limit: float = np.inf) -> DistanceLaw:
    first: dict[bytes, int] = {}
    canonical = np.array([first.setdefault(row.tobytes(), number) for number, row in enumerate(vectors)])
    return DistanceLaw(vectors, np.arange(len(vectors)), canonical, scale, limit, error=1e-9)


def whole(vectors: Any, scale: float, limit: float = np.inf) -> DistanceLaw:
    law = law_of(vectors, scale, limit)
    law._led = False
    return law


def sums_of(law: DistanceLaw) -> Any:
    return np.array([np.log(np.exp(law.log_weights(token)).sum()) for token in range(len(law.vectors))])


def pairs_of_uniforms(law: DistanceLaw, tokens: Any, count: int) -> tuple[Any, Any]:
    """Tokens, and uniforms for them: anywhere, at both ends, and at the very bounds of the heads of ``law``."""
    rng = np.random.default_rng(4)
    given = np.repeat(tokens, count)
    uniforms = 1.0 - rng.random((len(given), 2))
    bounds = law._likeliest.bounds[law.canonical[given]]
    margin = 16.0 * law._error
    near = np.clip(bounds - margin * rng.choice([0.0, 0.5, 1.0, 1.5, 2.0], size=bounds.shape), 2.0**-60, 1.0)
    steps = rng.integers(-3, 4, size=bounds.shape) * 2.0**-53
    near = np.clip(near + steps, 2.0**-60, 1.0)
    kind = rng.random(bounds.shape)
    uniforms = np.where(kind < 0.4, near, uniforms)
    uniforms = np.where(kind > 0.95, rng.choice([1.0, 2.0**-40, 1.0 - 2.0**-53], size=bounds.shape), uniforms)
    return given, uniforms


@pytest.mark.parametrize("by", ["sums", "rows"])
@pytest.mark.parametrize("name", ["normal", "copies", "pairs", "line"])
@pytest.mark.parametrize(("scale", "limit"), [(70.0, np.inf), (20.0, np.inf), (60.0, 0.5), (0.05, np.inf)])
def test_heads_change_no_draw(name: str, scale: float, limit: float, by: str) -> None:
    vectors = vectors_of(name)
    scale /= 600.0 if name == "line" else 1.0
    led, slow = law_of(vectors, scale, limit), whole(vectors, scale, limit)
    tokens = np.random.default_rng(5).integers(0, WORDS, size=40)
    if by == "sums":
        led = led.knowing(sums_of(led))
        assert led._log_sums is not None
    led.draw(tokens, np.full((len(tokens), 2), 1e-9))  # so small that no head decides: heads and rows are made
    if name == "pairs":
        bounds = led._likeliest.bounds[led.canonical[tokens[tokens < 4998]], 0]
        assert (bounds > 1.0).all(), "two equal blocks: neither is surely the last"
    given, uniforms = pairs_of_uniforms(led, tokens, 400)
    expected = slow.draw(given, uniforms)
    np.testing.assert_array_equal(led.draw(given, uniforms), expected)
    led._forget()  # the rows only
    np.testing.assert_array_equal(led.draw(given, uniforms), expected)


def test_most_draws_of_a_steep_law_need_no_row() -> None:
    vectors = np.random.default_rng(3).normal(size=(WORDS, 4))
    law = law_of(vectors, 30.0)
    law = law.knowing(sums_of(law))
    tokens = np.arange(WORDS)
    drawn = law.draw(tokens, 1.0 - np.random.default_rng(0).random((WORDS, 2)))
    assert law._rows < 0.3 * WORDS
    assert 0.7 < (drawn == tokens).mean() < 1.0
    copy = pickle.loads(pickle.dumps(law))
    assert not copy._likeliest.known.any(), "which words were met is private and stays out of pickles"
    assert copy._log_sums is not None


@pytest.mark.parametrize("wrong", [0.1, -0.1, np.nan])
def test_sums_of_another_law_are_not_believed(wrong: float) -> None:
    law = law_of(vectors_of("normal")[:400], 5.0)
    assert law.knowing(sums_of(law) + wrong)._log_sums is None


def test_blocks_or_members_of_one_weight_have_no_head() -> None:
    """Which of them comes last is decided by rounding, so a head could disagree with the row that is made later."""
    heads = LikeliestOutcomes.empty(6, 1e-9)
    weights = np.array([[1.0, 1.0, 0.0], [1.0, 1.0 - 1e-10, 0.0], [1.0, 0.5, 0.0], [0.0, 0.0, 0.0], [3.0, 1.0, 1.0]])
    half = 2.0 * weights.sum(axis=1)
    sums = np.maximum(np.array([*(1.1 * weights.sum(axis=1)[:4]), half[4]]), 1e-9)
    heads.put(np.arange(5), np.arange(5) * 3, weights, sums, np.zeros(5, dtype=np.bool_))
    _, others = heads.decide(np.arange(6), np.ones((6, 2)))
    np.testing.assert_array_equal(others, [0, 1, 3, 4, 5])
    drawn, others = heads.decide(np.array([2, 2, 2]), np.array([[0.5, 0.5], [0.05, 0.5], [0.5, 0.3]]))
    np.testing.assert_array_equal(others, [1, 2])
    assert drawn[0] == 6


def test_sums_of_another_analysis_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    now = log_sums_key("v", Distance(2.0), 1.5, np.inf)
    assert now == log_sums_key("v", Distance(2.0), 1.5, np.inf)
    monkeypatch.setattr(_exponential, "ANALYSIS", "another")
    assert log_sums_key("v", Distance(2.0), 1.5, np.inf) != now


def test_the_sums_come_from_the_certificate(make_vocabulary: Any) -> None:
    points = np.random.default_rng(5).normal(size=(500, 3))
    made: Any = build("santext", make_vocabulary(points, [f"w{number}" for number in range(500)]), 3.0)
    made.certify()
    kept = kept_log_sums(made._log_sums_key(made.scale), 500)
    assert kept is not None
    np.testing.assert_allclose(kept, sums_of(made._law), rtol=1e-12)
    assert made._law._log_sums is not None
    assert kept_log_sums(made._log_sums_key(made.scale), 499) is None
