"""``sfumato review`` without its page, and ``sanitize`` with what was decided there."""

from __future__ import annotations

import json
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import call, write_jsonl
from reviewing import CANARY, session, write_policy
from sfumato.building.detectors import detector
from sfumato.detectors.decisions import decisions_from
from sfumato.files import FileOptions, open_source
from sfumato.policy import Policy
from sfumato.review import texts_of
from warm_command import start

ROWS = [{"id": "a", "text": f"Ann Lee met Carl and {CANARY}."}, {"id": "b", "text": "Carl called Bob."}]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    write_policy(tmp_path)
    return write_jsonl(tmp_path / "notes.jsonl", ROWS)


def options(notes: Path) -> list[str]:
    return ["--policy", str(notes.parent / "policy.toml"), "--id-field", "id"]


def decide(notes: Path) -> Path:
    path = notes.parent / "decisions.jsonl"
    lines = texts_of(open_source(notes, FileOptions(id_field="id")))
    with session(path, lines) as made:
        made.decide(0, 0, "add", 12, 16, "PERSON", "everywhere")
        made.decide(1, 0, "remove", 12, 15, "PERSON", "here")
    return path


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_release_follows_the_decisions(notes: Path, workers: str) -> None:
    output, path = notes.parent / "out.jsonl", decide(notes)
    ran = call(
        "sanitize", str(notes), "-o", str(output), *options(notes), "--decisions", str(path), "--workers", workers
    )
    assert ran.code == 0, ran.err
    released = [json.loads(line)["text"] for line in output.read_text(encoding="utf-8").splitlines()]
    assert "Carl" not in "".join(released)
    assert released[1].endswith("called Bob.")
    statement = (notes.parent / "out.jsonl.privacy.json").read_text(encoding="utf-8")
    assert "what a person decided in a review (2 decisions)" in statement
    assert CANARY not in statement
    assert "Carl" not in statement


def test_a_changed_text_is_not_released(notes: Path) -> None:
    path = decide(notes)
    write_jsonl(notes, [ROWS[0], {"id": "b", "text": f"{CANARY} called Bob."}])
    output = notes.parent / "out.jsonl"
    ran = call("sanitize", str(notes), "-o", str(output), *options(notes), "--decisions", str(path))
    assert ran.code == 2
    assert re.search(
        r"decisions\.jsonl, line 3, record 1: the text is not the one that\s+line 3 of the decisions is about",
        ran.err,
    )
    assert CANARY not in ran.err
    assert not output.exists()


def test_decisions_that_meet_no_text_are_refused(notes: Path) -> None:
    path, output = decide(notes), notes.parent / "out.jsonl"
    policy = options(notes)[:2]  # without the field of the id that the review named
    ran = call("sanitize", str(notes), "-o", str(output), *policy, "--decisions", str(path))
    assert ran.code == 2
    assert "line 2: its record is not where it was; review the file" in " ".join(ran.err.split())
    assert not output.exists()


def test_a_statement_names_no_file_of_decisions(notes: Path) -> None:
    path, output = notes.parent / f"{CANARY}.decisions.jsonl", notes.parent / "out.jsonl"
    with session(path, texts_of(open_source(notes, FileOptions(id_field="id")))) as made:
        made.decide(0, 0, "always", 12, 16, "PERSON", "")
        made.decide(1, 0, "never", 12, 15, "PERSON", "")
    ran = call("sanitize", str(notes), "-o", str(output), *options(notes), "--decisions", str(path))
    assert ran.code == 0, ran.err
    assert CANARY not in ran.out + ran.err
    assert CANARY not in (notes.parent / "out.jsonl.privacy.json").read_text(encoding="utf-8")


def test_a_sample_that_says_nothing_about_the_release_says_why(notes: Path) -> None:
    path = notes.parent / "d.jsonl"
    own = [*options(notes), "--decisions", str(path)]
    lines = texts_of(open_source(notes, FileOptions(id_field="id")))
    finder = detector(**Policy.load(notes.parent / "policy.toml").find.arguments(notes.parent))
    with session(path, lines, detector=finder, sample=2) as made:
        made.read(0, True)
        made.decide(1, 0, "remove", 12, 15, "PERSON", "everywhere")
    process = start("review", notes, *own, "--no-browser")
    assert process.stdout.readline().startswith("Review at http://127.0.0.1:")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert "After the sample was drawn, marks were removed or relabelled everywhere" in out
    assert "at most" not in out


def test_decisions_need_a_policy_and_are_not_replaced(notes: Path) -> None:
    path = decide(notes)
    ran = call(
        "sanitize", str(notes), "-o", str(notes.parent / "o.jsonl"), "-m", "redaction", "--decisions", str(path)
    )
    assert ran.code == 2
    assert "name the policy of the review" in ran.err
    before = path.read_bytes()
    ran = call("sanitize", str(notes), "-o", str(path), *options(notes), "--decisions", str(path), "--force")
    assert ran.code == 2
    assert "names the input or the output" in ran.err
    assert path.read_bytes() == before


def test_label_studio_out_and_in(notes: Path) -> None:
    path, tasks = notes.parent / "d.jsonl", notes.parent / "tasks.json"
    own = [*options(notes), "--decisions", str(path)]
    ran = call("review", str(notes), *own, "--export-label-studio", str(tasks))
    assert ran.code == 0, ran.err
    assert '<Label value="PERSON"/>' in ran.out
    assert tasks.stat().st_mode & 0o777 == 0o600
    assert not path.exists()  # an export decides nothing
    content = json.loads(tasks.read_text(encoding="utf-8"))
    for task in content:
        task["annotations"] = [{"result": task["predictions"][0]["result"]}]
    content[1]["annotations"][0]["result"] = []
    tasks.write_text(json.dumps(content), encoding="utf-8")
    ran = call("review", str(notes), *own, "--import-label-studio", str(tasks), "--sample", "2")
    assert ran.code == 0, ran.err
    assert "1 decision, 2 records read" in ran.out
    assert "0 misses in 2 records: at most 77.7 % of records have one (95 %)." in ran.out
    assert [line.action for line in decisions_from(path).marks] == ["remove"]
    ran = call("review", str(notes), *own, "--export-label-studio", str(tasks))
    assert ran.code == 2
    assert "exists" in ran.err
    ran = call("review", str(notes), *own, "--export-label-studio", str(tasks), "--force")
    assert f"The marks follow 1 decision of {path} (private!)." in ran.out


REFUSED: dict[str, tuple[list[str], str]] = {
    "no policy": (["--id-field", "id"], "Which policy"),
    "export and import": (
        ["--policy", "POLICY", "--export-label-studio", "a", "--import-label-studio", "b"], "two steps",
    ),
    "decisions that are the input": (["--policy", "POLICY", "--decisions", "INPUT"], "apart from the input"),
    "decisions in no folder": (["--policy", "POLICY", "--decisions", "none/d.jsonl"], "folder that exists"),
    "hits that are none": (["--policy", "POLICY", "--hits", "INPUT"], "line 1: it names no record"),
    "a port that is none": (["--policy", "POLICY", "--port", "70000"], "cannot be used"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_reviewed_is_refused_in_a_sentence(case: str, notes: Path) -> None:
    given, said = REFUSED[case]
    paths = {"POLICY": str(notes.parent / "policy.toml"), "INPUT": str(notes)}
    ran = call("review", str(notes), *(paths.get(word, word) for word in given), "--no-browser")
    assert ran.code == 2
    assert said in ran.err
    assert CANARY not in ran.err + ran.out


def test_an_interrupted_review_ends_well(notes: Path) -> None:
    process = start("review", notes, *options(notes), "--no-browser", "--port", "0")
    assert process.stdout.readline().startswith("Review at http://127.0.0.1:")
    assert "Ctrl-C" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert "0 decisions, 0 records read" in out
    assert err == ""


def test_without_the_extra_it_says_what_to_type(notes: Path, monkeypatch: Any) -> None:
    for name in [name for name in sys.modules if name.startswith("sfumato.review.serving")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    ran = call("review", str(notes), *options(notes), "--no-browser")
    assert ran.code == 2
    assert "pip install 'sfumato[review]'" in ran.err


@pytest.mark.parametrize("how", ["no annotations", "no list", "no extra"])
def test_a_refused_review_leaves_nothing(how: str, notes: Path, monkeypatch: Any) -> None:
    """The file of decisions is made for the sample, before the export is read or the page is served."""
    export = notes.parent / "export.json"
    export.write_text("[]" if how == "no annotations" else "{}")
    before = sorted(notes.parent.iterdir())
    if how == "no extra":
        monkeypatch.setitem(sys.modules, "sfumato.review.serving", None)
        ran = call("review", str(notes), *options(notes))
    else:
        ran = call("review", str(notes), *options(notes), "--import-label-studio", str(export))
    assert ran.code == 2
    assert sorted(notes.parent.iterdir()) == before
    own = decide(notes)
    kept = own.read_bytes()
    call("review", str(notes), *options(notes), "--decisions", str(own), "--import-label-studio", str(export))
    assert own.read_bytes() == kept  # of a person's work nothing is lost
