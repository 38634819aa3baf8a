"""Accounts: who pays. The ledger knows them by keyed hashes alone, and draws as well."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from sfumato.errors import ConfigurationError, LedgerError
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
