"""The account of a run: reserved before its first draw, published after its output has the name, void only by proof.

The hidden folder of a run holds its claim, a random number that the ledger's entry names too, and the mark ``naming``
from just before the first rename. A folder with a claim and without the mark proves that no rename began.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato import version
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import BudgetError, ConfigurationError, LedgerError
from sfumato.files import Parts
from sfumato.ledger import Charge, Head, Ledger, Level, Reservation
from sfumato.privacy.randomness import PinnedRandomness, Randomness, context
from sfumato.release.plans import RecordPlan, plans_of
from sfumato.release.prices import Price, check_caps, prices_of
from sfumato.storage import owned, whole, writing

CLAIM, NAMING = "claim.json", "naming"
_SELF = "sfumato"


@dataclass(frozen=True, eq=False)
class Account:
    """The ledger of a run, with what its draws cost."""

    ledger: Ledger
    prices: Mapping[str, Price]
    pin: str

    @classmethod
    def of(cls, ledger: Ledger, sanitizer: Sanitizer, randomness: Randomness, subject_field: str | None) -> Account:
        """Return the account of runs of ``sanitizer``. Raise ConfigurationError if no ledger can hold their cost."""
        if not randomness.private:
            raise ConfigurationError(
                "A seeded run is for tests and protects nobody; leave out the ledger or the seed."
            )
        check_caps(ledger.budget, sanitizer, subject_field)
        pin = randomness.fingerprint() if isinstance(randomness, PinnedRandomness) else ""
        return cls(ledger, prices_of(sanitizer), pin)

    # Before the draws.

    def reserve(self, parts: Parts, tasks: int) -> None:
        """Reserve what the plans of so many ``tasks`` cost, unless this very run has done so. Raise BudgetError."""
        reservation = self.reservation(parts)
        if reservation is not None:
            self.ledger.check_held(reservation)
            return
        claim = secrets.token_hex(16)
        parts.note(CLAIM, json.dumps({"ledger": self.ledger.id, "claim": claim}).encode())
        charges = _Charges(parts, tasks, self.prices, self.pin, claim)
        run = {"claim": claim, "output": self.ledger.mark(_name(parts.output)), "program": version.VERSION}
        try:
            self.ledger.reserve(charges, run)
        except BudgetError as error:
            path = refused_list(parts.output)
            with writing(path), whole(path, private=True) as file:
                for row in error.refused:
                    file.write(json.dumps(row.as_dict(), ensure_ascii=True).encode() + b"\n")
            raise BudgetError(
                f"{error} Who cannot pay, and what is left: {path.name} (private).", error.refused
            ) from None

    def reservation(self, parts: Parts) -> Reservation | None:
        """Return what was reserved for the parts that are there; None if nothing was."""
        return reservation_of(self.ledger, parts)

    # After the draws.

    def check(self, parts: Parts) -> None:
        """Raise LedgerError if the reservation of ``parts`` does not hold any more."""
        self.ledger.check_held(self._reserved(parts))

    def publish(self, parts: Parts) -> None:
        """Note that the output has its name. Raise LedgerError, which says that it does."""
        try:
            self.ledger.publish(self._reserved(parts))
        except LedgerError as error:
            raise LedgerError(
                f"{parts.output} is complete and its cost counts as spent, but the ledger still calls it reserved "
                f"({error}); run again with --resume."
            ) from None

    def facts(self, parts: Parts) -> dict[str, Any]:
        """Return what the statement says of the ledger."""
        return self.ledger.stated(self._reserved(parts))

    def _reserved(self, parts: Parts) -> Reservation:
        reservation = self.reservation(parts)
        if reservation is None:
            raise ConfigurationError("The run has no reservation in the ledger; begin it afresh, without --resume.")
        return reservation

    # Where nothing got its name.

    def left_by(self, parts: Parts) -> Reservation | None:
        """Return the reservation of a stopped run whose parts prove that nothing of it got a name."""
        return None if parts.noted(NAMING) is not None else self.reservation(parts)

    def take_back(self, reservation: Reservation | None, parts: Parts) -> None:
        """Make ``reservation`` void if the folder that proved it is gone for good."""
        if reservation is not None and self.reservation(parts) is None and self._is_open(reservation):
            self.ledger.void(
                reservation, _SELF, "the run ended before any output had its name, and its parts are gone"
            )

    def _is_open(self, reservation: Reservation) -> bool:
        return self.ledger.state.states.get(reservation.seq) == "reserved"


def reservation_of(ledger: Ledger, parts: Parts) -> Reservation | None:
    """Return what ``ledger`` reserved for the ``parts`` that are there; None if nothing was."""
    content = parts.noted(CLAIM)
    try:
        facts = json.loads(content) if content else {}
        return ledger.claimed(facts["claim"]) if facts["ledger"] == ledger.id else None
    except (ValueError, KeyError, TypeError):
        return None


def publish_open(ledger: Ledger, statement: Mapping[str, Any]) -> None:
    """Publish what a finished run with this ``statement`` reserved, if that is still open. Raise LedgerError."""
    try:
        head = Head.parse(statement["ledger"]["head"])
    except (ConfigurationError, KeyError, TypeError, AttributeError):
        raise LedgerError(
            "The statement of the finished run does not say what the ledger reserved for it; begin the run afresh."
        ) from None
    ledger.publish(Reservation(ledger.id, head))


def refused_list(output: Path) -> Path:
    """Return where the private list of those who cannot pay for ``output`` goes."""
    return output.with_name(f"{output.name}.refused.jsonl")


def void_left(ledger: Ledger, output: Path, name: str, reason: str) -> Head:
    """Take back what ``ledger`` reserved for the stopped run that was to write ``output``; its parts are removed.

    Raise LedgerError unless the run's hidden folder proves that no output of it ever had its name.
    """
    parts = Parts(output, "", "")
    with owned(parts.places):
        reservation = reservation_of(ledger, parts)
        if reservation is None or parts.noted(NAMING) is not None:
            raise LedgerError(
                f"Nothing proves that {output.name} never got its name: the hidden folder of the stopped run is not "
                "there, or the run had begun to give names; the cost stays, and --resume finishes the run for it."
            )
        ledger.check_held(reservation)
        parts.clear()
        return ledger.void(reservation, name, reason)


def _name(output: Path) -> str:
    return str(output.absolute())


@dataclass(frozen=True, eq=False)
class _Charges:
    """The charges of a run, read from its plans as often as they are asked for."""

    parts: Parts
    tasks: int
    prices: Mapping[str, Price]
    pin: str
    claim: str

    def __iter__(self) -> Iterator[Charge]:
        for plan in plans_of(self.parts, self.tasks):
            for draws in plan.draws:
                price = self.prices.get(draws.treatment)
                if price is None:
                    raise LedgerError(
                        "A planned draw is of a treatment that has no price; nothing goes out: report this."
                    )
                if price.epsilon:
                    yield from self._of(plan, draws.count, draws.source, draws.shared, price)

    def _of(
        self, plan: RecordPlan, count: int, source: bytes, shared: tuple[bytes, ...], price: Price
    ) -> Iterator[Charge]:
        """Yield what a record and its subject pay for ``count`` draws, those that a subject shares one by one."""
        keyed = context("pin", self.pin) if self.pin else b""
        rows = [(1, context(self.pin or self.claim, own)) for own in shared]
        if not shared:
            rows = [(count, context(keyed, source) if keyed and source else b"")]
        owners = [(Level.RECORD, plan.id), *([] if plan.subject is None else [(Level.SUBJECT, plan.subject)])]
        for level, owner in owners:
            for times, draw in rows:
                yield Charge(level, (owner,), price.currency, price.amount(times), price.lost(times), draw)
