"""Rank profiles: how likely the first, second, ... outcome in the order of a model's scores is to be drawn.

A profile is a falling sequence q_1 >= q_2 >= ... >= q_V with the sum 1 and ln(q_1 / q_V) <= ε. It is public and does
not depend on any text. Here it is held in runs of equal weights, which are whole numbers out of 2^62
(:mod:`sfumato.privacy.integer_law`), so that the loss of the law that is drawn is known exactly.

Three shapes: a **plateau** (the first m ranks equally likely, the others e^-ε times as likely), a **staircase** of
several plateaus, and a **clipped geometric** sequence.

Which is best? The profiles for one ε, each divided by its q_V, are the falling sequences with values from 1 to e^ε,
and a mean gain Σ q_r·g_r is a ratio of two functions that are linear on them. Such a ratio is largest at an extreme
point, and the extreme points are the plateaus, the flat profile among them (m = V). So whatever a rank is worth, some
plateau is the best profile.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

import numpy as np

from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.guarantee import checked_epsilon
from sfumato.privacy.integer_law import TOTAL, log_ratio
from sfumato.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Profile:
    """Runs of equal weights, the most likely first: ``counts`` (n,) ranks with whole ``weights`` (n,) out of 2^62.

    Raise GuaranteeError if the weights do not fall, if one of them is below 1, or if they do not add up to the whole.
    """

    counts: tuple[int, ...]
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        same = len(self.counts) == len(self.weights) and len(self.counts) > 0
        if not same or min(self.counts) < 1 or min(self.weights) < 1:
            raise GuaranteeError("A rank profile has runs of at least one rank, each with a probability above 0.")
        if any(later > earlier for earlier, later in pairwise(self.weights)):
            raise GuaranteeError("A rank profile falls: no rank is likelier than one before it.")
        if sum(count * weight for count, weight in zip(self.counts, self.weights, strict=True)) != TOTAL:
            raise GuaranteeError("The probabilities of a rank profile do not add up to 1.")

    @property
    def ranks(self) -> int:
        """Return V, the number of ranks."""
        return sum(self.counts)

    @property
    def loss(self) -> float:
        """Return ln(q_1 / q_V) in nats, rounded up: the privacy loss of a draw."""
        return log_ratio(self.weights[0], self.weights[-1])

    @property
    def probabilities(self) -> FloatArray:
        """Return the probability of each rank, shape (V,)."""
        return np.repeat(np.array(self.weights, dtype=np.float64) / TOTAL, self.counts)

    def drawn(self, numbers: IntArray) -> IntArray:
        """Return the rank (from 0) that each of ``numbers`` (n,), from 0 to 2^62 - 1, draws, shape (n,)."""
        counts, weights = np.array(self.counts, dtype=np.int64), np.array(self.weights, dtype=np.int64)
        ends = np.cumsum(counts * weights)
        run = np.searchsorted(ends, numbers, side="right")
        within = numbers - (ends - counts * weights)[run]
        return np.asarray((np.cumsum(counts) - counts)[run] + within // weights[run], dtype=np.int64)

    def checked(self, epsilon: float) -> Profile:
        """Return the profile. Raise GuaranteeError if a draw would lose more than ``epsilon`` nats."""
        if not self.loss <= epsilon:
            raise GuaranteeError(f"A rank profile loses {self.loss:.9g}, more than the {epsilon:g} asked for.")
        return self


@lru_cache(maxsize=4096)
def plateau(ranks: int, first: int, epsilon: float) -> Profile:
    """Return the profile whose ``first`` ranks are e^ε times as likely as the others; flat if all are first.

    With first = 1 it is k-ary randomized response (Kairouz et al. 2016) on the model's first choice.
    """
    if first == ranks:
        high, over = divmod(TOTAL, ranks)
        runs = [run for run in ((over, high + 1), (ranks - over, high)) if run[0]]
        return Profile(tuple(count for count, _ in runs), tuple(weight for _, weight in runs)).checked(epsilon)
    return staircase(ranks, (first,), epsilon)


def staircase(ranks: int, edges: Sequence[int], epsilon: float) -> Profile:
    """Return a profile that falls by equal factors after the ranks ``edges``, which ascend, from e^ε to 1.

    Raise ConfigurationError unless 0 < edges < ``ranks``, and GuaranteeError where whole numbers cannot hold it.
    """
    nats = checked_epsilon(epsilon)
    bounds = [0, *edges, ranks]
    if len(bounds) < 3 or any(type(edge) is not int for edge in bounds) or any(b <= a for a, b in pairwise(bounds)):
        raise ConfigurationError(f"The steps of a profile of {ranks} ranks end at rising ranks below that.")
    counts = [end - start for start, end in pairwise(bounds)]
    return _rounded(counts, [-nats * step / len(edges) for step in range(len(counts))], nats)


def geometric(ranks: int, mean: float, epsilon: float) -> Profile:
    """Return the profile in which each rank is e^(-1/``mean``) times as likely as the one before, down to e^-ε.

    Raise ConfigurationError for a ``mean`` that is not positive.
    """
    nats = checked_epsilon(epsilon)
    if ranks < 2 or not 0.0 < mean < math.inf:
        raise ConfigurationError("A geometric profile has two ranks or more and a positive mean.")
    steps = min(ranks - 1, math.ceil(nats * mean))
    heights = [-min(nats, rank / mean) for rank in range(steps)]
    return _rounded([*[1] * steps, ranks - steps], [*heights, -nats], nats)


def _rounded(counts: Sequence[int], heights: Sequence[float], epsilon: float) -> Profile:
    """Return the profile of runs with these logarithms (the first is 0), whose loss is at most ``epsilon``.

    All runs but the first are rounded up, and the first takes the rest; while that loses more than ε, by the last
    bits, the others are raised.
    """
    total = sum(count * math.exp(height) for count, height in zip(counts, heights, strict=True))
    shares = [math.exp(height) / total * TOTAL for height in heights[1:]]
    raised = 0.0
    for _ in range(64):
        lower = [max(1, math.ceil(share * (1.0 + raised))) for share in shares]
        rest = TOTAL - sum(count * weight for count, weight in zip(counts[1:], lower, strict=True))
        high, over = divmod(rest, counts[0])
        if high < lower[0]:
            break
        runs = [(over, high + 1), (counts[0] - over, high), *zip(counts[1:], lower, strict=True)]
        kept = [(count, weight) for count, weight in runs if count]
        profile = Profile(tuple(count for count, _ in kept), tuple(weight for _, weight in kept))
        if profile.loss <= epsilon:
            return profile
        raised = 2.0**-60 if not raised else 2.0 * raised
    raise GuaranteeError(f"No profile of {sum(counts)} ranks loses so little as {epsilon:g}; use a larger epsilon.")


@dataclass(frozen=True)
class RankGains:
    """What each rank of a model's scores is worth on public text, from which the profile for any ε is chosen.

    ``firsts`` (n,) are numbers of ranks, rising, the last one V; ``gains`` (n,) the mean gain over so many first
    ranks. ``source`` says in words what a gain is and on which text it was measured. ``text`` is the
    SHA-256 and the size in bytes of the file, or None; it must not be the private input. ``own`` (n,) says how often
    the word that was there is among so many first ranks; empty if that was not measured. No law depends on it.
    """

    firsts: tuple[int, ...] = field(repr=False)
    gains: tuple[float, ...] = field(repr=False)
    source: str
    text: tuple[str, int] | None = None
    own: tuple[float, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        rising = all(later > earlier for earlier, later in pairwise((0, *self.firsts)))
        if len(self.firsts) < 2 or len(self.firsts) != len(self.gains) or not rising:
            raise ConfigurationError("Gains by rank need rising numbers of ranks, and a gain for each.")
        if not all(math.isfinite(gain) for gain in self.gains):
            raise ConfigurationError("Gains by rank must be finite numbers.")
        if self.own and (len(self.own) != len(self.firsts) or not all(0.0 <= share <= 1.0 for share in self.own)):
            raise ConfigurationError("The shares of words among the first ranks must be shares, one for each number.")

    @property
    def ranks(self) -> int:
        """Return V, the number of ranks."""
        return self.firsts[-1]

    @property
    def digest(self) -> str:
        """Return 16 digits of a hash of all numbers."""
        return hashlib.sha256(repr((self.firsts, self.gains)).encode()).hexdigest()[:16]

    def expected(self, first: int, epsilon: float) -> float:
        """Return the mean gain of the plateau of ``first`` ranks, one of :attr:`firsts`, at ``epsilon`` nats."""
        if first == self.ranks:
            return self.gains[-1]
        share = 1.0 / (1.0 + (self.ranks / first - 1.0) * math.exp(-epsilon))
        mean, every = self.gains[self.firsts.index(first)], self.gains[-1]
        others = (every * self.ranks - mean * first) / (self.ranks - first)
        return share * mean + (1.0 - share) * others

    def best(self, epsilon: float) -> int:
        """Return how many first ranks the best plateau for ``epsilon`` nats has, of those that were measured.

        It is the fewest among equals, and all of them where the flat profile is the best.
        """
        return _best(self, epsilon)


@lru_cache(maxsize=4096)
def _best(gains: RankGains, epsilon: float) -> int:
    """Return the best plateau; it is asked for at every draw, and compares a hundred."""
    return max(gains.firsts, key=lambda first: (gains.expected(first, epsilon), -first))
