"""The check of a whole ledger: every entry, every charge, every balance, every cap."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from sfumato.errors import LedgerError
from sfumato.ledger.accounts import Accounts
from sfumato.ledger.chain import Entry, Row, digest_of
from sfumato.ledger.state import RESERVE, VOID, VOIDED, State, changed
from sfumato.ledger.store import Store

_ENTRIES = "SELECT seq, hash, body, mac FROM sfumato_entries ORDER BY seq"
_CHARGES = "SELECT seq, n, level, account, currency, draw, amount, rho FROM sfumato_charges ORDER BY seq, n"
_SUMS = (
    "SELECT level, account, currency, CAST(SUM(amount) AS BIGINT), CAST(SUM(rho) AS BIGINT) FROM sfumato_charges "
    "GROUP BY level, account, currency"
)
_HELD = "SELECT level, account, currency, amount, rho FROM sfumato_balances"
_PAID = "SELECT draw FROM sfumato_charges WHERE draw IS NOT NULL GROUP BY draw HAVING SUM(amount) > 0"
_DRAWS = "SELECT draw FROM sfumato_draws"


def verified(store: Store, accounts: Accounts) -> State:
    """Return what the entries say, after checking all of the ledger. Raise LedgerError where it is not right."""
    state = State()
    with closing(store.stream(_ENTRIES)) as entries, closing(store.stream(_CHARGES)) as rows:
        charges = _Charges(rows)
        for row in entries:
            entry = Entry(*row)
            if entry.seq == 0:
                _check_key(entry, accounts)
            if entry.mac != accounts.mac(entry.hash):
                raise changed(entry.seq)
            state.apply(entry)
            _check_charges(entry, charges)
    if state.head is None or not charges.done:
        raise changed(0 if state.head is None else state.head.seq)
    _check_tables(store, state)
    return state


def _check_key(entry: Entry, accounts: Accounts) -> None:
    if entry.facts.get("check") != accounts.check:
        raise LedgerError(
            "This is not the ledger's key; nothing goes out: name the key that the ledger was begun with."
        )


def _check_charges(entry: Entry, charges: _Charges) -> None:
    """Compare the charges of ``entry`` with what its body says of them."""
    facts, rows = entry.facts, charges.of(entry.seq)
    counted = rows or facts.get("kind") in (RESERVE, VOID)
    if counted and (len(rows) != facts.get("rows") or digest_of(rows) != facts.get("charges")):
        raise changed(entry.seq)


def _check_tables(store: Store, state: State) -> None:
    """Compare what is kept for speed with what follows from entries and charges."""
    for one, other in ((_SUMS, _HELD), (_PAID, _DRAWS)):
        for first, second in ((one, other), (other, one)):
            if store.run(f"{first} EXCEPT {second} LIMIT 1"):
                raise LedgerError(
                    "The ledger's balances are not those of its charges; nothing goes out: restore the ledger, and "
                    "find out who changed it."
                )
    void = {seq for (seq,) in store.run("SELECT seq FROM sfumato_void")}
    caps = {
        (level, number): cap for level, number, cap in store.run("SELECT level, currency, cap FROM sfumato_limits")
    }
    wanted: dict[tuple[int, int], Any] = {}
    for number, name in state.currencies.values():
        wanted |= {(int(level), number): cap for level, cap in state.budget.limits(name).items()}
    if void != {seq for seq, what in state.states.items() if what == VOIDED} or caps != wanted:
        raise LedgerError("The ledger's caps or states were changed; nothing goes out: restore the ledger.")


class _Charges:
    """The charges in order, of which each entry takes its own."""

    def __init__(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._rows = rows
        self._next: tuple[Any, ...] | None = next(rows, None)

    def of(self, seq: int) -> list[Row]:
        """Return the charges of the entry ``seq``."""
        own: list[Any] = []
        while self._next is not None and self._next[0] == seq:
            own.append(self._next[1:])
            self._next = next(self._rows, None)
        return own

    @property
    def done(self) -> bool:
        """Return whether every charge belongs to an entry."""
        return self._next is None
