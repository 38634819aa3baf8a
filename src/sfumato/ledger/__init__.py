"""The account of what was spent: charges reserved before any draw, caps that refuse, a chain that shows changes."""

from __future__ import annotations

from sfumato.ledger.accounts import Budget, Level, read_key
from sfumato.ledger.amounts import Currency, nano, nats
from sfumato.ledger.book import Reservation
from sfumato.ledger.chain import Head
from sfumato.ledger.charges import Charge, Refused
from sfumato.ledger.ledger import Ledger
from sfumato.storage.keys import made_key

__all__ = [
    "Budget",
    "Charge",
    "Currency",
    "Head",
    "Ledger",
    "Level",
    "Refused",
    "Reservation",
    "made_key",
    "nano",
    "nats",
    "read_key",
]
