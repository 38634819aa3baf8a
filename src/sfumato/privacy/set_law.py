"""Laws inside sets of similar tokens: a token is replaced by a token of its own set, and the set always shows.

Each set has a square matrix of weights, whole numbers out of 2^62 (:mod:`sfumato.privacy.integer_law`). Certificate
and draws use these numbers and no others, so the loss inside a set is exact: the logarithm of the largest ratio of
two whole numbers in one column.

The exponential law inside a set is P(y|x) ∝ exp(-s·u(x, y)) with penalties u in [0, 1]. Its loss at the scale s lies
between s and 2s: penalties differ by at most 1, and so do the logarithms of the sums of weights over s. So the
largest scale within ε lies between ε/2 and ε, and bisection finds it. A set is calibrated on its own. The law is then
rounded to whole numbers. Where they lose more than ε (only at an ε near the rounding), the scale is lowered until
they do not, down to 0, where all outputs are equally likely.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.errors import GuaranteeError
from sfumato.privacy.calibration import TOLERANCE, Pair, refuse_nan, rounded_down
from sfumato.privacy.integer_law import TOTAL, Words, integer_loss, integer_weights, numbers_below_total, running_sums
from sfumato.privacy.kernels import compiled
from sfumato.types import FloatArray, IntArray

_LEAST = 1e-300  # a weight that underflows is drawn all the same, with probability 2^-62
_FIRST = 34  # a scale has 32 bits: the first step lowers it by a quarter of its last bit, which takes one bit away


@compiled
def _picked(
    cumulative: IntArray, outcomes: IntArray, rows: IntArray, sizes: IntArray, tokens: IntArray, numbers: IntArray
) -> IntArray:
    picked = np.empty(len(tokens), dtype=np.int64)
    for index in range(len(tokens)):
        token, number = tokens[index], numbers[index]
        low = rows[token]
        high = low + sizes[token] - 1
        while low < high:
            middle = (low + high) // 2
            if cumulative[middle] > number:
                high = middle
            else:
                low = middle + 1
        picked[index] = outcomes[low]
    return picked


@dataclass(frozen=True, eq=False)
class SetLaw:
    """The laws of all tokens of a vocabulary that is cut into sets.

    Attributes:
        members: The tokens, set by set, shape (V,).
        starts: Where the tokens of each set begin in ``members``, shape (sets + 1,).
        set_of: The set of each token, shape (V,).
        weights: A matrix (K, K) for each set of K tokens, in the order of ``members``: a row for each input, a column
            for each output, each row with the sum 2^62.
    """

    members: IntArray
    starts: IntArray
    set_of: IntArray
    weights: tuple[IntArray, ...]

    @cached_property
    def losses(self) -> FloatArray:
        """Return the exact loss inside every set, in nats, shape (sets,)."""
        return np.array([integer_loss(weights) for weights in self.weights])

    def within(self, epsilon: float) -> SetLaw:
        """Return this law. Raise :class:`GuaranteeError` if its loss inside some set is above ``epsilon``."""
        loss = float(self.losses.max())
        if not loss <= epsilon:
            raise GuaranteeError(
                f"epsilon {epsilon:g} is not certified: the law in whole numbers loses {loss:g} inside a set; use a "
                "larger epsilon or --set calibration=exact."
            )
        return self

    @cached_property
    def worst_pair(self) -> Pair:
        """Return two tokens with the largest log ratio at some output, the likelier first; two of a set at least."""
        number = int(np.argmax(self.losses))
        group, weights = self.group(number), self.weights[number]
        for output in range(len(group)):
            column = weights[:, output : output + 1]
            if column.any() and integer_loss(column) == self.losses[number] > 0.0:
                return int(group[column.argmax()]), int(group[column.argmin()])
        return int(group[0]), int(group[-1])

    @cached_property
    def digest(self) -> str:
        """Return a SHA-256 over sets and weights, in hexadecimal digits: it names the law to the last bit."""
        digest = hashlib.sha256()
        for array in (self.members, self.starts, *self.weights):
            digest.update(len(array).to_bytes(8, "little"))
            digest.update(np.ascontiguousarray(array, dtype="<i8").data)
        return digest.hexdigest()

    def group(self, number: int) -> IntArray:
        """Return the tokens of a set."""
        return self.members[self.starts[number] : self.starts[number + 1]]

    def law(self, token: int) -> FloatArray:
        """Return P(.|token), shape (V,), 0 outside the token's set."""
        number, law = int(self.set_of[token]), np.zeros(len(self.members))
        group = self.group(number)
        law[group] = self.weights[number][int(np.flatnonzero(group == token)[0])] / TOTAL
        return law

    @cached_property
    def _table(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return running sums and outcomes of all rows, one after the other; and by token, where its row begins, and
        the size of its set.
        """
        sizes = np.diff(self.starts)
        begins = np.concatenate([[0], np.cumsum(sizes**2)])
        cumulative, outcomes = np.empty(begins[-1], dtype=np.int64), np.empty(begins[-1], dtype=np.int64)
        rows = np.empty(len(self.members), dtype=np.int64)
        for number, weights in enumerate(self.weights):
            (sums, order), group, place = (
                running_sums(weights),
                self.group(number),
                slice(*begins[number : number + 2]),
            )
            cumulative[place] = sums.ravel()
            outcomes[place] = group[order].ravel()
            rows[group] = begins[number] + sizes[number] * np.arange(sizes[number])
        return cumulative, outcomes, rows, sizes[self.set_of]

    def draw(self, tokens: IntArray, words: Words) -> IntArray:
        """Return one independent draw for each of ``tokens`` (n,), shape (n,); the random ``words`` (n,) decide."""
        return _picked(*self._table, tokens, numbers_below_total(words))


def penalties_of(values: FloatArray) -> FloatArray:
    """Return ``values`` (K, K), distances inside a set, so that the smallest is 0 and the largest 1."""
    least, most = float(values.min()), float(values.max())
    penalties: FloatArray = (values - least) / (most - least if most > least else 1.0)
    return penalties


def losses(penalties: FloatArray, scales: FloatArray) -> FloatArray:
    """Return the loss inside each of n sets with ``penalties`` (n, K, K) at ``scales`` (n,), shape (n,)."""
    scores = -scales[:, None, None] * penalties
    laws = scores - np.log(np.exp(scores).sum(axis=2, keepdims=True))
    worst = np.asarray((laws.max(axis=1) - laws.min(axis=1)).max(axis=1), dtype=np.float64)
    refuse_nan(worst, "The privacy loss")
    return worst


def largest_scales(penalties: Sequence[FloatArray], epsilon: float) -> FloatArray:
    """Return the largest scale of each set that was found within ``epsilon``, shape (sets,)."""
    sizes = np.array([len(values) for values in penalties])
    scales = np.empty(len(sizes))
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        scales[chosen] = _bisected(np.stack([penalties[int(number)] for number in chosen]), epsilon)
    return scales


def _bisected(penalties: FloatArray, epsilon: float) -> FloatArray:
    low, high = np.full(len(penalties), 0.5 * epsilon), np.full(len(penalties), epsilon)
    target = epsilon * (1.0 - TOLERANCE)
    roomy = losses(penalties, high) <= target
    for _ in range(50):
        middle = 0.5 * (low + high)
        fits = losses(penalties, middle) <= target
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return np.where(roomy, epsilon, rounded_down(low))


def exponential_weights(penalties: FloatArray, scale: float) -> IntArray:
    """Return the law of a set at ``scale`` in whole numbers, shape (K, K)."""
    return integer_weights(np.maximum(np.exp(-scale * (penalties - penalties.min(axis=1, keepdims=True))), _LEAST))


def within(penalties: Sequence[FloatArray], scale: float, epsilon: float) -> tuple[float, tuple[IntArray, ...]]:
    """Return the scale of sets that share it, lowered until none loses more than ``epsilon``, and their weights.

    Raise :class:`GuaranteeError` if no scale does.
    """
    lowered = float(scale)
    for step in range(_FIRST + 2):
        weights = tuple(exponential_weights(values, lowered) for values in penalties)
        if max(map(integer_loss, weights)) <= epsilon:
            return lowered, weights
        lowered = float(rounded_down(scale * (1.0 - 2.0 ** min(step - _FIRST, 0))))
    raise GuaranteeError(f"No law in whole numbers has a loss of at most {epsilon:g}; use a larger epsilon.")
