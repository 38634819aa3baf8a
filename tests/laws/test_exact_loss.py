"""Every finite law is the published formula, and its exact loss over all pairs and outputs stays within the claim.

The formulas and the losses are computed again here, in 80-bit floats, from the papers and not from the code.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from typing import Any

import mpmath
import numpy as np
import pytest

from brute_force import pairwise_loss
from sfumato.building.methods import mechanism as build
from sfumato.errors import GuaranteeError
from sfumato.privacy.cluster_loss import ClusterLoss

EPSILONS = (0.3, 2.0, 9.0)
LONG = np.longdouble
TINY = 1e-12


def between(points: Any, others: Any, p: float = 2.0) -> Any:
    """Lp distances, directly, in 80-bit floats."""
    gaps = np.abs(points[:, None, :].astype(LONG) - others[None, :, :].astype(LONG))
    return gaps.max(axis=2) if math.isinf(p) else (gaps**p).sum(axis=2) ** (LONG(1.0) / LONG(p))


def softmax(scores: Any) -> Any:
    """log of exp(scores) over its sum, row by row."""
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def embedded(log_law: Any, rows: Any, columns: Any, size: int) -> Any:
    """``log_law`` of some inputs and outputs as one over the whole vocabulary."""
    full = np.full((size, size), -np.inf, dtype=LONG)
    full[np.ix_(rows, columns)] = log_law
    return full


def santext(made: Any) -> Any:
    return softmax(-LONG(made.scale) * between(made.vocabulary.vectors, made.vocabulary.vectors, made.p))


def tem(made: Any) -> Any:
    words = len(made.vocabulary)
    gamma = made.threshold or max(1e-9, 2.0 / made.epsilon * math.log((1.0 - 0.001) * (words - 1) / 0.001))
    distances = between(made.vocabulary.vectors, made.vocabulary.vectors)
    # the paper's way: words within gamma, and one outcome for all the others, resolved uniformly
    scores = np.where(distances <= gamma, -LONG(made.scale) * distances, -np.inf)
    far = (distances > gamma).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        bottom = -LONG(made.scale) * gamma + np.log(far.astype(LONG))
        joint = softmax(np.concatenate([scores, bottom[:, None]], axis=1))
        return np.where(distances <= gamma, joint[:, :-1], (joint[:, -1] - np.log(far.astype(LONG)))[:, None])


def santext_plus(made: Any) -> Any:
    size, chosen = len(made.vocabulary), made.sensitive
    log_law = softmax(
        -LONG(made.inner.scale) * between(made.vocabulary.vectors, made.vocabulary.vectors[chosen], made.p)
    )
    full = embedded(log_law, np.arange(size), chosen, size)
    with np.errstate(divide="ignore"):
        for token in set(range(size)) - set(chosen.tolist()):
            full[token] += np.log(LONG(made.replace_probability))
            full[token, token] = np.log(LONG(1.0) - LONG(made.replace_probability))
    return full


def custext(made: Any) -> Any:
    points = made.vocabulary.vectors.astype(LONG)
    if made.similarity == "cosine":
        norms = np.sqrt((points**2).sum(axis=1, keepdims=True))
        points = points / np.where(norms > 0, norms, 1.0)
    full = np.full((len(points), len(points)), -np.inf, dtype=LONG)
    sets = sorted({tuple(made.members(token).tolist()) for token in range(len(points))}, key=lambda s: s[0])
    scales = {token: made.scales[made._sets[2][token]] for token in range(len(points))}
    for members in sets:
        inside = points[list(members)]
        found = between(inside, inside)
        unlike = found**2 / 2.0 if made.similarity == "cosine" else found  # 1 - cos = d²/2 of unit vectors
        spread = unlike.max() - unlike.min()
        if found.max() > 0:
            unlike = (unlike - unlike.min()) / spread
        full[np.ix_(members, members)] = softmax(-LONG(scales[members[0]]) * unlike)
    return full


def custext_plus(made: Any) -> Any:
    inner, protected = made._split
    size = len(made.vocabulary)
    full = embedded(custext(inner), protected, protected, size)
    kept = sorted(set(range(size)) - set(protected.tolist()))
    full[kept, kept] = 0.0
    return full


def moved(made: Any) -> Any:
    """f'(x) = k·C_x + f(x) - C_x, and the cluster of every token."""
    points = made.vocabulary.vectors.astype(LONG)
    cluster_of = np.empty(len(points), dtype=int)
    for number, members in enumerate(made._sets):
        cluster_of[members] = number
    centroids = np.array([points[members].mean(axis=0) for members in made._sets])
    shift = 0.0 if math.isinf(made.k) else made.k - 1.0
    return points + shift * centroids[cluster_of], cluster_of, centroids


def scales_of(made: Any) -> tuple[float, float]:
    """CluSanT's two scales as certified; the paper's where the claim is refused."""
    certificate = certified(made)
    if certificate is None:
        return made._scaling.paper
    return certificate.conditions["cluster_scale"], certificate.conditions["token_scale"]


def clusant(made: Any) -> Any:
    first, second = map(LONG, scales_of(made))
    points = made.vocabulary.vectors.astype(LONG)
    _, cluster_of, centroids = moved(made)
    if math.isinf(made.k):
        centres = np.where(np.eye(len(centroids)) > 0, LONG(0.0), LONG(np.inf))
    else:
        centres = LONG(made.k) * between(centroids, centroids, made.p)
    log_cluster = softmax(-first * centres)
    full = np.empty((len(points), len(points)), dtype=LONG)
    for number, members in enumerate(made._sets):
        inside = between(points[members], points[members], made.p)
        spread = inside.max() - inside.min()
        rate = 1.0 / spread if made.token_distance == "normalised" and spread > 0 else 1.0
        scores = between(points, points[members], made.p)
        if made.token_distance == "stretched":  # from 0 to 1 for each input, and divided by the diameter
            rate = 1.0 / spread if spread > 0 else 0.0
            scores = scores - scores.min(axis=1, keepdims=True)
            widths = scores.max(axis=1, keepdims=True)
            scores = scores / np.maximum(widths, LONG("1e-3") * spread if spread > 0 else LONG(1.0))
        inner = softmax(-second * rate * scores)
        full[:, members] = log_cluster[cluster_of, number][:, None] + inner
    return full


FORMULA = {
    "santext": santext,
    "santext+": santext_plus,
    "custext": custext,
    "custext+": custext_plus,
    "clusant": clusant,
    "tem": tem,
}


def groups(made: Any) -> list[Any]:
    """The sets of inputs between which the guarantee is stated."""
    if made.name == "custext":
        return sorted({tuple(made.members(token).tolist()) for token in range(len(made.vocabulary))})
    if made.name == "custext+":
        inner, protected = made._split
        return [tuple(protected[list(group)].tolist()) for group in groups(inner)]
    if made.name == "santext+":
        return [tuple(made.sensitive.tolist())]
    if made.name == "clusant" and math.isinf(made.k):
        return [tuple(one.tolist()) for one in made._sets]
    return [tuple(range(len(made.vocabulary)))]


def apart(made: Any) -> Any:
    """The distance of the guarantee between all tokens; None for LDP."""
    if made.guarantee.definition == "LDP":
        return None
    if made.name == "clusant":
        points, _, _ = moved(made)
        return between(points, points, made.p)
    return between(made.vocabulary.vectors, made.vocabulary.vectors, made.p)


def brute_loss(log_law: Any, distances: Any, inputs: Any) -> float:
    """max over pairs of inputs and over outputs, the plain way."""
    worst = 0.0
    for x, other in itertools.combinations(inputs, 2):
        possible = ~(np.isneginf(log_law[x]) & np.isneginf(log_law[other]))
        gap = np.abs(log_law[x][possible] - log_law[other][possible]).max()
        d = LONG(1.0) if distances is None else distances[x, other]
        if d > TINY:
            worst = max(worst, float(gap / d))
        elif gap > 1e-9:
            worst = math.inf
    return worst


def loss_of(made: Any, log_law: Any = None) -> float:
    """The exact loss, by the formula or by ``log_law``, which is the formula's."""
    log_law, distances = FORMULA[made.name](made) if log_law is None else log_law, apart(made)
    return max((brute_loss(log_law, distances, group) for group in groups(made)), default=0.0)


def certified(made: Any) -> Any:
    """The certificate, or None where the mechanism refuses the claim."""
    try:
        return made.certify()
    except GuaranteeError:
        return None


@pytest.mark.parametrize("calibration", ["exact", "paper"])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_law_is_the_formula_and_its_loss_is_within_the_claim(
    finite: Any, toy: Any, epsilon: float, calibration: str
) -> None:
    made = finite.on(toy, epsilon, calibration=calibration)
    certificate = certified(made)
    if certificate is None:
        assert made.name == "clusant"
        return
    log_formula = FORMULA[made.name](made)
    smallest = float(log_formula.min(where=log_formula > -np.inf, initial=0.0))
    if smallest < -300.0:  # near the sampler's resolution a mechanism may refuse, below it must
        with (
            pytest.raises(GuaranteeError, match="resolution")
            if smallest < -650.0
            else contextlib.suppress(GuaranteeError)
        ):
            made.law(0)
        return
    law = np.array([made.law(token) for token in range(len(toy))])
    np.testing.assert_allclose(law.sum(axis=1), 1.0, rtol=1e-12)
    expected = np.exp(log_formula).astype(np.float64)
    np.testing.assert_allclose(law, expected, rtol=1e-9, atol=1e-300)

    worst = loss_of(made, log_formula)
    assert worst <= epsilon * (1.0 + 1e-9)
    assert certificate.certified == pytest.approx(worst, rel=1e-6, abs=1e-9)
    assert certificate.claimed == epsilon
    with np.errstate(divide="ignore"):
        log_law = np.log(law)
    distances = apart(made)
    for group in groups(made):
        chosen = list(group)
        d = None if distances is None else distances[np.ix_(chosen, chosen)].astype(np.float64)
        if d is None or not ((d > 0) & (d < 1e-5)).any():  # 64-bit laws cannot resolve pairs 1e-6 apart
            assert pairwise_loss(log_law[chosen], d) <= epsilon * (1.0 + 1e-6)


def test_exact_calibration_uses_the_epsilon_it_was_given(finite: Any, toy: Any) -> None:
    for epsilon in EPSILONS:
        made = finite.on(toy, epsilon)
        certificate = certified(made)
        if certificate is None:
            continue
        paper = certified(finite.on(toy, epsilon, calibration="paper"))
        if paper is not None:
            assert certificate.scale >= paper.scale * (1.0 - 1e-9)
            assert certificate.certified >= paper.certified * (1.0 - 1e-9)
        if made.name == "clusant" and not math.isinf(made.k):
            first, second = made._scaling.paper
            capped = certificate.scale >= 3.99 * first * max(1.0, first / second)
        else:
            capped = made.name == "tem" and certificate.scale >= 0.999 * epsilon
            if made.name in ("custext", "custext+") or (made.name == "clusant" and math.isinf(made.k)):
                inner = made.inner if made.name == "custext+" else made
                capped = all(
                    between(inner.vocabulary.vectors[list(g)], inner.vocabulary.vectors[list(g)]).max() == 0
                    for g in groups(inner)
                ) or (made.name == "clusant" and certificate.scale >= 3.99 * made._scaling.paper[0])
        assert capped or certificate.certified >= 0.999 * epsilon


def test_paper_calibration_runs_at_the_published_scale(finite: Any, toy: Any) -> None:
    for epsilon in EPSILONS:
        made: Any = finite.on(toy, epsilon, calibration="paper")
        certificate = certified(made)
        if certificate is None:
            continue
        if made.name != "clusant":
            assert certificate.scale == certificate.paper_scale == pytest.approx(epsilon / 2.0, rel=1e-15)
            continue
        points = toy.vectors
        if math.isinf(made.k):
            widest = max(float(between(points[one], points[one], made.p).max()) for one in made._sets)
        else:
            widest = float(between(points, points, made.p).max())
        if made.token_distance == "normalised":
            inside = [float(between(points[one], points[one], made.p).max()) for one in made._sets]
            widest = widest / min(d or 1.0 for d in inside)
        sensitivity = 1.0 if made.token_distance == "stretched" else max(1.0, widest)
        assert scales_of(made) == pytest.approx((epsilon / 4.0, epsilon / (4.0 * sensitivity)), rel=1e-9)


def test_refused_claims_are_false_claims(toy: Any) -> None:
    """CluSanT states nothing that its certificate does not carry, and refuses nothing that it does."""
    refused = 0
    for k, epsilon in itertools.product((1.0, 1.5, 4.0, 16.0), EPSILONS):
        made: Any = build("clusant", toy, epsilon, k=k, set_size=3, calibration="paper")
        if certified(made) is None:
            refused += 1
            assert loss_of(made) > epsilon  # at the scales that the paper would run
    if len(toy) > 4:
        assert refused < 12


def test_equal_vectors_share_one_law_exactly(finite: Any, toys: Any, uniforms: Any) -> None:
    if finite.name == "clusant" and finite.options["k"] == 1.0:
        pytest.skip("k = 1 puts copies in different clusters at distance 0: refused, tested below")
    vocabulary = toys["duplicates"]
    made = finite.on(vocabulary, 3.0)
    for group in groups(made):
        for x, other in itertools.combinations(group, 2):
            if np.array_equal(vocabulary.vectors[x], vocabulary.vectors[other]):
                if finite.name == "clusant" and moved(made)[1][x] != moved(made)[1][other]:
                    continue
                np.testing.assert_array_equal(made.law(x), made.law(other))
                drawn = [made.draw(np.full(500, token), uniforms(3, 500)) for token in (x, other)]
                np.testing.assert_array_equal(*drawn)


def test_copies_told_apart_at_distance_zero_have_no_epsilon(make_vocabulary: Any) -> None:
    vocabulary = make_vocabulary([[0.0], [0.0], [0.0], [1.0]])
    made = build("clusant", vocabulary, 2.0, k=1.0, clusters=((0, 1), (2, 3)))
    with pytest.raises(GuaranteeError):
        made.certify()


@pytest.mark.parametrize(
    ("gap", "shift"), [(1e-3, 0.0), (1e-6, 0.0), (1e-6, 5.0), (1e-6, 300.0), (1e-9, 0.0)], ids=str
)
def test_near_pairs_give_no_false_maximum(make_vocabulary: Any, gap: float, shift: float) -> None:
    """The certificate of pairs a hair apart is the one that 50 digits give, not the rounding error over the gap."""
    rng = np.random.default_rng(8)
    points = shift + rng.normal(size=(6, 3))
    step = gap * np.array([0.6, 0.8, 0.0])
    vectors = np.concatenate([points, points + step])
    made: Any = build("santext", make_vocabulary(vectors), 2.0, calibration="paper")
    with mpmath.workdps(50):
        rows = [[mpmath.mpf(float(value)) for value in row] for row in vectors]

        def d(x: Any, y: Any) -> Any:
            return mpmath.sqrt(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)))

        log_z = [mpmath.log(sum(mpmath.exp(-d(x, y)) for y in rows)) for x in rows]
        truth = max(
            1 + abs(log_z[i] - log_z[j]) / d(rows[i], rows[j]) for i, j in itertools.combinations(range(len(rows)), 2)
        )
    assert made.certify().certified == pytest.approx(float(truth), rel=1e-6)


def test_losses_of_two_step_laws_are_exact_on_random_vocabularies(make_vocabulary: Any) -> None:
    """Branch and bound finds what brute force finds."""
    seen = []
    for seed in range(120):
        rng = np.random.default_rng(seed)
        count, dimensions = int(rng.integers(4, 14)), int(rng.integers(1, 5))
        words = [f"w{number}" for number in range(count)]
        vocabulary = make_vocabulary(rng.normal(size=(count, dimensions)) * rng.choice([0.2, 1.0, 4.0]), words)
        k = float(rng.choice([1.0, 1.5, 3.0, 8.0, 40.0]))
        epsilon = float(rng.choice([0.5, 3.0, 12.0]))
        options = {
            "token_distance": str(rng.choice(["plain", "normalised", "stretched"])),
            "p": float(rng.choice([1.0, 2.0])),
        }
        clusters = int(rng.integers(1, count + 1))
        for calibration in ("exact", "paper"):
            made: Any = build(
                "clusant", vocabulary, epsilon, k=k, clusters=clusters, calibration=calibration, **options
            )
            certificate = certified(made)
            if certificate is None:
                assert calibration == "paper"
                assert loss_of(made) > epsilon
            else:
                assert certificate.kind == "exact"
                assert certificate.certified == pytest.approx(loss_of(made), rel=1e-6)
            seen.append(certificate is None)
    assert 0 < sum(seen) < len(seen)


@pytest.mark.parametrize("seed", range(25))
def test_theorem_5_conditions_and_smallest_k(make_vocabulary: Any, seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    words = [f"w{number}" for number in range(12)]
    vocabulary = make_vocabulary(rng.normal(size=(12, 4)) * rng.choice([0.4, 1.0, 3.0]), words)
    clusters = int(rng.integers(2, 7))

    def holds(k: float) -> tuple[bool, bool]:
        made: Any = build("clusant", vocabulary, 2.0, k=k, clusters=clusters)
        points, cluster_of, centroids = moved(made)
        d, d_c = between(vocabulary.vectors, vocabulary.vectors), between(points, points)
        centres = LONG(k) * between(centroids, centroids)
        pairs = [(i, j) for i, j in itertools.combinations(range(12), 2) if cluster_of[i] != cluster_of[j]]
        first = all(d_c[i, j] >= 1.0 or d_c[i, j] >= d[i, j] for i, j in pairs)
        second = all(centres[cluster_of[i], cluster_of[j]] + 1.0 <= 2.0 * d_c[i, j] for i, j in pairs)
        return first, second

    for k in (1.0, 3.0, 10.0):
        found = build("clusant", vocabulary, 2.0, k=k, clusters=clusters).certify().conditions
        assert (found["theorem5_condition_1"], found["theorem5_condition_2"]) == holds(k)
        smallest = found["smallest_admissible_k"]
        assert smallest == next((k for k in range(1, 400) if all(holds(float(k)))), None)
        if k >= smallest:  # Theorem 5: with its conditions the paper's scales are within the claim
            paper = build("clusant", vocabulary, 2.0, k=k, clusters=clusters, calibration="paper")
            assert paper.certify().certified <= 2.0


def test_clusant_with_one_token_clusters_is_santext_at_half_epsilon(toys: Any) -> None:
    for name in ("unit", "line", "outlier", "cases"):
        vocabulary, epsilon = toys[name], 3.0
        single: Any = build("clusant", vocabulary, epsilon, k=1.0, clusters=len(vocabulary), calibration="paper")
        sole: Any = build("santext", vocabulary, epsilon / 2.0, calibration="paper")
        for token in range(len(vocabulary)):
            np.testing.assert_allclose(single.law(token), sole.law(token), rtol=1e-9)
        assert "unused" in single.certify().conditions["unused_half"]
        exact: Any = build("clusant", vocabulary, epsilon, k=1.0, clusters=len(vocabulary))
        assert exact.scales[0] == pytest.approx(build("santext", vocabulary, epsilon).certify().scale, rel=1e-5)


def test_clusant_that_never_leaves_a_cluster_is_custext_at_half_epsilon(toys: Any) -> None:
    for name in ("unit", "line", "outlier", "duplicates", "near"):
        vocabulary, epsilon = toys[name], 3.0
        sets: Any = build("custext", vocabulary, epsilon / 2.0, set_size=3, calibration="paper")
        clusters = {tuple(sets.members(token).tolist()) for token in range(len(vocabulary))}
        never: Any = build(
            "clusant", vocabulary, epsilon, k=math.inf, clusters=tuple(clusters), calibration="paper",
            token_distance="normalised",
        )  # fmt: skip
        for token in range(len(vocabulary)):
            np.testing.assert_allclose(never.law(token), sets.law(token), rtol=1e-9)


def test_custext_never_leaves_a_token_alone(make_vocabulary: Any) -> None:
    rng = np.random.default_rng(1)
    for count, size in itertools.product(range(2, 30), range(2, 12)):
        words = [f"w{number}" for number in range(count)]
        made: Any = build("custext", make_vocabulary(rng.normal(size=(count, 2)), words), 2.0, set_size=size)
        sets = groups(made)
        assert sorted(itertools.chain(*sets)) == list(range(count))
        assert min(map(len, sets)) >= 2
        assert max(map(len, sets)) <= max(size, 2) + 1


def test_across_sets_the_stated_loss_is_infinite(toys: Any) -> None:
    vocabulary = toys["unit"]
    for name, key in (("custext", "loss_across_sets"), ("custext+", "loss_across_sets")):
        found = build(name, vocabulary, 2.0, set_size=3).certify().as_dict()["conditions"]
        assert found[key] == "infinity"
    found = build("clusant", vocabulary, 2.0, set_size=3, k=math.inf).certify().as_dict()["conditions"]
    assert found["loss_across_clusters"] == "infinity"
    found = build("santext+", vocabulary, 2.0).certify().as_dict()["conditions"]
    assert found["loss_across_groups"] == "infinity"
    one_set = build("custext", vocabulary, 2.0, set_size=20).certify()
    assert one_set.conditions["loss_across_sets"] == one_set.certified
    made: Any = build("custext", vocabulary, 2.0, set_size=3)
    x, other = groups(made)[0][0], groups(made)[1][0]
    assert not (made.law(x) * made.law(other)).any()


@pytest.mark.parametrize("clusters", [5, ((0,), (1, 2, 3, 4))], ids=str)
def test_a_token_alone_in_a_cluster_that_is_never_left_is_refused(make_vocabulary: Any, clusters: Any) -> None:
    """It would come back as itself with certainty, under an epsilon that says nothing."""
    vocabulary = make_vocabulary(np.random.default_rng(0).normal(size=(5, 2)))
    with pytest.raises(GuaranteeError):
        build("clusant", vocabulary, 2.0, k=math.inf, clusters=clusters).certify()


@pytest.mark.parametrize("p", [50.0, 400.0, 1e4])
@pytest.mark.parametrize("name", ["santext", "tem", "clusant"])
@pytest.mark.parametrize("calibration", ["exact", "paper"])
def test_large_p_gives_no_false_certificate(p: float, name: str, calibration: str, make_vocabulary: Any) -> None:
    """0.15^400 is 0 in floating point: on a line every Lp distance is the difference itself."""
    vocabulary = make_vocabulary([[0.0], [0.15], [0.3]])
    options = {"clusters": 3, "k": 1.0} if name == "clusant" else {}
    made: Any = build(name, vocabulary, 4.0, calibration=calibration, p=p, **options)
    with np.errstate(divide="ignore"):
        log_law = np.log(np.array([made.law(token) for token in range(3)]))
    truth = pairwise_loss(log_law, np.abs(vocabulary.vectors - vocabulary.vectors.T))
    assert truth <= 4.0 * (1.0 + 1e-9)
    assert made.certify().certified == pytest.approx(truth, rel=1e-6)


@pytest.mark.parametrize("k", [1e3, 1e9, 1e15, 1e20])
def test_clusters_far_apart_keep_the_distances_inside(k: float, make_vocabulary: Any) -> None:
    """Moved by k, vectors lose the digits that tell two tokens of a cluster apart; their distance is the old one."""
    vectors = np.random.default_rng(5).normal(size=(8, 2))
    made: Any = build("clusant", make_vocabulary(vectors), 2.0, clusters=((0, 1, 2, 3), (4, 5, 6, 7)))
    steps = made.geometry(k)
    oracle = ClusterLoss(steps, 1e-9 / k, 1.0)  # clusters all but alike: the worst pair shares one
    d = between(steps.vectors, steps.vectors).astype(float)
    log_law = steps.log_law(np.arange(8), d, steps.log_first(1e-9 / k), 1.0)
    truth = max(pairwise_loss(log_law[inside], d[inside, inside]) for inside in (slice(0, 4), slice(4, 8)))
    worst = oracle.worst(1.0)
    assert worst.loss == pytest.approx(truth, rel=1e-9)
    assert worst.exact
    assert oracle.follow(worst.pairs)(1.0) == pytest.approx(truth, rel=1e-9)
