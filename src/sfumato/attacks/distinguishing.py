"""The auditor: how well do outputs distinguish two inputs? (Jagielski, Ullman, Oprea: Auditing Differentially
Private Machine Learning, NeurIPS 2020; Nasr et al.: Tight Auditing of Differentially Private Machine Learning,
USENIX Security 2023.)

Threat model: the attacker knows the mechanism and every parameter, knows that the input is x or x', and sees one
output. For any set S of outputs, ε-DP demands P(S|x) ≤ e^ε·P(S|x'), so one S whose frequencies break this refutes
the claim. Samples of both inputs are cut in two halves. The first half chooses S: it orders outputs by falling
likelihood ratio, and takes the beginning of this order that promises most. The second half, which has no part in the
choice, bounds both probabilities (Clopper, Pearson: The Use of Confidence or Fiducial Limits Illustrated in the Case
of the Binomial, Biometrika 1934), and

    ε ≥ log( lower limit of P(S|x) / upper limit of P(S|x') ).

Both directions (x against x', x' against x) are tried: four one-sided limits, each at (1 - confidence)/4
(Bonferroni). So with probability at least ``confidence`` over the samples, the bound does not exceed the true loss
of the pair. A bound above the claim refutes the claim. A bound below it proves nothing, because it is a lower bound,
for this pair only.

An audit in a single run: how large must ε be, if an auditor guesses so well which canaries took part?

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

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.mechanism import Mechanism
from sfumato.errors import ConfigurationError
from sfumato.privacy.randomness import RandomDraws, Randomness, SystemRandomness, numbered
from sfumato.types import FloatArray, IntArray

Sampler = Callable[[int], Sequence[Hashable] | NDArray[Any]]
"""``sampler(n)`` returns n independent outputs of one and the same input."""

_MOST_EVENTS = 512
_MOST_SAMPLES = 10**9  # more take for ever


class Distinguished(NamedTuple):
    """The auditor's result.

    ``epsilon`` is the lower bound on the loss of the pair in nats, divided by its distance (0 if nothing was shown).
    ``event`` holds the outputs of the set S that showed it. ``share`` and ``other_share`` are the frequencies of S in
    the second half for the likelier and the other input.
    """

    epsilon: float
    event: frozenset[Hashable]
    share: float
    other_share: float


@dataclass(frozen=True)
class Distinguishing:
    """Distinguishes two inputs by their outputs: a lower bound on ε that holds with probability ``confidence``.

    It takes ``samples`` outputs of each input; half of them choose the event, half of them measure it.
    """

    confidence: float = 0.99
    samples: int = 100_000

    def __post_init__(self) -> None:
        if not 0.0 < self.confidence < 1.0:
            raise ConfigurationError(f"confidence must lie between 0 and 1, not {self.confidence!r}; try 0.99.")
        if self.samples < 4:
            raise ConfigurationError(f"An audit needs at least 4 samples of each input, not {self.samples!r}.")
        if self.samples > _MOST_SAMPLES:
            raise ConfigurationError(f"An audit takes at most {_MOST_SAMPLES:,} samples of each input; try 100,000.")

    def audit(self, sampler: Sampler, other: Sampler, distance: float = 1.0) -> Distinguished:
        """Return the lower bound on log P(S|x) - log P(S|x'), in either direction, per unit of ``distance``.

        ``distance`` is d(x, x') for metric privacy and 1 for LDP. At distance 0 any difference refutes every ε, so
        the bound is then 0 or infinity. Raise ConfigurationError for a negative distance or a sampler that returns
        too few outputs.
        """
        if not distance >= 0.0:
            raise ConfigurationError(f"A distance must be 0 or more, not {distance!r}.")
        counts, outputs = _counts(sampler(self.samples), other(self.samples), self.samples // 2)
        directions = (self._one_way(counts[:, [i, j]]) for i, j in ((0, 1), (1, 0)))
        loss, event, share, other_share = max(directions, key=lambda direction: direction[0])
        with np.errstate(divide="ignore"):
            epsilon = float(np.float64(loss) / distance) if loss > 0.0 else 0.0
        return Distinguished(epsilon, frozenset(outputs[i] for i in event), share, other_share)

    def _one_way(self, counts: IntArray) -> tuple[float, list[int], float, float]:
        """Return bound, event and its shares.

        ``counts`` is (halves, 2, outputs), the supposedly likelier input first.
        """
        order, sizes = _ranked(counts[0])
        running = np.cumsum(counts[0][:, order], axis=1)[:, sizes - 1]
        size = int(sizes[np.argmax(self._log_ratio(running, counts[0].sum(axis=1)))])
        event = order[:size]
        totals, seen = counts[1].sum(axis=1), counts[1][:, event].sum(axis=1)
        loss = float(self._log_ratio(seen[:, None], totals)[0])
        return max(loss, 0.0), event.tolist(), float(seen[0] / totals[0]), float(seen[1] / totals[1])

    def _log_ratio(self, seen: IntArray, totals: IntArray) -> FloatArray:
        """Return the log of lower limit over upper limit for every column of ``seen`` (2, events)."""
        doubt = (1.0 - self.confidence) / 4.0
        with np.errstate(divide="ignore"):
            lower = np.log(_limit(seen[0], totals[0] - seen[0] + 1, doubt))
        return np.asarray(lower - np.log(_limit(seen[1] + 1, totals[1] - seen[1], 1.0 - doubt)))


def draws_of(mechanism: Mechanism, token: int, randomness: Randomness | None = None) -> Sampler:
    """Return a sampler of ``mechanism`` at ``token``, by system randomness unless another source is given.

    A keyed (seeded) source gives the same draws again to a sampler that is made again, and to no other sampler.
    """
    source = randomness or SystemRandomness()

    def sampler(n: int) -> IntArray:
        sizes = [min(mechanism.draws_at_once, n - first) for first in range(0, n, mechanism.draws_at_once)]
        return np.concatenate([batch(size, number) for number, size in enumerate(sizes)])

    def batch(size: int, number: int) -> IntArray:
        name = mechanism.vocabulary.tokens[token]
        contexts = numbered(range(size), "audit", number, after=(name,)) if source.keyed else None
        tokens = np.full(size, token, dtype=np.int64)
        return mechanism.draw(tokens, RandomDraws(source, size, contexts))

    return sampler


def _limit(successes: IntArray, failures: IntArray, quantile: float) -> FloatArray:
    """Return the Clopper-Pearson limit: a quantile of Beta(successes, failures).

    It is 0 without successes and 1 without failures.
    """
    from scipy.stats import beta  # half a second to import: only if it is needed

    inner = beta.ppf(quantile, np.maximum(successes, 1), np.maximum(failures, 1))
    return np.where(successes == 0, 0.0, np.where(failures == 0, 1.0, inner))


def _ranked(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return outputs in falling order of their (smoothed) likelihood ratio, and the sizes of the events to try."""
    ratio = np.log(counts[0] + 0.5) - np.log(counts[1] + 0.5)
    order = np.lexsort((-counts.sum(axis=0), -ratio))
    most = min(counts.shape[1], _MOST_EVENTS)
    return order, np.unique(np.linspace(1, counts.shape[1], most).astype(np.int64))


def _counts(
    first: Sequence[Hashable] | NDArray[Any], second: Sequence[Hashable] | NDArray[Any], half: int
) -> tuple[IntArray, list[Hashable]]:
    """Return how often each output occurred, shape (halves, inputs, outputs), and the outputs."""
    numbers: dict[Hashable, int] = {}
    coded = [
        np.fromiter((numbers.setdefault(output, len(numbers)) for output in _listed(sample)), dtype=np.int64)
        for sample in (first, second)
    ]
    if min(map(len, coded)) < 2 * half:
        raise ConfigurationError("A sampler returned too few outputs; it must return as many as requested.")
    parts = [(sample[:half], sample[half:]) for sample in coded]
    halves = [[np.bincount(part, minlength=len(numbers)) for part in pair] for pair in parts]
    return np.array(halves, dtype=np.int64).swapaxes(0, 1), list(numbers)


def _listed(outputs: Sequence[Hashable] | NDArray[Any]) -> Sequence[Hashable]:
    """Return ``outputs`` as hashable Python values; rows of a matrix become tuples."""
    if not isinstance(outputs, np.ndarray):
        return outputs
    listed: list[Any] = outputs.tolist()
    return [tuple(row) for row in listed] if outputs.ndim > 1 else listed


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
