"""What the entries of a chain say together, and the check of a whole ledger: its charges, balances and caps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import LedgerError
from sfumato.ledger.accounts import LEVELS, Accounts, Budget
from sfumato.ledger.amounts import Currency
from sfumato.ledger.chain import Entry, Head, Row, digest_of, follows
from sfumato.ledger.store import Store

BEGIN, RESERVE, PUBLISH, VOID, RAISE, ADMIT = "begin", "reserve", "publish", "void", "raise", "admit"
RESERVED, PUBLISHED, VOIDED = "reserved", "published", "void"
_ENDS = {PUBLISH: PUBLISHED, VOID: VOIDED}
_BY_WORD = [(word, int(level)) for word, level in LEVELS.items()]
_NUMBERS = [(level, int(level)) for level in LEVELS.values()]
_ENTRIES = "SELECT seq, hash, body, mac FROM sfumato_entries ORDER BY seq"
_CHARGES = "SELECT seq, n, level, account, currency, draw, amount, rho FROM sfumato_charges ORDER BY seq, n"
_SUMS = (
    "SELECT level, account, currency, CAST(SUM(amount) AS BIGINT), CAST(SUM(rho) AS BIGINT) FROM sfumato_charges "
    "GROUP BY level, account, currency"
)
_HELD = "SELECT level, account, currency, amount, rho FROM sfumato_balances"
_PAID = "SELECT draw FROM sfumato_charges WHERE draw IS NOT NULL GROUP BY draw HAVING SUM(amount) > 0"
_DRAWS = "SELECT draw FROM sfumato_draws"


@dataclass
class State:
    """The chain as it was read so far. It changes by :meth:`apply` alone."""

    head: Head | None = None
    id: str = ""
    check: str = ""
    naming: int = 1
    began: Budget | None = None
    caps: dict[int, dict[str, int | None]] = field(default_factory=dict)
    currencies: dict[str, tuple[int, str]] = field(default_factory=dict)
    admitted: set[str] = field(default_factory=set)
    states: dict[int, str] = field(default_factory=dict)
    claims: dict[str, int] = field(default_factory=dict)
    places: dict[int, str] = field(default_factory=dict)
    outputs: dict[int, str] = field(default_factory=dict)

    @property
    def budget(self) -> Budget:
        """Return the caps as they are now, after all that were raised."""
        return Budget(self.began.dataset if self.began else "", {LEVELS[w]: self.caps[n] for w, n in _BY_WORD})

    def apply(self, entry: Entry) -> None:
        """Add the next entry. Raise LedgerError if it is not the next one of an unchanged chain, or cannot be."""
        if not follows(entry, self.head):
            raise changed(entry.seq)
        facts = entry.facts
        try:
            self._apply(entry.seq, facts)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise changed(entry.seq) from None
        self.head = entry.head

    def _apply(self, seq: int, facts: dict[str, Any]) -> None:
        kind = facts["kind"]
        if (kind == BEGIN) != (seq == 0):
            raise ValueError
        if kind == BEGIN:
            self.began = Budget.from_dict(facts["budget"])
            self.id, self.check, self.naming = facts["id"], facts["check"], facts.get("naming", 1)
            self.caps = {number: dict(self.began.caps.get(level, {})) for level, number in _NUMBERS}
        elif kind == RESERVE:
            for digest, number, name in facts["opened"]:
                if digest in self.currencies:
                    raise ValueError
                self.currencies[digest] = (int(number), str(name))
            self.states[seq] = RESERVED
            if claim := facts["run"].get("claim"):
                self.claims[claim] = seq
            if where := facts["run"].get("place"):
                self.places[seq] = where
        elif kind in _ENDS:
            if self.states[facts["of"]] != RESERVED:
                raise ValueError
            self.states[facts["of"]] = _ENDS[kind]
            if output := facts.get("output"):
                self.outputs[facts["of"]] = output
        elif kind == RAISE:
            self.caps[int(LEVELS[facts["account"]])][facts["currency"]] = facts["cap"]
        elif kind == ADMIT:
            self.admitted.add(facts["currency"])
        else:
            raise ValueError

    def number_of(self, currency: Currency) -> int | None:
        """Return the number of a currency that has been charged; None if it is new. Raise LedgerError.

        A new one under a known name must have been admitted by a person: it would begin at nothing spent.
        """
        known = self.currencies.get(currency.digest)
        if known is not None:
            return known[0]
        if currency.name in {name for _, name in self.currencies.values()} and currency.digest not in self.admitted:
            raise LedgerError(
                f"The ledger holds {currency.name!r} of another domain, unit or adjacency; amounts of two currencies "
                "are never added, and a new one begins at nothing spent: return to the settings of the first, or "
                f"admit it with `sfumato ledger raise --admit {currency.digest}`, a name and a reason."
            )
        return None


def changed(seq: int) -> LedgerError:
    """Return the error of a ledger that is not what was written."""
    return LedgerError(
        f"The ledger was changed or cut at entry {seq}; nothing goes out: restore it from the last copy whose head "
        "is that of your newest statement, and find out who changed it."
    )


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
