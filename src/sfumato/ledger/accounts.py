"""Accounts: who pays. The ledger knows them by keyed hashes alone, and draws as well."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, LedgerError
from sfumato.ledger.amounts import NANO, nano, stated
from sfumato.privacy.randomness import context
from sfumato.storage.keys import keyed, read_secret
from sfumato.text.document import name_of_person

NAMING = 2
"""How a name becomes an account. Under another rule the account of a person would begin at nothing spent."""


class Level(IntEnum):
    """Whose account it is."""

    RECORD = 0
    SUBJECT = 1
    DATASET = 2

    @property
    def word(self) -> str:
        """Return the name in policies, tables and options."""
        return self.name.lower()


LEVELS = {level.word: level for level in Level}


@dataclass(frozen=True, slots=True)
class Accounts:
    """Names accounts and draws of the ledger ``id`` under its ``key``, which is never in the database."""

    key: bytes = field(repr=False)
    id: str = ""

    def of(self, level: Level, owner: Sequence[str]) -> str:
        """Return the account of ``owner``: a record's id, a subject's name, the data set; one for all spellings."""
        return self._hash(context("account", int(level), *map(name_of_person, owner)))

    def draw(self, account: str, source: bytes) -> str:
        """Return the number of a keyed draw, for one account; ``source`` is all that decides the draw."""
        return self._hash(context("draw", account, source))

    def mac(self, digest: str) -> str:
        """Return the authentication of an entry."""
        return self._hash(context("entry", digest))

    def mark(self, kind: str, content: str) -> str:
        """Return a hash of ``content`` that the ledger may note; marks of two kinds are never alike."""
        return self._hash(context("mark", kind, content))

    @property
    def check(self) -> str:
        """Return what distinguishes two keys and discloses nothing about them."""
        return keyed(self.key, "sfumato ledger key").hex()[:16]

    def _hash(self, content: bytes) -> str:
        return hmac.digest(self.key, context(self.id, content), hashlib.sha256)[:16].hex()


def read_key(path: Path) -> bytes:
    """Return the ledger's key in the file ``path``. Raise LedgerError unless only its owner can read it."""
    try:
        return read_secret(path, "the ledger's key")
    except ConfigurationError as error:
        raise LedgerError(f"{str(error).rstrip('.')}; --ledger-key names the ledger's.") from None


EVERY = "*"
"""The name under which a cap stands for each currency that has no cap of its own at its level."""
UNLIMITED = "unlimited"


@dataclass(frozen=True)
class Budget:
    """The caps of a data set.

    Attributes:
        dataset: The name of the data set.
        caps: For each level the cap of each currency by name, in nano-nats; None is unlimited.
    """

    dataset: str
    caps: Mapping[Level, Mapping[str, int | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.dataset.strip():
            raise ConfigurationError("A budget needs the name of its data set.")
        if not any(self.caps.values()):
            raise ConfigurationError("A budget needs a cap, such as LDP = 20 for each subject.")

    @classmethod
    def of(cls, dataset: str, caps: Mapping[str, Mapping[str, Any]]) -> Budget:
        """Return the budget of ``caps`` in nats, or "unlimited", by level and currency. Raise ConfigurationError."""
        levels: dict[Level, dict[str, int | None]] = {}
        for word, named in caps.items():
            if word not in LEVELS:
                raise ConfigurationError(f"Caps are for {', '.join(LEVELS)}; there is no other account.")
            levels[LEVELS[word]] = {name: cap_of(value) for name, value in named.items()}
        return cls(dataset, levels)

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Budget:
        """Return the budget that :meth:`as_dict` gave."""
        return cls(facts["dataset"], {LEVELS[word]: dict(caps) for word, caps in facts["caps"].items()})

    def as_dict(self) -> dict[str, Any]:
        """Return the budget as JSON types, in one form."""
        caps = {level.word: dict(sorted(named.items())) for level, named in sorted(self.caps.items()) if named}
        return {"dataset": self.dataset, "caps": caps}

    def limits(self, name: str) -> dict[Level, int | None]:
        """Return the cap of the currency ``name`` at each level; None is unlimited.

        Raise ConfigurationError if no level has one: what nobody limited must not be spent.
        """
        limits: dict[Level, int | None] = {}
        for level in Level:
            named = self.caps.get(level, {})
            if name in named or EVERY in named:
                limits[level] = named.get(name, named.get(EVERY))
        if not limits:
            raise ConfigurationError(
                f"The budget has no cap for the currency {name!r}; name one for a record, a subject or the data set "
                f'("{UNLIMITED}" is one too).'
            )
        return {level: limits.get(level) for level in Level}


def cap_of(value: Any) -> int | None:
    """Return a cap in nano-nats, rounded down; None for "unlimited". Raise ConfigurationError."""
    if value == UNLIMITED:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ConfigurationError(f'A cap is a number of nats, such as 8 or 0.5, or "{UNLIMITED}".')
    exact = stated(value)
    nano(exact)  # refuses what no ledger holds
    return int(exact * NANO)
