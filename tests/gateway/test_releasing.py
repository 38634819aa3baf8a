"""`/sanitize`: texts and records with a statement, paid for before anything leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from served_doors import Door, opened
from sfumato.gateway import releasing
from sfumato.gateway.folders import private_folder, remove_left
from sfumato.gateway.working import Worker
from sfumato.ledger import Budget, Ledger, made_key
from sfumato.policy import Policy

pytestmark = pytest.mark.models
POLICY = """
name = "mine"
[find]
detect = ["identifiers"]
[[treat]]
kinds = ["DATE"]
mechanism = "geometric"
epsilon = 1.0
within = "30 days"
[treat_others]
method = "label"
[fields]
text = ["note"]
id = "id"
subject = "who"
[budget]
name = "notes"
ledger = "ledger"
key = "key"
subject = {"*" = 0.2}
"""
TEXT = "Seen on 12 March 2021 by zwiebelina@fischhaber.example."


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    (tmp_path / "mine.toml").write_text(POLICY)
    made_key(tmp_path / "key")
    ledger = Ledger.begin(str(tmp_path / "ledger"), tmp_path / "key", Budget.of("notes", {"subject": {"*": 0.2}}))
    yield ledger
    ledger.close()


@pytest.fixture
def paying(worker: Worker, ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    made = Worker(lambda _: worker.shield, Policy.load(tmp_path / "mine.toml"))
    with opened(made, most_bytes=200_000) as door:
        yield door
    made.close()
    assert not list((tmp_path / "tmp").glob("sfumato-*"))  # no private text is left


def states(tmp_path: Path) -> list[str]:
    with Ledger.open(str(tmp_path / "ledger"), tmp_path / "key") as ledger:  # checks the whole chain
        return list(ledger.state.states.values())


def test_texts_are_released_with_their_statement(paying: Door, tmp_path: Path) -> None:
    answer = paying.post("/sanitize", {"texts": [TEXT, "Nothing."], "subject": ["anna", "bert"], "policy": "mine"})
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told.keys() == {"releases", "statement"}
    first, second = told["releases"]
    assert second == "Nothing."
    assert "zwiebelina" not in answer.text
    assert first.startswith("Seen on ")
    assert "[EMAIL" in first
    assert "epsilon" in json.dumps(told["statement"])
    assert told["statement"]["ledger"]
    assert "release" not in told["statement"]
    assert states(tmp_path) == ["published"]


def test_records_are_read_as_the_policy_says(paying: Door) -> None:
    records = [{"id": "r1", "who": "anna", "note": TEXT, "secret": "stays here"}]
    told = paying.post("/sanitize", {"records": records}).json()
    (record,) = told["records"]
    assert record.keys() == {"id", "note"}
    assert "zwiebelina" not in record["note"]


def test_nothing_is_returned_that_cannot_be_paid(paying: Door, tmp_path: Path) -> None:
    body = {"texts": [TEXT] * 4, "subject": "anna"}
    assert paying.post("/sanitize", body).status_code == 200
    answer = paying.post("/sanitize", body)
    assert answer.status_code == 402
    assert answer.json().keys() == {"error"}
    assert "anna" not in answer.text
    assert states(tmp_path) == ["published"]
    assert paying.post("/sanitize", {**body, "subject": "bert"}).status_code == 200


def test_a_run_that_fails_before_it_has_drawn_is_not_charged(
    paying: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(releasing, "time", SimpleNamespace(monotonic=iter([0.0, 1e9]).__next__))
    answer = paying.post("/sanitize", {"texts": [TEXT], "subject": "anna"})
    assert answer.status_code == 503
    assert states(tmp_path) == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "texts or records"),
        ({"texts": [TEXT], "records": [{}]}, "texts or records"),
        ({"texts": []}, "texts is a list"),
        ({"texts": [TEXT, None]}, "list of texts"),
        ({"texts": TEXT}, "list"),
        ({"texts": [TEXT], "subject": ["anna", "bert"]}, "one for each"),
        ({"texts": [TEXT, TEXT], "id": "a"}, "of its own"),
        ({"texts": [TEXT], "policy": "chat"}, "another policy"),
        ({"texts": [TEXT], "epsilon": 3}, "1 keys"),
        ({"texts": [TEXT]}, "caps for subjects"),
        ({"records": [{"note": TEXT}], "subject": "anna"}, "[fields]"),
        ({"records": [{"id": "r", "who": "anna", "text": TEXT}]}, "cannot be sanitized"),
    ],
)
def test_bad_requests_cost_nothing(paying: Door, tmp_path: Path, body: dict[str, Any], said: str) -> None:
    answer = paying.post("/sanitize", body)
    assert answer.status_code == 400, answer.text
    assert said in answer.json()["error"]
    assert "zwiebelina" not in answer.text
    assert str(tmp_path) not in answer.text
    assert states(tmp_path) == []


def test_the_ledger_is_opened_once_and_charged_by_both_doors(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_at = list[str]()
    before = Ledger.open

    def noted(url: str, *arguments: Any) -> Ledger:
        opened_at.append(url)
        return before(url, *arguments)

    monkeypatch.setattr(Ledger, "open", noted)
    worker = Worker.of_policy(Policy.load(tmp_path / "mine.toml"))
    with opened(worker) as door:
        for person in ("anna", "bert"):
            answer = door.post("/sanitize", {"texts": [TEXT], "subject": person})
            assert answer.status_code == 200, answer.text
            assert answer.json()["statement"]["ledger"]
        assert door.post("/sanitize", {"texts": [TEXT] * 9, "subject": "anna"}).status_code == 402
    worker.close()
    assert len(opened_at) == 1
    assert states(tmp_path) == ["published", "published"]


def test_what_a_killed_server_left_is_removed_and_what_is_used_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "sfumato-serve-strange").write_text("no folder")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine").write_text("stays")
    (tmp_path / "sfumato-serve-link").symlink_to(tmp_path / "elsewhere")
    holding = (
        "import time\nfrom sfumato.gateway.folders import private_folder\n"
        "with private_folder() as folder:\n    (folder / 'given').write_text('Zwiebelina')\n"
        "    print(folder, flush=True)\n    time.sleep(60)\n"
    )
    own = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", holding], stdout=subprocess.PIPE, text=True, env=own) as killed:
        assert killed.stdout is not None
        left = Path(killed.stdout.readline().strip())
        with private_folder() as used:
            assert remove_left() == 0
            killed.kill()
            killed.wait()
            assert (left / "given").exists()
            assert remove_left() == 1
            assert used.exists()
    assert not left.exists()
    assert not used.exists()
    assert (tmp_path / "elsewhere" / "mine").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"sfumato-serve-strange", "elsewhere", "sfumato-serve-link"}
