"""What a synthesis pays: each person of the input its ε and its δ, reserved before the first draw.

(ε, δ) of several syntheses of the same people add up, ε and δ each (basic composition; Dwork and Roth 2014, Theorem
3.16). So they are two currencies. People who are held out pay as well: their coin is not disclosed to the ledger.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato import version
from sfumato.errors import LedgerError
from sfumato.files import Parts
from sfumato.ledger import Charge, Ledger, Level, Reservation
from sfumato.ledger.amounts import DP, DP_DELTA, Currency, nano
from sfumato.release.account import CLAIM, place_of, reservation_of
from sfumato.storage.atomic import put
from sfumato.storage.digests import digest_of_everything
from sfumato.synthesis.request import Planned


@dataclass(frozen=True, eq=False)
class Payment:
    """The account of one synthesis into ``data``: reserved, then published with the very output."""

    ledger: Ledger
    data: Path

    @property
    def _parts(self) -> Parts:
        return Parts(self.data, "", "")

    @property
    def _place(self) -> str:
        return place_of(self.ledger, self._parts)

    def reserve(self, people: Sequence[str], subjects: bool, plan: Planned) -> None:
        """Reserve what ``plan`` costs each of ``people``, unless this run has. Raise BudgetError, LedgerError."""
        if (reservation := reservation_of(self.ledger, self._parts)) is not None:
            self.ledger.check_open(reservation, self._place)
            return
        claim = secrets.token_hex(16)
        self._parts.folder.mkdir(mode=0o700, exist_ok=True)
        self._parts.note(CLAIM, json.dumps({"ledger": self.ledger.id, "claim": claim}).encode())
        run = {"claim": claim, "place": self._place, "program": version.VERSION}
        self.ledger.reserve(list(charges(people, subjects, plan)), run)

    def publish(self) -> None:
        """Note that the output exists, and write into its statement what was paid. Raise LedgerError."""
        reservation = self._reserved()
        output = self.ledger.mark("output", digest_of_everything(self.data))
        self.ledger.publish(reservation, self._place, output)
        path = self._parts.statement.path
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        content["ledger"] = self.ledger.stated(reservation)
        put(path, (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))

    def _reserved(self) -> Reservation:
        reservation = reservation_of(self.ledger, self._parts)
        if reservation is None:
            raise LedgerError("The synthesis has no reservation in the ledger, so that nothing goes out.")
        return reservation


def charges(people: Sequence[str], subjects: bool, plan: Planned) -> Iterator[Charge]:
    """Yield the charges of each of ``people``, who are subjects or else records: ε, and δ as an amount of its own."""
    guarantee, level = plan.guarantee, Level.SUBJECT if subjects else Level.RECORD
    if guarantee is None or guarantee.delta is None:
        raise LedgerError("A synthesis without a guarantee has no price; nothing goes out.")
    prices = {DP: guarantee.epsilon, DP_DELTA: guarantee.delta}
    for name, amount in prices.items():
        currency = Currency(name, "DP", "", guarantee.unit, guarantee.adjacency)
        for person in people:
            yield Charge(level, (person,), currency, nano(amount))
