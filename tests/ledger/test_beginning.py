"""A ledger begins whole, or nothing of it is left: no file, no table, no key."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from command_line import call
from ledger_server import Server
from sfumato.errors import LedgerError, OutputError
from sfumato.ledger import Budget, Ledger, made_key
from sfumato.ledger import book as books
from sfumato.protection.signing import Signer
from sfumato.storage import atomic

from .conftest import charge

BUDGET = Budget.of("notes", {"subject": {"LDP": 1}})
CAPS = ("--dataset", "notes", "--cap", "subject:LDP=1")


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_of_another_encoding_is_refused_before_anything_is_written(
    server: Server, key: Path, encoding: str
) -> None:
    """initdb without a locale makes databases in SQL_ASCII; they read as if somebody had changed entry 0."""
    import psycopg

    url = server.database(encoding)
    for _ in range(2):
        with pytest.raises(LedgerError, match=f"has the encoding {encoding}.*createdb -E UTF8"):
            Ledger.begin(url, key, BUDGET)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchall() == [(0,)]


def test_the_encoding_of_a_client_changes_nothing(server: Server, key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "SQL_ASCII")
    url = server.database()
    Ledger.begin(url, key, BUDGET).close()
    with Ledger.open(url, key) as ledger:
        ledger.reserve([charge("ada", 0.5)])


@pytest.mark.parametrize("step", [*range(1, 11), "opened"])
def test_a_ledger_that_cannot_be_begun_leaves_nothing_and_can_be_begun_again(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int | str
) -> None:
    """Whichever statement fails, as on a full disk; and if what was written cannot be read again."""
    made_key(tmp_path / "key")
    before = sorted(path.name for path in tmp_path.iterdir())
    with monkeypatch.context() as failing:
        if step == "opened":
            failing.setattr(books, "verified", _failing)
        else:
            from sfumato.ledger.sqlite import SqliteStore

            stores: list[Any] = [SqliteStore]
            if books.stores.is_postgres(url):
                from sfumato.ledger.postgres import PostgresStore

                stores = [PostgresStore]
            done, kept = [0], stores[0].do

            def do(self: Any, *arguments: Any) -> None:
                done[0] += 1
                if done[0] == step:
                    raise LedgerError("the disk is full")
                kept(self, *arguments)

            failing.setattr(stores[0], "do", do)
        with pytest.raises(LedgerError, match="the disk is full"):
            Ledger.begin(url, tmp_path / "key", BUDGET)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    Ledger.begin(url, tmp_path / "key", BUDGET).close()


def _failing(*_: object) -> None:
    raise LedgerError("the disk is full")


def test_a_ledger_that_is_there_is_not_removed_by_a_refusal(url: str, key: Path) -> None:
    Ledger.begin(url, key, BUDGET).close()
    with pytest.raises(LedgerError, match="never replaced"):
        Ledger.begin(url, key, BUDGET)
    Ledger.open(url, key).close()


def test_the_command_leaves_no_key_of_a_ledger_that_did_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "spent.sqlite"
    with monkeypatch.context() as failing:
        failing.setattr(books, "verified", _failing)
        assert "the disk is full" in call("ledger", "init", path, *CAPS).err
        assert not list(tmp_path.iterdir())
        own = tmp_path / "own.key"
        made_key(own)
        call("ledger", "init", path, *CAPS, "--ledger-key", own)
        assert list(tmp_path.iterdir()) == [own]  # it was there before
    assert call("ledger", "init", path, *CAPS).code == 0


def test_a_full_disk_leaves_no_half_of_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as failing:
        failing.setattr(os, "fsync", full)
        with pytest.raises(OutputError, match="cannot be written"):
            made_key(tmp_path / "key")
        assert call("ledger", "init", tmp_path / "spent.sqlite", *CAPS).code != 0
        assert not list(tmp_path.iterdir())
    made_key(tmp_path / "key")


def test_a_signing_key_is_made_with_its_public_half_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, done = os.replace, list[object]()

    def public_half_fails(*paths: Any) -> None:
        done.append(paths)
        if len(done) == 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(*paths)

    with monkeypatch.context() as failing:
        failing.setattr(atomic.os, "replace", public_half_fails)
        with pytest.raises(OutputError, match="cannot be written"):
            Signer.of_file(tmp_path / "signing.key")
    assert not list(tmp_path.iterdir())
    Signer.of_file(tmp_path / "signing.key")


@pytest.mark.parametrize("second", ["subject:LDP=2", "subject:LDP=1", " subject : LDP =3"])
def test_two_caps_for_one_account_are_refused(tmp_path: Path, second: str) -> None:
    """The second one replaced the first without a word."""
    told = call("ledger", "init", tmp_path / "spent.sqlite", *CAPS, "--cap", second)
    assert told.code == 2
    assert "two caps for subject:LDP" in told.err.replace("\n", " ")
    assert not list(tmp_path.iterdir())
    assert call("ledger", "init", tmp_path / "spent.sqlite", *CAPS, "--cap", "record:LDP=2").code == 0
