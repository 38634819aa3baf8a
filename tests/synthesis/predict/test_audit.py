"""The strongest attack on simulated runs: it stays within the stated ε, and beats claims that are too small."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.privacy.accounting import Allocated, epsilon_of
from sfumato.privacy.sampling import draw_once
from sfumato.synthesis.predict.law import TokenLaw
from sfumato.types import FloatArray, IntArray

TOKENS, DELTA, RUNS = 6, 1e-2, 200_000
FEW, MANY = (TokenLaw(1, 0.6, 1.0, 4), 3), (TokenLaw(1, 0.45, 1.0, 4), 6)
"""Laws, and how many groups a unit draws among."""
PUBLIC = np.array([0.0, 0.0, -9.0, -9.0])
MEMBER = PUBLIC + np.array([5.0, -5.0, 0.0, 0.0])


def stated(law: TokenLaw, groups: int, tokens: int = TOKENS) -> float:
    return epsilon_of((Allocated(law.rho, tokens, groups),), DELTA)


def ratios_and_group(law: TokenLaw, groups: int, there: bool, seed: int) -> tuple[FloatArray, IntArray]:
    """Logarithms of how much likelier each group's texts are with the unit (runs, groups), and its group (runs,)."""
    generator = np.random.default_rng(seed)
    weights = np.stack([law.weights(PUBLIC, members) for members in (np.empty((0, 4)), MEMBER[None])])
    laws = weights / weights.sum(axis=1, keepdims=True)
    own = generator.integers(0, groups, RUNS)
    has = (np.arange(groups) == own[:, None]) & there
    rows = np.repeat(laws[has.astype(int).ravel()], TOKENS, axis=0)
    drawn = draw_once(rows, 1.0 - generator.random(len(rows))).reshape(RUNS, groups, TOKENS)
    ratios: FloatArray = np.log(laws[1] / laws[0])[drawn].sum(axis=2)
    return ratios, own


def beaten(law: TokenLaw, groups: int, epsilon: float, told: bool = False) -> bool:
    """Whether an attack, of someone who is ``told`` the group or not, shows ``epsilon`` at DELTA to be too small."""

    def losses(there: bool, seed: int) -> FloatArray:
        ratios, own = ratios_and_group(law, groups, there, seed)
        if told:
            return ratios[np.arange(RUNS), own]
        loss: FloatArray = np.logaddexp.reduce(ratios, axis=1) - math.log(groups)
        return loss

    with_x, without = losses(True, 1), losses(False, 2)
    chances = [
        ((with_x > epsilon).mean(), (without > epsilon).mean()),
        ((without < -epsilon).mean(), (with_x < -epsilon).mean()),
    ]
    return any(
        likely - math.exp(epsilon) * rare
        > DELTA + 6.0 * (math.sqrt(likely / RUNS) + math.exp(epsilon) * math.sqrt(max(rare, 1.0 / RUNS) / RUNS))
        for likely, rare in chances
    )


@pytest.mark.law
def test_no_attacker_beats_what_secret_groups_cost_and_smaller_claims_are_beaten() -> None:
    law, groups = FEW
    assert not beaten(law, groups, stated(law, groups))
    assert beaten(law, groups, 0.5 * stated(law, groups))
    assert beaten(law, groups, stated(law, 200 * groups)), "among too many groups"
    assert beaten(law, groups, stated(law, groups, 2)), "two tokens of six are charged"


@pytest.mark.law
def test_who_is_told_the_group_beats_the_cost_of_secret_ones() -> None:
    law, groups = MANY
    assert not beaten(law, groups, stated(law, groups))
    assert beaten(law, groups, stated(law, groups), told=True)
    assert not beaten(law, groups, stated(law, 1), told=True)
