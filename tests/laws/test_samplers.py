"""Draws follow the law that the mechanism shows; the same tests reject the law of an epsilon 30 % off."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sfumato.attacks.distinguishing import Distinguishing, draws_of
from sfumato.building.methods import mechanism as build
from sfumato.privacy import distance_law, quick_draws

pytestmark = pytest.mark.law

ACCEPT, REJECT = 1e-4, 1e-12


def fit(counts: Any, laws: Any) -> float:
    """p-value of the chi-squared test that each row of ``counts`` follows its row of ``laws``, all rows together."""
    total, freedom = 0.0, 0
    for seen, law in zip(counts, laws, strict=True):
        order = np.argsort(law)
        seen, expected = seen[order], law[order] * seen.sum()
        assert not seen[expected == 0.0].any(), "an outcome of probability 0 was drawn"
        rare = int(np.searchsorted(np.cumsum(expected), 12.0)) + 1  # the rarest outcomes make one bin
        if rare >= len(seen):
            continue
        seen = np.append(seen[rare:], seen[:rare].sum())
        expected = np.append(expected[rare:], expected[:rare].sum())
        total += float(((seen - expected) ** 2 / expected).sum())
        freedom += len(seen) - 1
    return float(stats.chi2.sf(total, freedom))


def counted(made: Any, tokens: Any, each: int, uniforms: Any) -> Any:
    """How often each token became each, shape (tokens, V)."""
    given = np.repeat(tokens, each)
    drawn = made.draw(given, uniforms(7, len(given)))
    return np.array([np.bincount(row, minlength=len(made.vocabulary)) for row in drawn.reshape(len(tokens), each)])


def laws_of(made: Any, tokens: Any) -> Any:
    return np.array([made.law(int(token)) for token in tokens])


@pytest.mark.parametrize("calibration", ["exact", "paper"])
def test_draws_follow_the_law_and_no_other(finite: Any, toys: Any, uniforms: Any, calibration: str) -> None:
    vocabulary, epsilon = toys["cases" if finite.name == "custext+" else "unit"], 4.0
    tokens = np.arange(len(vocabulary))
    made = finite.on(vocabulary, epsilon, calibration=calibration)
    counts = counted(made, tokens, 8000, uniforms)
    assert fit(counts, laws_of(made, tokens)) > ACCEPT
    for factor in (0.7, 1.3):
        other = finite.on(vocabulary, factor * epsilon, calibration=calibration)
        assert fit(counts, laws_of(other, tokens)) < REJECT


@pytest.mark.parametrize("name", ["duplicates", "near", "outlier", "line"])
def test_draws_follow_the_law_on_hostile_vocabularies(finite: Any, toys: Any, uniforms: Any, name: str) -> None:
    if finite.id == "clusant-k1" and name in ("duplicates", "near"):
        pytest.skip("refused, or of no use: copies in different clusters at distance 0")
    vocabulary = toys[name]
    tokens = np.arange(len(vocabulary))
    made = finite.on(vocabulary, 1.5)
    assert fit(counted(made, tokens, 3000, uniforms), laws_of(made, tokens)) > ACCEPT


def test_draws_in_two_steps_follow_the_law(make_vocabulary: Any, uniforms: Any) -> None:
    """More tokens than blocks: a block is drawn first, then a member of it."""
    rng = np.random.default_rng(5)
    words = [f"w{number}" for number in range(5000)]
    vocabulary = make_vocabulary(rng.normal(size=(5000, 2)), words)
    tokens = np.array([0, 17, 4999])
    options: dict[str, dict[str, Any]] = {"santext": {}, "tem": {"threshold": 1.0}, "santext+": {}}
    for name, more in options.items():
        made: Any = build(name, vocabulary, 6.0, calibration="paper", **more)
        law = made._law
        assert np.diff(law._starts).max() > 1
        counts = counted(made, tokens, 60_000, uniforms)
        assert fit(counts, laws_of(made, tokens)) > ACCEPT
        other = build(name, vocabulary, 7.8, calibration="paper", **more)
        assert fit(counts, laws_of(other, tokens)) < REJECT


def test_a_small_table_changes_no_draw(make_vocabulary: Any, uniforms: Any, monkeypatch: Any) -> None:
    words = [f"w{number}" for number in range(300)]
    vocabulary = make_vocabulary(np.random.default_rng(5).normal(size=(300, 3)), words)
    tokens = np.random.default_rng(6).integers(0, 300, size=2000)
    before = build("santext", vocabulary, 3.0).draw(tokens, uniforms(1, 2000))
    monkeypatch.setattr(distance_law, "_TABLE_BYTES", 0)
    made: Any = build("santext", vocabulary, 3.0)
    assert made._law.most_rows < 300
    for _ in range(2):
        np.testing.assert_array_equal(made.draw(tokens, uniforms(1, 2000)), before)


def test_threads_that_share_a_mechanism_change_no_draw(make_vocabulary: Any, uniforms: Any, monkeypatch: Any) -> None:
    """Table rows are made while others read them; a row read half-made would be another law."""
    words = [f"w{number}" for number in range(600)]
    vocabulary = make_vocabulary(np.random.default_rng(5).normal(size=(600, 3)), words)
    monkeypatch.setattr(distance_law, "_TABLE_BYTES", 0)
    made = build("santext", vocabulary, 3.0)
    rng = np.random.default_rng(6)
    jobs = [(rng.integers(0, 600, size=100), uniforms(number, 100)) for number in range(40)]
    expected = [made.draw(*job) for job in jobs]
    found: list[Any] = [None] * len(jobs)

    def work(mine: range) -> None:
        for number in mine:
            found[number] = made.draw(*jobs[number])

    for _ in range(3):
        threads = [threading.Thread(target=work, args=(range(i, len(jobs), 4),)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("id", ["santext", "custext", "clusant-k4", "tem-short"])
def test_the_auditor_finds_most_of_the_loss_and_never_more(toys: Any, id: str) -> None:
    """Honest mechanisms, system randomness: below the true loss of the pair, and above 80 % of it."""
    name, options = {
        "santext": ("santext", {}),
        "custext": ("custext", {"set_size": 14}),
        "clusant-k4": ("clusant", {"k": 4.0, "clusters": 2}),
        "tem-short": ("tem", {"threshold": 0.8}),
    }[id]
    made = build(name, toys["unit"], 2.0, **options)
    law = laws_of(made, range(len(toys["unit"])))
    gaps = np.abs(np.log(law)[:, None] - np.log(law)[None]).max(axis=2)
    x, other = np.unravel_index(np.argmax(gaps), gaps.shape)
    found = Distinguishing(confidence=1 - 1e-6, samples=200_000).audit(draws_of(made, x), draws_of(made, other))
    assert 0.8 * gaps[x, other] < found.epsilon <= gaps[x, other]


@pytest.mark.parametrize(("name", "options"), [("santext", {}), ("tem", {"threshold": 4.0})])
def test_draws_by_heads_follow_the_law_and_no_other(
    make_vocabulary: Any, uniforms: Any, name: str, options: Any, monkeypatch: Any
) -> None:
    rng = np.random.default_rng(5)
    words = [f"w{number}" for number in range(5000)]
    vocabulary = make_vocabulary(8.0 * rng.normal(size=(5000, 3)), words)
    tokens = np.array([0, 17, 4999])
    made: Any = build(name, vocabulary, 6.0, calibration="paper", **options)
    decided = []
    decide = quick_draws.LikeliestOutcomes.decide

    def counting(made: Any, inputs: Any, given: Any) -> Any:
        drawn, others = decide(made, inputs, given)
        decided.append(1.0 - len(others) / len(inputs))
        return drawn, others

    monkeypatch.setattr(quick_draws.LikeliestOutcomes, "decide", counting)
    counts = counted(made, tokens, 60_000, uniforms)
    assert decided[-1] > 0.4
    assert fit(counts, laws_of(made, tokens)) > ACCEPT
    other = build(name, vocabulary, 7.8, calibration="paper", **options)
    assert fit(counts, laws_of(other, tokens)) < REJECT


def test_the_auditor_meets_the_loss_of_heads(make_vocabulary: Any) -> None:
    """Two words near each other: most of their loss is in the outcomes that the heads decide."""
    points = 40.0 * np.random.default_rng(5).normal(size=(3000, 3))
    points[1] = points[0] + [0.5, 0.0, 0.0]
    made: Any = build("santext", make_vocabulary(points, [f"w{n}" for n in range(3000)]), 3.0, calibration="paper")
    law = laws_of(made, [0, 1])
    loss = float(np.abs(np.log(law[0]) - np.log(law[1])).max())
    audited = Distinguishing(confidence=1 - 1e-6, samples=200_000).audit(draws_of(made, 0), draws_of(made, 1))
    assert made._law._likeliest.known[[0, 1]].all()
    assert 0.8 * loss < audited.epsilon <= loss


# --- noise ----------------------------------------------------------------------------------------------------


def test_direction_is_uniform_and_length_is_gamma(make_vocabulary: Any, uniforms: Any) -> None:
    epsilon, n = 3.0, 40_000
    for dimensions in (1, 2, 7, 50):
        vocabulary = make_vocabulary(np.random.default_rng(0).normal(size=(5, dimensions)))
        made: Any = build("fbdd", vocabulary, epsilon)
        noise = made.noise(uniforms(dimensions, n)(dimensions + 1))
        lengths = np.linalg.norm(noise, axis=1)
        assert stats.kstest(lengths, "gamma", args=(dimensions, 0, 1 / epsilon)).pvalue > ACCEPT
        for factor in (0.7, 1.3):
            wrong = (dimensions, 0, factor / epsilon)
            assert stats.kstest(lengths, "gamma", args=wrong).pvalue < REJECT
        directions = noise / lengths[:, None]
        assert np.abs(directions.mean(axis=0)).max() < 5.0 / np.sqrt(n * dimensions)
        second = directions.T @ directions / n
        assert np.abs(second - np.eye(dimensions) / dimensions).max() < 5.0 * np.sqrt(2.0 / n) / dimensions
        if dimensions > 1:
            assert abs(stats.spearmanr(lengths, np.abs(directions[:, 0])).statistic) < 0.03


def test_one_dimension_is_laplace(make_vocabulary: Any, uniforms: Any, noise: Any) -> None:
    made: Any = noise.on(make_vocabulary([[0.0], [1.0], [2.0]]), 2.0)
    found = made.noise(uniforms(1, 30_000)(2))[:, 0]
    assert stats.kstest(found, "laplace", args=(0, 0.5)).pvalue > ACCEPT
    assert stats.kstest(found, "laplace", args=(0, 0.65)).pvalue < REJECT


def test_mahalanobis_noise_has_the_regularised_covariance(make_vocabulary: Any, uniforms: Any) -> None:
    points = np.random.default_rng(0).normal(size=(20, 4)) @ np.diag([3.0, 1.0, 0.5, 0.2])
    epsilon, n, share = 2.0, 120_000, 0.8
    made: Any = build("mahalanobis", make_vocabulary(points), epsilon, regularisation=share)
    covariance = np.cov(points, rowvar=False)
    regular = share * covariance * 4 / np.trace(covariance) + (1 - share) * np.eye(4)
    noise = made.noise(uniforms(1, n)(5))
    # E‖z‖² = D(D+1)/ε², shared by D coordinates
    np.testing.assert_allclose(noise.T @ noise / n, regular * 5 / epsilon**2, atol=0.06)
    white = noise @ np.linalg.inv(np.linalg.cholesky(regular)).T
    lengths = np.linalg.norm(white, axis=1)
    assert stats.kstest(lengths, "gamma", args=(4, 0, 1 / epsilon)).pvalue > ACCEPT
    assert stats.kstest(np.linalg.norm(noise, axis=1), "gamma", args=(4, 0, 1 / epsilon)).pvalue < REJECT


def test_the_true_word_stays_possible(noise: Any, toys: Any, uniforms: Any) -> None:
    vocabulary = toys["unit"]
    made = noise.on(vocabulary, 8.0)
    for token in range(len(vocabulary)):
        drawn = made.draw(np.full(1000, token), uniforms(token, 1000))
        assert (drawn == token).any()
        assert (drawn != token).any()


def test_the_nearest_token_wins(noise: Any, toys: Any, uniforms: Any) -> None:
    """Exact search, in float64, on the same noise: FBDD and Mahalanobis take the nearest, Vickrey one of two."""
    vocabulary = toys["unit"]
    made: Any = noise.on(vocabulary, 3.0)
    given = uniforms(1, 2000)(6 + (2 if noise.name == "vickrey" else 1))
    tokens = np.arange(2000) % len(vocabulary)
    width = 7
    noisy = vocabulary.vectors[tokens] + made.noise(given[:, :width])
    order = np.argsort(np.linalg.norm(noisy[:, None] - vocabulary.vectors[None], axis=2), axis=1)
    drawn = made.draw(tokens, lambda n: given)
    if noise.name != "vickrey":
        np.testing.assert_array_equal(drawn, order[:, 0])
        return
    assert ((drawn == order[:, 0]) | (drawn == order[:, 1])).all()
    distances = np.linalg.norm(noisy[:, None] - vocabulary.vectors[None], axis=2)
    rows = np.arange(len(order))
    first, second = distances[rows, order[:, 0]], distances[rows, order[:, 1]]
    wins = 0.25 * second / (0.75 * first + 0.25 * second)
    scores = ((drawn == order[:, 0]) - wins).sum() / np.sqrt((wins * (1 - wins)).sum())
    assert abs(scores) < 4.0


def test_noise_is_within_its_claim_and_uses_it(noise: Any, make_vocabulary: Any) -> None:
    """In one dimension the two ends of a line attain exp(epsilon·d): the auditor finds nearly all, never more."""
    vocabulary, epsilon = make_vocabulary([[float(place)] for place in range(-3, 5)]), 1.5
    made = noise.on(vocabulary, epsilon)
    found = Distinguishing(confidence=1 - 1e-6, samples=300_000).audit(draws_of(made, 3), draws_of(made, 4))
    assert found.epsilon <= epsilon
    assert found.epsilon > (0.3 if noise.name == "vickrey" else 0.8) * epsilon
