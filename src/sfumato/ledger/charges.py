"""Charges: who is to pay how much, in which currency, and for which draw if it is a keyed one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sfumato.ledger.accounts import Level
from sfumato.ledger.amounts import nats
from sfumato.ledger.currency import Currency


@dataclass(frozen=True, slots=True)
class Charge:
    """What one owner is to pay. Private: it holds the owner's name.

    Attributes:
        level: Whether the owner is a record or a subject.
        owner: The name, in parts.
        currency: What the amount is of.
        amount: Nano-nats; for metric-LDP per unit of the distance.
        rho: The ρ of zero-concentrated DP in millionths, for LDP; else 0.
        draw: Everything that decides a keyed draw, or that makes two charges of one run the same draw. A draw is paid
            once. Empty for draws that are never the same.
    """

    level: Level
    owner: tuple[str, ...] = field(repr=False)
    currency: Currency
    amount: int
    rho: int = 0
    draw: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """An account that cannot pay. Private where ``owner`` is known. Amounts are nano-nats."""

    level: Level
    account: str
    currency: str
    spent: int
    asked: int
    cap: int
    owner: tuple[str, ...] = field(default=(), repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the line of a private list, in nats."""
        return {
            "account": self.level.word,
            "id": self.owner[-1] if self.owner else None,
            "currency": self.currency,
            "cap": nats(self.cap),
            "spent": nats(self.spent),
            "asked": nats(self.asked),
            "left": nats(max(0, self.cap - self.spent)),
        }
