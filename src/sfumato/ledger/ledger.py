"""The face of a ledger: opened by its address and key, it reserves, publishes, takes back and raises a cap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.errors import BudgetError, ConfigurationError, LedgerError
from sfumato.ledger import state as states
from sfumato.ledger.accounts import EVERY, LEVELS, NAMING, Budget, Level, cap_of
from sfumato.ledger.amounts import Currency, nats
from sfumato.ledger.book import Book, Reservation
from sfumato.ledger.chain import Head, digest_of
from sfumato.ledger.charges import Charge, Refused, charges_of, enter, refused, take_back
from sfumato.ledger.store import is_postgres, path_of
from sfumato.options.typed import typed


class Ledger(Book):
    """An account of what was spent on one data set. Make one with `begin`, or `open` an old one."""

    def reserve(self, charges: Iterable[Charge], run: Mapping[str, Any] | None = None) -> Reservation:
        """Reserve all of ``charges``, or none: they are on disk and count as spent when this returns.

        ``charges`` are read twice if some are refused. ``run`` is noted with them; it must hold nothing private.
        Raise BudgetError, which lists every account that cannot pay, and LedgerError.
        """
        if self.state.naming != NAMING:
            raise LedgerError(
                "The ledger was begun by a version that took two spellings of a name for two people, so its accounts "
                "are others; nothing was reserved: begin a new ledger, with caps less what is spent (ledger show)."
            )
        with self.store.writing():
            self._read_on()
            seq = self.head.seq + 1
            currencies = {charge.currency.digest: charge.currency for charge in _each_currency(charges)}
            numbers, opened = self._numbers(currencies.values())
            dataset = self._accounts.of(Level.DATASET, (self.budget.dataset,))
            rows = enter(self.store, self._accounts, seq, charges, numbers, dataset)
            names = {number: currencies[digest].name for digest, number in numbers.items()}
            over = refused(self.store, seq, names)
            if over:
                raise _over_budget(self._named(over, charges))
            facts = {"run": dict(run or {}), "opened": opened, "rows": len(rows), "charges": digest_of(rows)}
            entry = self._append(states.RESERVE, facts)
        return Reservation(self.id, self._written(entry))

    def publish(self, reservation: Reservation, place: str, output: str) -> Head:
        """Let ``output`` get its name at ``place``, and no other output that ``reservation`` paid for, ever.

        Both are marks (`mark`): of the place that was reserved for, and of the output's content. It is noted
        before anything gets a name. Done twice for one output, it is done once. Raise LedgerError.
        """
        with self.store.writing():
            self._read_on()
            self._check_state(reservation, states.RESERVED, states.PUBLISHED)
            self._check_place(reservation, place)
            if self._state.states[reservation.seq] == states.PUBLISHED:
                if self._state.outputs.get(reservation.seq) != output:
                    raise LedgerError(
                        f"The reservation {reservation.seq} has paid for another output, which was published; this "
                        "one gets no name: begin the run afresh, which is paid for again."
                    )
                return self.head
            facts = {"of": reservation.seq, "output": output, "rows": 0, "charges": digest_of([])}
            entry = self._append(states.PUBLISH, facts)
        return self._written(entry)

    @typed
    def void(self, reservation: Reservation, name: str, reason: str) -> Head:
        """Take ``reservation`` back. Done twice, it is done once. Raise LedgerError if its output was published."""
        facts = _answered_for(name, reason)
        with self.store.writing():
            self._read_on()
            self._check_state(reservation, states.RESERVED, states.VOIDED)
            if self._state.states[reservation.seq] == states.VOIDED:
                return self.head
            seq = self.head.seq + 1
            take_back(self.store, seq, reservation.seq)
            rows = charges_of(self.store, seq)
            more = {"of": reservation.seq, "rows": len(rows), "charges": digest_of(rows), **facts}
            entry = self._append(states.VOID, more)
        return self._written(entry)

    @typed
    def raise_cap(self, level: Level, currency: str, cap: float | str, name: str, reason: str) -> Head:
        """Raise the cap of ``currency`` for every account of ``level``, on somebody's word. Raise LedgerError."""
        higher = cap_of(cap)
        with self.store.writing():
            self._read_on()
            named = self.budget.caps.get(level, {})
            before = named.get(currency, named.get(EVERY)) if currency in named or EVERY in named else None
            if before is None or (higher is not None and higher <= before):
                now = "is not limited" if before is None else f"is {nats(before)}"
                raise ConfigurationError(
                    f"A cap can only be raised, and that of {currency} {now}; name a higher one."
                )
            for number, known in self._state.currencies.values():
                if known == currency or (currency == EVERY and known not in named):
                    values = (higher, int(level), number)
                    self.store.do("UPDATE sfumato_limits SET cap = ? WHERE level = ? AND currency = ?", values)
            facts = {"account": level.word, "currency": currency, "cap": higher, "before": before}
            entry = self._append(states.RAISE, {**facts, **_answered_for(name, reason)})
        return self._written(entry)

    @typed
    def admit(self, digest: str, name: str, reason: str) -> Head:
        """Let a further currency of a known name begin, on somebody's word."""
        if len(digest) != 32 or not set(digest) <= set("0123456789abcdef"):
            raise ConfigurationError("A currency is admitted by the 32 hexadecimal digits that the refusal named.")
        with self.store.writing():
            self._read_on()
            facts = {"currency": digest, **_answered_for(name, reason)}
            entry = self._append(states.ADMIT, facts)
        return self._written(entry)

    def _numbers(self, currencies: Iterable[Currency]) -> tuple[dict[str, int], list[tuple[str, int, str]]]:
        """Return the number of each currency, and those that are new, whose caps are entered."""
        numbers: dict[str, int] = {}
        opened: list[tuple[str, int, str]] = []
        for currency in currencies:
            known = self._state.number_of(currency)
            if known is None:
                known = len(self._state.currencies) + len(opened) + 1
                for level, cap in self.budget.limits(currency.name).items():
                    self.store.do("INSERT INTO sfumato_limits VALUES (?, ?, ?)", (int(level), known, cap))
                opened.append((currency.digest, known, currency.name))
            numbers[currency.digest] = known
        return numbers, opened

    def _named(self, over: Sequence[Refused], charges: Iterable[Charge]) -> list[Refused]:
        """Return ``over`` with the names of the accounts, which the ledger does not know. Private."""
        wanted = {row.account for row in over}
        dataset: tuple[str, ...] = (self.budget.dataset,)
        owners = {self._accounts.of(Level.DATASET, dataset): dataset}
        for charge in charges:
            account = self._accounts.of(charge.level, charge.owner)
            if account in wanted:
                owners[account] = charge.owner
        return [replace(row, owner=owners.get(row.account, ())) for row in over]


def _each_currency(charges: Iterable[Charge]) -> Iterable[Charge]:
    """Yield a charge of each currency."""
    seen: set[int] = set()
    for charge in charges:
        if id(charge.currency) not in seen:
            seen.add(id(charge.currency))
            yield charge


def _answered_for(name: str, reason: str) -> dict[str, str]:
    """Return who answers for a change, and why. Raise ConfigurationError if that is not said."""
    with suppress(AttributeError):
        name, reason = name.strip(), reason.strip()
        if name and reason and max(len(name), len(reason)) <= 500:
            return {"name": name, "reason": reason}
    raise ConfigurationError("Say who answers for this change and why, each in at most 500 characters.")


def _over_budget(over: Sequence[Refused]) -> BudgetError:
    """Return the error of accounts that cannot pay. It counts them, and names none."""
    parts = []
    for word, level in LEVELS.items():
        count = len({row.account for row in over if row.level == level})
        if count:
            parts.append("the data set" if level == Level.DATASET else f"{count:,} {word}{'s' if count > 1 else ''}")
    names = sorted({row.currency for row in over})
    return BudgetError(
        f"The budget is spent for {' and '.join(parts)} (in {', '.join(names)}); nothing was reserved and nothing "
        "was drawn: leave them out, or raise the cap with `sfumato ledger raise`, a name and a reason.",
        over,
    )


def key_beside(url: str, key: Path | str | None = None) -> Path:
    """Return the file of the ledger's key: the one named, or the ledger's own name and ".key"."""
    if key is not None:
        return Path(key)
    if is_postgres(url):
        raise ConfigurationError("A ledger in a database needs the file of its key (--ledger-key).")
    path = Path(path_of(url))
    return path.with_name(f"{path.name}.key")


@contextmanager
def kept_ledger(
    ledger: Ledger | str | Path | None, key: Path | str | None, budget: Budget | None, expected: Sequence[Head] = ()
) -> Iterator[Ledger | None]:
    """Give the ledger that keeps ``budget``, opened if only its address is given; None if there is neither.

    Raise ConfigurationError for a budget that no ledger keeps.
    """
    if ledger is None:
        if budget is not None:
            raise ConfigurationError(
                "The policy has a budget, and no ledger keeps it; make one by `sfumato ledger init`, and name it in "
                "[budget] or for the run."
            )
        yield None
    elif isinstance(ledger, Ledger):
        if budget is not None:
            ledger.check_budget(budget)
        yield ledger
    else:
        with open_ledger(str(ledger), key, expected, budget) as opened_here:
            yield opened_here


def open_ledger(
    url: str, key: Path | str | None = None, expected: Sequence[Head] = (), budget: Budget | None = None
) -> Ledger:
    """Open the ledger at ``url``, checked as :meth:`Ledger.open` does. It must have been begun for the ``budget``."""
    ledger = Ledger.open(url, key_beside(url, key), expected)
    try:
        if budget is not None:
            ledger.check_budget(budget)
    except BaseException:
        ledger.close()
        raise
    return ledger
