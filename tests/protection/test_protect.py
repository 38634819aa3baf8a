"""The Python face of protect asks for what the command asks for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sfumato
from command_line import call
from sfumato.errors import ConfigurationError
from sfumato.policy import Policy
from sfumato.protection.request import Request

POLICY = """
[find]
detect = ["list:names.txt"]
[fields]
text = ["note"]
id = "no"
[treat_others]
method = "label"
[accept]
utility_lower = 0.1
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """The requests that would be protected, in a folder with a policy and records."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    Path("small.toml").write_text(POLICY, encoding="utf-8")
    Path("names.txt").write_text("PERSON\tAnna\n", encoding="utf-8")
    Path("notes.jsonl").write_text(json.dumps({"no": "1", "note": "Anna left."}) + "\n", encoding="utf-8")
    requests: list[Request] = []

    def noted(request: Request, *_: Any) -> Any:
        requests.append(request)
        raise ConfigurationError("Nothing is done here.")

    for place in ("protecting", "protect"):
        monkeypatch.setattr(f"sfumato.protection.{place}.protect_request", noted)
    return requests


@pytest.mark.parametrize(
    ("named", "typed"),
    [
        ({}, ()),
        ({"keep": ["kind"], "id_field": "id", "lines": False}, ("--keep-field", "kind", "--id-field", "id")),
        (
            {"key": "k.pem", "workers": 2, "overwrite": True, "labels": ["kind"], "sample": 9, "trials": False},
            ("--key", "k.pem", "--workers", 2, "--force", "--label", "kind", "--sample", 9, "--no-trials"),
        ),
        (
            {"ledger": "spent.sqlite", "ledger_key": "l.key", "decisions": "d.jsonl", "anyway": True, "resume": True},
            ("--ledger", "spent.sqlite", "--ledger-key", "l.key", "--decisions", "d.jsonl", "--anyway", "--resume"),
        ),
        ({"on_error": "quarantine", "encoding": "cp1252"}, ("--on-error", "quarantine", "--encoding", "cp1252")),
    ],
)
def test_python_and_the_command_ask_for_the_same(
    asked: list[Request], named: dict[str, Any], typed: tuple[Any, ...]
) -> None:
    with pytest.raises(ConfigurationError, match="Nothing is done"):
        sfumato.protect("notes.jsonl", "clinic", "small.toml", **named)
    call("protect", "notes.jsonl", "-o", "clinic", "--policy", "small.toml", *typed)
    first, second = asked
    assert first == second


def test_a_policy_may_be_named_read_or_a_file(asked: list[Request]) -> None:
    for policy in ("small.toml", Path("small.toml"), Policy.load("small.toml")):
        with pytest.raises(ConfigurationError, match="Nothing is done"):
            sfumato.protect("notes.jsonl", "clinic", policy)
    assert asked[0] == asked[1] == asked[2]
    with pytest.raises(ConfigurationError, match="did you mean clinical"):
        sfumato.protect("notes.jsonl", "clinic", "clinicl")
    with pytest.raises(ConfigurationError, match="fields must be a list, each text, not str"):
        sfumato.protect("notes.jsonl", "clinic", "small.toml", fields="note")
