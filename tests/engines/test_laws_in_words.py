"""What `explain` says of a law: how often a token stays the same is the first thing that a reader needs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sfumato import Route, Vocabulary
from sfumato.abstract.law import Law
from sfumato.building import methods
from sfumato.engines.laws import law_of_word

PLACES = Vocabulary(("malta", "oslo", "rome"), np.array([[0.0], [3.0], [5.0]]), "a toy")


def law(epsilon: float) -> Law:
    route = Route(methods.mechanism("santext", PLACES, epsilon))
    return law_of_word(route, "malta", route.mechanism.guarantee)


def test_a_token_that_nearly_always_stays_is_said_to_stay() -> None:
    """ "A country is nearly always drawn again" was read as replaced."""
    assert law(4.0).unchanged == "malta nearly always stays the same: in more than 99.9 % of draws."
    assert law(0.1).unchanged.startswith("malta stays the same: in ")
    assert law(0.1).unchanged == f"malta stays the same: in {100 * law(0.1).probability('malta'):.3g} % of draws."


@pytest.mark.parametrize(
    ("probability", "said"), [(1.0, "in 100 %"), (0.99999, "in more than 99.9 %"), (0.5, "50 %")]
)
def test_a_chance_below_one_is_not_rounded_to_it(probability: float, said: str) -> None:
    sure = replace(law(1.0), outcomes=["malta", "oslo"], probabilities=np.array([probability, 1 - probability]))
    assert said in sure.unchanged


def test_nothing_is_said_of_a_position_or_of_a_word_that_is_not_known() -> None:
    assert replace(law(1.0), subject=3).unchanged == ""
    assert replace(law(1.0), unknown="drawn for the surrogate").unchanged == ""
