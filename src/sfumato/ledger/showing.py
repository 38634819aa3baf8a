"""What a ledger shows: how much is spent at most of each account, and who is near a cap, if the names are given."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

from sfumato.ledger.accounts import UNLIMITED, Level
from sfumato.ledger.amounts import MICRO, NANO, nats
from sfumato.ledger.ledger import Ledger
from sfumato.privacy.composition import DELTA, epsilon_of_rho

NEAR = 0.8
"""The share of a cap from which an account is near it."""

_ACCOUNTS = (
    "SELECT held.level, held.currency, COUNT(*), MAX(held.amount), MAX(held.rho), MAX(allowed.cap), "
    "SUM(CASE WHEN held.amount >= 0.8 * allowed.cap THEN 1 ELSE 0 END), "
    "SUM(CASE WHEN held.amount >= allowed.cap THEN 1 ELSE 0 END) "
    "FROM sfumato_balances AS held JOIN sfumato_limits AS allowed "
    "ON allowed.level = held.level AND allowed.currency = held.currency "
    "GROUP BY held.level, held.currency ORDER BY held.level, held.currency"
)
_ONE = (
    "SELECT held.currency, held.amount, held.rho, allowed.cap FROM sfumato_balances AS held "
    "JOIN sfumato_limits AS allowed ON allowed.level = held.level AND allowed.currency = held.currency "
    "WHERE held.level = ? AND held.account = ? ORDER BY held.currency"
)


def shown(ledger: Ledger) -> dict[str, Any]:
    """Return the ledger's facts as JSON types: nobody's name, and amounts in nats."""
    names = dict(ledger.state.currencies.values())
    counts: dict[str, int] = {}
    for what in ledger.state.states.values():
        counts[what] = counts.get(what, 0) + 1
    rows = ledger.store.run(_ACCOUNTS)
    return {
        "id": ledger.id,
        "head": str(ledger.head),
        "budget": ledger.budget.as_dict(),
        "reservations": dict(sorted(counts.items())),
        "accounts": [_of_accounts(names, *map(_whole, row)) for row in rows],
        "unspent": [*_unspent(ledger, {(int(row[0]), names[int(row[1])]) for row in rows})],
    }


def _unspent(ledger: Ledger, spent: Container[tuple[int, str]]) -> Iterator[dict[str, Any]]:
    """Yield the caps of which nothing is spent yet; that of every other currency too, which nothing uses up."""
    for level, caps in sorted(ledger.budget.caps.items()):
        for currency, cap in sorted(caps.items()):
            if (int(level), currency) not in spent:
                yield {"account": level.word, "currency": currency, "cap": _cap(cap)}


def _cap(cap: int | None) -> str:
    return UNLIMITED if cap is None else nats(cap)


def _of_accounts(
    names: dict[int, str], level: int, currency: int, count: int, amount: int, rho: int, cap: int | None,
    near: int, full: int,
) -> dict[str, Any]:  # fmt: skip
    return {
        "account": Level(level).word,
        "currency": names[currency],
        "accounts": count,
        "spent_at_most": nats(amount),
        "cap": _cap(cap),
        "near": near,
        "full": full,
        **_with_delta(amount, rho),
    }


def near(ledger: Ledger, level: Level, names: Iterable[str], share: float = NEAR) -> list[dict[str, Any]]:
    """Return what each of ``names`` has spent and has left, where it spent the ``share`` of a cap. Private.

    The ledger knows nobody's name, so only an account whose name is given can be looked up.
    """
    currencies = dict(ledger.state.currencies.values())
    rows = []
    for name in dict.fromkeys(names):
        for number, amount, rho, cap in ledger.store.run(_ONE, (int(level), ledger.account(level, (name,)))):
            if cap is None or amount < share * cap:
                continue
            row = {"id": name, "currency": currencies[number], "spent": nats(amount), "cap": nats(cap)}
            rows.append({**row, "left": nats(max(0, cap - amount)), **_with_delta(amount, rho)})
    return rows


def _with_delta(amount: int, rho: int) -> dict[str, Any]:
    """Return the ε of (ε, δ) that the ρ gives, for LDP, where it is less than the ``amount`` itself."""
    epsilon = epsilon_of_rho(rho / MICRO, DELTA)
    return {"epsilon_by_zcdp": epsilon, "delta": DELTA} if rho and epsilon < amount / NANO else {}


def _whole(value: Any) -> Any:
    return None if value is None else int(value)
