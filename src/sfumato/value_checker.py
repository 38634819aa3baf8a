"""Recompute privacy losses of laws over values with numpy alone: nothing here comes from the rest of sfumato.

Three laws have closed forms, which are written down here a second time. The weights of the law on a line solve
Σ_y w(y)·exp(-s·|x - y|) = 1 for every x. With gaps g between neighbours they are
w_j = (tanh(s·g_{j-1}/2) + tanh(s·g_j/2)) / 2, where tanh is 1 beyond the ends; that the sums are 1 is computed, for
every x. Losses are the largest differences of log probabilities over all outputs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
SUMS = 1e-9  # by which the probabilities of an input may miss 1


class OnALine:
    """The law P(y|x) = w(y)·exp(-s·|x - y|) of values at ``positions`` (n,), in any order, at the ``scale`` s."""

    def __init__(self, positions: Array, scale: float) -> None:
        self.positions, self.scale = positions, scale
        order = np.argsort(positions, kind="stable")
        gaps = np.diff(positions[order])
        halves = np.concatenate([[1.0], np.tanh(0.5 * scale * gaps), [1.0]])
        self.is_a_line = bool(len(positions) > 1 and (gaps > 0.0).all() and scale > 0.0)
        self.weights = np.empty(len(positions))
        self.weights[order] = 0.5 * (halves[:-1] + halves[1:])
        self.worst_sum = self._worst_sum(order, np.exp(-scale * gaps)) if self.is_a_line else math.inf

    def _worst_sum(self, order: Array, decay: Array) -> float:
        """Return how far the probabilities of an input are from a sum of 1, the largest over all inputs."""
        weights = self.weights[order]
        left, right = weights.copy(), weights.copy()
        for place in range(1, len(weights)):
            left[place] += decay[place - 1] * left[place - 1]
            right[-place - 1] += decay[-place] * right[-place]
        return float(np.abs(left + right - weights - 1.0).max())

    def loss(self, first: int, second: int) -> float:
        """Return the largest loss of two values over all outputs, per unit of their distance."""
        laws = [
            np.log(self.weights) - self.scale * np.abs(self.positions - self.positions[value])
            for value in (first, second)
        ]
        apart = abs(float(self.positions[first] - self.positions[second]))
        largest = float(np.abs(laws[0] - laws[1]).max())
        return largest / apart if self.is_law and apart > 0.0 else math.inf

    @property
    def is_law(self) -> bool:
        """Return whether positions ascend and all probabilities are positive and sum to 1."""
        return self.is_a_line and bool((self.weights > 0.0).all()) and self.worst_sum <= SUMS


def independent_loss(outcomes: int) -> float:
    """Return the largest loss of a draw from ``outcomes`` values that are equally likely whatever the input is."""
    if outcomes < 1:
        return math.inf
    laws = np.full((2, outcomes), -math.log(outcomes))  # of any two inputs
    return float(np.abs(laws[0] - laws[1]).max())


def shift_loss(scale: float, days: int) -> float:
    """Return the largest loss per day of two timelines ``days`` apart, both moved by discrete Laplace noise.

    P(n) = tanh(1/(2·scale))·exp(-|n|/scale) over all whole numbers n. The log ratio at n is constant outside of the
    numbers from 0 to ``days``, so a window around them holds the largest.
    """
    if not (math.isfinite(scale) and scale > 0.0 and days > 0):
        return math.inf
    numbers = np.arange(-2 * days, 3 * days + 1)
    log_law, moved = (math.log(math.tanh(0.5 / scale)) - np.abs(numbers - offset) / scale for offset in (0, days))
    return float(np.abs(log_law - moved).max() / days)
