"""The commands protect and verify: exit codes, closing lines, and that nothing private is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import call
from sfumato.protection.bundle import seal
from sfumato.protection.signing import Signer

pytestmark = pytest.mark.usefixtures("short_lists")
RECORDS = Path(__file__).parents[2] / "examples" / "records.jsonl"
POLICY = """
[find]
detect = ["given"]

[[treat]]
kinds = ["PERSON", "CODE", "PHONE", "EMAIL"]
mechanism = "independent"

[treat_others]
method = "label"

[accept]
identifiers_left_upper = 0.4
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lines = RECORDS.read_text(encoding="utf-8").splitlines(keepends=True)[:8]
    (tmp_path / "notes.jsonl").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "small.toml").write_text(POLICY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMAND = (
    "protect",
    "notes.jsonl",
    "-o",
    "notes",
    "--policy",
    "small.toml",
    "--id-field",
    "id",
    "--keep-field",
    "kind",
    "--key",
    "own.key",
)


@pytest.mark.models
def test_from_a_file_to_a_release_that_is_checked(desk: Path) -> None:
    done = call(*COMMAND, "--sample", "6")
    assert done.code == 0, done.err
    verdict = "Accepted with a gap: the limit holds; NOT SAFE against outsiders, acquaintances and insiders."
    assert verdict in done.out
    assert "holds: People of whom a marked name, code or number is still there" in done.out
    assert "NOT SAFE: People found by insiders, who know facts of the story (" in done.out
    assert "identifiers_left_upper = 40 % needs at least 8 people with a marked name, code or number" in done.err
    assert "--key own.key.pub" in done.out
    key = desk / "own.key.pub"
    sure = call("verify", "notes.release", "--key", key)
    assert (sure.code, sure.err) == (0, "")
    assert call("verify", "notes.release", "--key", key, "--json").json["signed_by"]
    assert f"Signed verdict: {verdict}" in sure.out
    unsure = call("verify", "notes.release")
    assert unsure.code == 0
    assert "WHO SIGNED WAS NOT CHECKED" in unsure.err
    told = call("verify", "notes.release", "--json")
    assert json.loads(told.out)["signed_by"] is None
    assert "WHO SIGNED WAS NOT CHECKED" in told.err
    data = desk / "notes.release" / "data.jsonl"
    data.write_bytes(data.read_bytes().replace(b"clinic-001", b"clinic-002"))
    changed = call("verify", "notes.release", "--json")
    assert changed.code == 1
    assert json.loads(changed.out)["differences"] == ["data.jsonl was changed"]


@pytest.mark.parametrize("looser", [["The limit utility_lower was loosened: it is 30 %."], [], None])
def test_verify_prints_the_verdict_and_the_limits_that_were_loosened(
    tmp_path: Path, looser: list[str] | None
) -> None:
    folder = tmp_path / "notes.release"
    folder.mkdir()
    (folder / "data.jsonl").write_text("{}\n")
    signed: dict[str, object] = {"accepted": True, "limits": [{"holds": True}, {"holds": True}]}
    if looser is not None:
        signed["loosened"] = [{"sentence": sentence} for sentence in looser]
    seal(folder, signed, Signer.of_file(tmp_path / "own.key"))
    told = call("verify", folder, "--key", tmp_path / "own.key.pub").out.splitlines()
    unsaid = ["It was not signed whether a limit is looser than in the shipped policy."]
    assert told[1:] == ["Signed verdict: Accepted: all 2 limits hold.", *(unsaid if looser is None else looser)]
    facts = call("verify", folder, "--json").json
    assert (facts["verdict"], facts["loosened"]) == ("Accepted: all 2 limits hold", looser)


@pytest.mark.models
def test_what_is_not_accepted_ends_with_code_4(desk: Path) -> None:
    done = call(*COMMAND, "--sample", "6", "--no-trials", "--set", "accept.utility_lower=0.999", "--json", "--anyway")
    assert done.code == 4, done.err
    told = json.loads(done.out)
    assert told["accepted"] is False
    assert told["release"] is None
    assert not (desk / "notes.release").exists()
    assert "Lindqvist" not in done.out + done.err


@pytest.mark.models
def test_what_cannot_be_accepted_is_refused_before_anything_is_made(desk: Path) -> None:
    before = sorted(desk.rglob("*"))
    done = call(*COMMAND, "--set", "accept.identifiers_left_upper=0.05")
    assert done.code == 2
    assert "needs at least 72 people with a marked name, code or number; at most 8 here: TOO FEW" in done.err
    assert "--anyway" in done.err
    assert sorted(desk.rglob("*")) == before
    dry = call(*COMMAND, "--set", "accept.identifiers_left_upper=0.05", "--dry-run")
    assert dry.code == 0
    assert "needs at least 72 people with a marked name, code or number; 8 here: TOO FEW." in dry.out


@pytest.mark.models
def test_a_dry_run_says_the_costs_and_makes_nothing(desk: Path) -> None:
    before = sorted(desk.rglob("*"))
    done = call(*COMMAND, "--dry-run")
    assert done.code == 0
    assert "Nothing was drawn" in done.out
    assert "PERSON: " in done.out
    assert sorted(desk.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("protect", "notes.jsonl", "-o", "notes"), "Name a policy with --policy"),
        ((*COMMAND[:4], "--policy", "internal"), "does not say when a release is accepted"),
        (("protect", "notes.jsonl", "-o", "notes.release", "--policy", "small.toml"), "give one without .release"),
        (("verify", "notes.jsonl"), "is no folder"),
        ((*COMMAND, "--set", "against.facts=9"), "facts is a number from 1 to 5"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(desk: Path, arguments: tuple[str, ...], said: str) -> None:
    done = call(*arguments)
    assert done.code == 2
    assert said in done.err
    assert not (desk / "notes.release").exists()
