"""CusText+ with a list of stop words of the user's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato import mechanism
from sfumato.building.build import drawn_tokens
from sfumato.building.stated import made_again
from sfumato.errors import ConfigurationError

TOKENS = ["the", "will", "don't", "cat", "dog", "house", "tree", "river", "lake", "stone"]
LISTED = ("Will", "don’t", "cat", "", "absent")


@pytest.fixture
def made(make_vocabulary: Any) -> Any:
    rows = np.random.default_rng(3).normal(size=(len(TOKENS), 4)).tolist()
    return mechanism("custext+", make_vocabulary(rows, TOKENS), 2.0, set_size=3, stop_words=LISTED)


def test_the_words_of_the_list_are_kept_and_no_others(made: Any) -> None:
    kept = {token for index, token in enumerate(TOKENS) if made.law(index)[index] == 1.0}
    assert kept == {"will", "don't", "cat"}
    assert {TOKENS[index] for index in np.flatnonzero(~made.spends(np.arange(len(TOKENS))))} == kept
    outputs = {TOKENS[y] for x in made.protected for y in np.flatnonzero(made.law(int(x)))}
    assert outputs == set(TOKENS) - kept  # "the" is of sfumato's list, and protected here


def test_the_loss_between_other_words_of_a_set_is_within_epsilon(made: Any) -> None:
    laws = np.array([made.law(index) for index in range(len(TOKENS))])
    losses = []
    for group in [made.protected[own] for own in made.inner.sets]:
        for x in group:
            for other in group:
                reached = laws[x] > 0
                assert (reached == (laws[other] > 0)).all()
                losses.append(float(np.log(laws[x][reached] / laws[other][reached]).max()))
    assert max(losses) == pytest.approx(made.certify().certified, abs=1e-9)
    assert max(losses) <= 2.0 + 1e-12
    kept = TOKENS.index("cat")
    assert not laws[made.protected][:, kept].any()  # across: no finite epsilon, as the certificate says
    assert made.certify().conditions["stop_words_kept"] == 3


def test_the_list_is_stated_and_gives_the_mechanism_again(made: Any) -> None:
    stated = json.loads(json.dumps(made.parameters))
    assert stated["stop_words"] == ["absent", "cat", "don't", "will"]
    assert any("without the private text" in one for one in made.guarantee.assumes)
    again = made_again("custext+", made.vocabulary, stated, "here")
    assert again.parameters == made.parameters
    with pytest.raises(ConfigurationError, match="cannot be built again"):
        made_again("custext+", made.vocabulary, {**stated, "stop_words": ["cat"]}, "here")


def test_without_a_list_nothing_changes(made: Any) -> None:
    usual = mechanism("custext+", made.vocabulary, 2.0, set_size=3)
    assert "stop_words" not in usual.parameters
    assert usual.parameters["protected_hash"] != made.parameters["protected_hash"]
    assert not any("private text" in one for one in usual.guarantee.assumes)


@pytest.mark.parametrize("listed", [(), ("", " ")])
def test_an_empty_list_is_refused(made: Any, listed: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match="give one at least"):
        mechanism("custext+", made.vocabulary, 2.0, stop_words=listed)


def test_a_file_gives_the_list_and_counts_as_a_source(made: Any, tmp_path: Path) -> None:
    path = tmp_path / "english.txt"
    path.write_text("\n".join(LISTED), encoding="utf-8")
    _, drawn = drawn_tokens("custext+", 2.0, vocabulary=made.vocabulary, set_size=3, stop_words=path)
    assert drawn.method.parameters == made.parameters
    assert [source.path for source in drawn.method.vocabulary.sources] == [path.resolve()]
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match=r"a text file with a word a line; english\.txt"):
        drawn_tokens("custext+", 2.0, vocabulary=made.vocabulary, stop_words=path)
