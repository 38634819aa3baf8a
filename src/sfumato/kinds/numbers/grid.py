"""Grids of figures: the numbers with so many significant digits and so many decimals, in a public range.

"£6,412" has four significant digits and no decimals. Its grid holds all whole numbers of the range with four: 6,412,
12,350 and 1,001,000. Zeros at the end are no significant digits, so "£6,400" has two. Each power of ten holds
equally many numbers of a grid. A law over log ratios therefore spreads to both sides alike. On a grid with all whole
numbers a draw would nearly always be large, because nearly all whole numbers are.

The magnitude is not part of the form: another amount with as many digits may be 100 times as large. Only the end of a
grid shows, because no whole number with four significant digits is below 1,001.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np

from sfumato.abstract.vocabulary import Vocabulary

MOST_DIGITS = 6
"""Numbers with more significant digits are read as the nearest with six."""

MOST_DECIMALS = 4
"""Numbers with more decimals are not readable."""

_FREE, _EXACT = 3, 4


@dataclass(frozen=True)
class Grid:
    """The numbers with ``digits`` significant digits and ``decimals`` decimals, above ``above`` and up to ``most``.

    Up to four digits every number is there. A grid of five or six digits has 900 numbers for each power of ten,
    because there are too many in all. Their first three digits are free, and a public rule (a hash) gives the rest.
    A number in a text counts as the nearest of them by ratio, which changes it by at most one percent. The distance
    of two such numbers is therefore right to 0.02 e-folds.
    """

    digits: int
    decimals: int
    most: int
    above: int = 0

    @property
    def name(self) -> str:
        """Return the name of the grain: "4 digits, 2 decimals, up to 1,000,000"."""
        digits = "1 digit" if self.digits == 1 else f"{self.digits} digits"
        decimals = {0: "", 1: ", 1 decimal"}.get(self.decimals, f", {self.decimals} decimals")
        above = f", above {self.above}" if self.above else ""
        return f"{digits}{decimals}{above}, up to {self.most:,}"

    @property
    def shows_thousands(self) -> bool:
        """Return whether every number of the grid has at least four digits before the point."""
        return self.digits - self.decimals > 3

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Return the numbers in ascending order, in units of the last decimal."""
        least, most = self.above * 10**self.decimals, self.most * 10**self.decimals
        numbers = []
        power = 1
        while power * 10 ** (self.digits - 1) <= most:
            numbers += [number * power for number in _mantissas(self.digits) if least < number * power <= most]
            power *= 10
        return tuple(numbers)

    def nearest(self, number: int) -> int:
        """Return the number of the grid that is nearest to ``number`` by ratio, of two the smaller."""
        index = bisect_left(self.numbers, number)
        near = self.numbers[max(index - 1, 0) : index + 1]
        if near[-1] == number or len(near) == 1:
            return near[-1]
        return near[0] if number * number <= near[0] * near[1] else near[1]

    def vocabulary(self) -> Vocabulary:
        """Return the grid as a domain: its distances are absolute log ratios."""
        values = np.array(self.numbers, dtype=np.float64) / 10.0**self.decimals
        tokens = tuple(token_of(number, self.decimals) for number in self.numbers)
        return Vocabulary(tokens, np.log(values)[:, None], f"numbers with {self.name}, by their logarithms (sfumato)")


def token_of(number: int, decimals: int) -> str:
    """Return ``number``, in units of the last of its ``decimals``, as a token: "6412", "0.50"."""
    if decimals == 0:
        return str(number)
    digits = str(number).rjust(decimals + 1, "0")
    return f"{digits[:-decimals]}.{digits[-decimals:]}"


def significant_digits(number: int) -> int:
    """Return how many significant digits ``number`` has, at most :data:`MOST_DIGITS`."""
    return min(len(str(number).rstrip("0")), MOST_DIGITS)


def _mantissas(digits: int) -> Iterator[int]:
    """Yield the numbers of so many digits whose last is not 0, in ascending order; of long ones a public choice."""
    if digits <= _EXACT:
        yield from (number for number in range(10 ** (digits - 1), 10**digits) if number % 10)
    else:
        size = 10 ** (digits - _FREE)
        yield from (lead * size + _tail(lead, size) for lead in range(100, 1000))


def _tail(lead: int, size: int) -> int:
    """Return digits that look arbitrary and do not end in 0, for a long number that begins with ``lead``."""
    hashed = int.from_bytes(sha256(f"{lead} {size}".encode()).digest()[:8], "big")
    tail = hashed % size
    return tail if tail % 10 else tail + 1 + hashed // size % 9
