"""What the tests of ledgers run in processes of their own."""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import BudgetError
from sfumato.ledger import Charge, Currency, Ledger, Level, nano
from sfumato.privacy.guarantee import Guarantee


def charges_until_refused(url: str, key: str, amount: float) -> int:
    """Charge one subject until it cannot pay; return how often it could."""
    currency = Currency.of(Guarantee("LDP", 1.0, "one token", "any two tokens", None, "proof"))
    accepted = 0
    with Ledger.open(url, Path(key)) as ledger:
        while True:
            try:
                ledger.reserve([Charge(Level.SUBJECT, ("ada",), currency, nano(amount))])
            except BudgetError:
                return accepted
            accepted += 1
