"""Laws inside sets of similar tokens: a token is replaced by a token of its own set, and the set always shows.

Each set has a square matrix of weights, whole numbers out of 2^62 (:mod:`sfumato.privacy.integer_law`). Certificate
and draws use these numbers and no others, so the loss inside a set is exact: the logarithm of the largest ratio of
two whole numbers in one column.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.errors import GuaranteeError
from sfumato.privacy.calibration import Pair
from sfumato.privacy.integer_law import TOTAL, Words, integer_loss, numbers_below_total, running_sums
from sfumato.privacy.kernels import compiled
from sfumato.types import FloatArray, IntArray


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
