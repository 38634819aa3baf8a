"""Recall at a precision: the threshold is never chosen on those who are counted, and abstentions name nobody."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import ConfigurationError
from sfumato.metrics.recall import recall_at_precision


def test_an_attacker_who_is_always_right_names_everybody() -> None:
    found = recall_at_precision(np.ones(50), np.ones(50, dtype=bool))
    assert (found.recall.value, found.precision.value, found.named.sum()) == (1.0, 1.0, 50)
    assert found.recall.low > 0.9


def test_sureness_that_tells_right_from_wrong_is_used() -> None:
    """Of the surest half nearly all are right, of the others one in ten: about half are named."""
    draw = np.random.default_rng(1)
    sure = draw.random(4_000)
    right = draw.random(4_000) < np.where(sure > 0.5, 0.95, 0.1)
    found = recall_at_precision(sure, right)
    assert 0.45 < found.recall.value < 0.55
    assert 0.87 < found.precision.value < 0.93
    assert abs(found.named.mean() - 0.53) < 0.04


def test_abstentions_and_useless_sureness_name_nobody() -> None:
    right = np.arange(100) % 2 == 0
    for sure in (np.zeros(100), np.ones(100)):
        found = recall_at_precision(sure, right)
        assert (found.recall.value, found.precision.n) == (0.0, 0)
        assert 0.0 < found.recall.high < 0.05
    assert recall_at_precision(np.zeros(100), np.ones(100, dtype=bool)).recall.value == 0.0


def test_a_single_sure_guess_does_not_name_the_unsure() -> None:
    sure = np.repeat([0.5, 0.0], 50)
    found = recall_at_precision(sure, np.ones(100, dtype=bool))
    assert found.named.tolist() == (sure > 0.0).tolist()


def test_the_threshold_is_not_chosen_on_those_who_are_counted() -> None:
    """Sureness says nothing, and half of the guesses are right: the best threshold on the same people finds some."""
    draw, reached, named = np.random.default_rng(2), list[bool](), 0
    for seed in range(300):
        right = draw.random(40) < 0.5
        found = recall_at_precision(draw.random(40), right, seed=seed)
        reached += right[found.named].tolist()
        named += int(found.named.sum())
    assert named > 300
    assert abs(np.mean(reached) - 0.5) < 6 * np.sqrt(0.25 / named)  # chosen on the same people, nine of ten would be


def test_equally_sure_guesses_are_named_together() -> None:
    sure, right = np.repeat([0.9, 0.5], 100), np.repeat([True, False], 100)
    found = recall_at_precision(sure, right)
    assert found.named.tolist() == right.tolist()


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_people_are_hardly_ever_named(n: int) -> None:
    found = recall_at_precision(np.full(n, 0.7), np.ones(n, dtype=bool))
    assert found.named.sum() == (n if n == 2 else 0)  # one person has nobody to set a threshold


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="above 0 and at most 1"):
        recall_at_precision(np.ones(3), np.ones(3, dtype=bool), precision=0.0)
    with pytest.raises(ConfigurationError, match="finite"):
        recall_at_precision(np.array([0.5, np.nan]), np.ones(2, dtype=bool))
