"""What is taken of an answer, and how candidates are resampled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.synthesis.evolve.rounds import Distinct, resampled
from sfumato.synthesis.evolve.writing import usable


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("A shop.", "A shop."),
        ("  “A shop.” \n", "A shop."),
        ("Sure! Here is a review: A shop.", "A shop."),
        ("Here's a text:\n\nA shop.", "A shop."),
        ("Here is where I shop.", "Here is where I shop."),
        ("One two. Three four five. Six seven.", "One two. Three four five."),
        ("Line one.\nLine two.", "Line one.\nLine two."),
        ("A\x00shop\u200b.", "Ashop."),
    ],
)
def test_usable(answer: str, text: str) -> None:
    assert usable(answer, 6) == text


@pytest.mark.parametrize(
    "answer",
    [
        "", " \n", "...", "I'm sorry, but I will not.", "I cannot help with that.", "As an AI, I like shops.",
        "1. One\n2. Two", "- one\n- two", "A list:\nOne", "Text: a review\nA shop.",
        "one two three four five six seven", "I'm sorry for the inconvenience.", "As a customer service AI, I shop.",
    ],
)  # fmt: skip
def test_unusable(answer: str) -> None:
    with pytest.raises(ValueError):
        usable(answer, 6)


@given(
    st.lists(st.integers(-50, 500), min_size=1, max_size=30),
    st.integers(1, 60),
    st.floats(1e-9, 1.0),
    st.floats(0.0, 1.0),
)
def test_resampling_is_in_proportion(votes: list[int], count: int, uniform: float, sharpness: float) -> None:
    chosen = resampled(np.array(votes), count, uniform, sharpness)
    weights = np.where(np.array(votes) > 0, np.maximum(votes, 1).astype(float) ** sharpness, 0.0)
    weights = weights if weights.any() else np.ones(len(votes))
    assert chosen.sum() == count
    assert (np.abs(chosen - count * weights / weights.sum()) < 1 + 1e-6).all()
    assert not chosen[weights == 0].any()


def test_nearly_the_same_is_the_same() -> None:
    seen = Distinct(2)
    assert seen.add("one", np.array([1.0, 0.0]))
    assert not seen.add("two", np.array([3.0, 0.3]))
    assert not seen.add("one", np.array([0.0, 1.0]))
    assert seen.add("three", np.array([0.0, 0.2]))
    assert seen.add("nothing", np.zeros(2))
    rng = np.random.default_rng(0)
    assert sum(Distinct(2).add("x", vector) for vector in rng.normal(size=(3, 2))) == 3
    many = Distinct(100)
    assert all(many.add(str(number), vector) for number, vector in enumerate(np.eye(100)))
    assert not many.add("again", np.eye(100)[70])
