"""Ledgers for the tests: in SQLite, and in a real PostgreSQL where Debian's package is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ledger_server import Server, programs
from sfumato.ledger import Budget, Charge, Currency, Ledger, Level, made_key, nano
from sfumato.privacy.guarantee import Guarantee

Make = Callable[..., Ledger]
AT = {"place": "here"}
"""What a run notes whose output is published in the test."""
LDP = Currency.of(Guarantee("LDP", 1.0, "one token", "any two tokens", None, "proof"))


def metric(adjacency: str = "any two dates") -> Currency:
    return Currency.of(Guarantee("metric-LDP", 1.0, "one value", adjacency, "absolute", "proof", per="day"), "DATE")


def charge(
    owner: str, amount: float, level: Level = Level.SUBJECT, currency: Currency = LDP, draw: bytes = b""
) -> Charge:
    return Charge(level, (owner,), currency, nano(amount), 0, draw)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    place = programs()
    if place is None or importlib.util.find_spec("psycopg") is None:
        pytest.skip("PostgreSQL's initdb or psycopg is not installed")
    server = Server.made(place)
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "ledger.sqlite")
    server: Server = request.getfixturevalue("server")
    return server.database()


@pytest.fixture
def key(tmp_path: Path) -> Path:
    made_key(tmp_path / "key")
    return tmp_path / "key"


@pytest.fixture
def begun(url: str, key: Path) -> Iterator[Make]:
    """Return what begins a ledger with caps for subjects."""
    opened: list[Ledger] = []

    def make(**caps: dict[str, object]) -> Ledger:
        opened.append(Ledger.begin(url, key, Budget.of("notes", caps or {"subject": {"LDP": 1}})))
        return opened[-1]

    yield make
    for ledger in opened:
        ledger.close()
