"""A ledger that was changed, cut, rolled back, forked or copied is refused; so is one that cannot be reached."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from ledger_server import Server
from sfumato.errors import LedgerError
from sfumato.ledger import Budget, Charge, Ledger, Level, made_key, store

from .conftest import AT, charge, metric

CANARY = "ZEBRAFINCH"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    made_key(tmp_path / "key")
    return tmp_path / "key"


@pytest.fixture
def file(tmp_path: Path, key: Path) -> Path:
    path = tmp_path / "ledger.sqlite"
    with Ledger.begin(str(path), key, Budget.of("notes", {"subject": {"*": 5}, "record": {"LDP": 3}})) as ledger:
        first = ledger.reserve([charge(CANARY, 0.5, draw=b"d1"), charge(CANARY, 0.5, Level.RECORD)], AT)
        ledger.publish(first, "here", "out")
        second = ledger.reserve([charge("ben", 1), charge("ben", 0.25, currency=metric(), draw=b"d2")])
        ledger.void(second, "Kim", "stopped")
        ledger.raise_cap(Level.RECORD, "LDP", 4, "Kim", "more")
        ledger.reserve([charge("ben", 1)])
    return path


CHANGES = [
    "UPDATE sfumato_balances SET amount = amount - 1 WHERE amount > 0",
    "DELETE FROM sfumato_balances WHERE level = 1",
    "INSERT INTO sfumato_balances VALUES (1, 'x', 1, 0, 0)",
    "UPDATE sfumato_charges SET amount = amount - 1 WHERE seq = 1 AND n = 0",
    "UPDATE sfumato_charges SET account = 'x' WHERE seq = 1 AND n = 0",
    "DELETE FROM sfumato_charges WHERE seq = 1 AND n = 0",
    "INSERT INTO sfumato_charges VALUES (2, 0, 1, 'x', 1, NULL, -1000, 0)",
    "INSERT INTO sfumato_charges VALUES (99, 0, 1, 'x', 1, NULL, -1000, 0)",
    "INSERT INTO sfumato_draws VALUES ('x', 1)",
    "DELETE FROM sfumato_draws",
    "DELETE FROM sfumato_void",
    "INSERT INTO sfumato_void VALUES (1)",
    "UPDATE sfumato_limits SET cap = cap + 1 WHERE cap IS NOT NULL",
    "UPDATE sfumato_limits SET cap = NULL",
    "DELETE FROM sfumato_limits",
    "DELETE FROM sfumato_entries WHERE seq = (SELECT MAX(seq) FROM sfumato_entries)",
    "DELETE FROM sfumato_entries WHERE seq = 2",
    "DELETE FROM sfumato_entries",
    "UPDATE sfumato_entries SET mac = 'x' WHERE seq = 2",
    "UPDATE sfumato_entries SET hash = substr(hash, 2) || substr(hash, 1, 1) WHERE seq = 2",
    "UPDATE sfumato_entries SET body = replace(body, 'stopped', 'finished')",
    "UPDATE sfumato_entries SET body = 'no JSON' WHERE seq = 1",
    "UPDATE sfumato_entries SET seq = seq + 1 WHERE seq = (SELECT MAX(seq) FROM sfumato_entries)",
    "DROP TABLE sfumato_balances",
    "UPDATE sfumato_charges SET amount = amount - 1 WHERE seq = 1 AND n = 0; UPDATE sfumato_balances SET "
    "amount = amount - 1 WHERE account = (SELECT account FROM sfumato_charges WHERE seq = 1 AND n = 0)",
]


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_shows(file: Path, key: Path, change: str) -> None:
    Ledger.open(str(file), key).close()
    for witness in key.parent.glob("key.*.head"):
        witness.unlink()  # what the ledger holds is refused by itself
    with sqlite3.connect(file) as connection:
        connection.executescript(change)
    connection.close()
    with pytest.raises(LedgerError, match="nothing goes out") as told:
        Ledger.open(str(file), key)
    assert CANARY not in str(told.value)


def test_a_chain_computed_again_without_the_key_is_refused(file: Path, key: Path) -> None:
    from sfumato.ledger.chain import FIRST, hash_of

    with sqlite3.connect(file) as connection:
        before = FIRST
        for seq, body in connection.execute("SELECT seq, body FROM sfumato_entries ORDER BY seq").fetchall():
            other = body.replace("stopped", "finished")
            before = hash_of(before, other)
            connection.execute("UPDATE sfumato_entries SET body = ?, hash = ? WHERE seq = ?", (other, before, seq))
    connection.close()
    for witness in key.parent.glob("key.*.head"):
        witness.unlink()
    with pytest.raises(LedgerError, match="changed or cut"):
        Ledger.open(str(file), key)


def test_an_older_copy_is_refused(file: Path, key: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    shutil.copy(file, copy)
    with Ledger.open(str(file), key) as ledger:
        ledger.reserve([charge("ada", 1)])
        head = ledger.head
    with pytest.raises(LedgerError, match="does not hold entry"):
        Ledger.open(str(copy), key)
    [witness] = key.parent.glob("key.*.head")
    witness.unlink()  # another machine has none, and a statement's head says the same
    with pytest.raises(LedgerError, match="does not hold entry"):
        Ledger.open(str(copy), key, [head])
    witness.write_text("{}")
    with pytest.raises(LedgerError, match="last head"):
        Ledger.open(str(file), key)


def test_two_copies_that_went_two_ways_are_told_apart(file: Path, key: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    shutil.copy(file, copy)
    with Ledger.open(str(copy), key) as fork:
        with Ledger.open(str(file), key) as ledger:
            ledger.reserve([charge("ada", 1)])
        fork.reserve([charge("ada", 1)])  # the fork was open already; the next to open it is told
    with pytest.raises(LedgerError, match="does not hold entry"):
        Ledger.open(str(copy), key)


@pytest.mark.parametrize("change", ["DELETE FROM sfumato_entries", "UPDATE sfumato_entries SET hash = 'x'"])
def test_a_ledger_rolled_back_under_an_open_one_is_refused(file: Path, key: Path, change: str) -> None:
    with Ledger.open(str(file), key) as ledger:
        ledger.reserve([charge("ada", 1)])
        with sqlite3.connect(file) as connection:
            connection.execute(f"{change} WHERE seq = (SELECT MAX(seq) FROM sfumato_entries)")
        connection.close()
        with pytest.raises(LedgerError, match="changed or cut"):
            ledger.reserve([charge("ada", 1)])


def test_what_cannot_be_reached_is_refused(tmp_path: Path, file: Path, key: Path) -> None:
    with pytest.raises(LedgerError, match="There is no ledger"):
        Ledger.open(str(tmp_path / "none"), key)
    (tmp_path / "text").write_text("no ledger at all " * 100)
    with pytest.raises(LedgerError, match="nothing goes out"):
        Ledger.open(str(tmp_path / "text"), key)
    (tmp_path / "empty").touch()
    with pytest.raises(LedgerError, match="nothing goes out"):
        Ledger.open(str(tmp_path / "empty"), key)
    with pytest.raises(LedgerError, match="cannot be read"):
        Ledger.open(str(file), tmp_path / "nokey")


def test_a_ledger_that_another_holds_is_waited_for_and_then_refused(
    file: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "WAIT", 0.2)
    with Ledger.open(str(file), key) as ledger, sqlite3.connect(file, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="Another process"):
            ledger.reserve([charge("ada", 1)])
        other.execute("ROLLBACK")
        ledger.reserve([charge("ada", 1)])
    other.close()


def test_a_ledger_syncs_every_transaction(file: Path, key: Path) -> None:
    with Ledger.open(str(file), key) as ledger:
        assert ledger.store.run("PRAGMA synchronous") == [(2,)]
        assert ledger.store.run("PRAGMA journal_mode") == [("wal",)]


def test_no_name_is_in_the_ledger_its_log_or_its_witness(file: Path, key: Path) -> None:
    with Ledger.open(str(file), key) as ledger:
        ledger.reserve([charge(CANARY, 0.5, draw=CANARY.encode())])
        beside = [path for path in file.parent.iterdir() if path.is_file()]
        assert any(path.name.endswith("-wal") for path in beside)
        assert not [path for path in beside if CANARY.encode() in path.read_bytes()]
        assert not [path for path in beside if key.read_bytes() in path.read_bytes() and path != key]
        assert all(path.stat().st_mode & 0o077 == 0 for path in beside)
    assert CANARY not in repr(Charge(Level.RECORD, (CANARY,), metric(), 1, draw=CANARY.encode()))


def test_two_ledgers_under_one_key_share_no_account(file: Path, key: Path, tmp_path: Path) -> None:
    with Ledger.open(str(file), key) as ledger:
        other = Ledger.begin(str(tmp_path / "other"), key, Budget.of("notes", {"subject": {"*": 5}}))
        assert other.account(Level.SUBJECT, ("ada",)) != ledger.account(Level.SUBJECT, ("ada",))
        other.close()


def test_entries_are_ordered_by_number_whatever_the_clock_says(file: Path, key: Path, monkeypatch) -> None:
    from datetime import UTC, datetime

    from sfumato.ledger import chain

    class Earlier(datetime):
        @classmethod
        def now(cls, zone=None):
            return datetime(1999, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(chain, "datetime", Earlier)
    with Ledger.open(str(file), key) as ledger:
        head = ledger.publish(ledger.reserve([charge("ada", 1)], AT), "here", "out")
    monkeypatch.undo()
    with Ledger.open(str(file), key) as ledger:
        assert ledger.head == head
        [row] = ledger.store.run("SELECT body FROM sfumato_entries WHERE seq = ?", (head.seq,))
        assert json.loads(row[0])["time"].startswith("1999")


def test_a_database_that_may_lose_charges_is_refused(server: Server, key: Path) -> None:
    import psycopg

    url = server.database()
    Ledger.begin(url, key, Budget.of("notes", {"subject": {"LDP": 1}})).close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    try:
        told = ""
        for _ in range(50):  # the server reads its settings again in its own time
            try:
                Ledger.open(url, key).close()
            except LedgerError as error:
                told = str(error)
        assert "fsync is off" in told
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM RESET fsync")
            connection.execute("SELECT pg_reload_conf()")


def test_an_error_of_the_database_names_no_address(key: Path) -> None:
    address = f"postgresql://{CANARY}:{CANARY}@127.0.0.1:1/{CANARY}"
    with pytest.raises(LedgerError, match="nothing goes") as told:
        Ledger.open(address, key)
    assert CANARY not in str(told.value)
    assert told.value.__suppress_context__
    assert store.is_postgres(address)


def test_a_server_stopped_hard_keeps_what_was_reserved(server: Server, key: Path) -> None:
    url = server.database()
    Ledger.begin(url, key, Budget.of("notes", {"subject": {"LDP": 1}})).close()
    ledger = Ledger.open(url, key)
    accepted = [ledger.reserve([charge("ada", 0.1)], AT) for _ in range(3)]
    server.stop("immediate")
    try:
        with pytest.raises(LedgerError, match="nothing goes"):
            ledger.reserve([charge("ada", 0.1)])
        with pytest.raises(LedgerError, match="nothing goes"):
            Ledger.open(url, key)
    finally:
        server.start()
    ledger.close()
    with Ledger.open(url, key, [accepted[-1].head]) as again:
        assert again.state.states == {held.seq: "reserved" for held in accepted}
        again.publish(accepted[0], "here", "out")
