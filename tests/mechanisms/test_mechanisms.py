"""What is particular to one mechanism, and the registry that finds them by name."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sfumato import registry
from sfumato.building.methods import mechanism as build
from sfumato.errors import ConfigurationError, GuaranteeError, VocabularyError
from sfumato.language.en.words import is_stop_word
from sfumato.mechanisms import _clusant_geometry
from sfumato.privacy import certificates
from sfumato.privacy.guarantee import Certificate
from sfumato.storage import cache
from sfumato.vocabularies import partition
from sfumato.vocabularies.partition import by_vectors, checked, greedy, sizes_for, sizes_of


@pytest.mark.parametrize(
    ("wrong", "right"), [("santex", "santext"), ("clusan", "clusant"), ("mahalanobi", "mahalanobis"), ("TEMM", "tem")]
)
def test_an_unknown_name_suggests_the_nearest(wrong: str, right: str, toys: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"did you mean {right}\\?"):
        build(wrong, toys["unit"], 2.0)
    with pytest.raises(ConfigurationError, match=r"Known: .*santext"):
        build("zzzzzzzz", toys["unit"], 2.0)


def test_every_registered_mechanism_answers_to_its_name(toys: Any) -> None:
    for name in registry.methods(registry.TOKENS):
        made = build(name, toys["unit"], 2.0)
        assert made.name == name
        assert build(name.upper(), toys["unit"], 2.0).name == name


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("santext", {"p": 0.5}),
        ("santext+", {"sensitive_share": 0.0}),
        ("santext+", {"sensitive_share": 1.1}),
        ("santext+", {"replace_probability": -0.1}),
        ("santext+", {"replace_probability": math.nan}),
        ("custext", {"set_size": 1}),
        ("custext", {"similarity": "dot"}),
        ("clusant", {"k": 0.5}),
        ("clusant", {"k": math.nan}),
        ("clusant", {"clusters": "vocabulary"}),
        ("clusant", {"p": 0.2}),
        ("tem", {"beta": 0.0}),
        ("tem", {"beta": 1.0}),
        ("tem", {"threshold": 0.0}),
        ("tem", {"threshold": -1.0}),
        ("tem", {"threshold": math.nan}),
        ("vickrey", {"second_weight": 1.5}),
        ("vickrey", {"second_weight": math.nan}),
        ("mahalanobis", {"regularisation": 1.0}),
        ("mahalanobis", {"regularisation": -0.1}),
    ],
)
def test_parameters_that_cannot_work_are_refused_at_once(name: str, options: Any, toys: Any) -> None:
    with pytest.raises(ConfigurationError):
        build(name, toys["unit"], 2.0, **options)


def test_calibrations_other_than_the_two_are_refused(case: Any, toys: Any) -> None:
    for wrong in ("papr", "Exact", "", 3):
        with pytest.raises(ConfigurationError, match="calibration"):
            case.on(toys["unit"], 2.0, calibration=wrong).certify()


def test_token_distances_other_than_the_two_are_refused(toys: Any) -> None:
    with pytest.raises(ConfigurationError, match="token"):
        build("clusant", toys["unit"], 2.0, token_distance="normalized")


def test_stretched_distances_need_a_finite_k(toys: Any) -> None:
    with pytest.raises(ConfigurationError, match="finite k"):
        build("clusant", toys["unit"], 2.0, token_distance="stretched", k=math.inf)


@pytest.mark.parametrize(
    "clusters", [((0, 1), (1, 2)), ((0,), (2,)), ((0, 1, 2, 3),), (), ((0, 1), (2, -1))], ids=str
)
def test_clusters_must_hold_every_token_once(clusters: Any, make_vocabulary: Any) -> None:
    made = build("clusant", make_vocabulary([[0.0], [1.0], [2.0]]), 2.0, clusters=clusters)
    with pytest.raises(ConfigurationError, match="exactly once"):
        made.certify()


@pytest.mark.parametrize("clusters", [0, -1, 15])
def test_a_number_of_clusters_that_cannot_be(clusters: int, toys: Any) -> None:
    with pytest.raises(ConfigurationError, match="clusters"):
        build("clusant", toys["unit"], 2.0, clusters=clusters).certify()


def test_clusant_works_with_clusters_of_one_token_and_of_all(toys: Any) -> None:
    for clusters in (1, 14, ((0,), (1,), tuple(range(2, 14)))):
        made = build("clusant", toys["unit"], 2.0, clusters=clusters)
        assert made.certify().certified == pytest.approx(2.0, rel=1e-3)
        assert all((made.law(token) > 0.0).all() for token in range(14))


def test_partitions_are_greedy_and_public() -> None:
    points = np.array([[0.0], [10.0], [0.1], [10.1], [0.2], [5.0]])
    found = [sorted(one.tolist()) for one in greedy(by_vectors(points), [2, 2, 2])]
    assert found == [[0, 2], [1, 3], [4, 5]]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        points, sizes = rng.normal(size=(150, 3)), sizes_of(150, int(rng.integers(2, 9)))
        sets, left = greedy(by_vectors(points), sizes), list(range(150))
        for members, size in zip(sets, sizes, strict=True):
            pivot = left[0]
            d = np.linalg.norm(points[left] - points[pivot], axis=1)
            assert sorted(members.tolist()) == sorted(np.array(left)[np.argsort(d, kind="stable")[:size]].tolist())
            left = [token for token in left if token not in members]


def test_sizes() -> None:
    assert sizes_of(7, 3) == [3, 4]
    assert sizes_of(8, 3) == [3, 3, 2]
    assert sizes_of(2, 20) == [2]
    assert sizes_for(7, 3) == [3, 2, 2]
    assert [one.tolist() for one in checked(((2, 0), (1,)), 3)] == [[0, 2], [1]]


def test_custext_plus_keeps_stop_words_free_and_protects_the_rest(toys: Any, make_vocabulary: Any) -> None:
    vocabulary = toys["cases"]
    made: Any = build("custext+", vocabulary, 2.0, set_size=3)
    spends = made.spends(np.arange(len(vocabulary)))
    for index, token in enumerate(vocabulary.tokens):
        law = made.law(index)
        assert spends[index] == (not is_stop_word(token))
        assert (law[index] == 1.0) == is_stop_word(token)
        if not is_stop_word(token):
            assert (law > 0).sum() >= 2
            assert not any(law[i] > 0 and is_stop_word(other) for i, other in enumerate(vocabulary.tokens))
    assert not is_stop_word("May")
    stops = make_vocabulary([[0.0], [1.0], [2.0]], ["the", "of", "cat"])
    with pytest.raises(VocabularyError, match="at least 2"):
        build("custext+", stops, 2.0).certify()


def test_santext_plus_keeps_words_with_the_probability_it_says(toys: Any, uniforms: Any) -> None:
    vocabulary = toys["unit"]
    made: Any = build("santext+", vocabulary, 2.0, sensitive_share=0.5, replace_probability=0.3)
    frequent = sorted(set(range(14)) - set(made.sensitive.tolist()))
    assert {vocabulary.tokens[i] for i in made.sensitive} == {"quixotic", "zeugma", "obelisk", "fjord", "halcyon",
                                                              "ocelot", "gossamer"}  # fmt: skip
    drawn = made.draw(np.repeat(frequent, 3000), uniforms(1, 3000 * len(frequent)))
    assert (drawn == np.repeat(frequent, 3000)).mean() == pytest.approx(0.7, abs=0.01)
    for token in made.sensitive:
        assert np.isin(made.draw(np.full(500, token), uniforms(1, 500)), made.sensitive).all()
    always: Any = build("santext+", vocabulary, 2.0, replace_probability=1.0)
    assert np.isin(always.draw(np.repeat(frequent, 50), uniforms(1, 50 * len(frequent))), always.sensitive).all()


def test_tem_follows_its_papers_threshold(toys: Any) -> None:
    made: Any = build("tem", toys["unit"], 2.0, beta=0.01)
    assert made.limit == pytest.approx(math.log(0.99 * 13 / 0.01))
    assert build("tem", toys["unit"], 2.0, threshold=1.5).parameters["threshold"] == 1.5


def test_mahalanobis_without_regularisation_is_fbdd(toys: Any, uniforms: Any) -> None:
    vocabulary = toys["unit"]
    tokens = np.arange(500) % 14
    plain = build("fbdd", vocabulary, 3.0).draw(tokens, uniforms(1, 500))
    sphere = build("mahalanobis", vocabulary, 3.0, regularisation=0.0).draw(tokens, uniforms(1, 500))
    np.testing.assert_array_equal(plain, sphere)


def test_mahalanobis_stands_a_vocabulary_without_spread(make_vocabulary: Any, uniforms: Any) -> None:
    for points in ([[1.0, 1.0], [1.0, 1.0]], [[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]]):
        made = build("mahalanobis", make_vocabulary(points), 3.0)
        assert made.draw(np.zeros(10, dtype=int), uniforms(1, 10)).shape == (10,)


@pytest.mark.parametrize("epsilon", [1e-320, 1e-200, 1e-100, 1e-36, 1e-20, 1e6])
def test_noise_of_any_size_gives_a_token(noise: Any, toys: Any, uniforms: Any, epsilon: float) -> None:
    for name in ("unit", "line", "offset", "duplicates"):
        made: Any = noise.on(toys[name], epsilon)
        drawn = made.draw(np.zeros(200, dtype=int), uniforms(1, 200))
        assert ((drawn >= 0) & (drawn < len(toys[name]))).all()
        if epsilon == 1e6 and noise.name != "vickrey":
            assert (drawn == 0).all()


@pytest.mark.parametrize("broken", [math.nan, math.inf, 1e300])
def test_a_row_that_overflows_touches_no_other(noise: Any, toys: Any, broken: float) -> None:
    made: Any = noise.on(toys["unit"], 2.0)
    noisy = np.random.default_rng(0).normal(size=(5, 6))
    before, _ = made.nearest(noisy, 2)
    noisy[2, 1] = broken
    after, _ = made.nearest(noisy, 2)
    others = [0, 1, 3, 4]
    np.testing.assert_array_equal(after[others], before[others])
    assert ((after >= 0) & (after < 14)).all()


def test_vickrey_with_no_second_weight_is_fbdd(toys: Any, uniforms: Any) -> None:
    vocabulary = toys["unit"]
    tokens = np.arange(500) % 14
    wide = uniforms(1, 500)(8)
    drawn = [
        build("fbdd", vocabulary, 3.0).draw(tokens, lambda width: wide[:, :width]),
        build("vickrey", vocabulary, 3.0, second_weight=0.0).draw(tokens, lambda width: wide),
        build("vickrey", vocabulary, 3.0, second_weight=1.0).draw(tokens, lambda width: wide),
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert (drawn[1] != drawn[2]).all()


@pytest.mark.parametrize("name", ["santext", "clusant"])
def test_utility_grows_with_epsilon_and_exact_beats_paper(name: str, toys: Any) -> None:
    vocabulary = toys["unit"]

    def kept(epsilon: float, calibration: str) -> float:
        made = build(name, vocabulary, epsilon, calibration=calibration)
        return float(np.mean([made.law(token)[token] for token in range(14)]))

    for calibration in ("exact", "paper"):
        assert kept(1.0, calibration) < kept(3.0, calibration) < kept(9.0, calibration)
    assert kept(3.0, "exact") > kept(3.0, "paper")


def test_resolution_is_checked_before_anything_is_drawn(make_vocabulary: Any) -> None:
    vocabulary = make_vocabulary([[0.0], [1.0], [500.0]])
    for name, options in (("santext", {}), ("santext+", {}), ("clusant", {"k": 2.0, "clusters": 2})):
        with pytest.raises(GuaranteeError, match="resolution"):
            build(name, vocabulary, 20.0, **options).draw(np.array([0]), lambda width: np.full((1, width), 0.5))


@pytest.mark.parametrize("number", [1.1e100, -1e155, 1e200, -1e308])
def test_vectors_too_large_for_distances_are_refused(number: float, make_vocabulary: Any) -> None:
    with pytest.raises(VocabularyError, match=r"entry 2 .*1e100.*rescale"):
        make_vocabulary([[0.0, 1.0], [1.0, number], [number, 2.0]])
    assert len(make_vocabulary([[0.0, 1.0], [1.0, -1e100]])) == 2


@pytest.mark.parametrize("name", ["santext", "tem", "clusant", "custext"])
@pytest.mark.parametrize("calibration", ["exact", "paper"])
@pytest.mark.parametrize("epsilon", [1e-99, 1e-150, 2.0])
def test_the_largest_vectors_give_a_law_or_a_refusal(
    name: str, calibration: str, epsilon: float, make_vocabulary: Any
) -> None:
    vocabulary = make_vocabulary(1e99 * np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [3.0, -2.0]]))
    options = {"set_size": 2} if name in ("clusant", "custext") else {}
    try:
        made = build(name, vocabulary, epsilon, calibration=calibration, **options)
        certificate = made.certify()
        laws = np.array([made.law(token) for token in range(4)])
    except GuaranteeError:
        return
    assert 0.0 <= certificate.certified <= epsilon  # 0 where every weight rounds to 1, as drawn
    np.testing.assert_allclose(laws.sum(axis=1), 1.0)


@pytest.mark.parametrize("p", [1.0, 2.0, math.inf])
@pytest.mark.parametrize("calibration", ["exact", "paper"])
def test_clusters_pushed_beyond_all_numbers_are_refused(p: float, calibration: str, make_vocabulary: Any) -> None:
    vocabulary = make_vocabulary(np.random.default_rng(1).normal(size=(6, 2)))
    for k in (1e150, 1e200, 1e308):
        with pytest.raises(GuaranteeError, match="smaller k"):
            build("clusant", vocabulary, 4.0, k=k, set_size=3, p=p, calibration=calibration).certify()


def test_unequal_copies_at_distance_zero_are_never_certified(make_vocabulary: Any) -> None:
    """1e-170 apart, a square is 0: the Euclidean distance cannot tell what the loss is."""
    vocabulary = make_vocabulary([[0.0], [1e-170], [1.0], [1.5]])
    for name, options in (("santext", {}), ("tem", {}), ("clusant", {"k": 1.0, "clusters": ((0, 1), (2, 3))})):
        for calibration in ("exact", "paper"):
            with pytest.raises(GuaranteeError):
                build(name, vocabulary, 2.0, calibration=calibration, **options).certify()


def test_the_kind_of_a_certificate_is_that_of_its_own_scale(monkeypatch: Any, make_vocabulary: Any) -> None:
    """The last check goes unused: it was exact, the one whose scale is certified was a bound."""
    from sfumato.privacy.cluster_loss import ClusterLoss

    whole, seen = ClusterLoss.worst, []

    def worst(self: Any, scale: float) -> Any:
        seen.append(scale)
        found = whole(self, scale)
        self.exact = len(seen) > 1  # where the older code looked
        return found._replace(loss=1.0 if len(seen) == 1 else 1e9, exact=len(seen) > 1)

    monkeypatch.setattr(ClusterLoss, "worst", worst)
    made: Any = build("clusant", make_vocabulary(np.random.default_rng(2).normal(size=(9, 2))), 3.0, set_size=3)
    certificate = made._scaling.certificate(None)
    assert len(seen) > 1
    assert certificate.certified == 1.0
    assert certificate.kind == "upper-bound"


@dataclass(frozen=True)
class Toy:
    """What a certificate is kept for."""

    name: str = "toy"
    epsilon: float = 2.0
    vocabulary: Any = field(default_factory=lambda: SimpleNamespace(hash="hash"))
    parameters: Any = field(default_factory=dict)
    guarantee: Any = field(default_factory=lambda: SimpleNamespace(definition="LDP"))


@pytest.mark.parametrize("wrong", [math.nan, "nan", math.inf, "infinity"], ids=str)
@pytest.mark.parametrize("key", ["certified", "scale", "claimed"])
def test_certificates_that_hold_no_numbers_are_not_believed(key: str, wrong: Any, monkeypatch: Any) -> None:
    right = Certificate("LDP", 2.0, 1.5, "exact", 1.0, 1.0, {"largest_distance": 3.0})
    honest = {**right.as_dict(), "vocabulary": "hash"}
    kept: dict[str, Any] = {**honest, key: wrong}
    monkeypatch.setattr(cache, "load_json", lambda _: kept)
    monkeypatch.setattr(cache, "save_json", lambda *_: None)
    fresh = replace(right, certified=1.25)

    def remembered(made: Certificate) -> Certificate:
        return certificates.remembered(Toy(), lambda: made, lambda _: True)

    assert remembered(fresh) == fresh
    kept = {**honest, "conditions": {"largest_distance": math.nan}}
    assert remembered(fresh) == fresh
    kept = {**honest, "vocabulary": "another"}
    assert remembered(fresh) == fresh
    kept = honest
    assert remembered(fresh) == right
    kept = {}
    false = Certificate("LDP", **{"claimed": 2.0, "certified": 1.5, "scale": 1.0, key: float(wrong)}, kind="exact",
                        paper_scale=1.0)  # fmt: skip
    with pytest.raises(GuaranteeError):
        remembered(false)


def test_clusters_made_by_other_rules_are_not_read(
    toys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path / "cache"))
    made: list[int] = []
    greedy = partition.greedy
    monkeypatch.setattr(partition, "greedy", lambda *given: made.append(1) or greedy(*given))
    for rules in ("these", "these", "others"):
        monkeypatch.setattr(_clusant_geometry, "digest_of_sources", lambda *_, rules=rules: rules)
        _clusant_geometry.sets_of(toys["unit"], None, 3)
    assert len(made) == 2


@pytest.mark.parametrize(
    "edit", [{"second": True}, {"largest_distance": 0.5}, {"largest_moved": math.nan}, {"first": 1}]
)
def test_kept_conditions_that_some_pairs_contradict_are_computed_again(
    toys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, edit: dict[str, Any]
) -> None:
    """An entry is sealed by its user; that it is true is tried."""
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path / "cache"))
    made: Any = build("clusant", toys["unit"], 2.0, k=1.0, clusters=4)
    steps = made._scaling.steps
    honest = _clusant_geometry.check_conditions(steps)
    assert not honest.second
    lying = {**asdict(honest), **edit}
    monkeypatch.setattr(_clusant_geometry.cache, "load_json", lambda _: lying)
    assert _clusant_geometry.check_conditions(steps) == honest
    lying = asdict(honest)
    monkeypatch.setattr(_clusant_geometry, "_checked", None)
    assert _clusant_geometry.check_conditions(steps) == honest
