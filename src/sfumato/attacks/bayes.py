"""Bayes-optimal inference of tokens: the strongest attack there is on one draw of a known law.

Threat model: the attacker knows the mechanism, every parameter and a public prior over the tokens, sees the output of
one draw and names one input token. Naming the likeliest one given the output, argmax_x p(x) P(y|x), is right more
often than any other way of guessing. Its success rate is sum_y max_x p(x) P(y|x).

What the guarantee permits: for an ε-LDP law the posterior of x is at most p(x) e^ε / (p(x) e^ε + 1 - p(x)), hence no
attack succeeds more often than max_x of that bound; of a metric guarantee with the largest distance d, ε·d takes the
place of ε. Nobody else's law can do better with the same promise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract import FloatArray, IntArray
from sfumato.errors import ConfigurationError

Law = Callable[[int], FloatArray]
"""P(. | token) over the outputs, shape (V,)."""


def checked_prior(prior: Sequence[float] | FloatArray, tokens: int) -> FloatArray:
    """``prior`` over ``tokens`` tokens, summing to 1. Raises ConfigurationError for anything else."""
    found = np.asarray(prior, dtype=np.float64)
    if found.shape != (tokens,) or not np.isfinite(found).all() or found.min() < 0 or not found.sum() > 0:
        raise ConfigurationError(f"A prior has a number that is 0 or more for each of the {tokens} tokens.")
    return np.asarray(found / found.sum())


@dataclass(frozen=True, eq=False)
class BayesAttack:
    """What an optimal attacker names for each output, and how often that is right.

    ``guess`` (V,) is the input named for each output; ``success`` the share of right names over prior and law;
    ``guessing`` what naming the commonest token without looking achieves.
    """

    guess: IntArray
    success: float
    guessing: float


def bayes_attack(law: Law, prior: FloatArray, outputs: int) -> BayesAttack:
    """The optimal attack on ``law`` with ``prior`` (n,), one pass over the inputs in O(V) memory."""
    inputs = checked_prior(prior, len(prior))
    best, guess = np.zeros(outputs), np.zeros(outputs, dtype=np.int64)
    for token in np.flatnonzero(inputs):
        joint = inputs[token] * law(int(token))
        better = joint > best
        best[better], guess[better] = joint[better], token
    return BayesAttack(guess, float(min(1.0, best.sum())), float(inputs.max()))


def permitted(prior: FloatArray, loss: float) -> float:
    """The largest success rate that a law of privacy loss ``loss`` (nats, over all pairs) can leave to any attacker.

    For each output y the named token's posterior is at most e^loss p / (e^loss p + 1 - p), with p its prior; the
    success rate is the mean of these over the outputs.
    """
    most = float(checked_prior(prior, len(prior)).max())
    if most >= 1.0:
        return 1.0
    odds = math.log(most) - math.log1p(-most) + loss
    return 1.0 / (1.0 + math.exp(-odds)) if odds > -700 else 0.0


def success_on(attack: BayesAttack, inputs: IntArray, outputs: IntArray) -> NDArray[np.bool_]:
    """Whether the attacker names the input of each of some draws that were made."""
    return np.asarray(attack.guess[outputs] == inputs)
