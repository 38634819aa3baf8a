"""A ledger as it is read: begun or opened, checked as a whole, and asked what it holds.

Every change is one transaction. It reads what others entered meanwhile, checks it, and adds one entry to the chain.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from sfumato.errors import LedgerError
from sfumato.ledger import state as states
from sfumato.ledger.accounts import NAMING, Accounts, Budget, Level, read_key
from sfumato.ledger.amounts import nats
from sfumato.ledger.chain import FIRST, Entry, Head, Witness, body_of, hash_of
from sfumato.ledger.state import State, changed, verified
from sfumato.ledger.store import TABLES, SqliteStore, Store, is_postgres, path_of

_NEXT = "SELECT seq, hash, body, mac FROM sfumato_entries WHERE seq >= ? ORDER BY seq"
_CHARGED = (
    "SELECT level, currency, COUNT(*), CAST(MAX(spent) AS BIGINT) FROM (SELECT level, account, currency, "
    "SUM(amount) AS spent FROM sfumato_charges WHERE seq = ? GROUP BY level, account, currency) AS each_one "
    "GROUP BY level, currency ORDER BY currency, level"
)
_HELD = "SELECT hash FROM sfumato_entries WHERE seq = ?"


@dataclass(frozen=True, slots=True)
class Reservation:
    """Charges that count as spent. ``head`` is that of their entry."""

    ledger: str
    head: Head

    @property
    def seq(self) -> int:
        """Return the number of the entry."""
        return self.head.seq


class Book:
    """The chain of a data set. Make one with `begin`, or `open` an old one."""

    def __init__(self, store: Store, accounts: Accounts, state: State, witness: Witness) -> None:
        self.store, self._accounts, self._state, self._witness = store, accounts, state, witness

    @classmethod
    def begin(cls, url: str, key: Path, budget: Budget) -> Self:
        """Make a ledger at ``url`` for ``budget``, under the key in the file ``key``. Raise LedgerError.

        If it cannot be opened again, nothing of it is left.
        """
        accounts, store = Accounts(read_key(key), os.urandom(16).hex()), _store(url, new=True)
        try:
            with store.writing():
                for statement in TABLES:
                    store.do(statement)
                facts = {"id": accounts.id, "check": accounts.check, "naming": NAMING, "budget": budget.as_dict()}
                _append(store, accounts, None, states.BEGIN, facts)
            return cls.open(url, key)
        except BaseException:
            store.discard()
            with suppress(OSError):
                Witness(key, accounts.id).path.unlink(missing_ok=True)
            raise
        finally:
            store.close()

    @classmethod
    def open(cls, url: str, key: Path, expected: Sequence[Head] = ()) -> Self:
        """Open the ledger at ``url`` and check all of it. Raise LedgerError if it is not what was written.

        It must still hold the heads ``expected``, and the one that this machine saw last.
        """
        store = _store(url)
        try:
            accounts = Accounts(read_key(key), _id_of(store))
            witness = Witness(key, accounts.id)
            seen = [*expected, *filter(None, [witness.head()])]  # before the ledger is read: others go on writing
            with store.reading():
                state = verified(store, accounts)
                for head in seen:
                    if store.run(_HELD, (head.seq,)) != [(head.hash,)]:
                        raise LedgerError(
                            f"The ledger does not hold entry {head.seq} as it was seen before: it is an older copy, "
                            "a copy that went another way, or was changed; nothing goes out: use the newest one."
                        )
        except BaseException:
            store.close()
            raise
        ledger = cls(store, accounts, state, witness)
        witness.note(ledger.head)
        return ledger

    def close(self) -> None:
        """End the connection."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def id(self) -> str:
        """Return the ledger's name, which it keeps."""
        return self._state.id

    @property
    def head(self) -> Head:
        """Return the last entry that was read."""
        return self._state.head or Head(0, FIRST)

    @property
    def budget(self) -> Budget:
        """Return the caps as they are now."""
        return self._state.budget

    @property
    def state(self) -> State:
        """Return what the entries say, as far as they were read."""
        return self._state

    def account(self, level: Level, owner: Sequence[str]) -> str:
        """Return the account of ``owner``, as the ledger names it."""
        return self._accounts.of(level, owner)

    def mark(self, kind: str, content: str) -> str:
        """Return a keyed hash of ``content``, to be noted in the ledger as a mark of this ``kind``."""
        return self._accounts.mark(kind, content)

    def claimed(self, claim: str) -> Reservation | None:
        """Return the reservation of the run that noted ``claim``; None if there is none."""
        with self.store.writing():
            self._read_on()
            seq = self._state.claims.get(claim)
            rows = [] if seq is None else self.store.run(_HELD, (seq,))
        return None if seq is None else Reservation(self.id, Head(seq, rows[0][0]))

    def stated(self, reservation: Reservation) -> dict[str, Any]:
        """Return what a statement says of ``reservation``: where it is in the chain, and the largest charges."""
        names = dict(self._state.currencies.values())
        charged: dict[str, dict[str, Any]] = {}
        for level, number, accounts, most in self.store.run(_CHARGED, (reservation.seq,)):
            at_most = {"accounts": int(accounts), "at_most": nats(int(most))}
            charged.setdefault(names[number], {})[Level(level).word] = at_most
        return {"id": self.id, "entry": reservation.seq, "head": str(reservation.head), "charged": charged}

    def check_budget(self, budget: Budget) -> None:
        """Raise LedgerError if the ledger was begun for another data set or for other caps."""
        if self._state.began is None or budget.as_dict() != self._state.began.as_dict():
            raise LedgerError(
                "The ledger was begun for another budget than the policy's; nothing goes out: name its own ledger, "
                "or return to the caps it was begun with (raise them with `sfumato ledger raise`)."
            )

    def check_open(self, reservation: Reservation, place: str) -> None:
        """Raise LedgerError unless the run at ``place`` may draw what ``reservation`` pays for.

        It may until the output is published. Parts that were copied, or restored later, are of another place or of a
        reservation that has ended. ``place`` is the mark that the run was reserved with.
        """
        with self.store.writing():
            self._read_on()
            self._check_state(reservation, states.RESERVED)
            self._check_place(reservation, place)

    def open_at(self, reservation: Reservation) -> str | None:
        """Return the mark of the place that ``reservation`` is for; None if it is published, void or for no place.

        Nothing of it has a name then, because the ledger publishes before a name is given. Raise LedgerError.
        """
        with self.store.writing():
            self._read_on()
            reserved = self._state.states.get(reservation.seq) == states.RESERVED
            return self._state.places.get(reservation.seq) if reserved else None

    def _check_place(self, reservation: Reservation, place: str) -> None:
        """Raise LedgerError unless ``reservation`` is for ``place``; one without a place is for none."""
        if self._state.places.get(reservation.seq) != place:
            raise LedgerError(
                f"The reservation {reservation.seq} pays for an output in another folder or of another name; nothing "
                "goes out: resume where the run was begun, or take it back here (`sfumato ledger void`) and begin "
                "the run afresh."
            )

    def _check_state(self, reservation: Reservation, *allowed: str) -> None:
        """Raise LedgerError if ``reservation`` is not in this ledger, or in none of the states ``allowed``."""
        held = self.store.run(_HELD, (reservation.seq,)) == [(reservation.head.hash,)]
        state = self._state.states.get(reservation.seq)
        if reservation.ledger != self.id or not held or state not in allowed:
            what = f"is {state} there" if held and state else "is not in this ledger"
            raise LedgerError(
                f"The reservation {reservation.seq} {what}; nothing goes out: begin the run afresh, which is paid "
                "for again."
            )

    def _read_on(self) -> None:
        """Read what others entered since, and check that it follows; inside a transaction."""
        known = self.head
        rows = self.store.run(_NEXT, (known.seq,))
        if not rows or rows[0][:2] != (known.seq, known.hash):
            raise changed(known.seq)
        for row in rows[1:]:
            entry = Entry(*row)
            if entry.mac != self._accounts.mac(entry.hash):
                raise changed(entry.seq)
            self._state.apply(entry)

    def _append(self, kind: str, facts: Mapping[str, Any]) -> Entry:
        """Add an entry to the chain; inside a transaction, after :meth:`_read_on`."""
        return _append(self.store, self._accounts, self.head, kind, facts)

    def _written(self, entry: Entry) -> Head:
        """Take in an entry that is on disk."""
        self._state.apply(entry)
        self._witness.note(entry.head)
        return entry.head


def _store(url: str, new: bool = False) -> Store:
    """Return the store at ``url``; a ``new`` one has no tables yet. Raise LedgerError if it cannot be had."""
    if is_postgres(url):
        from sfumato.ledger.postgres import PostgresStore

        return PostgresStore.connected(url, new)
    return SqliteStore.connected(path_of(url), new)


def _id_of(store: Store) -> str:
    """Return the name of a ledger that is not checked yet; empty if it has none."""
    rows = store.run(_NEXT + " LIMIT 1", (0,))
    content = Entry(*rows[0]).facts.get("id") if rows else ""
    return content if isinstance(content, str) and content.isalnum() else ""


def _append(store: Store, accounts: Accounts, head: Head | None, kind: str, facts: Mapping[str, Any]) -> Entry:
    """Add the next entry to the chain."""
    seq, before = (0, FIRST) if head is None else (head.seq + 1, head.hash)
    body = body_of(kind, facts)
    digest = hash_of(before, body)
    entry = Entry(seq, digest, body, accounts.mac(digest))
    store.do("INSERT INTO sfumato_entries VALUES (?, ?, ?, ?)", (seq, digest, body, entry.mac))
    return entry
