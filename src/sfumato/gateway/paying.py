"""What conversations pay: every draw that leaves is in the ledger before anything is sent.

A draw of a session is decided by the session's key, so the same value again is the same draw, and the ledger charges
it once. Whoever cannot pay gets nothing, and what was drawn for them is thrown away.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sfumato import version
from sfumato.abstract.batch import PlannedDraws
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import LedgerError
from sfumato.ledger import Charge, Ledger, Level
from sfumato.privacy.randomness import PinnedRandomness
from sfumato.release.account import charges_of
from sfumato.release.plans import Price, check_caps, prices_of


@dataclass(frozen=True, eq=False)
class Till:
    """The ledger of a gateway, with what its draws cost."""

    ledger: Ledger = field(repr=False)
    prices: Mapping[str, Price]

    @classmethod
    def of(cls, ledger: Ledger, sanitizer: Sanitizer, subject_field: str) -> Till:
        """Return the till of ``sanitizer``. Raise ConfigurationError if no ledger can hold its cost."""
        check_caps(ledger.budget, sanitizer, subject_field)
        return cls(ledger, prices_of(sanitizer))

    def pay(
        self, conversation: str, owner: str, planned: Sequence[Sequence[PlannedDraws]], pin: PinnedRandomness,
        texts: Sequence[str],
    ) -> dict[str, float]:  # fmt: skip
        """Charge what is ``planned`` for ``texts``, which leave now; return nats by currency.

        A ``conversation`` pays as a record does, and its ``owner``, the client, as a person. So the caps of a person
        hold for all conversations of a client, whatever they are called.

        Raise BudgetError and LedgerError: then nothing may leave.
        """
        claim = secrets.token_hex(16)
        asked = list(self._charges(conversation, owner, planned, pin.fingerprint(), claim))
        if not asked:
            return {}
        place = self.ledger.mark("place", f"gateway {claim}")
        run = {"claim": claim, "place": place, "program": version.VERSION}
        reservation = self.ledger.reserve(asked, run)
        output = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
        self.ledger.publish(reservation, place, self.ledger.mark("output", output))
        charged = self.ledger.stated(reservation)["charged"]  # without draws that were paid for before
        told = {
            currency: levels.get(Level.SUBJECT.word, {}).get("at_most", 0.0) for currency, levels in charged.items()
        }
        return {currency: float(amount) for currency, amount in told.items() if float(amount)}

    def _charges(
        self, conversation: str, owner: str, planned: Sequence[Sequence[PlannedDraws]], pin: str, claim: str
    ) -> Iterator[Charge]:
        for draws in (draws for own in planned for draws in own):
            price = self.prices.get(draws.treatment)
            if price is None:
                raise LedgerError(
                    "A planned draw is of a treatment that has no price; nothing goes out: report this."
                )
            if price.epsilon and (draws.count or draws.shared):
                yield from charges_of(conversation, owner, draws, price, pin, claim)
