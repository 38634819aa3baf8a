"""NDD against a small model whose answers are known: the formula by hand, its weights, its bounds, its alignment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sfumato.abstract.models import MASKED, Cloze
from sfumato.errors import ConfigurationError
from sfumato.metrics.divergence import Edit, NeighboringDivergence, _roots, aligned
from sfumato.models.masked.windows import units

WORDS = ("cat", "dog", "house", "sat", "the")


class Neighbours:
    """Expects, at a mask, the words that stand beside it: scores 2 for each neighbour, 0 for the others."""

    id = "neighbours"
    words = WORDS
    word_pieces = np.arange(len(WORDS))
    rows = 8

    def __init__(self, window: int = 64) -> None:
        self.window = window
        self.asked = 0

    def pieces(self, given: Sequence[str]) -> list[list[int]]:
        known = {word: number for number, word in enumerate(WORDS)}
        return [[known.get(one.strip().lower(), 99)] for one in given]

    def scores(self, questions: Sequence[Cloze]) -> Any:
        rows = []
        for question in questions:
            assert len(question.copy) <= self.window
            for at, piece in enumerate(question.copy):
                if piece == MASKED:
                    self.asked += 1
                    row = np.zeros(len(WORDS), dtype=np.float32)
                    for near in question.copy[max(0, at - 1) : at] + question.copy[at + 1 : at + 2]:
                        if 0 <= near < len(WORDS):
                            row[near] = 2.0
                    rows.append(row)
        return np.array(rows).reshape(-1, len(WORDS))


def law(*raised: str) -> Any:
    scores = np.array([2.0 if word in raised else 0.0 for word in WORDS])
    return np.exp(scores) / np.exp(scores).sum()


def hellinger(one: Any, other: Any) -> float:
    return float(np.sqrt(((np.sqrt(one) - np.sqrt(other)) ** 2).sum() / 2))


def test_rows_that_hardly_differ_are_told_apart() -> None:
    draw = np.random.default_rng(0)
    one = draw.normal(size=(1, 5000)).astype(np.float32)
    other = one + np.float32(1e-4) * draw.normal(size=(1, 5000)).astype(np.float32)
    exact = [np.exp(scores[0].astype(np.float64)) for scores in (one, other)]
    expected = hellinger(*(raised / raised.sum() for raised in exact))
    near = _roots(one)[0], _roots(other)[0]
    assert NeighboringDivergence(Neighbours())._between(*near) == pytest.approx(expected, rel=2e-2)
    product = np.sqrt(max(0.0, 1.0 - float(near[0] @ near[1])))
    assert product != pytest.approx(expected, rel=1e-1)  # what the difference of the roots is for


def test_the_formula_by_hand() -> None:
    edit = Edit("the cat sat", "the dog sat")
    # beside "the" and beside "sat" stood a cat, and now a dog
    moved = hellinger(law("cat"), law("dog"))
    assert NeighboringDivergence(Neighbours()).of([edit]) == pytest.approx([moved])
    kl = float((law("dog") * np.log(law("dog") / law("cat"))).sum())
    assert NeighboringDivergence(Neighbours(), "kl").of([edit]) == pytest.approx([kl])
    assert NeighboringDivergence(Neighbours(), "kl", decay=0.5).of([edit]) == pytest.approx([2 * 0.5 * kl])


def test_far_words_weigh_less() -> None:
    near, far = Edit("the cat sat", "the dog sat"), Edit("x the cat sat x", "x the dog sat x")
    one, other = NeighboringDivergence(Neighbours(), decay=0.5).of([near, far])
    assert one == pytest.approx(other)  # the far ones do not change, and near ones weigh the same
    pooled = NeighboringDivergence(Neighbours()).of([near, far])
    assert pooled[1] == pytest.approx(pooled[0] / 2)  # four unedited words instead of two


@pytest.mark.parametrize("after", ["the cat sat", "THE CAT SAT", "dog house", ""])
def test_no_edit_and_no_unedited_word_are_0(after: str) -> None:
    assert NeighboringDivergence(Neighbours()).of([Edit("the cat sat", after)]) == pytest.approx([0.0])


def test_edits_together_are_as_edits_alone_and_ask_less() -> None:
    text = "the cat sat the dog sat the house"
    edits = [Edit(text, text.replace("cat", new)) for new in ("dog", "house", "house sat", "")]
    edits.insert(2, Edit("dog sat", "cat sat"))
    model = Neighbours()
    together = NeighboringDivergence(model).of(edits)
    alone = Neighbours()
    assert together == pytest.approx([NeighboringDivergence(alone).of([edit])[0] for edit in edits])
    assert model.asked < alone.asked


def test_a_small_window_keeps_the_nearest_words() -> None:
    text = "the cat sat the dog sat the house"
    edit = Edit(text, text.replace("cat", "house"))
    whole, small = NeighboringDivergence(Neighbours()), NeighboringDivergence(Neighbours(window=3))
    assert small.of([edit]) == pytest.approx(whole.of([edit]))  # this model looks no further


@pytest.mark.parametrize("window", [3, 64])
def test_blocks_ask_less_and_see_masks_instead_of_neighbours(window: int) -> None:
    text = "the cat sat the dog sat the house"
    edit = Edit(text, text.replace("cat", "house"))
    plain = NeighboringDivergence(Neighbours(window)).of([edit])[0]
    blocks = NeighboringDivergence(Neighbours(window), block=2).of([edit])[0]
    assert 0.0 < blocks <= 1.0
    # every second word is masked: "the" and "sat" beside the edit are still beside it
    assert blocks == pytest.approx(plain, abs=0.2)


def test_alignment_and_distances() -> None:
    old, new = units("Anna, who lives in Oslo, works."), units("Peter, who lives in the north, works.")
    assert [old[one.before] for one in aligned(old, new)] == [",", " who", " lives", " in", ",", " works", "."]
    assert [one.distance for one in aligned(old, new)] == [1, 2, 2, 1, 1, 2, 3]
    inserted = aligned(units("a b c d"), units("a b x c d"))
    assert [one.distance for one in inserted] == [2, 1, 1, 2]
    assert aligned(units("a b"), units("a b")) == []
    assert aligned(units("a b"), units("c d")) == []


def test_it_lies_between_0_and_1() -> None:
    draw = np.random.default_rng(3)
    edits = [Edit(" ".join(draw.choice(WORDS, 9)), " ".join(draw.choice(WORDS, 9))) for _ in range(40)]
    found = NeighboringDivergence(Neighbours()).of(edits)
    assert ((found >= 0.0) & (found <= 1.0)).all()
    assert found.max() > 0.2


@pytest.mark.parametrize("setting", [{"divergence": "cosine"}, {"decay": 0.0}, {"decay": 1.1}, {"block": 0}])
def test_settings_that_cannot_be(setting: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        NeighboringDivergence(Neighbours(), **setting)
