"""Bayes-optimal inference of tokens: the strongest possible attack on one draw of a known law.

Threat model: the attacker knows the mechanism, every parameter and a public prior over the tokens, sees the output of
one draw and names one input token. Naming the likeliest one given the output, argmax_x p(x) P(y|x), is right more
often than any other way of guessing. Its success rate is sum_y max_x p(x) P(y|x).

:func:`permitted` is the largest success rate that any law with the same guarantee could leave. Outputs with the same
name may be joined, so let m_y be how often y is named at the least and a_y how often when it is right:
a_y <= e^ε m_y, and every input x names something, a_x + sum_{y != x} m_y <= 1. Maximising sum p_y a_y under these is
a linear program whose answer is max over k of e^ε T_k / (e^ε + k - 1), T_k the sum of the k largest priors:
randomized response over the k most common tokens attains it, nothing exceeds it.

Of a metric guarantee with distance d the same program reads sum_z e^(-ε d(x, z)) a_z <= 1 for every x. Its dual
bounds it: any weights w >= 0 with sum_x w_x e^(-ε d(x, z)) >= p_z for all z permit no more than sum w
(:func:`permitted_by_distance` tries priors cut off at different heights, which for a constant distance is exact).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.types import FloatArray, IntArray, Progress

Law = Callable[[int], FloatArray]
"""P(. | token) over the outputs, shape (V,)."""

Distances = Callable[[IntArray, IntArray], FloatArray]
"""The distances between some tokens (a,) and others (b,), shape (a, b)."""

_ROWS_AT_ONCE = 512
_CUTS = 48


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
    possible = np.flatnonzero(inputs)
    for number, token in enumerate(possible.tolist()):
        joint = inputs[token] * law(token)
        better = joint > best
        best[better], guess[better] = joint[better], token
        if progress is not None:
            progress((number + 1) / len(possible))
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
