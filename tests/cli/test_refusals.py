"""What a command refuses, and in whose words: those of the command line, before anything is written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import sfumato
from command_line import call
from sfumato.policy.tables import shipped_content

ROOT = Path(sfumato.__file__).parent
RECORDS = Path(__file__).parents[2] / "examples" / "records.jsonl"
PYTHON_ALONE = ("batch/", "run/sanitize_file.py", "run/synthesize_file.py", "privacy/randomness.py")
"""Where errors are raised that no command meets: they may name arguments of Python."""
OF_PYTHON = re.compile(
    r"\b[a-z_]+=(?:True|False|None|\.\.\.)|\bin Python\b|\b(?:on_error|id_field|subject_field|map_key)\b"
)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "in.jsonl").write_text('{"id": "a", "text": "Anna came."}\n')
    (tmp_path / "plan.toml").write_text("[evaluate]\n")
    (tmp_path / "seeds.txt").write_text("nurse\ndoctor\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def messages() -> Iterator[tuple[str, str]]:
    """Yield where an error is raised, and its text without what is put in."""
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        if place.startswith(PYTHON_ALONE):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error"):
                parts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
                text = " ".join(part for part in parts if isinstance(part, str))
                if node.func.id == "OptionError":  # a command spells what is in braces as flags
                    text = re.sub(r"\{\w+\}|, in Python Policy.load", "", text)
                yield f"{place}:{node.lineno}", text


def test_no_error_that_a_command_prints_names_an_argument_of_python() -> None:
    found = [(place, said[0]) for place, text in messages() if (said := OF_PYTHON.search(text))]
    assert found == []
    assert sum(1 for _ in messages()) > 500


def test_an_output_that_exists_names_the_flag(desk: Path) -> None:
    (desk / "out.jsonl").write_text("")
    ran = call("sanitize", "in.jsonl", "-o", "out.jsonl", "-m", "redaction")
    assert (ran.code, "(--force)" in ran.err, "overwrite" in ran.err) == (2, True, False)


@pytest.mark.parametrize("key", [(), ("--seed", "1")])
def test_an_engine_that_does_not_exist_is_refused_before_a_key_is_asked_for(desk: Path, key: tuple[str, ...]) -> None:
    ran = call("sanitize", "in.jsonl", "-o", "out.jsonl", "-m", "redaction", "--engine", "zork", *key)
    assert ran.code == 2
    assert "engine is one of processes, ray, not 'zork'" in ran.err


@pytest.mark.parametrize("flags", [("-o", "-"), ("--output=-",)])
def test_a_policy_is_begun_on_standard_output(desk: Path, flags: tuple[str, ...]) -> None:
    before = sorted(desk.iterdir())
    ran = call("policy", "new", "clinical", *flags)
    assert (ran.code, ran.out, ran.err) == (0, shipped_content("clinical"), "")
    assert sorted(desk.iterdir()) == before


@pytest.mark.parametrize(
    "command",
    [
        "evaluate in.jsonl in.jsonl -o -",
        "models calibrate -o - --set model=embedded",
        "protect in.jsonl -o - --policy support",
        "compare plan.toml -o -",
        "vocabulary grow seeds.txt -o - --chat-model x",
        "synthesize in.jsonl -o - -m predict -e 1 --units 100 --records 3",
        "restore in.jsonl -o - --map map",
        "canaries in.jsonl -o -",
        "key -",
        "ledger init - --dataset x --cap record:LDP=3",
        "review in.jsonl --policy support --decisions -",
        "review in.jsonl --policy support --export-label-studio -",
    ],
)
def test_a_command_that_streams_nothing_makes_no_file_called_so(desk: Path, command: str) -> None:
    before = sorted(desk.iterdir())
    ran = call(*command.split())
    assert ran.code == 2
    assert "name a file" in ran.err or "must go to a file" in ran.err
    assert sorted(desk.iterdir()) == before


def test_every_output_of_a_command_is_one_of_those(desk: Path) -> None:
    """A new option -o either streams, refuses, or goes through an Output, which refuses."""
    streaming = {"sanitize.py", "find.py", "policy.py"}
    reading = {"ledger.py"}  # void names the output of another run
    for path in sorted((ROOT / "cli").glob("*.py")):
        options = re.findall(r'typer\.Option\(\s*"--output",\s*"-o"[^)]*', path.read_text(encoding="utf-8"))
        if options and path.name not in streaming | reading:
            assert all("callback=named" in option for option in options), path.name


def test_a_statement_and_a_policy_are_not_certified_in_one_run(desk: Path) -> None:
    (desk / "x.privacy.json").write_text("{}")
    ran = call("certify", "--against", "x.privacy.json", "--policy", "clinical")
    assert (ran.code, "give one" in ran.err) == (2, True)
