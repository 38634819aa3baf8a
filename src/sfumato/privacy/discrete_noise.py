"""Exact integer noise: beside :mod:`sfumato.privacy.sampling` the only file that draws.

N_Z(0, σ²) gives the integer x the probability exp(-x²/(2σ²)) / Σ exp(-y²/(2σ²)). The algorithms are those of Canonne,
Kamath and Steinke (*The Discrete Gaussian for Differential Privacy*, NeurIPS 2020, Algorithms 1 to 3). They need fair
bits, integers and fractions alone. No floating-point number takes part, so that no rounding and no gap between
floating-point numbers moves a probability: the law is the one that the proof is about.

Cost. Let q map data to Z^d, let two neighbours differ by at most Δ in the Euclidean norm of q, and add independent
N_Z(0, σ²) to each coordinate. The release is Δ²/(2σ²)-zero-concentrated DP. For one coordinate and integers a and b
the Rényi divergence of order α between N_Z(a, σ²) and N_Z(b, σ²) is at most α(a - b)²/(2σ²) (their Proposition 5).
Divergences of independent coordinates add up, to at most αΔ²/(2σ²) (their Theorem 14). The (ε, δ) curve is not that
of the continuous Gaussian, whose event must not be used: the event is ``Concentrated(Δ²/(2σ²))``.

Differences from the paper: a coin with a rational chance compares words of 64 bits with the digits of the chance in
base 2^64, until they differ, which is exact as well. The running time depends on what is drawn, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import isqrt

import numpy as np

from sfumato.errors import GuaranteeError
from sfumato.types import IntArray


def discrete_gaussian(variance: Fraction, count: int, words: Iterator[int]) -> IntArray:
    """Return ``count`` independent draws of N_Z(0, ``variance``) from uniform 64-bit ``words``, shape (count,).

    Raise GuaranteeError unless the variance is a fraction or an integer above 0.
    """
    if not isinstance(variance, Fraction | int) or variance <= 0:
        raise GuaranteeError("The variance of discrete noise is an exact fraction above 0.")
    exact = Fraction(variance)
    return np.array([_gaussian(exact, words) for _ in range(count)], dtype=np.int64)


def discrete_laplace(scale: Fraction, words: Iterator[int]) -> int:
    """Return one integer x with a probability proportional to exp(-abs(x)/``scale``) (Algorithm 2).

    Two integers a and b that it is added to are told apart with a loss of at most abs(a - b)/``scale``, exactly.
    Raise GuaranteeError unless the scale is a fraction or an integer above 0.
    """
    if not isinstance(scale, Fraction | int) or scale <= 0:
        raise GuaranteeError("The scale of discrete noise is an exact fraction above 0.")
    return _laplace(*scale.as_integer_ratio(), words)


def _laplace(numerator: int, denominator: int, words: Iterator[int]) -> int:
    """Draw x with a probability proportional to exp(-abs(x) * ``denominator`` / ``numerator``)."""
    while True:
        # fine steps of 1 / numerator, of which every ``denominator`` make a step of the integers
        drawn = _geometric(numerator, words) // denominator
        negative = next(words) & 1
        if drawn or not negative:
            return -drawn if negative else drawn


def _gaussian(variance: Fraction, words: Iterator[int]) -> int:
    """Draw by rejection from the discrete Laplace law whose scale is the whole part of σ, and 1 more."""
    numerator, denominator = variance.as_integer_ratio()
    scale = isqrt(numerator // denominator) + 1
    whole = 2 * numerator * denominator * scale**2
    while True:
        drawn = _laplace(scale, 1, words)
        # (abs(drawn) - variance / scale) ** 2 / (2 * variance), without fractions, which take most of the time
        if _happens_by_exponent((abs(drawn) * denominator * scale - numerator) ** 2, whole, words):
            return drawn


def _geometric(scale: int, words: Iterator[int]) -> int:
    """Draw x >= 0 with a probability proportional to exp(-x/scale)."""
    while True:
        remainder = _below(scale, words)
        if _happens_by_exponent(remainder, scale, words):
            break
    whole = 0
    while _first_failure_is_odd(1, 1, words):
        whole += 1
    return remainder + scale * whole


def _happens_by_exponent(part: int, whole: int, words: Iterator[int]) -> bool:
    """Return True with probability exp(-``part`` / ``whole``), for an exponent of 0 or more."""
    units, rest = divmod(part, whole)
    for _ in range(units):
        if not _first_failure_is_odd(1, 1, words):
            return False
    return _first_failure_is_odd(rest, whole, words)


def _first_failure_is_odd(part: int, whole: int, words: Iterator[int]) -> bool:
    """Return True with probability exp(-``part`` / ``whole``), for an exponent from 0 to 1.

    The first of the coins exponent/1, exponent/2, … that fails has an odd number with that probability.
    """
    number = 1
    while _coin(part, whole * number, words):
        number += 1
    return number % 2 == 1


def _coin(part: int, whole: int, words: Iterator[int]) -> bool:
    """Return True with probability ``part`` / ``whole``, from 0 to 1."""
    if part >= whole:
        return True
    while part:
        digit, part = divmod(part << 64, whole)
        word = next(words)
        if word != digit:
            return word < digit
    return False


def _below(limit: int, words: Iterator[int]) -> int:
    """Return a uniform integer from 0 to ``limit`` - 1."""
    bits = (limit - 1).bit_length()
    while True:
        number = 0
        for _ in range(-(-bits // 64)):
            number = number << 64 | next(words)
        number >>= -bits % 64
        if number < limit:
            return number
