"""What the entries of a chain say together: budget, currencies, and what became of each reservation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import LedgerError
from sfumato.ledger.accounts import LEVELS
from sfumato.ledger.budget import Budget
from sfumato.ledger.chain import Entry, Head, follows
from sfumato.ledger.currency import Currency

BEGIN, RESERVE, PUBLISH, VOID, RAISE, ADMIT = "begin", "reserve", "publish", "void", "raise", "admit"
RESERVED, PUBLISHED, VOIDED = "reserved", "published", "void"
_ENDS = {PUBLISH: PUBLISHED, VOID: VOIDED}


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


_BY_WORD = [(word, int(level)) for word, level in LEVELS.items()]
_NUMBERS = [(level, int(level)) for level in LEVELS.values()]


def changed(seq: int) -> LedgerError:
    """Return the error of a ledger that is not what was written."""
    return LedgerError(
        f"The ledger was changed or cut at entry {seq}; nothing goes out: restore it from the last copy whose head "
        "is that of your newest statement, and find out who changed it."
    )
