"""The chain: each entry holds the hash of the one before it, so that a changed or cut ledger shows.

An entry is ``SHA-256(hash of the entry before, body)``; the body is canonical JSON. A time in it is for people alone:
entries are ordered by their numbers.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, LedgerError, SfumatoError

FIRST = "0" * 64
Row = tuple[int, int, str, int, str | None, int, int]
"""A charge as it is kept: its number in the entry, level, account, currency, draw, amount, ρ."""


_LENGTH = 256


@dataclass(frozen=True, slots=True)
class Head:
    """The number and the hash of an entry: what a ledger must still hold later."""

    seq: int
    hash: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> Head:
        """Return the head that ``text`` is. Raise ConfigurationError."""
        seq, _, digest = text.strip().partition(":")
        if not (seq.isdecimal() and len(seq) < 16 and len(digest) == 64 and set(digest) <= set("0123456789abcdef")):
            raise ConfigurationError("A head is a number, a colon and 64 hexadecimal digits, as a statement has it.")
        return cls(int(seq), digest)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the chain."""

    seq: int
    hash: str
    body: str
    mac: str

    @property
    def head(self) -> Head:
        """Return number and hash."""
        return Head(self.seq, self.hash)

    @property
    def facts(self) -> dict[str, Any]:
        """Return what the body says. Raise LedgerError if it is not JSON."""
        try:
            content = json.loads(self.body)
        except ValueError:
            content = None
        if not isinstance(content, dict):
            raise LedgerError(f"The ledger was changed: entry {self.seq} cannot be read; nothing goes out.")
        return content


def body_of(kind: str, facts: Mapping[str, Any]) -> str:
    """Return the body of a new entry. Its nonce keeps anyone from guessing what a published hash is of."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    content = {"kind": kind, "time": now, "nonce": secrets.token_hex(16), **facts}
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def hash_of(before: str, body: str) -> str:
    """Return the hash of an entry with this ``body`` after the hash ``before``."""
    return hashlib.sha256(f"sfumato ledger entry\n{before}\n{body}".encode()).hexdigest()


def digest_of(rows: Iterable[Row]) -> str:
    """Return a hash over the charges of an entry, in order."""
    digest = hashlib.sha256(b"sfumato ledger charges\n")
    for row in rows:
        digest.update(b"%d,%d,%s,%d,%s,%d,%d\n" % row_bytes(row))
    return digest.hexdigest()


def row_bytes(row: Row) -> tuple[int, int, bytes, int, bytes, int, int]:
    """Return ``row`` with its texts as bytes."""
    n, level, account, currency, draw, amount, rho = row
    return n, level, account.encode(), currency, (draw or "").encode(), amount, rho


def follows(entry: Entry, before: Head | None) -> bool:
    """Return whether ``entry`` is the next one after ``before`` in an unchanged chain."""
    seq, digest = (0, FIRST) if before is None else (before.seq + 1, before.hash)
    return entry.seq == seq and entry.hash == hash_of(digest, entry.body)


@dataclass(frozen=True, slots=True)
class Witness:
    """The file beside ``key`` that names the last head of the ledger ``id``."""

    key: Path
    id: str

    @property
    def path(self) -> Path:
        """Return where the head is."""
        return self.key.with_name(f"{self.key.name}.{self.id[:8]}.head")

    def head(self) -> Head | None:
        """Return the last head that was seen; None if none was. Raise LedgerError for a file that says nothing."""
        try:
            content = self.path.read_bytes()
            return Head.parse(json.loads(content)["head"]) if content.strip(b"\0") else None
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, SfumatoError):
            raise LedgerError(
                f"{self.path.name}, which names the last head of the ledger, cannot be read; nothing goes out: "
                "remove it if the newest statement's head verifies (sfumato ledger verify --statement)."
            ) from None

    def note(self, head: Head) -> None:
        """Keep ``head`` unless a later one is known.

        The charge is on disk already when this is called, so a witness that cannot be written stops nothing. It is
        not synced: after a power cut it may name an earlier head, which any newer ledger holds as well. It is written
        in place and in one piece, because a rename for each charge would wait for the disk.
        """
        with suppress(OSError, LedgerError):
            known = self.head()
            if known is None or known.seq < head.seq:
                content = json.dumps({"ledger": self.id, "head": str(head)}).encode().ljust(_LENGTH)
                file = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
                try:
                    os.write(file, content)
                finally:
                    os.close(file)
