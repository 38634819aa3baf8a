"""Amounts of privacy loss as whole numbers of nano-nats, and the currencies that they are amounts of.

Amounts are rounded up and never down: a sum of floats can lose a spend to rounding, a sum of integers cannot. Amounts
of two currencies are never added.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from sfumato.errors import ConfigurationError
from sfumato.privacy.guarantee import Guarantee, compared, marked_alike

NANO = 10**9
MICRO = 10**6
"""The parts of 1 in which ρ is counted: for ρ = ε²/2, whose sums grow faster."""
MOST = 10**15
"""The largest single amount, in nano-nats: a million nats."""
MOST_OF_ACCOUNT = 4 * 10**18
"""What no account may exceed, whatever its cap, so that sums of 64 bits never wrap around."""

_DIGITS = 400


LDP = "LDP"
DP, DP_DELTA = "DP", "DP delta"
"""ε and δ of whole records or people, for syntheses: two currencies, because each adds up by itself."""
_ANY_TWO = compared(
    marked_alike("two versions of what the account is about", "with the same labels, as the same kinds,"),
    "any two tokens that every charged draw compares",
    drawn_for="document, record or subject that shares draws",
    sharing=("of the same domain", "of the same written form where forms are kept"),
)


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


@dataclass(frozen=True, slots=True)
class Currency:
    """A definition with everything that gives its ε a meaning.

    Attributes:
        name: What people call it in caps and tables: "LDP", "DATE per day".
        definition: LDP or metric-LDP.
        distance: The distance that ε is per unit of, with its unit; empty for LDP.
        unit: What one draw is for.
        adjacency: What the draws make hard to distinguish.
        domain: A hash of the domain, if the distance comes from its vectors; else empty.
    """

    name: str
    definition: str
    distance: str
    unit: str
    adjacency: str
    domain: str = ""

    @classmethod
    def of(cls, guarantee: Guarantee, kind: str = "", domain: str = "") -> Currency:
        """Return the currency of a ``guarantee`` for values of ``kind``. Raise ConfigurationError for DP.

        All of LDP is one currency: the sum of its ε bounds the loss over all draws. Amounts per unit of a distance
        are in the currency of their kind, distance and adjacency.
        """
        if guarantee.definition == "LDP":
            return cls(LDP, LDP, "", "all draws of an account", _ANY_TWO)
        if guarantee.definition != "metric-LDP":
            raise ConfigurationError(f"The ledger holds no charges of {guarantee.definition}; only of LDP.")
        distance = f"{guarantee.distance} in {guarantee.per}" if guarantee.per else str(guarantee.distance)
        per = f"per {guarantee.per}" if guarantee.per else f"by {guarantee.distance}"
        name = f"{kind or 'metric-LDP'} {per}"
        return cls(name, "metric-LDP", distance, guarantee.unit, guarantee.adjacency, "" if guarantee.per else domain)

    @property
    def text(self) -> str:
        """Return the canonical text, of which :attr:`digest` is a hash."""
        return json.dumps(
            ["sfumato currency 1", self.name, self.definition, self.distance, self.unit, self.adjacency, self.domain]
        )

    @property
    def digest(self) -> str:
        """Return what two currencies share exactly if they are one."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]
