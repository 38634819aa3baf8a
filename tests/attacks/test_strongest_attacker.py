"""The benchmark of the strongest attacker computes what a search over all guesses finds."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")
sys.path.append(BENCHMARKS)
try:
    from strongest_attacker import named_by, of_shift
finally:
    sys.path.remove(BENCHMARKS)


@pytest.mark.parametrize("epsilon", [0.03, 0.5, 2.0])
def test_a_timeline_is_named_by_its_likeliest_offset(epsilon: float) -> None:
    """Every released day, far beyond both ends, with the best guess for each."""
    timelines, falls = 7, np.exp(-epsilon)
    still = (1 - falls) / (1 + falls)
    seen = np.arange(-4000, 4000)
    chances = still * falls ** np.abs(seen[:, None] - np.arange(timelines))
    assert of_shift(epsilon, timelines) == pytest.approx(chances.max(axis=1).sum() / timelines)


def test_several_draws_are_read_together_and_one_is_not_more() -> None:
    law = np.random.default_rng(0).dirichlet(np.ones(4), 4)
    for draws in (1, 2, 3):
        every = product(range(4), repeat=draws)
        brute = sum(max(np.prod([law[x, y] for y in seen]) for x in range(4)) for seen in every) / 4
        assert named_by(law, draws) == pytest.approx(brute)
    assert named_by(law, 1) < named_by(law, 2) < named_by(law, 3) < 1


def test_no_step_after_the_draw_helps() -> None:
    """Data processing: over all ways to join outputs, none is guessed from more often than the draw itself."""
    law = np.random.default_rng(1).dirichlet(np.ones(4), 4)
    best = named_by(law, 1)
    for joined in product(range(4), repeat=4):
        after = np.zeros((4, 4))
        for output, becomes in enumerate(joined):
            after[:, becomes] += law[:, output]
        assert named_by(after, 1) <= best + 1e-12
