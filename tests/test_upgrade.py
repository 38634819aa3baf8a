"""What another version of sfumato does with what an earlier one left, as docs/operating.md says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ledger_runs
from sfumato import version
from sfumato.errors import OutputError
from sfumato.ledger import Head, Ledger


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ledger_runs.write_records(tmp_path / "in.jsonl", ["cat dog", "river", "stone green winter"] * 9)
    return tmp_path


def texts(path: Path) -> list[str]:
    return [json.loads(line)["text"] for line in path.read_text().splitlines()]


def largest(ledger: Ledger) -> int:
    [(amount,)] = ledger.store.run("SELECT MAX(amount) FROM sfumato_balances")
    return int(amount)


def test_pinned_draws_are_made_and_charged_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ledger_runs.begin(folder) as ledger:
        for name in ("a.jsonl", "b.jsonl"):
            ledger_runs.release(folder, ledger, name, ledger_runs.PIN)
        once = largest(ledger)
        monkeypatch.setattr(version, "VERSION", "99.0")
        ledger_runs.release(folder, ledger, "c.jsonl", ledger_runs.PIN)
        assert largest(ledger) == 2 * once
    first, repeated, upgraded = (texts(folder / f"{name}.jsonl") for name in "abc")
    assert first == repeated != upgraded


def test_an_old_head_is_still_in_the_ledger(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ledger_runs.begin(folder) as ledger:
        old = Head.parse(ledger_runs.release(folder, ledger).statement["ledger"]["head"])
    monkeypatch.setattr(version, "VERSION", "99.0")
    with Ledger.open(str(folder / "ledger"), folder / "key", [old]) as ledger:
        ledger_runs.release(folder, ledger, "later.jsonl")


def test_a_stopped_run_is_not_resumed_by_another_version(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr("sfumato.release.run.publish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            ledger_runs.release(folder, None)
    monkeypatch.setattr(version, "VERSION", "99.0")
    with pytest.raises(OutputError, match="changed since"):
        ledger_runs.release(folder, None, resume=True)
