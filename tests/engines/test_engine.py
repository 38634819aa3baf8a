"""The one engine: what may stand beside what, and what a process makes for itself."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import sfumato
from scripted_methods import dp_mlm
from sfumato.abstract.batch import Outputs, Spelled
from sfumato.detectors.words import ContentWords, Words
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Kept, Replaced
from sfumato.engines.tokens import DrawnTokens
from sfumato.errors import ConfigurationError
from sfumato.heuristics.redaction import Redaction


def tokens() -> DrawnTokens:
    route = sfumato.Route(sfumato.mechanism("santext", sfumato.Vocabulary(("a", "b"), np.eye(2), "two"), 2.0))
    return DrawnTokens({"ANY": route}, "ANY")


@pytest.mark.parametrize("treatment", [tokens(), Contextual(dp_mlm())], ids=["tokens", "in context"])
def test_what_takes_every_span_of_a_text_has_no_other_treatment_beside_it(treatment: DrawnTokens) -> None:
    with pytest.raises(ConfigurationError, match="takes all spans of a text"):
        Engine(Words(), treatment, [Kept(("DATE",))])


def test_a_guarantee_is_about_the_texts_of_the_detector_that_finds_the_spans() -> None:
    over_all, over_some = (Engine(detector, tokens()).guarantee for detector in (Words(), ContentWords()))
    assert over_all is not None
    assert over_some is not None
    assert over_all.adjacency != over_some.adjacency
    assert ContentWords().adjacency in over_some.adjacency


def test_several_treatments_are_stated_one_by_one_whatever_decides_the_kind() -> None:
    beside = Engine(Words(), Replaced(Redaction("label")), [Kept(("DATE",))])
    assert [treatment.name for treatment in beside.treatments] == ["keep", "redaction"]
    assert Engine(Words(), Replaced(Redaction("label"))).treatments == ()


def test_a_worker_makes_its_own_setting() -> None:
    made = Engine(Words(), tokens())
    before = made.setting
    again = pickle.loads(pickle.dumps(made))
    assert "setting" not in vars(again)
    assert again.setting == before


def test_two_methods_of_one_name_that_mark_otherwise_have_two_settings() -> None:
    settings = {Engine(Words(), Replaced(Redaction("label")), everywhere=each).setting for each in (True, False)}
    assert len(settings) == 2


def test_what_is_put_in_is_read_back_as_it_was() -> None:
    texts = ["Zoë", "", "\ud83d", "東京"]
    made = Outputs.of(np.array([3, 0, 2, 1]), texts)
    assert made.texts == texts
    spelled = Spelled.of_tokens(["oslo", "ßa"])
    opening = np.array([True, False])
    assert Outputs(spelled, np.array([0, 1]), spelled.entries(np.array([0, 1]), opening)).texts == ["Oslo", "ßa"]
