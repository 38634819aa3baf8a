"""CusText and CusText+ over scores of likeness that a user supplies."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato import mechanism
from sfumato.building.build import drawn_tokens
from sfumato.building.stated import made_again
from sfumato.errors import ConfigurationError

TOKENS = ["the", "cat", "dog", "house", "tree", "river", "lake", "stone", "hill"]
GROUPS = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])


@pytest.fixture
def vocabulary(make_vocabulary: Any) -> Any:
    return make_vocabulary(np.random.default_rng(3).normal(size=(len(TOKENS), 4)).tolist(), TOKENS)


def scores(seed: int = 0) -> np.ndarray:
    """Scores that are not symmetric, alike inside GROUPS; a token is not most like itself."""
    noise = np.random.default_rng(seed).random((len(TOKENS), len(TOKENS)))
    return np.where(GROUPS[:, None] == GROUPS, 5.0, 0.0) + noise


@pytest.mark.parametrize("calibration", ["exact", "paper", "optimal"])
def test_the_law_is_the_papers_over_the_scores(vocabulary: Any, calibration: str) -> None:
    given = scores()
    made = mechanism("custext", vocabulary, 2.0, set_size=3, similarity=given, calibration=calibration)
    assert [sorted(group.tolist()) for group in made.sets] == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    worst = 0.0
    for group, scale in zip(made.sets, made.law_scales, strict=True):
        inside = given[np.ix_(group, group)]
        u = (inside.max() - inside) / np.ptp(inside)
        laws = np.array([made.law(int(token))[group] for token in group])
        if calibration != "optimal":
            expected = np.exp(-scale * u)
            assert laws == pytest.approx(expected / expected.sum(axis=1, keepdims=True), abs=1e-12)
        drawn = laws[:, laws.any(axis=0)]  # an optimal law may leave out outputs, for all inputs
        worst = max(worst, float(np.ptp(np.log(drawn), axis=0).max()))
    assert worst == pytest.approx(made.certify().certified, abs=1e-9)
    assert worst <= 2.0 + 1e-12
    assert calibration == "paper" or worst > 1.99  # nothing is left unspent
    drawn = made.draw(np.zeros(4000, dtype=np.int64), _uniforms(4000))
    assert np.bincount(drawn, minlength=9) / 4000 == pytest.approx(made.law(0), abs=0.04)


def _uniforms(count: int) -> Any:
    from sfumato.privacy.randomness import RandomDraws, SeededRandomness

    return RandomDraws(SeededRandomness(1), count, [str(number).encode() for number in range(count)])


def test_stop_words_leave_the_scores_of_the_others(vocabulary: Any) -> None:
    made = mechanism("custext+", vocabulary, 2.0, set_size=2, similarity=scores(), stop_words=["house", "dog"])
    assert [made.protected.tolist(), *(sorted(group.tolist()) for group in made.sets)] == [
        [0, 1, 4, 5, 6, 7, 8], [0, 6], [1, int(made.sets[1][1])], sorted(made.sets[2].tolist())
    ]  # fmt: skip
    assert {*made.sets[1].tolist()} < {1, 4, 7}
    assert made.certify().certified <= 2.0


def test_a_statement_has_a_hash_of_the_laws_and_not_the_scores(vocabulary: Any) -> None:
    same_order = scores(), scores() ** 3
    made, other = (mechanism("custext", vocabulary, 2.0, set_size=3, similarity=given) for given in same_order)
    assert made.parameters == other.parameters
    assert made.parameters["similarity"] == "supplied"
    assert made.law_facts["sets_hash"] == other.law_facts["sets_hash"]
    assert made.law_facts["law_digest"] != other.law_facts["law_digest"]
    assert any("without the private text" in told for told in made.guarantee.assumes)
    assert "law_digest" not in mechanism("custext", vocabulary, 2.0, set_size=3).law_facts
    with pytest.raises(ConfigurationError, match="scores of its own"):
        made_again("custext", vocabulary, made.parameters, "here")


def test_a_file_is_mapped_and_counts_as_a_source(vocabulary: Any, tmp_path: Path) -> None:
    path = tmp_path / "scores.npy"
    np.save(path, scores().astype(np.float32))
    _, drawn = drawn_tokens("custext", 2.0, vocabulary=vocabulary, set_size=3, similarity=path)
    assert isinstance(drawn.method.similarity.matrix, np.memmap)
    assert [source.path for source in drawn.method.vocabulary.sources] == [path.resolve()]
    assert drawn.method.certify().certified <= 2.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros((9, 8)), r"of the 9 tokens.*9 x 8"),
        (np.zeros(9), r"what was given is 9 of type"),
        (np.full((9, 9), "a"), "what was given is 9 x 9 of type <U1"),
        (np.where(np.eye(9) > 0, np.nan, 1.0), "not a finite number"),
        (np.where(np.eye(9) > 0, np.inf, 1.0), "not a finite number"),
        ("manhattan", "similarity is euclidean, cosine"),
    ],
    ids=["not-square", "one-row", "text", "nan", "infinite", "name"],
)
def test_scores_that_are_none(vocabulary: Any, given: Any, message: str) -> None:
    for name in ("custext", "custext+"):
        with pytest.raises(ConfigurationError, match=message):
            mechanism(name, vocabulary, 2.0, set_size=3, similarity=given).certify()


def test_files_that_hold_no_array(vocabulary: Any, tmp_path: Path) -> None:
    path = tmp_path / "scores.npy"
    pickled = pickle.dumps({"a": 1})
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object))
    for content in (b"", b"no array", pickled, (tmp_path / "objects.npy").read_bytes()):
        path.write_bytes(content)
        with pytest.raises(ConfigurationError, match=r"scores\.npy cannot be read"):
            drawn_tokens("custext", 2.0, vocabulary=vocabulary, similarity=path)
    with pytest.raises(ConfigurationError, match=r"missing\.npy"):
        drawn_tokens("custext", 2.0, vocabulary=vocabulary, similarity=tmp_path / "missing.npy")
