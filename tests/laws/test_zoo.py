"""A zoo of mistakes that published code has made. Each is built again here, small and wrong, and must be caught;
beside it stands its honest twin, which must pass.

The auditor's bounds hold with probability 1 - 1e-6 each, so an honest twin above its claim is a bug, not bad luck.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import multiprocessing
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dp_accounting import pld

from brute_force import pairwise_loss
from sfumato.attacks.distinguishing import Distinguishing, draws_of
from sfumato.building.methods import mechanism as build
from sfumato.detectors.given import Given
from sfumato.detectors.words import Words
from sfumato.engines.engine import Engine
from sfumato.engines.routes import Route
from sfumato.engines.tokens import DrawnTokens
from sfumato.errors import ConfigurationError, GuaranteeError, VocabularyError
from sfumato.privacy.composition import ORDERS, epsilon_at
from sfumato.privacy.integer_law import integer_loss, integer_weights
from sfumato.privacy.optimal_law import integer_rows, largest_probabilities, rounded_costs
from sfumato.privacy.randomness import RandomDraws, SystemRandomness
from sfumato.privacy.renyi_of_sets import pair_divergences, worst_divergences
from sfumato.privacy.sampling import LawTable
from sfumato.privacy.set_law import SetLaw
from sfumato.release.workers import start_method
from sfumato.text.document import Document
from sfumato.types import Uniforms
from sfumato.vocabularies.private import refuse_private

pytestmark = pytest.mark.law

AUDITOR = Distinguishing(confidence=1 - 1e-6, samples=40_000)
THOROUGH = Distinguishing(confidence=1 - 1e-6, samples=600_000)
GENERATOR = np.random.default_rng(20_21)  # the mistake itself: one generator for the whole module


def distances(points: Any, others: Any) -> Any:
    return np.linalg.norm(points[:, None, :] - others[None, :, :], axis=2)


def normalised(scores: Any) -> Any:
    """log P(y|x) from scores."""
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def from_law(log_law: Any, token: int) -> Callable[[int], Any]:
    """Draws from a row of a law."""
    rng, law = np.random.default_rng(token), np.exp(log_law[token])
    return lambda n: rng.choice(len(law), size=n, p=law / law.sum())


def system(n: int) -> Uniforms:
    return RandomDraws(SystemRandomness(), n)


def shared(n: int) -> Callable[[int], Any]:
    """Uniforms of the module's generator."""
    return lambda width: 1.0 - GENERATOR.random((n, width))


# --- the auditor itself ---------------------------------------------------------------------------------------


def test_the_auditor_knows_randomized_response() -> None:
    """Warner's coin: the loss is known exactly, and the bound comes close from below."""
    rng, epsilon = np.random.default_rng(1), 1.2

    def answer(truth: int) -> Callable[[int], Any]:
        return lambda n: np.where(rng.random(n) < 1.0 / (1.0 + math.exp(-epsilon)), truth, 1 - truth)

    found = AUDITOR.audit(answer(0), answer(1))
    assert 0.9 * epsilon < found.epsilon <= epsilon
    assert found.event in (frozenset({0}), frozenset({1}))
    assert AUDITOR.audit(answer(0), answer(1), distance=2.0).epsilon == pytest.approx(epsilon / 2.0, rel=0.1)


def test_the_auditor_keeps_its_confidence() -> None:
    """At confidence 0.5 the bound may be wrong half the time; it must not be wrong more often."""
    rng, epsilon = np.random.default_rng(2), 1.0
    law = np.array([math.e, 1.0, 1.0, 1.0]) / (math.e + 3.0)
    auditor = Distinguishing(confidence=0.5, samples=2000)
    wrong = 0
    for _ in range(200):
        one = auditor.audit(
            lambda n: rng.choice(4, size=n, p=law), lambda n: rng.choice(4, size=n, p=law[[1, 0, 2, 3]])
        )
        wrong += one.epsilon > epsilon
    assert wrong <= 100


def test_the_auditor_shows_nothing_between_equal_samplers() -> None:
    rng = np.random.default_rng(3)
    same = [lambda n: rng.integers(0, 1000, size=n)] * 2
    assert AUDITOR.audit(*same).epsilon == 0.0
    assert AUDITOR.audit(*same, distance=0.0).epsilon == 0.0


def test_the_auditor_takes_any_hashable_output() -> None:
    texts = AUDITOR.audit(lambda n: ["a"] * n, lambda n: ["b"] * n)
    assert texts.epsilon > 6.0
    assert AUDITOR.audit(lambda n: ["a"] * n, lambda n: ["b"] * n, distance=0.0).epsilon == math.inf
    rows = AUDITOR.audit(lambda n: np.zeros((n, 2), int), lambda n: np.ones((n, 2), int))
    assert rows.event in (frozenset({(0, 0)}), frozenset({(1, 1)}))


@pytest.mark.parametrize(
    "wrong", [{"confidence": 0.0}, {"confidence": 1.0}, {"confidence": math.nan}, {"samples": 1}], ids=str
)
def test_the_auditor_refuses_what_cannot_work(wrong: Any) -> None:
    with pytest.raises(ConfigurationError):
        Distinguishing(**wrong)
    with pytest.raises(ConfigurationError, match="distance"):
        AUDITOR.audit(lambda n: [0] * n, lambda n: [0] * n, distance=math.nan)
    with pytest.raises(ConfigurationError, match="too few"):
        AUDITOR.audit(lambda n: [0] * n, lambda n: [0])


# --- randomness -----------------------------------------------------------------------------------------------


def in_forked_workers(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each job gives in its own process, forked from this one at this moment."""
    found = []
    for job in jobs:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            with contextlib.suppress(BaseException):
                os.close(reading)
                with os.fdopen(writing, "wb") as pipe:
                    pipe.write(np.asarray(job(), dtype=np.int64).tobytes())
                status = 0
            os._exit(status)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            found.append(np.frombuffer(pipe.read(), dtype=np.int64))
        assert os.waitpid(child, 0)[1] == 0
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_noise_shared_by_forked_workers(toys: Any) -> None:
    """Two workers each sanitize one place of a record: (a, a) or (a, b). One token changed may cost epsilon·d."""
    vocabulary = toys["unit"]
    made = build("santext", vocabulary, 2.0)
    a, b = 0, 5
    distance = float(distances(vocabulary.vectors[[a]], vocabulary.vectors[[b]])[0, 0])
    made.draw(np.array([a, b]), system(2))

    def record(second: int, source: Callable[[int], Any]) -> Callable[[int], Any]:
        def sampler(n: int) -> Any:
            jobs = [lambda t=token: made.draw(np.full(n, t), source(n)) for token in (a, second)]
            return np.stack(in_forked_workers(jobs), axis=1)

        return sampler

    def audit(source: Callable[[int], Any]) -> float:
        return AUDITOR.audit(record(a, source), record(b, source), distance).epsilon

    assert audit(shared) > 2.0
    assert audit(system) <= 2.0
    first, second = in_forked_workers([lambda: made.draw(np.full(200, a), shared(200))] * 2)
    np.testing.assert_array_equal(first, second)  # the mistake, as it looks
    first, second = in_forked_workers([lambda: made.draw(np.full(200, a), system(200))] * 2)
    assert (first == second).mean() < 0.9


@pytest.mark.parametrize("forked", [True, False])
def test_workers_never_repeat_each_other(toys: Any, forked: bool) -> None:
    """Real workers with sfumato's default randomness, forked from here or as in a run: no two draw the same."""
    if forked and "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("no fork here")
    vocabulary = toys["unit"]
    sanitizer = Engine(Words(), DrawnTokens({"ANY": Route(build("santext", vocabulary, 1.0))}, "ANY"))
    documents = [Document("cat " * 60, id="1")]
    here = sanitizer.sanitize_batch(documents)
    context = multiprocessing.get_context("fork") if forked else start_method()
    with context.Pool(2) as pool:
        waiting = [pool.apply_async(sanitizer.sanitize_batch, (documents,)) for _ in range(4)]
        there = [one.get(timeout=120)[0].text for one in waiting]
    assert len({here[0].text, *there}) == 5


def test_one_noise_vector_for_all_positions(toys: Any) -> None:
    vocabulary, epsilon = toys["unit"], 2.0
    made: Any = build("fbdd", vocabulary, epsilon)
    a, b = 0, 5
    distance = float(distances(vocabulary.vectors[[a]], vocabulary.vectors[[b]])[0, 0])

    def document(tokens: Sequence[int], own: bool) -> Callable[[int], Any]:
        def sampler(n: int) -> Any:
            given = SystemRandomness().uniforms(n, 7)
            places = [made.draw(np.full(n, token), system(n) if own else lambda width: given) for token in tokens]
            return np.stack(places, axis=1)

        return sampler

    assert AUDITOR.audit(document([a, a], False), document([a, b], False), distance).epsilon > epsilon
    assert AUDITOR.audit(document([a, a], True), document([a, b], True), distance).epsilon <= epsilon


def test_numbers_moved_by_0_to_999() -> None:
    """Inputs further apart than the noise reaches are told apart with certainty."""
    rng = np.random.default_rng(0)
    moved = [lambda n, start=start: start + rng.integers(0, 1000, size=n) for start in (0, 2000)]
    assert AUDITOR.audit(*moved).epsilon > 6.0


# --- ways around the mechanism ---------------------------------------------------------------------------------


def sanitized(sanitizer: Engine, text: str) -> Callable[[int], Any]:
    return lambda n: [one.text for one in sanitizer.sanitize_batch([Document(text)] * n)]


def test_unknown_words_passed_through(toys: Any) -> None:
    sanitizer = Engine(Words(), DrawnTokens({"ANY": Route(build("santext", toys["unit"], 2.0))}, "ANY"))
    known = sanitizer.others.routes["ANY"].mechanism.vocabulary.find

    def passed(text: str) -> Callable[[int], Any]:
        return lambda n: [text] * n if known(text) is None else sanitized(sanitizer, text)(n)

    small = Distinguishing(confidence=1 - 1e-6, samples=4000)
    assert small.audit(passed("Zaphod"), passed("Trillian")).epsilon > 4.0
    assert small.audit(sanitized(sanitizer, "Zaphod"), sanitized(sanitizer, "Trillian")).epsilon == 0.0


def test_an_exception_that_returns_the_input(toys: Any) -> None:
    made = build("santext", toys["unit"], 2.0)
    sanitizer = Engine(Words(), DrawnTokens({"ANY": Route(made)}, "ANY"))

    def careless(word: str) -> Callable[[int], Any]:
        def sampler(n: int) -> Any:
            try:
                token = made.vocabulary.tokens.index(word)
                return [made.vocabulary.tokens[i] for i in made.draw(np.full(n, token), system(n))]
            except ValueError:
                return [word] * n

        return sampler

    small = Distinguishing(confidence=1 - 1e-6, samples=4000)
    assert small.audit(careless("Cat"), careless("cat"), distance=0.0).epsilon == math.inf
    assert small.audit(sanitized(sanitizer, "Cat"), sanitized(sanitizer, "cat"), distance=0.0).epsilon == 0.0


def test_case_copied_from_the_private_word(toys: Any) -> None:
    """ "Cat", "CAT" and "cat" are one token: nothing in the release may tell them apart."""
    sanitizer = Engine(Words(), DrawnTokens({"ANY": Route(build("santext", toys["unit"], 2.0))}, "ANY"))

    def copied(text: str) -> Callable[[int], Any]:
        plain = sanitized(sanitizer, text)
        return lambda n: [one.title() if text.istitle() else one for one in plain(n)]

    small = Distinguishing(confidence=1 - 1e-6, samples=4000)
    for before in ("", "so ", "so. ", "(", "- "):  # places that open a sentence and places that do not
        cat, title, loud = (f"{before}{word}!" for word in ("cat", "Cat", "CAT"))
        if before == "so ":
            assert small.audit(copied("so cat!"), copied("So Cat!"), distance=0.0).epsilon == math.inf
        for other in (title, loud):
            assert small.audit(sanitized(sanitizer, cat), sanitized(sanitizer, other), 0.0).epsilon == 0.0


def test_vocabulary_taken_from_the_private_text(toys: Any, make_vocabulary: Any, tmp_path: Path) -> None:
    public = toys["unit"]

    def fitted(text: str) -> Callable[[int], Any]:
        """Candidates are the private text's own words: every output shows that the text held it."""
        own, _ = public.subset(set(re.findall(r"\w+", text)).__contains__)
        sanitizer = Engine(Words(), DrawnTokens({"ANY": Route(build("santext", own, 1.0))}, "ANY"))
        return lambda n: [one.text.lower() for one in sanitizer.sanitize_batch([Document(text)] * n)]

    honest = Engine(Words(), DrawnTokens({"ANY": Route(build("santext", public, 1.0))}, "ANY"))
    small = Distinguishing(confidence=1 - 1e-6, samples=4000)
    a, b = "cat house", "cat river"
    d = float(distances(public.vectors[[public.find("house")]], public.vectors[[public.find("river")]])[0, 0])
    assert small.audit(fitted(a), fitted(b), d).epsilon > 1.0
    assert small.audit(sanitized(honest, a), sanitized(honest, b), d).epsilon <= 1.0

    private = tmp_path / "private.txt"
    private.write_text(a)
    with pytest.raises(VocabularyError, match="public"):
        refuse_private([private], [private])
    with pytest.raises(VocabularyError, match="public"):
        refuse_private([private], [tmp_path])
    refuse_private([tmp_path / "public.txt"], [private])


def test_word_frequencies_taken_from_the_private_text(toys: Any) -> None:
    """SanText+ with the sensitive words counted in the text: one word more or less moves others in or out."""
    public = toys["unit"]

    def counted(text: str) -> Callable[[int], Any]:
        counts = np.array([text.split().count(token) for token in public.tokens])
        rare = [public.tokens[i] for i in np.argsort(counts, kind="stable")[:7]]
        own, _ = public.subset(set(rare).__contains__)
        made = build("santext", own, 1.0)
        return lambda n: [own.tokens[i] for i in made.draw(np.zeros(n, dtype=int), system(n))]

    tokens = public.tokens
    a = " ".join(tokens[:7])
    b = " ".join(tokens[1:8])
    assert AUDITOR.audit(counted(a), counted(b)).epsilon > 6.0
    honest = [build("santext+", public, 1.0) for _ in range(2)]  # what is sensitive depends on public lists only
    np.testing.assert_array_equal(*(one.sensitive for one in honest))
    assert AUDITOR.audit(*(draws_of(one, 3) for one in honest), distance=0.0).epsilon == 0.0


# --- laws that are not what they claim -------------------------------------------------------------------------


def test_true_word_dropped_after_the_noise(make_vocabulary: Any) -> None:
    vocabulary, epsilon = make_vocabulary([[0.0], [1.0], [2.0], [3.0]]), 2.0
    made: Any = build("vickrey", vocabulary, epsilon)

    def dropping(token: int) -> Callable[[int], Any]:
        def sampler(n: int) -> Any:
            noisy = made.noisy(np.full(n, token), SystemRandomness().uniforms(n, 2))
            apart = distances(noisy, vocabulary.vectors)
            apart[:, token] = np.inf
            return apart.argmin(axis=1)

        return sampler

    assert AUDITOR.audit(dropping(1), dropping(2)).epsilon > epsilon
    assert AUDITOR.audit(draws_of(made, 1), draws_of(made, 2)).epsilon <= epsilon


@pytest.mark.parametrize("weight", ["none", "whole vocabulary"])
def test_wrong_weight_of_bottom_in_tem(make_vocabulary: Any, weight: str) -> None:
    """⊥ must weigh as much as the words it stands for: 30 of them lie just inside or just outside the threshold."""
    gamma, epsilon, step = 1.0, 2.0, 0.1
    crowd = 1.0 + step / 2 + np.linspace(-1e-3, 1e-3, 30)
    words = [f"w{number}" for number in range(36)]
    points = np.concatenate([[0.0, step], crowd, [-5.0, -6.0, -7.0, 8.0]])[:, None]
    vocabulary = make_vocabulary(points, words)

    def law(right: bool) -> Any:
        d = distances(points, points)
        near = d <= gamma
        far = (~near).sum(axis=1)
        mass = far if right else (np.ones(36) if weight == "none" else np.full(36, 36.0))
        inside = np.where(near, np.exp(-epsilon / 2 * d), 0.0).sum(axis=1)
        log_z = np.log(inside + mass * np.exp(-epsilon / 2 * gamma))
        outside = np.log(mass) - epsilon / 2 * gamma - np.log(far)
        return np.where(near, -epsilon / 2 * d, outside[:, None]) - log_z[:, None]

    d = distances(points, points)
    assert pairwise_loss(law(False), d) > epsilon
    assert pairwise_loss(law(True), d) <= epsilon
    found = AUDITOR.audit(from_law(law(False), 0), from_law(law(False), 1), step)
    assert found.epsilon > epsilon
    made = build("tem", vocabulary, epsilon, threshold=gamma, calibration="paper")
    np.testing.assert_allclose(np.log([made.law(i) for i in range(36)]), law(True), atol=1e-9)
    assert AUDITOR.audit(draws_of(made, 0), draws_of(made, 1), step).epsilon <= epsilon


def test_renormalised_mahalanobis_noise(make_vocabulary: Any) -> None:
    """The direction made a unit vector again after M^{1/2}: the noise no longer has the density that was proved."""
    epsilon, share, dimensions = 1.0, 0.95, 4
    rng = np.random.default_rng(0)
    spread = rng.normal(size=(400, dimensions)) * [4.0, 0.2, 0.2, 0.2]
    ends = np.array([[place, 0.0, 0.0, 0.0] for place in (-13.0, -6.5, 0.0, 3.0)])
    words = [f"w{number}" for number in range(404)]
    made: Any = build(
        "mahalanobis", make_vocabulary(np.concatenate([spread, ends]), words), epsilon, regularisation=share
    )
    root = made.root
    distance = float(np.linalg.norm(np.linalg.solve(root, ends[3] - ends[2])))

    def sampler(token: int, renormalised: bool) -> Callable[[int], Any]:
        def sample(n: int) -> Any:
            noise = made.noise(SystemRandomness().uniforms(n, dimensions + 1))
            if renormalised:
                lengths = np.linalg.norm(np.linalg.solve(root, noise.T), axis=0)
                noise *= (lengths / np.linalg.norm(noise, axis=1))[:, None]
            return np.clip(np.floor(ends[token, 0] + noise[:, 0]).astype(int), -12, 15)  # post-processing

        return sample

    assert THOROUGH.audit(sampler(2, True), sampler(3, True), distance).epsilon > epsilon
    assert THOROUGH.audit(sampler(2, False), sampler(3, False), distance).epsilon <= epsilon


def test_overlapping_candidate_sets(toys: Any) -> None:
    """Every word has its own K nearest as candidates: some output is possible for one of two words only."""
    vocabulary, epsilon, size = toys["unit"], 2.0, 4
    d = distances(vocabulary.vectors, vocabulary.vectors)
    log_law = np.full_like(d, -np.inf)
    for token, row in enumerate(d):
        own = np.argsort(row)[:size]
        log_law[token, own] = normalised(-epsilon / 2 * row[None, own] / row[own].max())[0]
    assert pairwise_loss(log_law) == math.inf
    near = [set(np.argsort(row)[:size].tolist()) for row in d]
    x, other = next((i, j) for i in range(14) for j in range(i) if 0 < len(near[i] & near[j]) < size)
    assert AUDITOR.audit(from_law(log_law, x), from_law(log_law, other)).epsilon > epsilon
    made: Any = build("custext", vocabulary, epsilon, set_size=size)
    for token in range(len(vocabulary)):
        others = made.members(token)
        laws = [made.law(int(one)) for one in others]
        assert pairwise_loss(np.log(np.array(laws)[:, others])) <= epsilon
    assert AUDITOR.audit(*(draws_of(made, int(one)) for one in made.members(0)[:2])).epsilon <= epsilon


def clusant_law(points: Any, clusters: Any, k: float, first: float, rates: Any) -> tuple[Any, Any]:
    """log law and d_c, with step 2 at ``rates`` (a rate for each cluster)."""
    cluster_of = np.empty(len(points), dtype=int)
    for number, members in enumerate(clusters):
        cluster_of[members] = number
    centroids = np.array([points[members].mean(axis=0) for members in clusters])
    moved = points + (k - 1.0) * centroids[cluster_of]
    log_first = normalised(-first * distances(k * centroids, k * centroids))
    log_law = np.empty((len(points), len(points)))
    for number, members in enumerate(clusters):
        inner = normalised(-rates[number] * distances(points, points[members]))
        log_law[:, members] = log_first[cluster_of, number][:, None] + inner
    return log_law, distances(moved, moved)


def test_distances_divided_by_the_chosen_clusters_diameter() -> None:
    """A narrow cluster between two near words blows up a small difference; Δu = 1 does not cover it."""
    points, epsilon, k = np.array([[0.0], [0.01], [-0.01], [0.02], [3.0], [3.5]]), 1.0, 16.0
    clusters = [np.array([0, 1]), np.array([2, 3]), np.array([4, 5])]
    diameters = np.array([0.01, 0.03, 0.5])
    wrong, d_c = clusant_law(points, clusters, k, epsilon / 4, epsilon / 4 / diameters)
    assert pairwise_loss(wrong, d_c) > epsilon
    assert THOROUGH.audit(from_law(wrong, 2), from_law(wrong, 3), d_c[2, 3]).epsilon > epsilon
    right, _ = clusant_law(points, clusters, k, epsilon / 4, np.full(3, epsilon / 4 / 3.51))
    inside = [pairwise_loss(right[one], d_c[np.ix_(one, one)]) for one in clusters]
    assert max(inside) <= epsilon


@pytest.mark.parametrize("token_distance", ["plain", "normalised"])
def test_the_honest_twin_accounts_for_narrow_clusters(make_vocabulary: Any, token_distance: str) -> None:
    vocabulary = make_vocabulary([[0.0], [0.01], [-0.01], [0.02], [3.0], [3.5]])
    clusters = ((0, 1), (2, 3), (4, 5))
    made: Any = build("clusant", vocabulary, 1.0, k=16.0, clusters=clusters, token_distance=token_distance)
    law = np.array([made.law(token) for token in range(6)])
    _, d_c = clusant_law(vocabulary.vectors, [np.array(one) for one in clusters], 16.0, 1.0, np.ones(3))
    assert 0.999 < pairwise_loss(np.log(law), d_c) <= 1.0 + 1e-9
    assert THOROUGH.audit(draws_of(made, 2), draws_of(made, 3), d_c[2, 3]).epsilon <= 1.0


def test_two_half_steps_that_each_spend_the_whole_epsilon(make_vocabulary: Any) -> None:
    rng = np.random.default_rng(4)
    points, epsilon, k = rng.normal(size=(9, 2)), 2.0, 16.0
    made: Any = build("clusant", make_vocabulary(points), epsilon, k=k, set_size=3, calibration="paper")
    clusters = [np.sort(one) for one in made._sets]
    widest = max(1.0, distances(points, points).max())
    right, d_c = clusant_law(points, clusters, k, epsilon / 4, np.full(3, epsilon / 4 / widest))
    np.testing.assert_allclose([made.law(i) for i in range(9)], np.exp(right), rtol=1e-9)
    assert pairwise_loss(right, d_c) <= epsilon
    # ε in each step, and the step that divides by 2Δu for the exponential mechanism forgets it as well
    wrong, _ = clusant_law(points, clusters, k, epsilon, np.full(3, epsilon / widest))
    loss = pairwise_loss(wrong, d_c)
    assert loss > epsilon
    near, clusters = np.array([[0.0], [1.0], [2.0], [3.0]]), [np.array([0, 1]), np.array([2, 3])]
    whole, d_c = clusant_law(near, clusters, 1.0, epsilon, np.full(2, epsilon / 3.0))
    halves, _ = clusant_law(near, clusters, 1.0, epsilon / 4, np.full(2, epsilon / 12.0))
    assert AUDITOR.audit(from_law(whole, 1), from_law(whole, 2), d_c[1, 2]).epsilon > epsilon
    assert AUDITOR.audit(from_law(halves, 1), from_law(halves, 2), d_c[1, 2]).epsilon <= epsilon


def test_the_published_program_is_the_stretched_law_at_twice_its_epsilon(make_vocabulary: Any) -> None:
    """Its formula, from the program: ε in each step, distances from 0 to 1 over a cluster, over its diameter."""
    points, epsilon, k = np.random.default_rng(6).normal(size=(12, 3)), 1.0, 8.0
    made: Any = build(
        "clusant", make_vocabulary(points), 2.0 * epsilon, k=k, set_size=4, calibration="paper",
        token_distance="stretched",
    )  # fmt: skip
    clusters = [np.sort(each) for each in made._sets]
    log_law, d_c = clusant_law(points, clusters, k, epsilon / 2, np.zeros(3))
    first = log_law + np.log(4.0)  # step 2 without a rate is uniform
    for members in clusters:
        apart = distances(points, points[members])
        apart -= apart.min(axis=1, keepdims=True)
        apart /= apart.max(axis=1, keepdims=True)
        diameter = distances(points[members], points[members]).max()
        log_law[:, members] = first[:, members] + normalised(-epsilon / (2 * diameter) * apart)
    np.testing.assert_allclose([made.law(token) for token in range(12)], np.exp(log_law), rtol=1e-9)
    loss = pairwise_loss(log_law, d_c)
    assert loss <= 2.0 * epsilon
    assert made.certify().certified == pytest.approx(loss, rel=1e-6)
    with pytest.raises(GuaranteeError, match="not certified"):
        build("clusant", make_vocabulary(points / 8), 2.0, k=k, set_size=4, calibration="paper",
              token_distance="stretched").certify()  # fmt: skip


def test_clip_wider_than_the_sensitivity() -> None:
    """Scores clipped to [-2, 2] and noise for a range of 1."""
    epsilon, scores = 1.0, np.array([[2.0, -2.0, 0.0], [-2.0, 2.0, 0.0]])
    wide = normalised(0.5 * epsilon * np.clip(scores, -2.0, 2.0))
    assert pairwise_loss(wide) > epsilon
    assert AUDITOR.audit(from_law(wide, 0), from_law(wide, 1)).epsilon > epsilon
    right = normalised(0.5 * epsilon * np.clip(scores, -0.5, 0.5))
    assert pairwise_loss(right) <= epsilon
    assert AUDITOR.audit(from_law(right, 0), from_law(right, 1)).epsilon <= epsilon


def test_squared_distances_taken_for_distances(make_vocabulary: Any) -> None:
    points, epsilon = np.array([[0.0], [1.0], [5.0], [6.0]]), 1.0
    d = distances(points, points)
    assert pairwise_loss(normalised(-epsilon / 2 * d**2), d) > epsilon
    assert pairwise_loss(normalised(-epsilon / 2 * d), d) <= epsilon


def test_distances_from_one_word_taken_for_the_whole_vocabulary(make_vocabulary: Any) -> None:
    """A sensitivity measured at one word only: the law is calibrated to a loss that other pairs exceed."""
    vocabulary, epsilon = make_vocabulary([[0.0], [0.1], [0.2], [0.3], [9.0], [9.1]]), 2.0
    d = distances(vocabulary.vectors, vocabulary.vectors)
    made: Any = build("santext", vocabulary, epsilon)
    fooled = 0
    for word in range(6):
        scales = np.linspace(epsilon / 2, epsilon, 400)
        seen = [pairwise_loss(normalised(-s * d)[[word, other]], d[np.ix_([word, other], [word, other])])
                for s in scales for other in [4 if word != 4 else 5]]  # fmt: skip
        allowed = scales[np.array(seen) <= epsilon]
        fooled += bool(len(allowed) and pairwise_loss(normalised(-allowed[-1] * d), d) > epsilon * (1 + 1e-9))
    assert fooled > 0
    assert pairwise_loss(normalised(-made.scale * d), d) <= epsilon


def test_float32_underflow_to_probability_zero(make_vocabulary: Any) -> None:
    vocabulary, epsilon = make_vocabulary([[0.0], [1.0], [40.0], [50.0]]), 6.0
    d = distances(vocabulary.vectors, vocabulary.vectors)
    weights = np.exp((-epsilon / 2 * d).astype(np.float32))
    with np.errstate(divide="ignore"):
        careless = np.log(weights / weights.sum(axis=1, keepdims=True))
    assert pairwise_loss(careless.astype(np.float64), d) == math.inf
    made: Any = build("santext", vocabulary, epsilon, calibration="paper")
    law = np.array([made.law(token) for token in range(4)])
    assert (law > 0.0).all()
    assert pairwise_loss(np.log(law), d) <= epsilon
    table = LawTable.from_weights(law)  # and the sampler can draw the outcome that float32 lost
    assert table.draw(np.array([0]), np.array([law[0, 3] / 2]))[0] == 3
    assert np.isinf(np.log(weights[0, 3], where=weights[0, 3] > 0, out=np.array(-np.inf, dtype=np.float32)))


def test_given_spans_that_overlap_are_refused() -> None:
    """A mask computed with one tokenizer and applied to another: spans that do not fit are never repaired."""
    spans = [{"start": 0, "end": 5, "label": "A"}, {"start": 3, "end": 8, "label": "B"}]
    with pytest.raises(ValueError, match="overlap"):
        Given().detect([Document("Anna Bergen", id="r1", metadata={"spans": spans})])


# --- the price of a record ------------------------------------------------------------------------------------


def price(rows: Any, pairs: Sequence[tuple[int, int]], draws: int) -> float:
    """The ε at δ = 1e-6 of ``draws`` draws, by the largest Rényi divergence over ``pairs`` at every order."""
    curve = np.max([pair_divergences(rows[i], rows[j], ORDERS) for i, j in pairs], axis=0)
    return epsilon_at(1e-6, draws * curve)[0]


def refuted(rows: Any, pairs: Sequence[tuple[int, int]], draws: int, epsilon: float) -> bool:
    """Whether the loss distribution of one of ``pairs``, rounded in favour of the claim, needs a larger δ."""
    for pair in pairs:
        logs = [{place: math.log(share) for place, share in enumerate(rows[token])} for token in pair]
        loss = pld.privacy_loss_distribution.from_two_probability_mass_functions(
            *logs, pessimistic_estimate=False, value_discretization_interval=1e-3, symmetric=False
        )
        if loss.self_compose(draws).get_delta_for_epsilon(epsilon) > 1e-6:
            return True
    return False


def test_renyi_maximum_over_a_sample_of_pairs() -> None:
    """One pair of a set is far apart. A maximum over a tenth of all pairs misses it, and the price is too low."""
    rng = np.random.default_rng(16)
    rows = np.exp(0.1 * rng.random((24, 24)))
    rows[5, :12] *= 1.8
    rows[17, 12:] *= 1.8
    rows /= rows.sum(axis=1, keepdims=True)
    pairs = list(itertools.permutations(range(24), 2))
    sampled = [pairs[place] for place in rng.choice(len(pairs), size=len(pairs) // 10, replace=False)]
    far = [(5, 17), (17, 5)]
    assert not set(far) & set(sampled)
    assert refuted(rows, far, 80, price(rows, sampled, 80))
    honest = epsilon_at(1e-6, 80 * worst_divergences([rows], ORDERS).divergences)[0]
    assert honest == pytest.approx(price(rows, pairs, 80), rel=1e-6)
    assert not refuted(rows, far, 80, honest)
    assert refuted(rows, far, 80, 0.75 * honest)  # the test has power near the honest price as well


# --- laws in whole numbers ------------------------------------------------------------------------------------


def solved(costs: Any, epsilon: float) -> Any:
    """The programme of an optimal law as it comes back from the solver, row by row."""
    from scipy.optimize import linprog

    size = len(costs)
    rows = []
    for x, other, y in itertools.product(range(size), repeat=3):
        if x != other:
            row = np.zeros(size * size)
            row[x * size + y], row[other * size + y] = 1.0, -math.exp(epsilon)
            rows.append(row)
    sums = np.kron(np.eye(size), np.ones(size))
    found = linprog(costs.ravel() / size, np.array(rows), np.zeros(len(rows)), sums, np.ones(size))
    return found.x.reshape(size, size)


def test_solver_output_used_unrepaired() -> None:
    """Constraints hold up to a tolerance of 1e-7, which e^ε multiplies: the law has more than ε, or a lone output."""
    refused = 0
    for seed, epsilon in itertools.product(range(4), (2.0, 9.0, 16.0)):
        points = np.random.default_rng(seed).normal(size=(5, 2))
        costs = rounded_costs(distances(points, points))
        weights = integer_weights(np.maximum(solved(costs, epsilon), 0.0))
        group = np.arange(5)
        unrepaired = SetLaw(group, np.array([0, 5]), np.zeros(5, dtype=np.int64), (weights,))
        if integer_loss(weights) > epsilon:
            refused += 1
            with pytest.raises(GuaranteeError, match="not certified"):
                unrepaired.within(epsilon)
        u = largest_probabilities(costs, np.full(5, 0.2), epsilon)
        assert u is not None
        repaired = integer_rows(u, costs, epsilon)
        assert repaired is not None
        assert integer_loss(repaired) <= epsilon
    assert refused >= 6


def test_a_law_certified_before_it_is_rounded() -> None:
    """A rare output that rounding loses shows the input; a certificate over the rounded numbers is infinite."""
    epsilon, law = 7.0, np.array([[1.0 - 2e-3, 1e-3, 1e-3], [1e-3, 1.0 - 2e-3, 1e-3], [3e-4, 0.05, 0.9497]])
    with np.errstate(divide="ignore"):
        assert pairwise_loss(np.log(law)) > epsilon  # 0.9497 / 0.001, and 0.998 / 0.0003
        law = 0.5 * law + 0.5 * law.mean(axis=0)
        assert pairwise_loss(np.log(law)) <= epsilon
        coarse = np.round(law * 2.0)  # two coins where the certificate was of real numbers
        coarse /= coarse.sum(axis=1, keepdims=True)
        rounded = np.log(coarse)
    assert AUDITOR.audit(from_law(rounded, 0), from_law(rounded, 1)).epsilon > epsilon
    assert integer_loss(integer_weights(coarse)) == math.inf
    honest = integer_weights(law)
    assert integer_loss(honest) <= epsilon
    assert integer_loss(honest) == pytest.approx(pairwise_loss(np.log(law)), rel=1e-12)
    laws = SetLaw(np.arange(3), np.array([0, 3]), np.zeros(3, dtype=np.int64), (honest,))

    def draws(row: int) -> Callable[[int], Any]:
        return lambda n: laws.draw(np.full(n, row), system(n).words(1)[:, 0])

    assert AUDITOR.audit(draws(0), draws(1)).epsilon <= epsilon
