"""The prior over values: equally likely ones, and of too many those in the middle of the domain."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.findings import even_prior
from sfumato.mechanisms.geometric import Geometric


def test_the_prior_is_even_over_all_or_over_the_middle() -> None:
    order = np.random.default_rng(3).permutation(101)
    days = Vocabulary(tuple(f"d{day}" for day in order), order[:, None].astype(float), "days", unit="day")
    made = Geometric(days, 0.1)
    whole, some = even_prior(made, 0), even_prior(made, 11)
    assert whole.weights == pytest.approx(1 / 101)
    assert (whole.tokens, some.tokens) == (101, 11)
    assert sorted(order[some.weights > 0.0]) == list(range(45, 56))
    assert some.weights.sum() == pytest.approx(1.0)
    assert some.description == "of 101 values the 11 nearest to d50, all equally likely"
    with pytest.raises(ConfigurationError):
        even_prior(made, -1)
