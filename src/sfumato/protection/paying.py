"""What a synthesis pays: each record and each person of the input its ε and its δ, reserved before the first draw.

(ε, δ) of several syntheses of the same people add up, ε and δ each (basic composition; Dwork and Roth 2014, Theorem
3.16). So they are two currencies. People who are held out pay as well: their coin is not disclosed to the ledger.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato import version
from sfumato.errors import BudgetError, LedgerError
from sfumato.files import Parts
from sfumato.ledger import Charge, Ledger, Level, Reservation
from sfumato.ledger.amounts import DP, DP_DELTA, Currency, nano
from sfumato.release.account import CLAIM, claim_of, place_of, reservation_of, with_the_refused
from sfumato.storage.atomic import put
from sfumato.storage.digests import digest_of_everything
from sfumato.synthesis.request import Planned

Owners = Sequence[tuple[Level, str]]
"""Whose accounts pay: records by their ids, and subjects by their names."""


@dataclass(frozen=True, eq=False)
class Payment:
    """The account of one synthesis into ``data``: reserved, then published with the very output."""

    ledger: Ledger
    data: Path

    def reserve(self, owners: Owners, plan: Planned, resumes: bool) -> None:
        """Reserve what ``plan`` costs ``owners``; a run that ``resumes`` has done so, for the same owners and plan.

        What a run left that is given up is taken back first: none of it was ever released. Raise BudgetError, with a
        private list beside the output, and LedgerError.
        """
        asked = list(charges(owners, plan))
        digest = _digest(asked)
        left = reservation_of(self.ledger, self._parts)
        if left is not None and resumes:
            self.ledger.check_open(left, self._place)
            if claim_of(self._parts).get("plan") != digest:
                raise LedgerError(
                    "The stopped synthesis was paid for other people, or at another price; nothing goes out."
                )
            return
        self._give_up(left)
        claim = secrets.token_hex(16)
        self._parts.folder.mkdir(mode=0o700, exist_ok=True)
        self._parts.note(CLAIM, json.dumps({"ledger": self.ledger.id, "claim": claim, "plan": digest}).encode())
        run = {"claim": claim, "place": self._place, "program": version.VERSION}
        try:
            self.ledger.reserve(asked, run)
        except BudgetError as error:
            self._parts.clear()  # nothing was paid
            raise with_the_refused(error, self.data) from None

    @property
    def is_published(self) -> bool:
        """Return whether the output's statement says what was paid, which is written last."""
        path = self._parts.statement.path
        return path.exists() and "ledger" in json.loads(path.read_text(encoding="utf-8"))

    def publish(self) -> None:
        """Note that the output exists, and write into its statement what was paid. Raise LedgerError.

        How many accounts paid is left out: the guarantee is for one more or less, and the number would tell.
        """
        reservation = self._reserved()
        output = self.ledger.mark("output", digest_of_everything(self.data))
        self.ledger.publish(reservation, self._place, output)
        path = self._parts.statement.path
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        content["ledger"] = _without_counts(self.ledger.stated(reservation))
        put(path, (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
        self._parts.clear()

    @property
    def _parts(self) -> Parts:
        return Parts(self.data, "", "")

    @property
    def _place(self) -> str:
        return place_of(self.ledger, self._parts)

    def _give_up(self, left: Reservation | None) -> None:
        """Take back what a run at this very place reserved, whose parts go."""
        own = left is not None and self.ledger.open_at(left) == self._place
        self._parts.clear()
        if left is not None and own:
            self.ledger.void(left, "sfumato", "the synthesis was given up, and none of it was released")

    def _reserved(self) -> Reservation:
        reservation = reservation_of(self.ledger, self._parts)
        if reservation is None:
            raise LedgerError("The synthesis has no reservation in the ledger, so that nothing goes out.")
        return reservation


def charges(owners: Owners, plan: Planned) -> Iterator[Charge]:
    """Yield the charges of each of ``owners``: ε, and δ as an amount of its own."""
    guarantee = plan.guarantee
    if guarantee is None or guarantee.delta is None:
        raise LedgerError("A synthesis without a guarantee has no price; nothing goes out.")
    prices = {DP: guarantee.epsilon, DP_DELTA: guarantee.delta}
    for name, amount in prices.items():
        currency = Currency(name, "DP", "", guarantee.unit, guarantee.adjacency)
        for level, owner in owners:
            yield Charge(level, (owner,), currency, nano(amount))


def _digest(asked: Sequence[Charge]) -> str:
    """Return what two lists of charges share exactly if they are one."""
    rows = sorted((int(each.level), *each.owner, each.currency.digest, each.amount) for each in asked)
    return hashlib.sha256(json.dumps(rows).encode("utf-8", "surrogatepass")).hexdigest()


def _without_counts(stated: Mapping[str, Any]) -> dict[str, Any]:
    charged = {
        currency: {level: {"at_most": paid["at_most"]} for level, paid in levels.items()}
        for currency, levels in stated["charged"].items()
    }
    return {**stated, "charged": charged}
