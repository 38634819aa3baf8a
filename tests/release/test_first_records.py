"""The first records are looked at before anything is built, and every run by a policy treats other fields alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato
from command_line import CANARY, call
from sfumato.errors import ConfigurationError, InputError
from sfumato.files import FileOptions, open_input
from sfumato.policy import Policy
from sfumato.protection import costs, protecting
from sfumato.protection.request import Request
from sfumato.run.checks import check_first_records

POLICY = """
[find]
detect = ["words"]
[treat_others]
method = "label"
[accept]
identifiers_left_upper = 1.0
"""
SPANS = [{"start": 0, "end": 4, "label": "PERSON"}]
ROW = {"id": "a", "who": "p", "text": "Anna came.", "name": CANARY, "spans": SPANS}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.jsonl").write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    (tmp_path / "small.toml").write_text(POLICY, encoding="utf-8")
    return tmp_path


@pytest.fixture
def unbuilt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be built: whoever tries fails in another way than the tests expect."""

    def built(*_: object, **__: object) -> NoReturn:
        raise AssertionError("something was built")

    for place in ("sfumato.run.execute.build", "sfumato.building.policies.build_policy"):
        monkeypatch.setattr(place, built)
    monkeypatch.setattr(protecting, "build_policy", built)
    monkeypatch.setattr(costs, "build_policy", built)


WRONG = {
    "spans that would pass": (("-m", "redaction", "--detect", "words"), "the field 'spans' would pass unchanged"),
    "no such text": (("--policy", "small.toml", "--field", "note"), "the field 'note' is missing"),
    "no such id": (("--policy", "small.toml", "--id-field", "number"), "the field 'number' is missing"),
    "no such person": (("--policy", "small.toml", "--subject-field", "patient"), "the field 'patient'"),
    "no such field to keep": (("--policy", "small.toml", "--keep-field", "ward"), "no field 'ward' to keep"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_field_is_told_before_anything_is_built(case: str, desk: Path, unbuilt: None) -> None:
    flags, said = WRONG[case]
    commands = ["sanitize", "protect"] if "--policy" in flags else ["sanitize"]
    for command in commands:
        ran = call(command, "in.jsonl", "-o", "out.jsonl" if command == "sanitize" else "out", *flags)
        assert ran.code == 2, (command, ran.err)
        assert said in " ".join(ran.err.split())
        assert CANARY not in ran.err + ran.out
    assert sorted(path.name for path in desk.iterdir()) == ["in.jsonl", "small.toml"]


def test_the_face_looks_first_too(desk: Path, unbuilt: None) -> None:
    with pytest.raises(InputError, match="'spans' would pass unchanged"):
        sfumato.sanitize_file("redaction", "in.jsonl", "out.jsonl", detect="words")
    with pytest.raises(ConfigurationError, match="no field 'ward' to keep"):
        sfumato.sanitize_file(Policy.parse(POLICY), "in.jsonl", "out.jsonl", keep=["ward"])
    with pytest.raises(InputError, match="'note' is missing"):
        costs.costs(Request(desk / "in.jsonl", Policy.parse(POLICY), desk / "out", FileOptions(fields=("note",))))


def test_what_can_be_sanitized_is_built(desk: Path, unbuilt: None) -> None:
    """So the tests above can fail: nothing is refused that the run would not refuse."""
    given = ("-m", "redaction", "--detect", "given", "--set", "detect.skip_labels=DATE")
    for flags in (("--policy", "small.toml"), given, ("-m", "redaction", "--detect", "words", "--keep-field", "who")):
        assert "AssertionError" in call("sanitize", "in.jsonl", "-o", "out.jsonl", *flags).err


def test_bad_records_that_are_set_aside_stop_nothing(desk: Path) -> None:
    (desk / "in.jsonl").write_text('{"text": 3}\n' + json.dumps({"text": "Bo"}) + "\n", encoding="utf-8")
    check_first_records(open_input("in.jsonl", FileOptions(on_error="quarantine")))
    with pytest.raises(InputError, match="line 1"):
        check_first_records(open_input("in.jsonl", FileOptions()))


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_every_run_by_a_policy_leaves_out_what_nobody_names(desk: Path, suffix: str) -> None:
    rows = [{name: value for name, value in ROW.items() if name != "spans"}] * 2
    rows = [{**row, "id": str(number)} for number, row in enumerate(rows)]
    path = desk / f"notes.{suffix}"
    if suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif suffix == "csv":
        path.write_text("id,who,text,name\n" + "".join(",".join(row.values()) + "\n" for row in rows), "utf-8")
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    for keep, flags in ((None, ()), (("who",), ("--keep-field", "who"))):
        wanted = {"id", "text", *(keep or ())}
        files = FileOptions(id_field="id", keep=keep)
        assert set(Request(path, Policy.parse(POLICY), desk / "x", files).fields) == wanted
        run = call(
            "sanitize", path, "-o", f"out.{suffix}", "--policy", "small.toml", "--id-field", "id", "--force", *flags
        )
        assert run.code == 0, run.err
        assert ("No other field of the records is in it" in run.out) == (keep is None)
        written = (desk / f"out.{suffix}").read_bytes()
        assert CANARY.encode() not in written
        assert (b"who" in written) == (keep is not None)
        done = sfumato.sanitize_file(
            Policy.parse(POLICY), path, desk / f"out.{suffix}", overwrite=True, id_field="id", keep=keep
        )
        assert CANARY.encode() not in done.output.read_bytes()
