"""Similarity and antonyms in the scores of DP-MLM: the law stays within ε, whatever the word was."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scripted_methods import dp_mlm
from scripted_models import ScriptedMasked
from sfumato.abstract.contextual import score_law
from sfumato.detectors.words import Words
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.errors import ConfigurationError
from sfumato.mechanisms._closeness import Closeness
from sfumato.privacy.clipped_softmax import ClipRange
from sfumato.privacy.randomness import SeededRandomness
from sfumato.privacy.rank_profile import RankGains
from sfumato.text.document import Document
from sfumato.text.marks import Layout
from sfumato.types import FloatArray

TREES = ScriptedMasked().words
GAINS = RankGains((1, 4, 12), (1.0, 0.5, 0.1), "test")
CLIP = ClipRange(-4.0, 0.0, "test")
TEXTS = ("a ash b", "a oak b", "a willow b", "a zanzibar b")


@dataclass(frozen=True)
class Opposed:
    """An encoder in which a word is wholly like itself, and wholly unlike the word of the other end of the list."""

    id: str = "opposed"

    def encode(self, phrases: Sequence[str], progress: Any = None) -> FloatArray:
        """Return unit vectors (n, 12)."""
        places = [TREES.index(phrase) if phrase in TREES else 0 for phrase in phrases]
        return np.array([np.eye(12)[place] - np.eye(12)[11 - place] for place in places]) / np.sqrt(2.0)


def laws(**options: Any) -> list[FloatArray]:
    """Return the laws of the second word of each text."""
    mechanism = dp_mlm(epsilon=2.0, **options)
    object.__setattr__(mechanism, "_closeness", _closeness(mechanism, options))
    made = []
    for text in TEXTS:
        starts = [index for index, _ in enumerate(text) if index == 0 or text[index - 1] == " "]
        spans = [(start, start + len(text[start:].split()[0])) for start in starts]
        made.append(mechanism.law(Layout(text, spans, ["WORD"] * len(spans)), 1)[1])
    return made


def _closeness(mechanism: Any, options: dict[str, Any]) -> Closeness:
    antonyms = options.get("antonyms")
    file = None if antonyms is None else Path(antonyms)
    return Closeness(mechanism.model.words, mechanism.scoring, options.get("similarity"), file, Opposed())


@pytest.fixture
def opposites(tmp_path: Path) -> str:
    path = tmp_path / "opposites.tsv"
    path.write_text("oak\tASH\tn\nwillow\televen\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("scoring", [GAINS, CLIP], ids=["rank", "softmax"])
@pytest.mark.parametrize("alpha", [0.0, 0.003, 5.0, None])
def test_no_two_words_have_laws_farther_apart_than_epsilon(scoring: Any, alpha: float | None, opposites: str) -> None:
    for first, second in itertools.permutations(laws(scoring=scoring, similarity=alpha, antonyms=opposites), 2):
        assert np.log(first / second).max() <= 2.0 + 1e-9


def test_the_range_of_the_law_holds_the_sums_which_the_range_of_the_model_does_not() -> None:
    closeness = _closeness(dp_mlm(scoring=CLIP), {"similarity": 5.0})
    law_range: Any = closeness.law_scoring()
    assert (law_range.lower, law_range.upper) == (-4.2, 0.2)
    scores = closeness.rescored(np.array([np.full(12, 9.0), np.full(12, -9.0)]), ["ash", "willow"])
    assert law_range.lower <= scores.min()
    assert scores.max() <= law_range.upper
    assert scores.max() > CLIP.upper
    assert scores.min() < CLIP.lower


@pytest.mark.parametrize("alpha", [0.25, 1.0, 8.0, 999_999.0])
def test_no_weight_enlarges_the_rounding_of_a_model(alpha: float) -> None:
    """The law by rank repeats what is closer than a fixed margin; beyond it a text's law would depend on others."""
    closeness = _closeness(dp_mlm(scoring=GAINS), {"similarity": alpha})
    scores = np.linspace(-3.0, -1.0, 12)[None]
    moved = closeness.rescored(scores + 1e-5, ["oak"]) - closeness.rescored(scores, ["oak"])
    assert 0.0 < np.abs(moved).max() <= 1.01e-5


@pytest.mark.parametrize("alpha", [0.003, 1.0, 5.0])
def test_the_laws_are_those_of_the_weighted_model_plus_the_cosine(alpha: float) -> None:
    """Whatever is divided by the weight: order and place in the range are those of the paper's sum."""
    scores = np.random.default_rng(1).normal(-2.0, 1.0, (1, 12))
    [own], candidates = Opposed().encode(["oak"]), Opposed().encode(TREES)
    for scoring in (GAINS, CLIP):
        closeness = _closeness(dp_mlm(scoring=scoring), {"similarity": alpha})
        clipped = scores if scoring is GAINS else np.clip(scores, CLIP.lower, CLIP.upper)
        wide: Any = GAINS if scoring is GAINS else ClipRange(alpha * CLIP.lower - 1.0, alpha * CLIP.upper + 1.0, "")
        expected = score_law(wide, 12, "exact").law(alpha * clipped + candidates @ own, 2.0)
        made = score_law(closeness.law_scoring(), 12, "exact").law(closeness.rescored(scores, ["oak"]), 2.0)
        np.testing.assert_allclose(made, expected, rtol=1e-6)


@pytest.mark.parametrize("more", [{}, {"block": 2}, {"addition": 0.5, "deletion": 0.3}])
def test_a_word_enters_the_scores_of_its_own_place_and_document_alone(more: dict[str, Any]) -> None:
    """In a batch, pass by pass, each row holds the cosines with the word that it replaces, not with another one."""
    mechanism = dp_mlm(ScriptedMasked(script=lambda *_: [0.0] * 12), scoring=GAINS, similarity=1.0, batch=3, **more)
    object.__setattr__(mechanism, "_closeness", _closeness(mechanism, {"similarity": 1.0}))
    texts = ["ash oak elm", "fir", "willow hazel", "larch maple pine rowan"]
    layouts = [
        Layout(text, [(match.start(), match.end()) for match in re.finditer(r"\w+", text)], ["W"] * len(text.split()))
        for text in texts
    ]
    coins = [np.random.default_rng(3).random((len(layout.spans), 2)) for layout in layouts]
    batch, seen = mechanism.begin(layouts, coins), 0
    while len(scores := np.asarray(batch.scores()[0])):
        for row in scores:  # a word and its opposite, or nothing where a word is added
            assert sorted(row)[:2] + sorted(row)[-2:] == pytest.approx([-1.0, 0.0, 0.0, 1.0]) or not row.any()
        seen += int(scores.any(axis=1).sum())
        batch.take(scores.argmax(axis=1))
    deleted = sum(int((tosses[:, 0] < mechanism.deletion).sum()) for tosses in coins)
    assert seen == sum(len(layout.spans) for layout in layouts) - deleted
    if not more.get("addition"):
        assert ["".join(state.parts()).lower() for state in batch.states] == texts


@pytest.mark.parametrize("word", ["oak", "Oak", "OAK"])
def test_an_opposite_is_below_any_score(word: str, opposites: str) -> None:
    closeness = _closeness(dp_mlm(scoring=GAINS), {"antonyms": opposites})
    [row] = closeness.rescored(np.full((1, 12), -1e9), [word])
    assert np.flatnonzero(row < -1e9).tolist() == [TREES.index("ash")]


def test_what_is_like_the_word_becomes_likelier_and_its_antonym_the_least_likely(opposites: str) -> None:
    plain, near = laws(scoring=CLIP)[1], laws(scoring=CLIP, similarity=0.01)[1]
    oak, ash = TREES.index("oak"), TREES.index("ash")
    assert near[oak] == near.max()
    assert plain[oak] < near[oak]
    apart = laws(scoring=GAINS, antonyms=opposites)[1]
    assert apart[ash] == apart.min() < laws(scoring=GAINS)[1][ash]


def test_a_row_alone_has_the_scores_that_it_has_in_company(opposites: str) -> None:
    mechanism = dp_mlm(scoring=GAINS, similarity=0.5, antonyms=opposites, batch=3)
    object.__setattr__(mechanism, "_closeness", _closeness(mechanism, {"similarity": 0.5, "antonyms": opposites}))
    layouts = [
        Layout(f"{word} tree", [(0, len(word)), (len(word) + 1, len(word) + 5)], ["WORD"] * 2) for word in TREES
    ]
    batch = mechanism.begin(layouts, [np.empty((2, 0))] * len(layouts))
    scores, owners = batch.scores()
    assert len(owners) == 3
    for row in range(3):
        assert (batch.alone(row) == np.asarray(scores)[row]).all()


def test_an_added_word_is_like_nothing() -> None:
    closeness = _closeness(dp_mlm(scoring=GAINS), {"similarity": 1.0})
    assert (closeness.rescored(np.zeros((1, 12)), [""]) == 0.0).all()


def test_the_statement_says_what_entered_the_scores(opposites: str) -> None:
    parameters = dp_mlm(similarity=0.003, antonyms=opposites, context="none").parameters
    assert parameters["similarity"] == 0.003
    assert parameters["context"] == "none"
    assert parameters["antonyms"].startswith("opposites.tsv@")
    assert "all-MiniLM" in parameters["similarity_encoder"]
    assert not {"similarity", "antonyms", "context"} & set(dp_mlm().parameters)


def test_without_context_a_draw_does_not_see_the_word_that_it_replaces() -> None:
    def seen(context: list[str], copy: list[str], place: int) -> list[float]:
        return [float(word in (context + copy)) for word in TREES]

    for context, expected in (("original", 1.0), ("none", 0.0)):
        mechanism = dp_mlm(ScriptedMasked(script=seen), scoring=GAINS, context=context)
        [layout] = [Layout("oak", [(0, 3)], ["WORD"])]
        law = mechanism.law(layout, 0)[1]
        assert (law[TREES.index("oak")] > law[0]) == bool(expected)


def test_documents_are_rewritten_with_both(opposites: str) -> None:
    mechanism = dp_mlm(epsilon=40.0, scoring=GAINS, antonyms=opposites)
    release = Engine(Words(), Contextual(mechanism)).sanitize("oak ash", SeededRandomness(1))
    assert release.draws == 2
    engine = Engine(Words(), Contextual(replace(mechanism, antonyms=None)))
    assert engine.sanitize_batch([Document("oak ash")], SeededRandomness(1))[0].draws == 2


@pytest.mark.parametrize("alpha", [-1.0, True, float("nan"), float("inf"), "x"])
def test_a_weight_that_cannot_be_is_refused(alpha: Any) -> None:
    with pytest.raises(ConfigurationError, match="similarity"):
        dp_mlm(similarity=alpha)


def test_files_of_antonyms_that_cannot_be_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one.tsv").write_text("alone\n", encoding="utf-8")
    (tmp_path / "bytes.tsv").write_bytes(b"\xff\xfe\t\x00")
    for name in ("one.tsv", "bytes.tsv", "missing.tsv"):
        with pytest.raises(ConfigurationError, match="antonyms"):
            dp_mlm(antonyms=str(tmp_path / name))
    with pytest.raises(ConfigurationError, match="context"):
        dp_mlm(context="both")
