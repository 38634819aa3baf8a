"""An audit in a single run: how large must ε be, if an auditor guesses so well which canaries took part?

Steinke, Nasr, Jagielski: Privacy Auditing with One (1) Training Run (NeurIPS 2023), Theorem 3.1. Threat model: the
auditor makes ``m`` canaries, each takes part by a fair coin of its own, and the mechanism runs once. From its output
the auditor guesses the coins of ``r`` canaries, and abstains from the others. A coin decides whether one unit is
there, so (ε, δ) for one unit added or removed bounds what a guess can win.
Let W be binomial with r trials of success q = e^ε / (1 + e^ε), what randomized response would reach. Then

    P[at least v of the guesses are right] ≤ P[W ≥ v] + 2·m·δ · max over i = 1..v of P[v - i ≤ W < v] / i.

The right side at ε is the p-value of the claim (ε, δ). The bound is the largest ε whose p-value is at most
1 - confidence. It is valid although nothing is assumed about how the right side moves with ε: who satisfies (ε, δ)
satisfies (ε', δ) for every ε' ≥ ε, so the smallest right side over all ε' ≥ ε also bounds the probability, and the
bound exceeds ε only where that is at most 1 - confidence. A guess may depend on all scores but on no coin, and ``r``
is fixed beforehand: with several numbers of guesses each gets its part of the doubt (Bonferroni).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError
from sfumato.types import FloatArray

_HIGHEST = 30.0  # nats: more than any number of canaries that fits a machine can show
_STEPS = 60


class Guessed(NamedTuple):
    """How many of ``canaries`` were guessed about, and how many of these guesses were ``right``."""

    canaries: int
    guesses: int
    right: int


def p_value(outcome: Guessed, epsilon: float, delta: float = 0.0) -> float:
    """Return a bound on the probability of so many right guesses, or more, if (ε, δ) holds.

    Raise ConfigurationError for counts or parameters that cannot be.
    """
    canaries, guesses, right = outcome
    if not 0 <= right <= guesses <= canaries:
        raise ConfigurationError("There are at most as many right guesses as guesses, and as many as canaries.")
    if not (epsilon >= 0.0 and 0.0 <= delta <= 1.0):
        raise ConfigurationError("epsilon is 0 or more, and delta lies between 0 and 1.")
    from scipy.stats import binom  # slow to import

    success = float(1.0 / (1.0 + np.exp(-epsilon)))
    tail = float(binom.sf(right - 1, guesses, success))
    if not right or not delta:
        return min(1.0, tail)
    below = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), guesses, success))  # P[right - i ≤ W < right]
    steepest = float((below / np.arange(1, right + 1)).max())
    return min(1.0, tail + 2.0 * canaries * delta * steepest)


def lower_bound(outcome: Guessed, delta: float = 0.0, confidence: float = 0.95) -> float:
    """Return an ε that the true one is not below, in nats, with this confidence; 0 if nothing was shown."""
    if not 0.0 < confidence < 1.0:
        raise ConfigurationError(f"confidence must lie between 0 and 1, not {confidence!r}; try 0.95.")
    doubt = 1.0 - confidence
    if p_value(outcome, 0.0, delta) > doubt:
        return 0.0
    low, high = 0.0, _HIGHEST
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if p_value(outcome, middle, delta) <= doubt else (low, middle)
    return low


def guessed(scores: FloatArray, included: NDArray[np.bool_], guesses: int) -> Guessed:
    """Return how many of ``guesses`` are right: the highest half of ``scores`` is guessed in, the lowest half out.

    Only the count looks at ``included`` (m,), the coins. A score that is not a number is not guessed about, and such
    a guess counts as wrong. Raise ConfigurationError for arrays of different length, or an odd or impossible number.
    """
    if scores.shape != included.shape or scores.ndim != 1:
        raise ConfigurationError("Every canary has one score and one coin.")
    if guesses < 2 or guesses % 2 or guesses > len(scores):
        raise ConfigurationError(f"Guess about an even number of canaries, from 2 to {len(scores):,}.")
    real = np.flatnonzero(~np.isnan(scores))
    order = real[np.argsort(scores[real], kind="stable")]
    half = min(guesses // 2, len(order) // 2)
    right = int((~included[order[:half]]).sum() + included[order[len(order) - half :]].sum())
    return Guessed(len(scores), guesses, right)
