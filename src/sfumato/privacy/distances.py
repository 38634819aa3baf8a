"""Distances between vectors, in blocks, accurate also where two vectors nearly coincide.

Euclidean distances come from a matrix product. If cancellation would cost digits (pairs much closer than their
norms), the difference is taken directly, in float64. This matters: a false distance near 0 is a false privacy loss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.privacy.kernels import compiled
from sfumato.types import FloatArray, IntArray

_CLOSE = 1e-2
"""Pairs with d^2 below this share of their squared norms are recomputed directly."""


def relative_error(dimensions: int) -> float:
    """Return a bound on the relative error of a distance between vectors of so many ``dimensions``.

    A product of two vectors is right to (dimensions + 2)·2^-53 of the product of their norms, whatever the order of
    its sums; :data:`_CLOSE` bounds the share that cancels, and a root halves the error.
    """
    return (dimensions + 4) * 2.0**-53 / _CLOSE


@compiled
def _euclidean(x: FloatArray, y: FloatArray) -> float:
    total = 0.0
    for i in range(len(x)):
        difference = x[i] - y[i]
        total += difference * difference
    return float(np.sqrt(total))


@compiled
def _other(x: FloatArray, y: FloatArray, p: float) -> float:
    total = 0.0
    if p == 1.0:
        for i in range(len(x)):
            total += abs(x[i] - y[i])
        return total
    largest = 0.0
    for i in range(len(x)):
        largest = max(largest, abs(x[i] - y[i]))
    if p == np.inf or largest == 0.0:
        return largest
    for i in range(len(x)):  # shares of the largest: their powers neither overflow nor vanish together
        total += (abs(x[i] - y[i]) / largest) ** p
    return float(largest * total ** (1.0 / p))


@compiled
def distance(x: FloatArray, y: FloatArray, p: float) -> float:
    """Return the Lp distance of two vectors, computed directly."""
    return _euclidean(x, y) if p == 2.0 else _other(x, y, p)


@compiled
def _from_products(
    products: FloatArray,
    x: FloatArray,
    y: FloatArray,
    x_squares: FloatArray,
    y_squares: FloatArray,
    close: float,
) -> None:
    for i in range(len(x)):
        for j in range(len(y)):
            norms = x_squares[i] + y_squares[j]
            square = norms - 2.0 * products[i, j]
            if square < close * norms:
                products[i, j] = distance(x[i], y[j], 2.0)
            else:
                products[i, j] = np.sqrt(square)


@compiled
def _directly(out: FloatArray, x: FloatArray, y: FloatArray, p: float) -> None:
    for i in range(len(x)):
        for j in range(len(y)):
            out[i, j] = distance(x[i], y[j], p)


@compiled
def _weights_in_groups(
    out: FloatArray,
    vectors: FloatArray,
    inputs: IntArray,
    outputs: FloatArray,
    starts: IntArray,
    groups: IntArray,
    scales: FloatArray,
    limit: float,
    p: float,
) -> None:
    """Fill row i of ``out``: exp(-scale · min(d, limit)) for the members of input i's group, padded with 0."""
    for i in range(len(inputs)):
        x, first, last = vectors[inputs[i]], starts[groups[i]], starts[groups[i] + 1]
        j = first
        while p == 2.0 and j + 4 <= last:  # four at a time: each coordinate of x is read once for the four
            y0, y1, y2, y3 = outputs[j], outputs[j + 1], outputs[j + 2], outputs[j + 3]
            t0 = t1 = t2 = t3 = 0.0
            for k in range(len(x)):
                d0, d1, d2, d3 = x[k] - y0[k], x[k] - y1[k], x[k] - y2[k], x[k] - y3[k]
                t0 += d0 * d0
                t1 += d1 * d1
                t2 += d2 * d2
                t3 += d3 * d3
            out[i, j - first], out[i, j - first + 1] = np.sqrt(t0), np.sqrt(t1)
            out[i, j - first + 2], out[i, j - first + 3] = np.sqrt(t2), np.sqrt(t3)
            j += 4
        while j < last:
            out[i, j - first] = distance(x, outputs[j], p)
            j += 1
        scale = scales[groups[i]] if len(scales) > 1 else scales[0]
        for member in range(last - first):
            out[i, member] = np.exp(-scale * min(out[i, member], limit))
        out[i, last - first :] = 0.0


@dataclass(frozen=True, slots=True)
class Distance:
    """The Lp distance, 1 <= p <= infinity."""

    p: float = 2.0

    def __post_init__(self) -> None:
        if not self.p >= 1.0:
            raise ConfigurationError(f"An Lp distance needs p >= 1 (got {self.p!r}): below 1 it is not a metric.")

    @property
    def name(self) -> str:
        """Return the statement's name of the distance."""
        return "Euclidean" if self.p == 2.0 else f"L{self.p:g}"

    def block(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return all distances between the rows of ``x`` (a, D) and ``y`` (b, D), shape (a, b), float64."""
        if self.p != 2.0:
            out = np.empty((len(x), len(y)))
            _directly(out, np.ascontiguousarray(x), np.ascontiguousarray(y), float(self.p))
            return out
        x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
        products = x @ y.T
        _from_products(products, x, y, np.einsum("ij,ij->i", x, x), np.einsum("ij,ij->i", y, y), _CLOSE)
        return products

    # Its parameters are those of the compiled function, which takes plain arrays and numbers.
    def weights_in_groups(
        self,
        vectors: FloatArray,
        inputs: IntArray,
        outputs: FloatArray,
        starts: IntArray,
        groups: IntArray,
        scales: FloatArray,
        limit: float,
    ) -> FloatArray:
        """Return exp(-scale · min(d, limit)) from each row ``inputs`` (n,) of ``vectors`` to its group's members.

        ``outputs`` (Y, D) are sorted by group, ``starts`` (groups + 1) holds the index where each group begins,
        ``scales`` holds one scale or one a group. The shape is (n, largest group among ``groups``), padded with 0.
        """
        widest = int((starts[groups + 1] - starts[groups]).max(initial=0))
        out = np.empty((len(inputs), widest))
        _weights_in_groups(out, vectors, inputs, outputs, starts, groups, scales, limit, float(self.p))
        return out
