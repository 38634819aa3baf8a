"""Distances between vectors, in blocks, accurate also where two vectors nearly coincide.

Euclidean distances come from a matrix product. If cancellation would cost digits (pairs much closer than their
norms), the difference is taken directly, in float64. This matters: a false distance near 0 is a false privacy loss.

An :class:`Adjacency` says which tokens a guarantee keeps apart, and at what distance, in the unit of its claim. That
unit is the distance that the guarantee names, 1 for LDP, and infinity between tokens of which it promises nothing
(CusText across its sets). Everything here is public: mechanism, vocabulary, parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sfumato.errors import ConfigurationError
from sfumato.privacy.kernels import compiled
from sfumato.types import FloatArray, IntArray

_CLOSE = 1e-2
"""Pairs with d^2 below this share of their squared norms are recomputed directly."""
Pair = tuple[int, int]
"""Two tokens of a vocabulary."""


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
    products: FloatArray, x: FloatArray, y: FloatArray, x_squares: FloatArray, y_squares: FloatArray, close: float
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
def _from_two(x_out: FloatArray, z_out: FloatArray, x: FloatArray, z: FloatArray, y: FloatArray) -> None:
    """Write the Euclidean distances from ``x`` and from ``z`` to each row of ``y``, directly.

    Three rows at a time: each number that is read is used for two or three distances.
    """
    j = 0
    while j + 3 <= len(y):
        a, b, c = y[j], y[j + 1], y[j + 2]
        x0 = x1 = x2 = z0 = z1 = z2 = 0.0
        for k in range(len(x)):
            xa, xb, xc = x[k] - a[k], x[k] - b[k], x[k] - c[k]
            za, zb, zc = z[k] - a[k], z[k] - b[k], z[k] - c[k]
            x0 += xa * xa
            x1 += xb * xb
            x2 += xc * xc
            z0 += za * za
            z1 += zb * zb
            z2 += zc * zc
        x_out[j], x_out[j + 1], x_out[j + 2] = np.sqrt(x0), np.sqrt(x1), np.sqrt(x2)
        z_out[j], z_out[j + 1], z_out[j + 2] = np.sqrt(z0), np.sqrt(z1), np.sqrt(z2)
        j += 3
    while j < len(y):
        x_out[j], z_out[j] = _euclidean(x, y[j]), _euclidean(z, y[j])
        j += 1


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
    i, spare = 0, np.empty(out.shape[1])
    while i < len(inputs):
        x, members = vectors[inputs[i]], outputs[starts[groups[i]] : starts[groups[i] + 1]]
        if p != 2.0:
            for j in range(len(members)):
                out[i, j] = distance(x, members[j], p)
        elif i + 1 < len(inputs) and groups[i + 1] == groups[i]:
            _from_two(out[i], out[i + 1], x, vectors[inputs[i + 1]], members)
            i += 1
        else:  # the same sums in the same order, so that a weight has no other last digit alone than in a pair
            _from_two(out[i], spare, x, x, members)
        i += 1
    for i in range(len(inputs)):
        members = starts[groups[i] + 1] - starts[groups[i]]
        scale = scales[groups[i]] if len(scales) > 1 else scales[0]
        for member in range(members):
            out[i, member] = np.exp(-scale * min(out[i, member], limit))
        out[i, members:] = 0.0


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
            return self.directly(x, y)
        x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
        products = x @ y.T
        _from_products(products, x, y, np.einsum("ij,ij->i", x, x), np.einsum("ij,ij->i", y, y), _CLOSE)
        return products

    def directly(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return what :meth:`block` does, each distance alone: its last digit does not depend on other rows."""
        out = np.empty((len(x), len(y)))
        _directly(out, np.ascontiguousarray(x), np.ascontiguousarray(y), float(self.p))
        return out

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


@dataclass(frozen=True, eq=False)
class Adjacency:
    """``covered`` are the tokens that a guarantee is about. For metric guarantees ``points`` (V, D) carry the
    distance ``metric``; for LDP ``groups`` (V,) says which tokens are indistinguishable (None: all).
    """

    covered: IntArray
    points: FloatArray | None = None
    metric: Distance = field(default_factory=Distance)
    groups: IntArray | None = None

    def distances(self, tokens: IntArray, others: IntArray) -> FloatArray:
        """In the unit of the claim, shape (tokens, others); infinity where nothing is promised."""
        if self.points is not None:
            apart = self.metric.block(self.points[tokens], self.points[others])
        elif self.groups is None:
            apart = np.ones((len(tokens), len(others)))
        else:
            same = self.groups[tokens][:, None] == self.groups[others]
            apart = np.where(same, 1.0, np.inf)
        outside = ~np.isin(tokens, self.covered)[:, None] | ~np.isin(others, self.covered)
        return np.where(tokens[:, None] == others, 0.0, np.where(outside, np.inf, apart))
