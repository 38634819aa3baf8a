"""Charges: who is to pay how much and for which draw; how they become balances, and are taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from sfumato.ledger.accounts import Accounts, Level
from sfumato.ledger.amounts import MOST_OF_ACCOUNT, Currency, nats
from sfumato.ledger.chain import Row
from sfumato.ledger.store import Store

_AT_ONCE = 50_000
_FEW = 100
_New = tuple[int, str, int, str | None, int, int]
"""A charge to be entered: level, account, currency, draw, amount, ρ."""
_SPENT_BEFORE = (
    "UPDATE sfumato_charges SET amount = 0, rho = 0 WHERE seq = ? AND draw IS NOT NULL "
    "AND draw IN (SELECT draw FROM sfumato_draws)"
)
_PAID_NOW = (
    "INSERT INTO sfumato_draws SELECT draw, seq FROM sfumato_charges WHERE seq = ? AND draw IS NOT NULL "
    "ON CONFLICT DO NOTHING"
)
_ADDED = (
    "INSERT INTO sfumato_balances SELECT level, account, currency, CAST(SUM(amount) AS BIGINT), "
    "CAST(SUM(rho) AS BIGINT) FROM sfumato_charges WHERE seq = ? GROUP BY level, account, currency "
    "ON CONFLICT (level, account, currency) DO UPDATE SET amount = sfumato_balances.amount + excluded.amount, "
    "rho = sfumato_balances.rho + excluded.rho"
)
_COSTLIEST = (
    "SELECT currency, CAST(MAX(spent) AS BIGINT), CAST(MAX(lost) AS BIGINT) FROM (SELECT currency, "
    "SUM(amount) AS spent, SUM(rho) AS lost FROM sfumato_charges WHERE seq = ? AND level = ? "
    "GROUP BY account, currency) AS each_one GROUP BY currency ORDER BY currency"
)
_OVER = (
    "SELECT asked.level, asked.account, asked.currency, held.amount - asked.amount, asked.amount, "
    "COALESCE(allowed.cap, ?) FROM (SELECT level, account, currency, SUM(amount) AS amount FROM sfumato_charges "
    "WHERE seq = ? GROUP BY level, account, currency) AS asked JOIN sfumato_balances AS held "
    "ON held.level = asked.level AND held.account = asked.account AND held.currency = asked.currency "
    "LEFT JOIN sfumato_limits AS allowed ON allowed.level = asked.level AND allowed.currency = asked.currency "
    "WHERE asked.amount > 0 AND (held.amount > COALESCE(allowed.cap, ?) OR held.rho > ?)"
)
_REFUNDS = (
    "SELECT level, account, currency, draw, -amount, -rho FROM sfumato_charges AS own WHERE seq = ? AND amount > 0 "
    "AND level < ? AND (draw IS NULL OR NOT EXISTS (SELECT 1 FROM sfumato_charges AS other "
    "WHERE other.draw = own.draw AND other.seq <> own.seq AND other.amount >= 0 "
    "AND other.seq NOT IN (SELECT seq FROM sfumato_void))) ORDER BY n"
)
_OF_DATASET = (
    "SELECT level, account, currency, draw, -amount, -rho FROM sfumato_charges WHERE seq = ? AND level = ? ORDER BY n"
)
_FORGET = (
    "DELETE FROM sfumato_draws WHERE draw IN (SELECT draw FROM sfumato_charges WHERE seq = ? AND draw IS NOT NULL)"
)
CHARGES = "SELECT n, level, account, currency, draw, amount, rho FROM sfumato_charges WHERE seq = ? ORDER BY n"


@dataclass(frozen=True, slots=True)
class Charge:
    """What one owner is to pay. Private: it holds the owner's name.

    Attributes:
        level: Whether the owner is a record or a subject.
        owner: The name, in parts.
        currency: What the amount is of.
        amount: Nano-nats; for metric-LDP per unit of the distance.
        rho: The ρ of zero-concentrated DP in millionths, for LDP; else 0.
        draw: Everything that decides a keyed draw, or that makes two charges of one run the same draw. A draw is paid
            once. Empty for draws that are never the same.
    """

    level: Level
    owner: tuple[str, ...] = field(repr=False)
    currency: Currency
    amount: int
    rho: int = 0
    draw: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """An account that cannot pay. Private where ``owner`` is known. Amounts are nano-nats."""

    level: Level
    account: str
    currency: str
    spent: int
    asked: int
    cap: int
    owner: tuple[str, ...] = field(default=(), repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the line of a private list, in nats."""
        return {
            "account": self.level.word,
            "id": self.owner[-1] if self.owner else None,
            "currency": self.currency,
            "cap": nats(self.cap),
            "spent": nats(self.spent),
            "asked": nats(self.asked),
            "left": nats(max(0, self.cap - self.spent)),
        }


def enter(
    store: Store, accounts: Accounts, seq: int, charges: Iterable[Charge], numbers: Mapping[str, int], dataset: str
) -> list[Row]:
    """Enter ``charges`` under ``seq``, add them to the balances, and return them as they are kept.

    What was paid for before costs nothing. ``numbers`` are those of currencies by digest. The account ``dataset``
    pays what the costliest subject pays, or the costliest record of a run that names no subjects.
    """
    rows = _rows(accounts, charges, numbers)
    batch = list(islice(rows, _FEW))
    if len(batch) < _FEW and all(row[3] is None for row in batch):
        entered = [(n, *row) for n, row in enumerate([*batch, *_of_dataset(dataset, _costliest(batch))])]
        if entered:
            store.add_charges(seq, entered)
    else:
        _enter_many(store, seq, chain(batch, rows), dataset)
        entered = charges_of(store, seq)
    store.do(_ADDED, (seq,))
    return entered


def _enter_many(store: Store, seq: int, rows: Iterator[_New], dataset: str) -> None:
    """Enter ``rows`` in batches, of which the database finds out those that were paid before."""
    n, keyed, level = 0, False, Level.RECORD
    while batch := list(islice(rows, _AT_ONCE)):
        store.add_charges(seq, [(n + place, *row) for place, row in enumerate(batch)])
        n += len(batch)
        keyed = keyed or any(row[3] is not None for row in batch)
        if any(row[0] == Level.SUBJECT for row in batch):
            level = Level.SUBJECT
    if keyed:
        store.do(_SPENT_BEFORE, (seq,))
        store.do(_PAID_NOW, (seq,))
    costliest = store.run(_COSTLIEST, (seq, int(level)))
    own = [(n + place, *row) for place, row in enumerate(_of_dataset(dataset, costliest))]
    if own:
        store.add_charges(seq, own)


def _costliest(rows: Sequence[_New]) -> list[tuple[int, int, int]]:
    """Return the largest total of a subject, or of a record if there are no subjects, by currency."""
    level = max((row[0] for row in rows), default=0)
    totals: dict[tuple[int, str], list[int]] = {}
    for row in rows:
        if row[0] == level:
            total = totals.setdefault((row[2], row[1]), [0, 0])
            total[0] += row[4]
            total[1] += row[5]
    most: dict[int, tuple[int, int]] = {}
    for (currency, _), (amount, rho) in totals.items():
        before = most.get(currency, (0, 0))
        most[currency] = (max(before[0], amount), max(before[1], rho))
    return [(currency, *amounts) for currency, amounts in sorted(most.items())]


def _of_dataset(dataset: str, costliest: Sequence[Sequence[int]]) -> list[_New]:
    """Return the charges of the data set."""
    return [(int(Level.DATASET), dataset, currency, None, amount, rho) for currency, amount, rho in costliest]


def _rows(accounts: Accounts, charges: Iterable[Charge], numbers: Mapping[str, int]) -> Iterator[_New]:
    digests: dict[int, int] = {}  # a run has a handful of currencies, and hashes none of them twice
    for charge in charges:
        number = digests.get(id(charge.currency))
        if number is None:
            number = digests[id(charge.currency)] = numbers[charge.currency.digest]
        account = accounts.of(charge.level, charge.owner)
        draw = accounts.draw(account, charge.draw) if charge.draw else None
        yield int(charge.level), account, number, draw, charge.amount, charge.rho


def refused(store: Store, seq: int, names: Mapping[int, str]) -> list[Refused]:
    """Return the accounts that the charges of ``seq`` take above their caps."""
    most = MOST_OF_ACCOUNT
    rows = store.run(_OVER, (most, seq, most, most))
    return [
        Refused(Level(level), account, names[currency], int(spent), int(asked), int(cap))
        for level, account, currency, spent, asked, cap in rows
    ]


def take_back(store: Store, seq: int, of: int) -> None:
    """Enter under ``seq`` what the void reservation ``of`` gets back, and take it from the balances.

    A draw that another living run repeats stays paid, and then the data set stays charged as well.
    """
    rows = store.run(_REFUNDS, (of, int(Level.DATASET)))
    charged = sum(row[5] > 0 for row in store.run(CHARGES, (of,)) if row[1] != Level.DATASET)
    if len(rows) == charged:
        rows += store.run(_OF_DATASET, (of, int(Level.DATASET)))
    entered: Sequence[tuple[object, ...]] = [(n, *row) for n, row in enumerate(rows)]
    if entered:
        store.add_charges(seq, entered)
    store.do(_ADDED, (seq,))
    store.do(_FORGET, (seq,))
    store.do("INSERT INTO sfumato_void VALUES (?)", (of,))


def charges_of(store: Store, seq: int) -> list[Row]:
    """Return the charges of one entry, in order."""
    return store.run(CHARGES, (seq,))
