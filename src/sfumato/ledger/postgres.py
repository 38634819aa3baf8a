"""A ledger for a team: PostgreSQL through psycopg, one writer at a time by a lock on the chain."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any, Self

from sfumato.errors import LedgerError, MissingExtraError
from sfumato.ledger.store import NAMES, WAIT, busy, too_much

try:
    import psycopg
except ImportError:
    raise MissingExtraError(
        "A ledger in PostgreSQL needs the extra postgres; install it with: pip install 'sfumato[postgres]'"
    ) from None

_OPTIONS = f"-c lock_timeout={WAIT * 1000:.0f} -c synchronous_commit=off -c statement_timeout=600000"
_FLUSH = "SELECT set_config('synchronous_commit', 'on', true), pg_logical_emit_message(true, 'sfumato', '')"
_LOCKED = ("55P03", "40P01")  # lock not available, deadlock
_AT_ONCE = 20_000
_TYPES = "bigint[], int[], text[], int[], text[], bigint[], bigint[]"


class PostgresStore:
    """The tables of a ledger in one database."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]], new: bool = False) -> None:
        self._connection = connection
        self._new, self._made = new, False
        self._cursors = count()

    @classmethod
    def connected(cls, url: str, new: bool = False) -> Self:
        """Return the store at ``url``. Raise LedgerError if it cannot be reached, or does not sync to disk."""
        with _said():
            connection = psycopg.connect(
                url, autocommit=True, connect_timeout=int(WAIT), options=_OPTIONS, client_encoding="utf8"
            )
        store = cls(connection, new)
        unsafe = [
            name for name in ("fsync", "full_page_writes")
            if store.run(f"SHOW {name}") == [("off",)]
        ]  # fmt: skip
        there = store.run("SELECT to_regclass('sfumato_entries') IS NOT NULL") == [(True,)]
        [(encoding,)] = store.run("SHOW server_encoding")
        foreign = new and encoding != "UTF8"
        if unsafe or foreign or there == new:
            store.close()
        if unsafe:
            raise LedgerError(f"The database may lose what was charged ({unsafe[0]} is off); nothing goes out.")
        if foreign:
            raise LedgerError(
                f"The database has the encoding {encoding}, in which a ledger may be read otherwise than it was "
                "written; nothing was made: create a database with the encoding UTF8 (createdb -E UTF8 -T template0)."
            )
        if there and new:
            raise LedgerError("The database holds a ledger; a ledger is never replaced: choose another database.")
        if not there and not new:
            raise LedgerError(
                "The database holds no ledger; nothing goes out: make one with `sfumato ledger init`, or correct the "
                "address."
            )
        return store

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Own the ledger for one transaction.

        Statements wait until one has rows to give, so that few ways to and fro are made under the lock. The commit
        is synced after the lock is given back, by a transaction of its own, with those of other clients together:
        syncing the log syncs all that was written before. Nobody draws before that.
        """
        with _said():
            try:
                with self._connection.pipeline():
                    self.do("BEGIN")
                    if not self._new:
                        self.do("LOCK TABLE sfumato_entries IN EXCLUSIVE MODE")
                    yield
                    self.do("COMMIT")
                self._made = self._new
            except BaseException:
                with suppress(psycopg.Error):  # a lost connection has rolled back already
                    self._connection.rollback()
                raise
            self._connection.execute(_FLUSH, prepare=True)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See one state of the ledger."""
        with _said(), self._connection.transaction():
            self._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield

    def run(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with _said():
            return self._connection.execute(_own(query), values, prepare=True).fetchall()

    def do(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Run a statement that has no rows to give."""
        with _said():
            self._connection.execute(_own(statement), values, prepare=True)

    def stream(self, query: str, values: Sequence[Any] = ()) -> Generator[tuple[Any, ...], None, None]:
        """Yield the rows of a query, which the server keeps."""
        with _said(), self._connection.cursor(f"sfumato_{next(self._cursors)}") as cursor:
            cursor.itersize = _AT_ONCE
            cursor.execute(_own(query), values)
            yield from cursor

    def add_charges(self, seq: int, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add charges of the entry ``seq``."""
        casts = ", ".join(f"%s::{kind}" for kind in _TYPES.split(", "))
        statement = f"INSERT INTO sfumato_charges SELECT {int(seq)}, * FROM unnest({casts}) ON CONFLICT DO NOTHING"
        with _said():
            for start in range(0, len(rows), _AT_ONCE):
                columns = [list(column) for column in zip(*rows[start : start + _AT_ONCE], strict=True)]
                self._connection.execute(statement, columns, prepare=True)

    def discard(self) -> None:
        """Drop the tables that this store made, and end the connection. Raise nothing."""
        if self._made:
            with suppress(psycopg.Error):
                self._connection.execute("; ".join(f"DROP TABLE IF EXISTS {name}" for name in NAMES))
        self.close()

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


def _own(statement: str) -> str:
    return statement.replace("?", "%s")


@contextmanager
def _said() -> Iterator[None]:
    """Turn an error of PostgreSQL, which may quote values or the address, into a LedgerError with its kind alone."""
    try:
        yield
    except psycopg.Error as error:
        state = getattr(error, "sqlstate", None)
        if state in _LOCKED:
            raise busy() from None
        if state == "22003":
            raise too_much() from None
        raise LedgerError(
            f"The ledger's database does not answer as it should ({state or type(error).__name__}); nothing goes "
            "out: check the address and the server, and run again."
        ) from None
