"""Where a ledger is kept: the tables and the small face that SQLite and PostgreSQL share, and SQLite's."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, Self

from sfumato.errors import ConfigurationError, LedgerError
from sfumato.storage.atomic import undone

WAIT = 10.0
"""Seconds to wait for another writer."""

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


def is_postgres(url: str) -> bool:
    """Return whether ``url`` names a PostgreSQL database, and not a file."""
    return url.startswith(("postgresql://", "postgres://"))


def path_of(url: str) -> str:
    """Return the file of an SQLite ledger. Raise ConfigurationError for an address of another kind."""
    path = url.removeprefix("sqlite:///")
    if "://" in path or not path:
        raise ConfigurationError("A ledger is a file, or a database at postgresql://.")
    return path


def busy() -> LedgerError:
    """Return the error of a ledger that another process is writing."""
    return LedgerError(
        f"Another process has been writing the ledger for more than {WAIT:.0f} s; nothing goes out: wait until it "
        "has ended, and run again."
    )


def too_much() -> LedgerError:
    """Return the error of sums that overflow."""
    return LedgerError("The sum of the charges is more than a ledger holds; nothing goes out.")


class SqliteStore:
    """The tables of a ledger in one file of its owner: a write-ahead log, one writer at a time.

    Every transaction is synced to disk.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, new: bool = False) -> None:
        self._connection, self._path, self._new = connection, path, new

    @classmethod
    def connected(cls, name: str, new: bool = False) -> Self:
        """Return the store in the file ``name``, which must exist, or must not if it is ``new``."""
        path = Path(name)
        if new:
            _create(path)
        elif not path.is_file():
            raise LedgerError(
                f"There is no ledger {path.name}; nothing goes out: make one with `sfumato ledger init`, or correct "
                "the path."
            )
        with _said(), undone(*[path] * new):
            connection = sqlite3.connect(path, timeout=WAIT, isolation_level=None, check_same_thread=False)
        store = cls(connection, path, new)
        try:
            for setting in ("journal_mode=WAL", "synchronous=FULL", "fullfsync=ON"):
                store.do(f"PRAGMA {setting}")
        except BaseException:
            store.discard()
            raise
        return store

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Own the ledger for one transaction."""
        with self._transaction("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See one state of the ledger."""
        with self._transaction("BEGIN"):
            yield

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        with _said():
            self._connection.execute(begin)
        try:
            yield
            with _said():
                self._connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # a failed commit may have ended the transaction
                self._connection.execute("ROLLBACK")
            raise

    def run(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with _said():
            return self._connection.execute(query, values).fetchall()

    def do(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Run a statement that has no rows to give."""
        with _said():
            self._connection.execute(statement, values)

    def stream(self, query: str, values: Sequence[Any] = ()) -> Generator[tuple[Any, ...], None, None]:
        """Yield the rows of a query."""
        with _said():
            yield from self._connection.execute(query, values)

    def add_charges(self, seq: int, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add charges of the entry ``seq``."""
        with _said():
            self._connection.executemany(
                f"INSERT INTO sfumato_charges VALUES ({int(seq)}, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", rows
            )

    def discard(self) -> None:
        """Remove the file of a new store and what SQLite keeps beside it, and end the connection. Raise nothing."""
        self.close()
        if self._new:
            for ending in ("", "-wal", "-shm", "-journal"):
                with suppress(OSError):
                    self._path.with_name(f"{self._path.name}{ending}").unlink(missing_ok=True)

    def close(self) -> None:
        """End the connection."""
        with suppress(sqlite3.Error):  # a full disk: what was committed is in the log
            self._connection.close()


def _create(path: Path) -> None:
    """Make an empty file that its owner alone can read; SQLite gives its log the same mode."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise LedgerError(f"{path.name} exists; a ledger is never replaced: choose another name.") from None
    except OSError as error:
        raise LedgerError(f"{path.name} cannot be written ({error.strerror}); choose another place.") from None


@contextmanager
def _said() -> Iterator[None]:
    """Turn an error of SQLite, which may quote values, into a LedgerError with its kind alone."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise busy() from None
        if name == "SQLITE_INTERNAL" or "overflow" in str(error):
            raise too_much() from None
        raise LedgerError(
            f"The ledger cannot be used ({name}); nothing goes out: check the file, its folder and the disk."
        ) from None
