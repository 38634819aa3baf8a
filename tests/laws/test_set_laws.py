"""Laws inside sets of similar tokens: their whole numbers stay within the claim, by brute force over every pair."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

from sfumato import Route
from sfumato.building.methods import mechanism as build
from sfumato.detectors.words import Words
from sfumato.engines.engine import Engine
from sfumato.engines.tokens import DrawnTokens
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.mechanisms._optimal import prior_over
from sfumato.privacy import optimal_law
from sfumato.privacy.integer_law import TOTAL, integer_loss
from sfumato.privacy.optimal_law import expected_cost, integer_rows, rounded_costs
from sfumato.privacy.randomness import SystemRandomness
from sfumato.privacy.set_law import SetLaw, exponential_weights, penalties_of, within
from sfumato.release.statement import statement

EPSILONS = (1e-6, 0.3, 2.0, 9.0, 45.0, 1e4)
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "pairs": ("custext", {"set_size": 2}),
    "threes": ("custext", {"set_size": 3, "similarity": "cosine"}),
    "fives": ("custext", {"set_size": 5, "prior": "frequency"}),
    "custext+": ("custext+", {"set_size": 3}),
    "clusant": ("clusant", {"k": math.inf, "set_size": 4}),
    "clusant, normalised": ("clusant", {"k": math.inf, "set_size": 3, "token_distance": "normalised"}),
}


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Any:
    """``kind(vocabulary, epsilon, **more)`` builds a mechanism whose laws lie inside sets."""
    name, options = KINDS[request.param]
    return lambda vocabulary, epsilon, **more: build(name, vocabulary, epsilon, **{**options, **more})


def set_law(made: Any) -> SetLaw:
    made.certify()
    return (made.inner if made.name == "custext+" else made).set_law


def ratio(weights: Any) -> Fraction:
    """The largest ratio of two probabilities of one output, by trying all pairs of rows; 0 in a row is infinite."""
    worst = Fraction(1)
    for x, other in itertools.permutations(range(len(weights)), 2):
        for mine, theirs in zip(weights[x].tolist(), weights[other].tolist(), strict=True):
            assert (mine > 0) == (theirs > 0), "an output of probability 0 for one token of the set alone"
            if theirs:
                worst = max(worst, Fraction(mine, theirs))
    return worst


def log(ratio: Fraction) -> Any:
    """The logarithm in fifty digits."""
    with mpmath.workdps(50):
        return mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)


@pytest.mark.parametrize("calibration", ["exact", "paper", "optimal"])
def test_whole_numbers_stay_within_the_claim(kind: Any, toy: Any, calibration: str) -> None:
    for epsilon in EPSILONS:
        made = kind(toy, epsilon, calibration=calibration)
        certificate, law = made.certify(), set_law(made)
        assert certificate.kind == "exact"
        assert certificate.certified <= certificate.claimed == epsilon  # without a tolerance
        for number, weights in enumerate(law.weights):
            assert (weights >= 0).all()
            assert weights.sum(axis=1).tolist() == [TOTAL] * len(weights)
            worst, loss = log(ratio(weights)), float(law.losses[number])
            assert worst <= loss <= epsilon
            assert loss == pytest.approx(float(worst), rel=1e-12, abs=0.0)
        assert certificate.certified == law.losses.max()
        first, second = law.worst_pair
        assert first != second
        assert law.set_of[first] == law.set_of[second]
        for token in range(len(law.members)):
            group = law.group(int(law.set_of[token]))
            row = law.weights[int(law.set_of[token])][group.tolist().index(token)]
            np.testing.assert_array_equal(law.law(token)[group], row / TOTAL)


def test_calibration_comes_close_to_the_claim(toy: Any) -> None:
    for epsilon in (1e-6, 0.3, 9.0):
        made: Any = build("custext", toy, epsilon, set_size=3)
        for loss, values in zip(set_law(made).losses, made.penalties, strict=True):
            assert loss >= 0.9999 * epsilon if values.any() else loss == 0.0


def test_a_scale_is_lowered_where_whole_numbers_lose_more() -> None:
    penalties = penalties_of(np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0))))
    loss = integer_loss(exponential_weights(penalties, 1.0))
    lowered, weights = within([penalties], 1.0, loss * (1.0 - 1e-6))
    assert 1.0 - 1e-4 < lowered < 1.0
    assert integer_loss(weights[0]) <= loss * (1.0 - 1e-6)
    assert within([penalties], 1.0, loss)[0] == 1.0
    assert within([penalties], 1.0, 1e-300)[0] < 1e-9  # all but equal; they must still be a law


# --- optimal laws ---------------------------------------------------------------------------------------------


def costs_of(law: SetLaw, distances: Any) -> list[float]:
    return [
        expected_cost(weights, values, np.full(len(values), 1.0 / len(values)))
        for weights, values in zip(law.weights, distances, strict=True)
    ]


def test_two_tokens_get_randomized_response(make_vocabulary: Any) -> None:
    for epsilon in (0.1, 1.0, 6.0):
        made: Any = build("custext", make_vocabulary([[0.0], [1.0]]), epsilon, calibration="optimal", set_size=2)
        keep = 1.0 / (1.0 + math.exp(-epsilon))
        np.testing.assert_allclose(made.law(0), [keep, 1.0 - keep], rtol=1e-9)
        np.testing.assert_allclose(made.law(1), [1.0 - keep, keep], rtol=1e-9)


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 5.0])
@pytest.mark.parametrize("size", [2, 3, 6, 9])
def test_the_expected_distance_is_the_least_that_the_guarantee_permits(epsilon: float, size: int) -> None:
    """The programme as the paper states it, every pair of inputs a constraint, by an interior point method."""
    from scipy.optimize import linprog

    rng = np.random.default_rng(size)
    points, prior = rng.normal(size=(size, 2)), rng.random(size) + 0.05
    prior /= prior.sum()
    costs = rounded_costs(np.linalg.norm(points[:, None] - points[None], axis=2))
    rows = []
    for x, other, y in itertools.product(range(size), range(size), range(size)):
        if x != other:
            row = np.zeros(size * size)
            row[x * size + y], row[other * size + y] = 1.0, -math.exp(epsilon)
            rows.append(row)
    sums = np.kron(np.eye(size), np.ones(size))
    objective = (prior[:, None] * costs).ravel()
    truth = linprog(objective, np.array(rows), np.zeros(len(rows)), sums, np.ones(size), method="highs-ipm")
    largest = optimal_law.largest_probabilities(costs, prior, epsilon)
    weights = integer_rows(largest, costs, epsilon)
    assert integer_loss(weights) <= epsilon
    assert expected_cost(weights, costs, prior) == pytest.approx(truth.fun, rel=1e-6)


def test_the_expected_distance_is_never_above_that_of_the_exponential_law(toy: Any) -> None:
    better = 0
    for epsilon, size in itertools.product(EPSILONS, (2, 3, 5)):
        exact: Any = build("custext", toy, epsilon, set_size=size)
        optimal: Any = build("custext", toy, epsilon, set_size=size, calibration="optimal")
        pairs = zip(
            costs_of(set_law(optimal), exact.penalties), costs_of(set_law(exact), exact.penalties), strict=True
        )
        for found, before in pairs:
            assert found <= before * (1.0 + 1e-6)  # distances are rounded to 2^-24
            better += found < 0.999 * before
    assert better > 0 or len(toy) == 2  # of two tokens the exponential law is randomized response, which is the best


def test_clusters_are_no_worse_than_with_one_scale_for_all(toy: Any) -> None:
    for epsilon in (0.3, 2.0, 9.0):
        made = [
            build("clusant", toy, epsilon, k=math.inf, set_size=4, calibration=how) for how in ("exact", "optimal")
        ]
        exact, optimal = map(set_law, made)
        distances = [
            np.linalg.norm(toy.vectors[group][:, None] - toy.vectors[group][None], axis=2)
            for group in map(exact.group, range(len(exact.weights)))
        ]
        pairs = zip(costs_of(optimal, distances), costs_of(exact, distances), strict=True)
        assert all(found <= before * (1.0 + 1e-6) + 1e-7 * values.max() for (found, before), values in
                   zip(pairs, distances, strict=True))  # fmt: skip


def test_equal_vectors_share_one_optimal_law(toys: Any) -> None:
    vocabulary = toys["duplicates"]
    for size in (3, 5, 9):
        made: Any = build("custext", vocabulary, 2.0, set_size=size, calibration="optimal")
        for x, other in itertools.combinations(range(len(vocabulary)), 2):
            if made.set_of[x] == made.set_of[other] and (vocabulary.vectors[x] == vocabulary.vectors[other]).all():
                np.testing.assert_array_equal(made.law(x), made.law(other))


def test_a_frequent_word_counts_for_more(make_vocabulary: Any) -> None:
    vocabulary = make_vocabulary(
        np.random.default_rng(3).normal(size=(8, 3)), ["the", "of", "zeugma", "crwth", "and", "to", "in", "a"]
    )
    made = {
        prior: build("custext", vocabulary, 1.0, set_size=8, calibration="optimal", prior=prior)
        for prior in ("uniform", "frequency")
    }
    distances, group = made["uniform"].penalties[0], set_law(made["uniform"]).group(0)  # type: ignore[attr-defined]
    weight = prior_over(vocabulary, "frequency")[group]
    assert weight.min() > 0.0
    often = {prior: expected_cost(set_law(one).weights[0], distances, weight) for prior, one in made.items()}
    assert often["frequency"] < 0.95 * often["uniform"]
    assert made["frequency"].certify().conditions["optimal_prior"] == "frequency"
    assert made["frequency"].parameters["prior"] == "frequency"


# --- what goes wrong ------------------------------------------------------------------------------------------


@pytest.fixture
def empty_cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path / "empty"))


def failing(*_: Any, **__: Any) -> Any:
    from scipy.optimize import OptimizeResult

    return OptimizeResult(status=4, success=False, x=None, fun=None, message="numerical difficulties")


@pytest.mark.usefixtures("empty_cache")
def test_a_solver_that_fails_leaves_sets_to_exact_and_the_certificate_says_so(
    toys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    vocabulary = toys["unit"]
    with monkeypatch.context() as patch:
        patch.setattr("scipy.optimize.linprog", failing)
        made: Any = build("custext", vocabulary, 2.0, set_size=5, calibration="optimal")
        conditions = made.certify().conditions
        assert conditions["optimal_sets"] == 0
        assert conditions["sets_left_to_exact"] == {"solver failed": len(made.penalties)}
        exact: Any = build("custext", vocabulary, 2.0, set_size=5)
        for mine, theirs in zip(set_law(made).weights, set_law(exact).weights, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        assert made.scales.tolist() == exact.scales.tolist()
        text = str(statement(Engine(Words(), DrawnTokens({"ANY": Route(made)}, "ANY")), SystemRandomness(), {1: 1}))
        assert "solver failed" in text
    later: Any = build("custext", vocabulary, 2.0, set_size=5, calibration="optimal")  # a failure is not kept
    assert later.certify().conditions["sets_left_to_exact"] == {}


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize("answer", [math.nan, 0.0, -1.0, 1e300])
def test_numbers_that_are_no_solution_never_become_a_law_above_epsilon(
    toys: Any, monkeypatch: pytest.MonkeyPatch, answer: float
) -> None:
    def wrong(objective: Any, **_: Any) -> Any:
        from scipy.optimize import OptimizeResult

        return OptimizeResult(status=0, success=True, x=np.full(len(objective), answer), fun=0.0)

    monkeypatch.setattr("scipy.optimize.linprog", wrong)
    made: Any = build("custext", toys["unit"], 2.0, set_size=5, calibration="optimal")
    assert made.certify().certified <= 2.0
    assert sum(made.certify().conditions["sets_left_to_exact"].values()) == len(made.penalties)


@pytest.mark.usefixtures("empty_cache")
def test_sets_that_are_too_large_are_left_to_exact(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal_law, "LARGEST_SET", 4)
    for made in (
        build("custext", toys["unit"], 2.0, set_size=5, calibration="optimal"),
        build("clusant", toys["unit"], 2.0, set_size=5, k=math.inf, calibration="optimal"),
    ):
        conditions = made.certify().conditions
        assert conditions["sets_left_to_exact"] == {"more than 4 tokens": 2}
        assert conditions["optimal_sets"] == 1


@pytest.mark.usefixtures("empty_cache")
def test_a_kept_solution_is_believed_only_if_it_gives_a_law(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fresh() -> Any:
        return build("custext", toys["unit"], 2.0, set_size=5, calibration="optimal")

    honest = set_law(fresh())
    with monkeypatch.context() as patch:
        patch.setattr("scipy.optimize.linprog", lambda *_, **__: pytest.fail("solved again"))
        assert set_law(fresh()).digest == honest.digest
        size = len(toys["unit"])
        for lie in (np.full(size, -1.0), np.full(size, 2.0), np.full(size, np.nan), np.ones(3), np.ones(size, int)):
            patch.setattr("sfumato.storage.cache.load_array", lambda _, lie=lie: lie)
            with pytest.raises(pytest.fail.Exception):
                fresh().certify()
        patch.setattr("sfumato.storage.cache.load_array", lambda _: np.ones(size))  # another law, and a valid one
        assert fresh().certify().certified <= 2.0
        assert set_law(fresh()).digest != honest.digest


@pytest.mark.parametrize("name", ["santext", "santext+", "tem", "fbdd", "mahalanobis", "vickrey"])
def test_other_mechanisms_refuse_optimal_calibration(name: str, toys: Any) -> None:
    with pytest.raises(ConfigurationError, match="exact"):
        build(name, toys["unit"], 2.0, calibration="optimal")


def test_what_cannot_be_optimal_is_refused(toys: Any) -> None:
    with pytest.raises(ConfigurationError, match="k = inf"):
        build("clusant", toys["unit"], 2.0, k=4.0, calibration="optimal")
    with pytest.raises(GuaranteeError, match="alone in its cluster"):
        build("clusant", toys["unit"], 2.0, k=math.inf, clusters=14, calibration="optimal").certify()
    for name in ("custext", "custext+", "clusant"):
        with pytest.raises(ConfigurationError, match="prior"):
            build(name, toys["unit"], 2.0, prior="counted")


# --- draws ----------------------------------------------------------------------------------------------------


def test_a_statement_names_no_relative_error(kind: Any, toys: Any) -> None:
    made = kind(toys["cases"], 2.0)
    assert made.relative_error == 0.0
    told = statement(Engine(Words(), DrawnTokens({"ANY": Route(made)}, "ANY")), SystemRandomness(), {1: 1})[
        "resolution"
    ]
    assert "relative error" not in told
    assert "2^-62" in told


@pytest.mark.parametrize("calibration", ["exact", "optimal"])
def test_vectors_that_differ_in_a_last_bit_give_the_same_draws(
    calibration: str, make_vocabulary: Any, uniforms: Any
) -> None:
    vectors = np.random.default_rng(5).normal(size=(40, 6))
    tokens = np.random.default_rng(6).integers(0, 40, size=5000)
    names = [f"w{number}" for number in range(40)]
    drawn = []
    for points in (vectors, np.nextafter(vectors, np.inf), np.nextafter(vectors, -np.inf)):
        made: Any = build("custext", make_vocabulary(points, names), 3.0, set_size=20, calibration=calibration)
        words = uniforms(9, len(tokens))
        drawn.append(made.draw(tokens, words))
    np.testing.assert_array_equal(drawn[0], drawn[1])
    np.testing.assert_array_equal(drawn[0], drawn[2])
    other: Any = build("custext", make_vocabulary(vectors + 1e-3 * vectors**2, names), 3.0, set_size=20)
    assert (other.draw(tokens, uniforms(9, len(tokens))) != drawn[0]).any()  # power: not any vectors do


def test_two_optimal_laws_share_no_keyed_draws(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scale and parameters do not name an optimal law, so another solution must draw all of a release afresh."""

    def setting() -> str:
        made = build("custext", toys["unit"], 2.0, set_size=5, calibration="optimal")
        return Engine(Words(), DrawnTokens({"ANY": Route(made)}, "ANY")).setting

    before = setting()
    assert setting() == before
    monkeypatch.setattr("sfumato.storage.cache.load_array", lambda _: np.ones(len(toys["unit"])))
    assert setting() != before


@pytest.mark.law
def test_draws_follow_an_optimal_law_and_no_other(kind: Any, toys: Any, uniforms: Any) -> None:
    vocabulary, epsilon, each = toys["cases"], 4.0, 8000
    given = np.repeat(np.arange(len(vocabulary)), each)
    made = kind(vocabulary, epsilon, calibration="optimal")
    drawn = made.draw(given, uniforms(7, len(given))).reshape(-1, each)
    seen = np.array([np.bincount(row, minlength=len(vocabulary)) for row in drawn])

    def fit(law: Any) -> float:
        """p-value of the chi-squared test of all rows together; 0 if an output of probability 0 was drawn."""
        expected = each * np.array([law.law(token) for token in range(len(vocabulary))])
        if seen[expected == 0.0].any():
            return 0.0
        enough = expected >= 12.0
        freedom = int((enough.sum(axis=1) - 1).clip(0).sum())
        return float(stats.chi2.sf(((seen - expected)[enough] ** 2 / expected[enough]).sum(), freedom))

    assert fit(made) > 1e-4
    for factor in (0.7, 1.3):
        assert fit(kind(vocabulary, factor * epsilon, calibration="optimal")) < 1e-12
