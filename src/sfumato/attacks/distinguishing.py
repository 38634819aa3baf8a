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
