"""Amounts of privacy loss as whole numbers of nano-nats, rounded up and never down.

A sum of floats can lose a spend to rounding; a sum of integers cannot.
"""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from sfumato.errors import ConfigurationError

NANO = 10**9
MICRO = 10**6
"""The parts of 1 in which ρ is counted: for ρ = ε²/2, whose sums grow faster."""
MOST = 10**15
"""The largest single amount, in nano-nats: a million nats."""
MOST_OF_ACCOUNT = 4 * 10**18
"""What no account may exceed, whatever its cap, so that sums of 64 bits never wrap around."""

_DIGITS = 400


def stated(amount: float | int | str | Decimal | Fraction) -> Fraction:
    """Return ``amount`` exactly as a statement prints it: the float 0.1 is the decimal 0.1.

    Raise ConfigurationError for what is not a finite number of 0 or more.
    """
    try:
        exact = amount if isinstance(amount, Fraction) else Fraction(_decimal(amount))
    except (InvalidOperation, ValueError, OverflowError):
        raise ConfigurationError("An amount is a finite number of nats, such as 8 or 0.5.") from None
    if exact < 0:
        raise ConfigurationError("An amount of nats is 0 or more.")
    return exact


def nano(amount: float | int | str | Decimal | Fraction, times: int = 1) -> int:
    """Return ``times`` the ``amount``, which is in nats, as nano-nats, rounded up. Raise ConfigurationError."""
    if times < 0:
        raise ConfigurationError("A number of draws is 0 or more.")
    total = math.ceil(stated(amount) * times * NANO)
    if total > MOST:
        raise ConfigurationError("An amount is more than a million nats, which no ledger holds.")
    return total


def _decimal(amount: float | int | str | Decimal) -> Decimal:
    """Return ``amount`` as a decimal number. Raise ValueError for more digits than any float has.

    As a fraction, "1e999999999" would fill the memory.
    """
    exact = Decimal(str(amount))
    if exact.is_finite() and not -_DIGITS <= exact.as_tuple().exponent <= _DIGITS:  # type: ignore[operator]
        raise ValueError("too many digits")
    return exact


def nats(amount: int) -> str:
    """Return nano-nats as a decimal number of nats, exactly."""
    whole, part = divmod(abs(amount), NANO)
    sign = "-" if amount < 0 else ""
    return f"{sign}{whole}" + (f".{part:09d}".rstrip("0") if part else "")
