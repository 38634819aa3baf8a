"""The auditor: how well can outputs tell one input from another? (Jagielski, Ullman, Oprea: Auditing Differentially
Private Machine Learning, NeurIPS 2020; Nasr et al.: Tight Auditing of Differentially Private Machine Learning,
USENIX Security 2023.)

Threat model: the attacker knows the mechanism and every parameter, knows that the input is x or x', and sees one
output. For any set S of outputs, ε-DP demands P(S|x) ≤ e^ε·P(S|x'), so one S whose frequencies break this refutes
the claim. Samples of both inputs are cut in two halves. The first half chooses S: outputs in falling order of their
likelihood ratio, and of all sets that such an order begins with, the one that promises most. The second half, which
had no part in the choice, bounds both probabilities (Clopper, Pearson: The Use of Confidence or Fiducial Limits
Illustrated in the Case of the Binomial, Biometrika 1934), and

    ε ≥ log( lower limit of P(S|x) / upper limit of P(S|x') ).

Both directions (x against x', x' against x) are tried: four one-sided limits, each at (1 - confidence)/4
(Bonferroni). So with probability at least ``confidence`` over the samples, the bound does not exceed the true loss
of the pair. A bound above the claim refutes the claim; a bound below it proves nothing: it is a lower bound, for
this pair only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.mechanism import Mechanism
from sfumato.errors import ConfigurationError
from sfumato.privacy.randomness import Randomness, SystemRandomness, context
from sfumato.types import FloatArray, IntArray

Sampler = Callable[[int], Sequence[Hashable] | NDArray[Any]]
"""``sampler(n)`` gives n independent outputs of one and the same input."""

_MOST_EVENTS = 512


class Distinguished(NamedTuple):
    """What the auditor found.

    ``epsilon`` is the lower bound on the loss of the pair, divided by its distance (0 where nothing was shown).
    ``event`` holds the outputs of the set S that showed it, ``share`` and ``other_share`` how often S came up in the
    second half for the likelier and the other input.
    """

    epsilon: float
    event: frozenset[Hashable]
    share: float
    other_share: float


@dataclass(frozen=True)
class Distinguishing:
    """Tells two inputs apart by their outputs: a lower bound on ε that holds with probability ``confidence``.

    ``samples`` outputs are asked of each input; half of them choose the event, half of them measure it.
    """

    confidence: float = 0.99
    samples: int = 100_000

    def __post_init__(self) -> None:
        if not 0.0 < self.confidence < 1.0:
            raise ConfigurationError(f"confidence must lie between 0 and 1, not {self.confidence!r}; try 0.99.")
        if self.samples < 4:
            raise ConfigurationError(f"An audit needs at least 4 samples of each input, not {self.samples!r}.")

    def audit(self, sampler: Sampler, other: Sampler, distance: float = 1.0) -> Distinguished:
        """The lower bound on log P(S|x) - log P(S|x'), in either direction, per unit of ``distance``.

        ``distance`` is d(x, x') for metric privacy and 1 for LDP; at distance 0 any difference refutes every ε, so
        the bound is then 0 or infinity.
        """
        if not distance >= 0.0:
            raise ConfigurationError(f"A distance is 0 or more, not {distance!r}.")
        counts, outputs = _counts(sampler(self.samples), other(self.samples), self.samples // 2)
        found = max((self._one_way(counts[:, [i, j]]) for i, j in ((0, 1), (1, 0))), key=lambda one: one[0])
        loss, event, share, other_share = found
        with np.errstate(divide="ignore"):
            epsilon = float(np.float64(loss) / distance) if loss > 0.0 else 0.0
        return Distinguished(epsilon, frozenset(outputs[i] for i in event), share, other_share)

    def _one_way(self, counts: IntArray) -> tuple[float, list[int], float, float]:
        """Bound, event and its shares; ``counts`` (halves, 2, outputs), the input to be shown likelier first."""
        order, sizes = _ranked(counts[0])
        running = np.cumsum(counts[0][:, order], axis=1)[:, sizes - 1]
        size = int(sizes[np.argmax(self._log_ratio(running, counts[0].sum(axis=1)))])
        event = order[:size]
        totals, seen = counts[1].sum(axis=1), counts[1][:, event].sum(axis=1)
        loss = float(self._log_ratio(seen[:, None], totals)[0])
        return max(loss, 0.0), event.tolist(), float(seen[0] / totals[0]), float(seen[1] / totals[1])

    def _log_ratio(self, seen: IntArray, totals: IntArray) -> FloatArray:
        """log of lower limit over upper limit for every column of ``seen`` (2, events)."""
        doubt = (1.0 - self.confidence) / 4.0
        with np.errstate(divide="ignore"):
            lower = np.log(_limit(seen[0], totals[0] - seen[0] + 1, doubt))
        return np.asarray(lower - np.log(_limit(seen[1] + 1, totals[1] - seen[1], 1.0 - doubt)))


def draws_of(mechanism: Mechanism, token: int, randomness: Randomness | None = None) -> Sampler:
    """A sampler of ``mechanism`` at ``token``, by system randomness unless another source is given.

    A keyed (seeded) source gives the same draws again to a sampler that is made again, and only to that.
    """
    source = randomness or SystemRandomness()

    def sampler(n: int) -> IntArray:
        sizes = [min(mechanism.draws_at_once, n - first) for first in range(0, n, mechanism.draws_at_once)]
        return np.concatenate([some(size, number) for number, size in enumerate(sizes)])

    def some(size: int, number: int) -> IntArray:
        name = mechanism.vocabulary.tokens[token]
        contexts = [context("audit", number, place, name) for place in range(size)] if source.keyed else None
        tokens = np.full(size, token, dtype=np.int64)
        return mechanism.draw(tokens, lambda width: source.uniforms(size, width, contexts))

    return sampler


def _limit(successes: IntArray, failures: IntArray, quantile: float) -> FloatArray:
    """Clopper-Pearson: a quantile of Beta(successes, failures); 0 without successes, 1 without failures."""
    from scipy.stats import beta  # half a second to import: only where it is needed

    inner = beta.ppf(quantile, np.maximum(successes, 1), np.maximum(failures, 1))
    return np.where(successes == 0, 0.0, np.where(failures == 0, 1.0, inner))


def _ranked(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Outputs in falling order of their (smoothed) likelihood ratio, and the sizes of the events to try."""
    ratio = np.log(counts[0] + 0.5) - np.log(counts[1] + 0.5)
    order = np.lexsort((-counts.sum(axis=0), -ratio))
    most = min(counts.shape[1], _MOST_EVENTS)
    return order, np.unique(np.linspace(1, counts.shape[1], most).astype(np.int64))


def _counts(
    first: Sequence[Hashable] | NDArray[Any], second: Sequence[Hashable] | NDArray[Any], half: int
) -> tuple[IntArray, list[Hashable]]:
    """How often each output came up, shape (halves, inputs, outputs), and the outputs."""
    places: dict[Hashable, int] = {}
    coded = [
        np.fromiter((places.setdefault(one, len(places)) for one in _listed(given)), dtype=np.int64)
        for given in (first, second)
    ]
    if min(map(len, coded)) < 2 * half:
        raise ConfigurationError("A sampler gave fewer outputs than it was asked for.")
    halves = [[np.bincount(part, minlength=len(places)) for part in (one[:half], one[half:])] for one in coded]
    return np.array(halves, dtype=np.int64).swapaxes(0, 1), list(places)


def _listed(outputs: Sequence[Hashable] | NDArray[Any]) -> Sequence[Hashable]:
    """``outputs`` as hashable Python values; rows of a matrix become tuples."""
    if not isinstance(outputs, np.ndarray):
        return outputs
    listed: list[Any] = outputs.tolist()
    return [tuple(row) for row in listed] if outputs.ndim > 1 else listed
