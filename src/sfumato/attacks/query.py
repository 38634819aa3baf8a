"""The query attack: how many draws disclose the token? (CusText paper, §5.3.)

Threat model: the attacker sees ``N`` independent draws for one and the same token and guesses that the most frequent
output is the input, because a token is its own likeliest output. ``queries`` is the smallest N at which the guess is
right with the given confidence (95 %). Among m outputs that lead together the attacker picks one blindly, right once
in m times. Every query costs its ε again, and the total cost is the sum.

The probability of winning with N draws is estimated over many simulated attackers from the exact law, or from draws.
N is found by doubling and halving, each step with fresh simulations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.types import FloatArray, IntArray

_ATTACKERS = 4000
_MOST = 1 << 22
_FEW = 1 << 24  # draws held at once


def queries(law: FloatArray, token: int, confidence: float = 0.95, seed: int = 0) -> float:
    """Return the smallest number of draws of ``law`` (V,) after which ``token`` leads with ``confidence``.

    Infinity if another output is as likely as the token's own, or if more than four million draws are needed.
    """
    own = float(law[token])
    others = np.delete(law, token)
    if own <= others.max():
        return float("inf")
    draw = np.random.default_rng(seed)
    kept = np.sort(others)[::-1]
    kept = kept[kept > own * 1e-6]  # an output that hardly ever occurs never leads
    chances = np.concatenate([[own], kept, [max(0.0, 1.0 - own - kept.sum())]])
    return _smallest(lambda n: _leads(chances / chances.sum(), n, draw), confidence)


def queries_by_draws(
    sampler: Callable[[int], IntArray], token: int, confidence: float = 0.95, seed: int = 0, draws: int = 200_000
) -> float:
    """Return the same for a mechanism of unknown law, from so many of its draws alone."""
    counts = np.bincount(sampler(draws), minlength=token + 1).astype(np.float64)
    return queries(counts / counts.sum(), token, confidence, seed)


def _smallest(wins: Callable[[int], float], confidence: float) -> float:
    high = 1
    while wins(high) < confidence:
        high *= 2
        if high > _MOST:
            return float("inf")
    low = high // 2
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if wins(middle) >= confidence else (middle, high)
    return float(high)


def _leads(chances: FloatArray, draws: int, draw: np.random.Generator) -> float:
    """Return how often the first of ``chances`` is the most frequent among so many draws.

    The last one stands for all the rest, and never leads.
    """
    attackers = max(200, min(_ATTACKERS, _FEW // len(chances)))
    counts: NDArray[np.int64] = draw.multinomial(draws, chances, size=attackers)
    own, best = counts[:, 0], counts[:, 1:-1].max(axis=1, initial=0)
    level = (counts[:, 1:-1] == own[:, None]).sum(axis=1)
    return float((((own >= best) & (own > 0)) / (1 + level)).mean())
