"""Attacks on one token: Bayes-optimal inference from one draw of a known law, and how many draws disclose the token.

Threat model of inference: the attacker knows the mechanism, every parameter and a public prior over the tokens, sees
the output of one draw and names one input token. Naming the most likely one given the output, argmax_x p(x) P(y|x),
is right more often than any other way of guessing. Its success rate is sum_y max_x p(x) P(y|x).

:func:`permitted` is the largest success rate that any law with the same guarantee could leave. Outputs with the same
name may be joined, so let m_y be how often y is named at the least and a_y how often when it is right: a_y <= e^ε
m_y, and every input x names something, a_x + sum_{y != x} m_y <= 1. Maximising sum p_y a_y under these is a linear
program whose answer is max over k of e^ε T_k / (e^ε + k - 1), T_k the sum of the k largest priors: randomized
response over the k most common tokens attains it, nothing exceeds it.

Of a metric guarantee with distance d the same program reads sum_z e^(-ε d(x, z)) a_z <= 1 for every x. Its dual
bounds it: any weights w >= 0 with sum_x w_x e^(-ε d(x, z)) >= p_z for all z permit no more than sum w
(:func:`permitted_by_distance` tries priors cut off at different heights, which for a constant distance is exact).

Threat model of the query attack (CusText paper, §5.3): the attacker sees ``N`` independent draws for one and the same
token and guesses that the most frequent output is the input, because a token is its own most likely output.
:func:`queries` returns the smallest N at which the guess is right with the given confidence (95 %). Among m outputs
that lead together the attacker picks one blindly, right once in m times. Every query costs its ε again, and the total
cost is the sum. The probability of winning with N draws is estimated over many simulated attackers from the exact
law, or from draws. N is found by doubling and halving, each step with fresh simulations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError
from sfumato.types import FloatArray, IntArray, Progress, in_batches

Law = Callable[[int], FloatArray]
"""P(. | token) over the outputs, shape (V,)."""

Distances = Callable[[IntArray, IntArray], FloatArray]
"""The distances between some tokens (a,) and others (b,), shape (a, b)."""

_ROWS_AT_ONCE = 512
_CUTS = 48
_ATTACKERS = 4000
_MOST = 1 << 22
_FEW = 1 << 24  # draws held at once


def checked_prior(prior: Sequence[float] | FloatArray, tokens: int) -> FloatArray:
    """Return ``prior`` over ``tokens`` tokens, (tokens,), summing to 1.

    Raise ConfigurationError for anything else.
    """
    weights = np.asarray(prior, dtype=np.float64)
    if weights.shape != (tokens,) or not np.isfinite(weights).all() or weights.min() < 0 or not weights.sum() > 0:
        raise ConfigurationError(
            f"A prior needs a number that is 0 or more for each of the {tokens} tokens, and one above 0."
        )
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True, eq=False)
class BayesAttack:
    """The guess of an optimal attacker for each output, and the attacker's success rate.

    ``guess`` (V,) is the input named for each output, -1 for an output of no input. ``success`` is the share of right
    names over prior and law. ``guessing`` is the success rate of always naming the most common token.
    """

    guess: IntArray
    success: float
    guessing: float


def bayes_attack(law: Law, prior: FloatArray, outputs: int, progress: Progress | None = None) -> BayesAttack:
    """Return the optimal attack on ``law`` with ``prior`` (n,), one pass over the inputs in O(V) memory.

    ``outputs`` is V, the number of outputs.
    """
    inputs = checked_prior(prior, len(prior))
    best, guess = np.zeros(outputs), np.full(outputs, -1, dtype=np.int64)
    for [token] in in_batches(np.flatnonzero(inputs).tolist(), 1, progress):
        joint = inputs[token] * law(token)
        better = joint > best
        best[better], guess[better] = joint[better], token
    return BayesAttack(guess, float(min(1.0, best.sum())), float(inputs.max()))


def permitted(prior: FloatArray, loss: float, groups: IntArray | None = None) -> float:
    """Return the largest success rate that a law of privacy loss ``loss`` can leave to any attacker.

    ``loss`` is in nats, over all pairs. With ``groups`` (a number for each token) the loss holds only inside each
    group, and the output shows the group of a token with certainty. The answer is then the sum over the groups.
    """
    weights = checked_prior(prior, len(prior))
    parts = [weights] if groups is None else [weights[groups == group] for group in np.unique(groups[weights > 0])]
    return float(min(1.0, sum(_of_one_group(part, loss) for part in parts)))


def _of_one_group(prior: FloatArray, loss: float) -> float:
    """Return max over k of T_k / (1 + (k - 1) e^-loss), T_k the sum of the k largest of ``prior`` (sum 1 or less)."""
    sums = np.cumsum(np.sort(prior)[::-1])
    return float((sums / (1.0 + np.arange(len(sums)) * np.exp(-loss))).max())


def permitted_by_distance(prior: FloatArray, epsilon: float, distances: Distances) -> float:
    """Return the same for a metric guarantee of ``epsilon`` per unit of distance: an upper bound, at most 1."""
    tokens = np.flatnonzero(checked_prior(prior, len(prior)))
    masses = checked_prior(prior, len(prior))[tokens]
    ranks = np.unique(np.geomspace(1, len(masses), _CUTS).astype(np.int64))
    heights = np.append(np.sort(masses)[::-1][np.minimum(ranks, len(masses) - 1)], 0.0)
    weights = np.maximum(masses[:, None] - heights, 0.0)
    needed, farthest = np.zeros(len(heights)), 0.0
    for first in range(0, len(tokens), _ROWS_AT_ONCE):
        rows = slice(first, first + _ROWS_AT_ONCE)
        apart = distances(tokens[rows], tokens)
        farthest = max(farthest, float(apart.max()))
        with np.errstate(divide="ignore", over="ignore"):
            needed = np.maximum(needed, (masses[rows, None] / (np.exp(-epsilon * apart) @ weights)).max(axis=0))
    totals = weights.sum(axis=0)
    positive = totals > 0.0
    return min(permitted(masses, epsilon * farthest), float((needed[positive] * totals[positive]).min()))


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

    The last one collects all the rest, and never leads.
    """
    attackers = max(200, min(_ATTACKERS, _FEW // len(chances)))
    counts: NDArray[np.int64] = draw.multinomial(draws, chances, size=attackers)
    own, best = counts[:, 0], counts[:, 1:-1].max(axis=1, initial=0)
    level = (counts[:, 1:-1] == own[:, None]).sum(axis=1)
    return float((((own >= best) & (own > 0)) / (1 + level)).mean())
