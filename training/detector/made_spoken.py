"""Numbers in the words of a caller."""

from __future__ import annotations

import random

_DIGITS = ["oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def spoken(rng: random.Random, digits: str) -> str:
    """Return digits as a caller says them: two three, double seven, oh."""
    words: list[str] = []
    place = 0
    while place < len(digits):
        digit = int(digits[place])
        twice = digits[place : place + 2] == 2 * digits[place] and rng.random() < 0.6
        word = "zero" if digit == 0 and rng.random() < 0.3 else _DIGITS[digit]
        words.append(f"double {word}" if twice else word)
        place += 2 if twice else 1
        if rng.random() < 0.2 and place < len(digits):
            words[-1] += ","
    return " ".join(words)


_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def in_words(number: int) -> str:
    """Return a number below a hundred in words."""
    if number < 20:
        return _ONES[number]
    return _TENS[number // 10 - 2] + (f"-{_ONES[number % 10]}" if number % 10 else "")
