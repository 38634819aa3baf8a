"""The law of clipped scores: its exact loss, its calibration, and draws that follow it and no other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.clipped_softmax import ClippedSoftmax, ClipRange, loss
from sfumato.privacy.composition import compose
from sfumato.privacy.guarantee import MOST_EPSILON, Guarantee
from sfumato.privacy.randomness import SeededRandomness
from sfumato.privacy.sampling import LawTable, draw_once

ACCEPT, REJECT = 1e-4, 1e-12
CLIP = ClipRange(-3.2, 16.3, "test")
SIZES = (2, 3, 5, 48, 49, 1000, 50_265, 250_000)
EPSILONS = (1e-9, 1e-6, 1e-3, 0.1, 1.0, 5.0, 25.0, 100.0, 199.9, 200.1, 400.0, 600.0)


def true_loss(scale: Decimal, outcomes: int) -> Decimal:
    """The formula of the docstring, in 60 digits."""
    grown = scale.exp()
    return scale + ((1 + (outcomes - 1) * grown) / (grown + outcomes - 1)).ln()


def true_scale(epsilon: float, outcomes: int) -> Decimal:
    """The scale whose loss is epsilon, by bisection: the loss grows with the scale."""
    low, high = Decimal(epsilon) / 2, Decimal(epsilon)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if true_loss(middle, outcomes) <= Decimal(epsilon) else (low, middle)
    return low


def brute_force(law: ClippedSoftmax, epsilon: float, scores: Any) -> float:
    """The largest log ratio over all pairs of ``scores`` and all outcomes."""
    logs = np.log(law.law(scores, epsilon))
    return max(float((one - logs).max()) for one in logs)


def corners(outcomes: int) -> Any:
    return np.array(list(itertools.product((CLIP.lower, CLIP.upper), repeat=outcomes)))


# --- loss and calibration -------------------------------------------------------------------------------------


@pytest.mark.parametrize("outcomes", [2, 3, 4, 5])
@pytest.mark.parametrize("calibration", ["exact", "paper"])
def test_the_loss_is_the_maximum_over_all_scores(outcomes: int, calibration: Any) -> None:
    law = ClippedSoftmax(CLIP, outcomes, calibration)
    rng = np.random.default_rng(outcomes)
    for epsilon in (0.01, 1.0, 6.0, 30.0):
        found = brute_force(law, epsilon, corners(outcomes))
        assert found == pytest.approx(law.certificate(epsilon).certified, rel=1e-9)
        assert found <= epsilon * (1 + 1e-9)
        inside = rng.uniform(CLIP.lower - 5, CLIP.upper + 5, size=(200, outcomes))
        assert brute_force(law, epsilon, inside) <= found * (1 + 1e-9)


def test_brute_force_finds_a_scale_that_is_one_percent_too_large() -> None:
    for outcomes, epsilon in itertools.product((2, 3, 5), (0.5, 4.0)):
        law = ClippedSoftmax(CLIP, outcomes)
        assert brute_force(law, 1.01 * epsilon, corners(outcomes)) > epsilon * (1 + 1e-6)


@pytest.mark.parametrize("outcomes", SIZES)
def test_calibration_meets_the_budget_and_does_not_pass_it(outcomes: int) -> None:
    law = ClippedSoftmax(CLIP, outcomes)
    with localcontext(prec=60):
        for epsilon in EPSILONS:
            scale = law.scale(epsilon)
            assert loss(scale, outcomes) <= epsilon
            exactly = true_loss(Decimal(scale), outcomes)
            assert exactly <= Decimal(epsilon) * (1 + Decimal("4e-15"))
            assert abs(exactly - Decimal(epsilon)) <= Decimal(epsilon) * Decimal("1e-13")
            assert abs(Decimal(scale) / true_scale(epsilon, outcomes) - 1) < Decimal("1e-12")
            assert loss(scale, outcomes) == pytest.approx(float(exactly), rel=4e-15)


def test_calibration_at_random_settings() -> None:
    rng = np.random.default_rng(3)
    with localcontext(prec=60):
        for _ in range(300):
            outcomes, epsilon = int(2 ** rng.uniform(1, 18)), float(10 ** rng.uniform(-9, 2.75))
            exactly = true_loss(Decimal(ClippedSoftmax(CLIP, outcomes).scale(epsilon)), outcomes)
            assert abs(exactly - Decimal(epsilon)) <= Decimal(epsilon) * Decimal("1e-13")


@pytest.mark.parametrize(("epsilon", "published"), [(25, 14.2), (50, 39.2), (100, 89.2), (250, 239.2)])
def test_published_figures(epsilon: float, published: float) -> None:
    assert ClippedSoftmax(CLIP, 50_265).scale(epsilon) == pytest.approx(published, abs=0.05)


def test_the_papers_calibration_is_half_and_wastes_what_the_certificate_says() -> None:
    with localcontext(prec=60):
        for outcomes, epsilon in itertools.product((2, 5, 50_265), (1e-3, 2.0, 25.0, 250.0)):
            law = ClippedSoftmax(CLIP, outcomes, "paper")
            certificate = law.certificate(epsilon)
            assert law.scale(epsilon) == certificate.scale == certificate.paper_scale == epsilon / 2
            assert certificate.certified == pytest.approx(float(true_loss(Decimal(epsilon) / 2, outcomes)), rel=1e-14)
            assert certificate.certified < epsilon
            assert ClippedSoftmax(CLIP, outcomes).scale(epsilon) > epsilon / 2


def test_the_certificate_names_the_temperature() -> None:
    conditions = ClippedSoftmax(CLIP, 5, "paper").certificate(3.0).conditions
    assert conditions["temperature"] == pytest.approx(2 * 19.5 / 3.0)  # Algorithm 1: T = 2·Δu/ε
    assert (conditions["outcomes"], conditions["clip_lower"], conditions["clip_upper"]) == (5, -3.2, 16.3)


@pytest.mark.parametrize("epsilon", [651.0, 720.0, 1e4, 1e5, 1e6])
def test_an_epsilon_below_the_resolution_is_refused(epsilon: float) -> None:
    for calibration, outcomes in itertools.product(("exact", "paper"), (2, 50_265)):
        law = ClippedSoftmax(CLIP, outcomes, calibration)  # type: ignore[arg-type]
        if calibration == "paper" and epsilon < 1200.0:
            assert law.certificate(epsilon).certified < epsilon
            continue
        for ask in (law.scale, law.certificate):
            beyond = epsilon > MOST_EPSILON  # refused before any law is asked
            error, why = (ConfigurationError, "promises nothing") if beyond else (GuaranteeError, "resolution")
            with pytest.raises(error, match=why):
                ask(epsilon)


def test_what_cannot_be_a_law_is_refused() -> None:
    for bounds in ((1.0, 1.0), (2.0, 1.0), (math.nan, 1.0), (0.0, math.inf), (-math.inf, 0.0)):
        with pytest.raises(ConfigurationError, match="clip range"):
            ClipRange(*bounds, "test")
    for outcomes in (-1, 0, 1):
        with pytest.raises(ConfigurationError, match="outcomes"):
            ClippedSoftmax(CLIP, outcomes)
    with pytest.raises(ConfigurationError, match="calibration"):
        ClippedSoftmax(CLIP, 5, "loose")  # type: ignore[arg-type]
    for epsilon in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ConfigurationError, match="epsilon"):
            ClippedSoftmax(CLIP, 5).scale(epsilon)


def fixed(fractions: Any) -> Any:
    """The fractions of some draws, as a law asks for them."""
    return lambda width: fractions[:, None]


# --- scores ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 7, 13, 19])
def test_scores_that_are_not_numbers_are_refused(place: int) -> None:
    law, scores = ClippedSoftmax(CLIP, 5), np.full((4, 5), np.inf, dtype=np.float32)
    law.law(scores, 1.0)
    scores.flat[place] = np.nan
    for ask in (law.law, lambda given, epsilon: law.draw(given, [epsilon] * 4, fixed(np.full(4, 0.5)))):
        with pytest.raises(GuaranteeError, match="not numbers"):
            ask(scores, 1.0)


def test_infinite_and_outlying_scores_are_clipped() -> None:
    law = ClippedSoftmax(CLIP, 4)
    wild = np.array([[-np.inf, np.inf, 1e30, -1e30]], dtype=np.float32)
    tame = np.array([[CLIP.lower, CLIP.upper, CLIP.upper, CLIP.lower]])
    np.testing.assert_array_equal(law.law(wild, 2.0), law.law(tame, 2.0))
    assert law.law(wild, 2.0)[0, 1] / law.law(wild, 2.0)[0, 0] == pytest.approx(math.exp(law.scale(2.0)))


@pytest.mark.parametrize("given", [4, 6])
def test_a_wrong_number_of_scores_is_refused(given: int) -> None:
    law = ClippedSoftmax(CLIP, 5)
    with pytest.raises(GuaranteeError, match="5 outcomes"):
        law.law(np.zeros((2, given)), 1.0)
    with pytest.raises(GuaranteeError, match="5 outcomes"):
        law.draw(np.zeros((2, given)), [1.0, 1.0], fixed(np.full(2, 0.5)))


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int64"])
def test_weights_are_float64_whatever_the_scores(kind: str) -> None:
    law = ClippedSoftmax(ClipRange(0.0, 8.0, "test"), 3)
    scores = np.array([[0, 3, 8]], dtype=kind)
    scale, before = law.scale(600.0), scores.copy()
    weights = law.weights(scores, scale)
    assert weights.dtype == np.float64
    np.testing.assert_allclose(weights, [[math.exp(-scale), math.exp(-scale * 5 / 8), 1.0]], rtol=1e-12)
    assert weights[0, 0] > 0.0  # e^-600, which float32 does not know
    assert np.exp(np.float32(-scale)) == 0.0
    np.testing.assert_array_equal(scores, before)
    np.testing.assert_allclose(law.law(scores, 600.0).sum(axis=1), 1.0, rtol=1e-15)


def test_every_row_has_its_own_epsilon_and_any_memory_order_will_do() -> None:
    rng = np.random.default_rng(1)
    law, scores = ClippedSoftmax(CLIP, 60), rng.uniform(-5, 18, size=(30, 60)).astype(np.float32)
    epsilons, uniforms = rng.uniform(0.5, 30, size=30).tolist(), rng.random(30)
    alone = [
        int(law.draw(scores[i : i + 1], [epsilons[i]], fixed(uniforms[i : i + 1]))[0]) for i in range(len(scores))
    ]
    for order in ("C", "F"):
        assert law.draw(np.asarray(scores, order=order), epsilons, fixed(uniforms)).tolist() == alone  # type: ignore[call-overload]
    assert law.draw(scores, epsilons[::-1], fixed(uniforms)).tolist() != alone
    assert law.draw(scores[:0], [], fixed(uniforms[:0])).tolist() == []


# --- draws ----------------------------------------------------------------------------------------------------


def fit(seen: Any, law: Any) -> float:
    """p-value of the chi-squared test that ``seen`` follows ``law``; the rarest outcomes make one bin."""
    order = np.argsort(law)
    seen, expected = seen[order], law[order] * seen.sum()
    rare = int(np.searchsorted(np.cumsum(expected), 12.0)) + 1
    seen, expected = np.append(seen[rare:], seen[:rare].sum()), np.append(expected[rare:], expected[:rare].sum())
    return float(stats.chi2.sf(((seen - expected) ** 2 / expected).sum(), len(seen) - 1))


@pytest.mark.law
@pytest.mark.parametrize("outcomes", [2, 12, 48, 49, 300])
def test_draws_follow_the_law_and_no_other(outcomes: int) -> None:
    epsilon, n = 4.0, 60_000
    scores = np.random.default_rng(outcomes).uniform(-6, 19, size=(1, outcomes)).astype(np.float32)
    scores[0, :2] = -9.0, 9.0
    law = ClippedSoftmax(CLIP, outcomes)
    uniforms = SeededRandomness(outcomes).uniforms(n, 1, [i.to_bytes(4, "little") for i in range(n)])[:, 0]
    seen = np.zeros(outcomes, dtype=np.int64)
    for part in np.split(uniforms, 20):
        drawn = law.draw(np.repeat(scores, len(part), axis=0), [epsilon] * len(part), fixed(part))
        seen += np.bincount(drawn, minlength=outcomes)
    assert fit(seen, law.law(scores, epsilon)[0]) > ACCEPT
    for factor in (0.7, 1.3):
        assert fit(seen, law.law(scores, factor * epsilon)[0]) < REJECT


Picker = Callable[[Any, Any], Any]


def by_table(weights: Any, uniforms: Any) -> Any:
    """The same draws by a full sort."""
    return LawTable.from_weights(weights[:1]).draw(np.zeros(len(uniforms), dtype=np.int64), uniforms)


def carelessly(weights: Any, uniforms: Any) -> Any:
    """The mistake: sums in the order of the outcomes, where large weights swallow small ones."""
    running = np.cumsum(weights[0])
    return np.minimum(np.searchsorted(running, uniforms * running[-1]), len(running) - 1)


def shares(pick: Picker, weights: Any, unit: float) -> Any:
    """How often each outcome comes up for uniforms that stand in the middle of every piece of length ``unit``."""
    total = math.fsum(weights)
    pieces = round(min(total, 20_000 * unit) / unit)
    uniforms = (np.arange(pieces) + 0.5) * (unit / total)
    return np.bincount(pick(np.tile(weights, (pieces, 1)), uniforms), minlength=len(weights))


@pytest.mark.parametrize("outcomes", [3, 47, 48, 49, 50, 200])
@pytest.mark.parametrize("pick", [draw_once, by_table], ids=["once", "table"])
def test_every_outcome_has_exactly_its_share(pick: Picker, outcomes: int) -> None:
    """Whole weights: a grid of uniforms must give each outcome as many points as it weighs, zeros none."""
    rng = np.random.default_rng(outcomes)
    weights = rng.integers(0, 7, size=outcomes).astype(np.float64) ** rng.integers(0, 3, size=outcomes)
    weights[rng.integers(0, outcomes, size=outcomes // 4)] = 0.0
    weights[0] = 3.0
    np.testing.assert_array_equal(shares(pick, weights, 1.0), weights.astype(np.int64))


@pytest.mark.parametrize("outcomes", [40, 60, 3000])
@pytest.mark.parametrize("rare", [1e-20, math.exp(-600.0), math.exp(-645.0)])
def test_rare_outcomes_have_their_share(outcomes: int, rare: float) -> None:
    weights = np.random.default_rng(1).uniform(0.4, 1.0, size=outcomes)
    tiny = np.array([7, 21, 30])
    weights[tiny] = np.array([1, 2, 3]) * rare
    total = math.fsum(weights)
    uniforms = (np.arange(8) + 0.5) * (rare / total)
    for pick in (draw_once, by_table):
        drawn = pick(np.tile(weights, (8, 1)), uniforms)
        np.testing.assert_array_equal(np.bincount(drawn, minlength=outcomes)[tiny], [1, 2, 3])
        assert len(set(drawn[6:].tolist()) & set(tiny.tolist())) == 0
    careless = carelessly(weights[None], uniforms)
    assert not set(careless.tolist()) & set(tiny.tolist())  # what this test guards against


@pytest.mark.parametrize("outcomes", [5, 48, 49, 1000])
def test_uniforms_at_both_ends(outcomes: int) -> None:
    """The smallest uniform draws the smallest weight above 0, the largest one a largest; a zero is never drawn."""
    rng = np.random.default_rng(outcomes)
    for _ in range(50):
        weights = np.exp(rng.uniform(-600, 0, size=outcomes))
        weights[rng.integers(0, outcomes, size=2)] = 0.0
        weights[3] = 1.0
        drawn = draw_once(np.tile(weights, (3, 1)), np.array([2.0**-64, 2.0**-1000, 1.0]))
        assert (weights[drawn] > 0.0).all()
        assert weights[drawn[2]] > 0.5
        least = weights[weights > 0.0].min()
        drawn = draw_once(weights[None], np.array([least / weights.sum() / 2]))
        assert least <= weights[drawn[0]] < 2.0 * least


def test_laws_that_are_none_are_refused() -> None:
    for outcomes, wrong in itertools.product((5, 60), (0.0, np.nan, np.inf)):
        weights = np.ones((3, outcomes))
        weights[1, :] = 0.0
        weights[1, 2] = wrong
        with pytest.raises(GuaranteeError, match="law"):
            draw_once(weights, np.full(3, 0.5))


# --- composition ----------------------------------------------------------------------------------------------


def divergence(one: Any, other: Any, order: float) -> float:
    """Rényi divergence."""
    return float(np.log(np.sum(one**order * other ** (1 - order), axis=-1)).max() / (order - 1))


@pytest.mark.parametrize("outcomes", [2, 4])
def test_one_draw_is_half_its_scale_squared_zcdp(outcomes: int) -> None:
    law = ClippedSoftmax(CLIP, outcomes)
    for epsilon, order in itertools.product((0.05, 1.0, 5.0), (1.001, 2.0, 8.0, 60.0)):
        rho = 0.5 * law.scale(epsilon) ** 2
        laws = law.law(corners(outcomes), epsilon)
        worst = max(divergence(one, laws, order) for one in laws)
        assert worst <= rho * order * (1 + 1e-6) + 1e-12
        if epsilon == 0.05 and order < 10.0:
            assert worst > 0.97 * rho * order  # a constant 3 % smaller would be wrong


def by_zcdp(rho: float, delta: float) -> float:
    """The smallest ε over a fine grid of orders (Canonne, Kamath, Steinke 2020, Proposition 12)."""
    orders = 1.0 + np.exp(np.linspace(-12, 14, 20_000))
    found = rho * orders + (math.log(1 / delta) - np.log(orders)) / (orders - 1) + np.log1p(-1 / orders)
    return float(found.min())


@pytest.mark.parametrize("draws", [1, 10, 300, 5000])
@pytest.mark.parametrize("epsilon", [0.1, 2.0, 8.0])
def test_composition_against_numbers_found_otherwise(draws: int, epsilon: float) -> None:
    rho, delta = 0.5 * ClippedSoftmax(CLIP, 50_265).scale(epsilon) ** 2, 1e-6
    found = compose(Guarantee("LDP", epsilon, "one draw", "any two", None, "here", rho=rho), draws)
    total = draws * rho
    assert found.pure == pytest.approx(draws * epsilon)
    assert found.approximate == pytest.approx(by_zcdp(total, delta), rel=2e-3)
    assert found.approximate <= total + 2 * math.sqrt(total * math.log(1 / delta))
    assert found.renyi is not None
    assert found.renyi <= min(found.pure, found.approximate)
    assert found.smallest in ("pure", "zcdp", "renyi")
    if by_zcdp(total, delta) < 0.99 * draws * epsilon:
        assert found.smallest != "pure"
    plain = compose(Guarantee("LDP", epsilon, "one draw", "any two", None, "here"), draws)
    assert plain.approximate is not None
    assert found.approximate < plain.approximate  # ε²/2 is what is known without the law


@pytest.mark.parametrize(("draws", "epsilon"), [(5000, 100.0), (2_000_000, 1.0)])
def test_composition_of_a_large_total_is_finite(draws: int, epsilon: float) -> None:
    rho = 0.5 * ClippedSoftmax(CLIP, 50_265).scale(epsilon) ** 2
    found = compose(Guarantee("LDP", epsilon, "one draw", "any two", None, "here", rho=rho), draws)
    total = draws * rho
    assert found.approximate is not None
    assert found.approximate <= total + 2 * math.sqrt(total * math.log(1e6)) * (1 + 1e-9)


def test_a_larger_rho_than_epsilon_implies_is_not_used() -> None:
    loose = compose(Guarantee("LDP", 1.0, "one draw", "any two", None, "here", rho=7.0), 100)
    assert loose == compose(Guarantee("LDP", 1.0, "one draw", "any two", None, "here"), 100)
