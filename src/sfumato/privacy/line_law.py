"""The geometric law on a line of values, for days, years and logarithms: a loss of exactly s·|x - y|, at any ends.

Values lie at positions p_1 < … < p_n, evenly spaced or not. With q_i = exp(-s (p_{i+1} - p_i)) and q_0 = q_n = 0 the
law is P(p_j | p_i) = w_j exp(-s |p_i - p_j|), where w_j = (1 - q_{j-1} q_j) / ((1 + q_{j-1}) (1 + q_j)).

Analysis. The weights are positive, and the sum over j is 1 for every i: with S_j = Σ_{k ≥ j} w_k exp(-s (p_k - p_j)),
S_n = w_n = 1 / (1 + q_{n-1}), and by descent S_j = w_j + q_j S_{j+1} = 1 / (1 + q_{j-1}); the same holds from the
other end, and S_i + S'_i - w_i = 1. So there is no normaliser that depends on the input, and the log ratio of two
inputs at an output is s (|x' - y| - |x - y|), at most s |x - x'| by the triangle inequality, and equal to it at y =
x. The exponential law with equal weights loses up to twice as much per unit near the ends of the line. On an even
grid this is the geometric mechanism, cut off at both ends, of Ghosh, Roughgarden and Sundararajan (Universally
utility-maximizing privacy mechanisms, STOC 2009; Theorem 1.1 has its optimality for counts). We give weights for
uneven positions, which the integers do not need.

A draw goes to the right of p_i with probability q_i / (1 + q_i), to the left likewise, and else stays. To the right,
P(at least p_j | right) = exp(-(A_j - A_{i+1})) with A_j = s (p_j - p_1) + log(1 + q_{j-1}), which increases with j.
So an exponential variable E decides: the draw is the last p_j with A_j ≤ A_{i+1} + E. E is a sum of chunks of
:data:`_CHUNK` nats and a rest, because an exponential law has no memory; every output can be drawn, however rare.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.kernels import compiled
from sfumato.types import FloatArray, IntArray, Uniforms

_CHUNK = 500.0  # nats; a uniform number has its 53 bits down to e^-700
_MOST_CHUNKS = 4096
_LARGEST_ERROR = 1e-6


@dataclass(frozen=True, eq=False)
class LineLaw:
    """The law at ``scale`` s over the values at ``positions`` (n,), ascending without repeats.

    Raise ConfigurationError for fewer than two positions or such as do not ascend, and GuaranteeError for a scale at
    which the probabilities cannot be computed faithfully.
    """

    positions: FloatArray
    scale: float

    def __post_init__(self) -> None:
        gaps = np.diff(self.positions)
        if len(gaps) < 1 or not (gaps > 0.0).all():
            raise ConfigurationError("The values of a line lie at two or more positions that ascend.")
        drawable = self._exponents.max() <= _CHUNK and self._chunks <= _MOST_CHUNKS
        if not (drawable and self.relative_error < _LARGEST_ERROR):
            raise GuaranteeError(
                "The law of values on this line cannot be drawn faithfully at this epsilon; use a smaller or larger "
                "one, or a shorter range of values."
            )

    @cached_property
    def _exponents(self) -> FloatArray:
        """Return s times each gap, shape (n - 1,)."""
        return np.asarray(self.scale * np.diff(self.positions), dtype=np.float64)

    @cached_property
    def _log_factors(self) -> FloatArray:
        """Return log(1 + q_i) for i = 0 to n, shape (n + 1,)."""
        return np.concatenate([[0.0], np.log1p(np.exp(-self._exponents)), [0.0]])

    @cached_property
    def log_weights(self) -> FloatArray:
        """Return log w_j, shape (n,)."""
        inner = np.concatenate([[np.inf], self._exponents, [np.inf]])
        return np.asarray(
            np.log(-np.expm1(-(inner[:-1] + inner[1:]))) - self._log_factors[:-1] - self._log_factors[1:]
        )

    @cached_property
    def _chunks(self) -> int:
        """Return how many chunks the longest way on the line has."""
        return math.ceil(self._length / _CHUNK) if math.isfinite(self._length) else _MOST_CHUNKS + 1

    @property
    def _length(self) -> float:
        """Return a bound on every A_j, in nats."""
        return self.scale * float(self.positions[-1] - self.positions[0]) + 1.0

    @cached_property
    def _rightward(self) -> FloatArray:
        """Return A_j, shape (n,)."""
        return np.asarray(self.scale * (self.positions - self.positions[0]) + self._log_factors[:-1])

    @cached_property
    def _leftward(self) -> FloatArray:
        """Return the same for the line turned around, shape (n,)."""
        return np.asarray(self.scale * (self.positions[-1] - self.positions[::-1]) + self._log_factors[:0:-1])

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of a drawn probability.

        A_j and E hold rounding errors of some units in the last place of the length of the line in nats. Each output
        has at least the share w_j of the draws that come as far, and such an error moves the edges of that share.
        """
        return 32.0 * (self._length + 1.0) * 2.0**-53 / float(np.exp(self.log_weights.min()))

    def log_law(self, place: int) -> FloatArray:
        """Return log P(. | value at ``place``), shape (n,)."""
        away = np.abs(self.positions - self.positions[place])
        return np.asarray(self.log_weights - self.scale * away, dtype=np.float64)

    @cached_property
    def largest_deviation(self) -> float:
        """Return how far the computed probabilities of an input are from a sum of 1, the largest over all inputs."""
        decay, weights = np.exp(-self._exponents), np.exp(self.log_weights)
        sums = _running(weights, decay) + _running(weights[::-1], decay[::-1])[::-1] - weights
        return float(np.abs(sums - 1.0).max())

    def draw(self, places: IntArray, uniforms: Uniforms) -> IntArray:
        """Return one independent draw for each of ``places`` (m,), shape (m,)."""
        numbers = uniforms(2 + self._chunks)
        inner = np.exp(-self._exponents)
        before, after = (np.concatenate(sides)[places] for sides in (([0.0], inner), (inner, [0.0])))
        # small chances are decided near 0, where uniform numbers are dense
        goes_left = numbers[:, 0] <= before / (1.0 + before)
        goes_right = ~goes_left & (numbers[:, 1] <= after / (1.0 + after) * (1.0 + before))
        lengths = _exponentials(numbers[:, 2:])
        last = len(self.positions) - 1
        drawn = places.copy()
        drawn[goes_right] = _farthest(self._rightward, places[goes_right] + 1, lengths[goes_right])
        drawn[goes_left] = last - _farthest(self._leftward, last - places[goes_left] + 1, lengths[goes_left])
        return drawn


@compiled
def _running(weights: FloatArray, decay: FloatArray) -> FloatArray:
    """Return the sum over j <= i of weights[j] times the decay from j to i, shape (n,)."""
    sums = weights.copy()
    for place in range(1, len(weights)):
        sums[place] += decay[place - 1] * sums[place - 1]
    return sums


def _farthest(edges: FloatArray, first: IntArray, lengths: FloatArray) -> IntArray:
    """Return the last index j with edges[j] <= edges[first] + length, for each draw; at least ``first``."""
    return np.asarray(np.maximum(np.searchsorted(edges, edges[first] + lengths, side="right") - 1, first))


def _exponentials(uniforms: FloatArray) -> FloatArray:
    """Return an exponential variable for each row (m, chunks) of uniforms in (0, 1], shape (m,).

    A number that goes beyond a chunk says that the variable does, and the next number decides the rest.
    """
    lengths, going = np.zeros(len(uniforms)), np.ones(len(uniforms), dtype=np.bool_)
    for column in uniforms.T:
        rest = -np.log(column)
        lengths[going] += np.minimum(rest, _CHUNK)[going]
        going = going & (rest > _CHUNK)
    return lengths
