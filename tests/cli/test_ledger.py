"""The command ledger, and sanitize with a ledger: from a policy's budget to exit 3 and a private list."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from command_line import CANARY, call, everything_below, write_jsonl, write_key, write_vectors
from sfumato import Policy, sanitize_file
from sfumato.errors import BudgetError, ConfigurationError
from sfumato.ledger.ledger import open_ledger

POLICY = """
name = "ages"
[find]
detect = ["given"]
[fields]
id = "id"
subject = "who"
[[treat]]
kinds = ["AGE"]
mechanism = "geometric"
epsilon = 0.5
consistency = "document"
[treat_others]
method = "label"
[budget]
name = "notes"
ledger = "spent/ledger.sqlite"
[budget.subject]
"AGE per year" = 1.5
[budget.record]
"*" = "unlimited"
"""


def record(identity: str, who: str, text: str) -> dict[str, Any]:
    """Return a record whose numbers are marked as ages."""
    spans = [{"start": m.start(), "end": m.end(), "label": "AGE"} for m in re.finditer(r"\d+", text)]
    return {"id": identity, "who": who, "text": text, "spans": spans}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "spent").mkdir()
    (tmp_path / "ages.toml").write_text(POLICY)
    write_jsonl(tmp_path / "in.jsonl", [record("r1", CANARY, "aged 40, and 41"), record("r2", "ben", "aged 33")])
    return tmp_path


def sanitize(folder: Path, output: str, *more: object) -> Any:
    return call("sanitize", folder / "in.jsonl", "-o", folder / output, "--policy", folder / "ages.toml", *more)


def test_a_budget_from_its_policy_to_the_refusal_and_the_raised_cap(folder: Path) -> None:
    ledger = folder / "spent" / "ledger.sqlite"
    assert "There is no ledger" in sanitize(folder, "a.jsonl").err.replace("\n", " ")
    begun = call("ledger", "init", ledger, "--policy", folder / "ages.toml", "--json").json
    assert (folder / "spent" / "ledger.sqlite.key").stat().st_mode & 0o777 == 0o600
    assert begun["head"].startswith("0:")
    first = sanitize(folder, "a.jsonl", "--json").json["privacy"]["ledger"]
    assert first["charged"]["AGE per year"]["subject"] == {"accounts": 2, "at_most": "1"}
    ran = sanitize(folder, "b.jsonl")
    assert ran.code == 3
    assert "spent for 1 subject" in ran.err
    assert CANARY not in ran.err + ran.out
    assert not (folder / "b.jsonl").exists()
    [line] = (folder / "b.jsonl.refused.jsonl").read_text().splitlines()
    assert json.loads(line)["id"] == CANARY
    assert json.loads(line)["left"] == "0.5"
    who = ("--name", "Kim", "--reason", "a second release was agreed")
    higher = ("--account", "subject", "--currency", "AGE per year", "--cap", "2")
    raised = call("ledger", "raise", ledger, *higher, *who)
    assert raised.code == 0, raised.err
    assert sanitize(folder, "b.jsonl").code == 0
    verified = call(
        "ledger", "verify", ledger, "--statement", folder / "a.jsonl.privacy.json", "--expect-head", first["head"]
    )
    assert verified.out.startswith("The ledger is whole: 6 entries, and holds 2 expected heads.")
    (folder / "ids.txt").write_text(f"{CANARY}\nben\n")
    facts = call("ledger", "show", ledger, "--ids", folder / "ids.txt", "--json").json
    assert facts["near"] == [{"id": CANARY, "currency": "AGE per year", "spent": "2", "cap": "2", "left": "0"}]
    told = call("ledger", "show", ledger).out
    assert "2 published" in told
    assert CANARY.encode() not in everything_below(folder / "spent")


def test_a_budget_that_no_ledger_keeps_is_refused(folder: Path) -> None:
    policy = Policy.load(folder / "ages.toml").with_changes({})
    text = POLICY.replace('ledger = "spent/ledger.sqlite"\n', "")
    (folder / "ages.toml").write_text(text)
    assert "no ledger keeps it" in sanitize(folder, "a.jsonl").err.replace("\n", " ")
    with pytest.raises(ConfigurationError, match="no ledger keeps it"):
        sanitize_file(Policy.parse(text), folder / "in.jsonl", folder / "a.jsonl")
    assert policy.fingerprint == Policy.parse(text).fingerprint  # a budget decides no draw


def test_another_policys_ledger_is_refused(folder: Path) -> None:
    ledger = folder / "other"
    call("ledger", "init", ledger, "--dataset", "notes", "--cap", "subject:AGE per year=9")
    told = sanitize(folder, "a.jsonl", "--ledger", ledger)
    assert told.code == 2
    assert "another budget" in told.err


def test_the_face_refuses_with_the_list(folder: Path) -> None:
    policy = Policy.load(folder / "ages.toml")
    call("ledger", "init", folder / "spent" / "ledger.sqlite", "--policy", folder / "ages.toml")
    done = sanitize_file(policy, folder / "in.jsonl", folder / "a.jsonl")
    assert done.statement["ledger"]["entry"] == 1
    with pytest.raises(BudgetError) as told:
        sanitize_file(policy, folder / "in.jsonl", folder / "b.jsonl")
    assert [row.owner for row in told.value.refused] == [(CANARY,)]


def test_a_subjects_token_is_paid_once_whatever_is_edited(folder: Path) -> None:
    write_key(folder / "pin", bytes(range(1, 33)))
    text = POLICY.replace("1.5", "5") + '[randomness]\nscope = "subject"\npin = "pin"\n'
    (folder / "ages.toml").write_text(text)
    call("ledger", "init", folder / "spent" / "ledger.sqlite", "--policy", folder / "ages.toml")

    def spent() -> str:
        facts = call("ledger", "show", folder / "spent" / "ledger.sqlite", "--json").json
        [row] = [row for row in facts["accounts"] if row["account"] == "subject"]
        return str(row["spent_at_most"])

    first = sanitize(folder, "a.jsonl")
    assert first.code == 0, first.err
    assert spent() == "1"
    rows = [
        record("r1", CANARY, "now 41, long after 40 and 40"),
        record("r9", f" {CANARY.lower()}\u200b", "aged 40"),  # another spelling is the same person
        record("r2", "ben", "is 33"),
    ]
    write_jsonl(folder / "in.jsonl", rows)
    assert sanitize(folder, "b.jsonl").code == 0
    assert spent() == "1"  # other words, another order, another record: the same two tokens
    write_jsonl(folder / "in.jsonl", [record("r1", CANARY, "now 42")])
    assert sanitize(folder, "c.jsonl").code == 0
    assert spent() == "1.5"


def test_unpinned_draws_for_a_subject_cost_in_each_run(folder: Path) -> None:
    (folder / "ages.toml").write_text(POLICY.replace("1.5", "5") + '[randomness]\nscope = "subject"\n')
    call("ledger", "init", folder / "spent" / "ledger.sqlite", "--policy", folder / "ages.toml")
    for name, amount in (("a.jsonl", "1"), ("b.jsonl", "2")):
        assert sanitize(folder, name).code == 0
        facts = call("ledger", "show", folder / "spent" / "ledger.sqlite", "--json").json
        assert [row["spent_at_most"] for row in facts["accounts"] if row["account"] == "subject"] == [amount]


def test_a_policy_with_a_budget_is_refused_by_an_engine(folder: Path) -> None:
    from sfumato.batch import Sanitize

    with pytest.raises(ConfigurationError, match="no ledger that could keep"):
        Sanitize(Policy.load(folder / "ages.toml"))


def test_scope_subject_needs_a_subject_and_is_part_of_the_policy() -> None:
    text = POLICY + '[randomness]\nscope = "subject"\n'
    assert Policy.parse(text).fingerprint != Policy.parse(POLICY).fingerprint
    with pytest.raises(ConfigurationError, match="need its field"):
        Policy.parse(text.replace('subject = "who"\n', ""))
    with pytest.raises(ConfigurationError, match="record or subject"):
        Policy.parse(text.replace('"subject"', '"person"', 1).replace('scope = "subject"', 'scope = "person"'))


def test_a_stopped_run_is_void_only_with_its_folder(folder: Path) -> None:
    ledger = folder / "spent" / "ledger.sqlite"
    call("ledger", "init", ledger, "--policy", folder / "ages.toml")
    void = ("ledger", "void", ledger, "-o", folder / "a.jsonl", "--name", "Kim", "--reason", "stopped")
    assert "Nothing proves" in call(*void).err
    sanitize(folder, "a.jsonl")
    assert "Nothing proves" in call(*void).err


def test_a_method_with_a_ledger_and_no_policy(folder: Path) -> None:
    ledger = folder / "ledger"
    call("ledger", "init", ledger, "--dataset", "notes", "--cap", "subject:*=100")
    words = write_vectors(folder)
    run = (
        "sanitize", folder / "in.jsonl", "-m", "santext", "-e", 1, "--set", f"vocabulary={words}",
        "--detect", "words",
        "--id-field", "id", "--keep-field", "who", "--ledger", ledger,
    )  # fmt: skip
    assert "caps for subjects" in call(*run, "-o", folder / "a.jsonl").err.replace("\n", " ")
    assert "name one with -o" in call(*run, "-o", "-", "--statement", folder / "s").err.replace("\n", " ")
    done = call(*run, "-o", folder / "a.jsonl", "--subject-field", "who", "--json").json
    assert done["privacy"]["ledger"]["charged"]["metric-LDP by Euclidean"]["subject"]["accounts"] == 2
    head = done["privacy"]["ledger"]["head"]
    wrong = head[:-1] + ("0" if head[-1] != "0" else "1")
    told = call(*run, "-o", folder / "b.jsonl", "--subject-field", "who", "--expect-head", wrong)
    assert "does not hold entry" in told.err
    assert not (folder / "b.jsonl").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("init", "l"),
        ("init", "l", "--dataset", "notes"),
        ("init", "l", "--dataset", "notes", "--cap", "LDP=8"),
        ("init", "l", "--dataset", "notes", "--cap", "person:LDP=8"),
        ("init", "l", "--dataset", "notes", "--cap", "subject:LDP=8", "--cap", "subject:LDP=9"),
        ("init", "l", "--dataset", "notes", "--cap", "subject:LDP=inf"),
        ("init", "mysql://x", "--dataset", "notes", "--cap", "subject:LDP=8"),
        ("init", "postgresql://x", "--dataset", "notes", "--cap", "subject:LDP=8"),
        ("raise", "l", "--name", "Kim", "--reason", "why"),
        ("raise", "l", "--name", "Kim", "--reason", "why", "--admit", "x", "--cap", "8"),
        ("verify", "l", "--expect-head", "newest"),
        ("show", "l"),
    ],
)
def test_what_cannot_be_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    told = call("ledger", *arguments)
    assert told.code == 2, told.err
    assert "Internal" not in told.err
    assert not list(tmp_path.iterdir())


def test_caps_are_shown_before_anything_is_spent_and_every_column_is_explained(folder: Path) -> None:
    ledger = folder / "spent" / "ledger.sqlite"
    call("ledger", "init", ledger, "--policy", folder / "ages.toml")
    assert call("ledger", "show", ledger, "--json").json["unspent"] == [
        {"account": "record", "currency": "*", "cap": "unlimited"},
        {"account": "subject", "currency": "AGE per year", "cap": "1.5"},
    ]
    told = " ".join(call("ledger", "show", ledger).out.split())
    assert "AGE per year" in told
    assert "1.5" in told
    assert "Near cap: accounts that have spent 80% of it or more." in told
    assert "* is every currency without a cap of its own." in told
    assert sanitize(folder, "a.jsonl").code == 0
    after = call("ledger", "show", ledger, "--json").json
    assert [row["currency"] for row in after["unspent"]] == ["*"]


def test_a_statement_that_is_missing_or_none_or_of_no_ledger_is_told_apart(folder: Path) -> None:
    ledger = folder / "spent" / "ledger.sqlite"
    call("ledger", "init", ledger, "--policy", folder / "ages.toml")
    (folder / "none.json").write_text("[]")
    (folder / "alone.json").write_text('{"summary": "x"}')
    for name, said in (
        ("missing.json", "cannot be read (No such file"), ("none.json", "is no statement"), ("alone.json", "without"),
    ):  # fmt: skip
        told = call("ledger", "verify", ledger, "--statement", folder / name)
        assert told.code == 2
        assert said in " ".join(told.err.split())


def test_the_addresses_of_a_ledger_find_their_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="--ledger-key"):
        open_ledger("postgresql://nowhere")
