"""The account of a run: reserved before its first draw, published before its output has the name, else void.

The hidden folder of a run holds its claim, a random number that the ledger's entry names too. A folder can be copied,
synced or restored, so the claim alone proves nothing. The entry holds a mark of the output's place, and a run draws
only at that place and only while the entry is reserved. The ledger publishes one output of each reservation, known by
a mark of its content, before anything gets a name. So of two runs that go on from copies of one folder, one output at
most gets a name; and what is still reserved has none, so that it can be taken back.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato import version
from sfumato.abstract.batch import PlannedDraws
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import BudgetError, ConfigurationError, LedgerError
from sfumato.files import Parts
from sfumato.ledger import Charge, Head, Ledger, Level, Reservation
from sfumato.privacy.randomness import PinnedRandomness, Randomness, context
from sfumato.release.plans import (
    Price,
    check_caps,
    digest_of_plans,
    marked_otherwise,
    plans_of,
    prices_of,
)
from sfumato.storage import owned, whole, writing
from sfumato.storage.atomic import sync_folder
from sfumato.storage.digests import digest_of_everything

CLAIM = "claim.json"
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
        reservation, place = self.reservation(parts), place_of(self.ledger, parts)
        plan = digest_of_plans(plans_of(parts, range(tasks)))
        if reservation is not None:
            self.ledger.check_open(reservation, place)
            if claim_of(parts).get("plan") != plan:  # made again since, because it was lost or altered
                raise marked_otherwise(parts)
            return
        claim = secrets.token_hex(16)
        parts.note(CLAIM, json.dumps({"ledger": self.ledger.id, "claim": claim, "plan": plan}).encode())
        charges = _Charges(parts, tasks, self.prices, self.pin, claim)
        run = {"claim": claim, "place": place, "program": version.VERSION}
        try:
            self.ledger.reserve(charges, run)
        except BudgetError as error:
            raise with_the_refused(error, parts.output) from None

    def reservation(self, parts: Parts) -> Reservation | None:
        """Return what was reserved for the parts that are there; None if nothing was."""
        return reservation_of(self.ledger, parts)

    # After the draws.

    def publish(self, parts: Parts, release: Path) -> None:
        """Note that ``release`` gets its name, and no other output of the reservation. Raise LedgerError.

        A run that is killed after that only gives the names that are missing.
        """
        for folder in (parts.folder, release.parent):  # what the ledger notes must not be lost by a power cut
            sync_folder(folder)
        output = self.ledger.mark("output", digest_of_everything(release))
        self.ledger.publish(self._reserved(parts), place_of(self.ledger, parts), output)

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
        """Return the reservation that a stopped run at this very place left; parts from elsewhere are not its own."""
        reservation = self.reservation(parts)
        own = reservation is not None and self.ledger.open_at(reservation) == place_of(self.ledger, parts)
        return reservation if own else None

    def take_back(self, reservation: Reservation | None, parts: Parts) -> None:
        """Make ``reservation`` void if its parts are gone for good and nothing of it was published."""
        if reservation is not None and self.reservation(parts) is None and self.ledger.open_at(reservation):
            self.ledger.void(
                reservation, _SELF, "the run ended before any output had its name, and its parts are gone"
            )


def reservation_of(ledger: Ledger, parts: Parts) -> Reservation | None:
    """Return what ``ledger`` reserved for the ``parts`` that are there; None if nothing was."""
    claim = claim_of(parts)
    return ledger.claimed(str(claim.get("claim"))) if claim.get("ledger") == ledger.id else None


def claim_of(parts: Parts) -> dict[str, Any]:
    """Return the claim of the run whose ``parts`` are there; nothing if there is none."""
    try:
        claim = json.loads(parts.noted(CLAIM) or b"{}")
    except ValueError:
        return {}
    return claim if isinstance(claim, dict) else {}


def has_paid(output: Path) -> bool:
    """Return whether a run into ``output`` that was stopped, or has ended, was charged to a ledger."""
    parts = Parts(output, "", "")
    if parts.noted(CLAIM) is not None:
        return True
    try:
        return bool(json.loads(parts.statement.path.read_bytes()).get("ledger")) and output.exists()
    except (OSError, ValueError, AttributeError):
        return False


def refused_list(output: Path) -> Path:
    """Return where the private list of those who cannot pay for ``output`` goes."""
    return output.with_name(f"{output.name}.refused.jsonl")


def with_the_refused(error: BudgetError, output: Path) -> BudgetError:
    """Return ``error`` with the name of the private list of those who cannot pay, which is written beside."""
    path = refused_list(output)
    with writing(path), whole(path, private=True) as file:
        for row in error.refused:
            file.write(json.dumps(row.as_dict(), ensure_ascii=True).encode() + b"\n")
    return BudgetError(f"{error} Who cannot pay, and what is left: {path.name} (private).", error.refused)


def void_left(ledger: Ledger, output: Path, name: str, reason: str) -> Head:
    """Take back what ``ledger`` reserved for the stopped run that was to write ``output``; its parts are removed.

    The hidden folder of the run may have been moved. Raise LedgerError unless it names a reservation of which nothing
    was published.
    """
    parts = Parts(output, "", "")
    with owned(parts.places):
        reservation = reservation_of(ledger, parts)
        if reservation is None or ledger.open_at(reservation) is None:
            raise LedgerError(
                f"Nothing proves that {output.name} never got its name: the hidden folder of the stopped run is not "
                "there, or the run had begun to give names; the cost stays, and --resume finishes the run for it."
            )
        parts.clear()
        return ledger.void(reservation, name, reason)


def place_of(ledger: Ledger, parts: Parts) -> str:
    """Return the mark of the output's folder and name; two ways to one folder are one place."""
    return ledger.mark("place", str(parts.output.parent.resolve() / parts.output.name))


@dataclass(frozen=True, eq=False)
class _Charges:
    """The charges of a run, read from its plans as often as they are asked for."""

    parts: Parts
    tasks: int
    prices: Mapping[str, Price]
    pin: str
    claim: str

    def __iter__(self) -> Iterator[Charge]:
        for plan in plans_of(self.parts, range(self.tasks)):
            for draws in plan.draws:
                price = self.prices.get(draws.treatment)
                if price is None:
                    raise LedgerError(
                        "A planned draw is of a treatment that has no price; nothing goes out: report this."
                    )
                if price.epsilon:
                    yield from charges_of(plan.id, plan.subject, draws, price, self.pin, self.claim)


def charges_of(
    record: str, subject: str | None, draws: PlannedDraws, price: Price, pin: str, claim: str
) -> Iterator[Charge]:
    """Yield what a record and its subject pay for ``draws``, those that a subject shares one by one.

    ``pin`` is the fingerprint of the key that decides them, empty without one; ``claim`` tells a run from another.
    """
    keyed = context("pin", pin) if pin else b""
    rows = [(1, context(pin or claim, own)) for own in draws.shared]
    if not draws.shared:
        rows = [(draws.count, context(keyed, draws.source) if keyed and draws.source else b"")]
    owners = [(Level.RECORD, record), *([] if subject is None else [(Level.SUBJECT, subject)])]
    for level, owner in owners:
        for times, draw in rows:
            yield Charge(level, (owner,), price.currency, price.amount(times), price.lost(times), draw)
