"""Where a ledger is kept: a few SQL statements that SQLite and PostgreSQL share, behind one small face."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from sfumato.errors import ConfigurationError

WAIT = 10.0
"""So many seconds a ledger that another process is writing is waited for."""

TABLES = (
    "CREATE TABLE sfumato_entries (seq BIGINT PRIMARY KEY, hash TEXT NOT NULL, body TEXT NOT NULL, "
    "mac TEXT NOT NULL)",
    "CREATE TABLE sfumato_charges (seq BIGINT NOT NULL, n BIGINT NOT NULL, level INTEGER NOT NULL, "
    "account TEXT NOT NULL, currency INTEGER NOT NULL, draw TEXT, amount BIGINT NOT NULL, rho BIGINT NOT NULL, "
    "PRIMARY KEY (seq, n))",
    "CREATE UNIQUE INDEX sfumato_charges_draw ON sfumato_charges (draw, seq) WHERE draw IS NOT NULL",
    "CREATE TABLE sfumato_balances (level INTEGER NOT NULL, account TEXT NOT NULL, currency INTEGER NOT NULL, "
    "amount BIGINT NOT NULL, rho BIGINT NOT NULL, PRIMARY KEY (level, account, currency))",
    "CREATE TABLE sfumato_draws (draw TEXT PRIMARY KEY, seq BIGINT NOT NULL)",
    "CREATE TABLE sfumato_void (seq BIGINT PRIMARY KEY)",
    "CREATE TABLE sfumato_limits (level INTEGER NOT NULL, currency INTEGER NOT NULL, cap BIGINT, "
    "PRIMARY KEY (level, currency))",
)

NAMES = tuple(f"sfumato_{name}" for name in ("entries", "charges", "balances", "draws", "void", "limits"))
"""The names of the tables."""


class Store(Protocol):
    """A database with the tables of one ledger. Every method raises LedgerError, which names no address."""

    def writing(self) -> AbstractContextManager[None]:
        """Own the ledger for one transaction, which is on disk when the block ends, or never was."""

    def reading(self) -> AbstractContextManager[None]:
        """See one state of the ledger in the block, whatever others write meanwhile."""

    def run(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query, in which ``?`` stands for a value."""

    def do(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Run a statement that has no rows to give."""

    def stream(self, query: str, values: Sequence[Any] = ()) -> Generator[tuple[Any, ...], None, None]:
        """Yield the rows of a query."""

    def add_charges(self, seq: int, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add charges of the entry ``seq``; of two with one draw the first stays."""

    def discard(self) -> None:
        """Remove the tables of a new store, if they were made here, and end the connection. Raise nothing."""

    def close(self) -> None:
        """End the connection."""


def create(url: str) -> Store:
    """Return a new store at ``url``, without tables yet. Raise LedgerError if something is there."""
    return _store(url, True)


def opened(url: str) -> Store:
    """Return the store at ``url``. Raise LedgerError if it cannot be reached."""
    return _store(url, False)


def is_postgres(url: str) -> bool:
    """Return whether ``url`` names a PostgreSQL database, and not a file."""
    return url.startswith(("postgresql://", "postgres://"))


def path_of(url: str) -> str:
    """Return the file of an SQLite ledger. Raise ConfigurationError for an address of another kind."""
    path = url.removeprefix("sqlite:///")
    if "://" in path or not path:
        raise ConfigurationError("A ledger is a file, or a database at postgresql://.")
    return path


def _store(url: str, new: bool) -> Store:
    if is_postgres(url):
        from sfumato.ledger.postgres import PostgresStore

        return PostgresStore.connected(url, new)
    from sfumato.ledger.sqlite import SqliteStore

    return SqliteStore.connected(path_of(url), new)
