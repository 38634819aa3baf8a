"""Bad files in a folder: each is refused by its name with a way out, and the others are done."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Literal

import openpyxl
import pytest

import sfumato
from bad_files import BAD, LATE, NAME, Bad, letter
from hard_files import HARD, HEBREW
from office import converted, strings, walked
from packing import every_string
from sfumato.documents.rules import Refused
from sfumato.errors import InputError, RefusedReleaseError
from sfumato.policy import Policy
from sfumato.release.files import Released

GOOD = "good.docx"


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    """A policy that marks a person of a list."""
    listed = tmp_path_factory.mktemp("listed") / "names.txt"
    listed.write_text(f"PERSON\t{NAME}\nPERSON\t{NAME[:4]}\nPERSON\t{HEBREW}\n")
    return Policy.of({
        "find": {"detect": [f"list:{listed}"]}, "treat": [{"kinds": ["PERSON"], "method": "label"}],
    })  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all bad files and a good one."""
    made = tmp_path_factory.mktemp("in")
    for bad in BAD + LATE:
        (made / bad.name).write_bytes(bad.make())
    (made / GOOD).write_bytes(letter())
    return made


@pytest.fixture(scope="module")
def done(folder: Path, policy: Policy) -> Released:
    """What is done of the folder where bad files are set aside."""
    return sfumato.sanitize_file(policy, folder, folder.with_name("out"), on_error="quarantine")


@pytest.fixture(scope="module")
def reasons(done: Released) -> dict[str, str]:
    """What is said of each file that was set aside."""
    lines = done.output.with_name(f"{done.output.name}.quarantine.jsonl").read_text().splitlines()
    return {row["file"]: row["reason"] for row in map(json.loads, lines)}


@pytest.mark.parametrize("bad", BAD + LATE, ids=lambda bad: bad.name)
def test_a_bad_file_is_set_aside_with_a_reason_and_a_way_out(bad: Bad, reasons: dict[str, str]) -> None:
    assert re.search(bad.reason, reasons[bad.name]), reasons[bad.name]
    assert "; " in reasons[bad.name], "the way out"
    assert NAME not in reasons[bad.name]


def test_the_others_are_done(done: Released, reasons: dict[str, str]) -> None:
    assert reasons.keys() == {bad.name for bad in BAD + LATE}
    assert done.statement["documents"]["files"] == {"written": 1, "set aside": len(LATE)}
    assert done.statement["records"]["quarantined"] == len(BAD + LATE)
    [written] = list(done.output.iterdir())
    assert NAME not in every_string(written.read_bytes())
    assert "[PERSON]" in every_string(written.read_bytes())


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)
def test_a_run_that_sets_nothing_aside_names_the_file_and_leaves_nothing(
    bad: Bad, policy: Policy, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    for name in (GOOD, bad.name):
        shutil.copy(folder / name, tmp_path / "in")
    with pytest.raises(InputError, match=re.escape(bad.name)) as error:
        sfumato.sanitize_file(policy, tmp_path / "in", tmp_path / "out")
    assert re.search(bad.reason, str(error.value))
    assert "--on-error quarantine" in str(error.value)
    assert NAME not in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("bad", LATE, ids=lambda bad: bad.name)
@pytest.mark.parametrize("on_error", ["stop", "quarantine"])
def test_a_file_that_cannot_be_written_refuses_all_if_it_is_not_set_aside_or_alone(
    bad: Bad, on_error: Literal["stop", "quarantine"], policy: Policy, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    shutil.copy(folder / bad.name, tmp_path / "in")
    if on_error == "stop":
        shutil.copy(folder / GOOD, tmp_path / "in")
    with pytest.raises(RefusedReleaseError, match=rf"{re.escape(bad.name)}: .*{bad.reason}"):
        sfumato.sanitize_file(policy, tmp_path / "in", tmp_path / "out", on_error=on_error)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_letter_of_office_97_with_another_ending_is_refused(tmp_path: Path) -> None:
    content = converted(letter(), "a.docx", "doc", tmp_path)
    assert NAME in every_string(content)
    for ending in (".docx", ".xlsx", ".pptx"):
        with pytest.raises(Refused, match=rf"Office 97; save it without a password as \{ending}") as refused:
            walked(f"a{ending}", content)
        assert NAME not in str(refused.value)


@pytest.fixture(scope="module")
def hard(policy: Policy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files that are hard to release, with a bad one among them, released under their names."""
    made = tmp_path_factory.mktemp("hard")
    for name, make in HARD.items():
        (made / name).write_bytes(make())
    (made / "bad.docx").write_bytes(b"x")
    output = made.with_name("hard out")
    keeping = policy.with_changes({"documents.names": "keep"})
    sfumato.sanitize_file(keeping, made, output, on_error="quarantine")
    return output


@pytest.mark.parametrize("name", HARD)
def test_a_hard_file_is_released_without_the_name(name: str, hard: Path) -> None:
    content = (hard / name).read_bytes()
    held = every_string(content) + " ".join(each.text for each in strings(name, content))
    assert NAME not in held
    assert HEBREW not in held
    assert held.count("PERSON") >= min(every_string(HARD[name]()).count(NAME), 1)


def test_what_makes_a_file_hard_stays(hard: Path) -> None:
    assert {path.name for path in hard.iterdir()} == set(HARD)
    for name, stays in (
        ("comments.docx", 10_000), ("right to left.docx", "<w:rtl"), ("right to left.xlsx", 'rightToLeft="1"'),
        ("right to left.pptx", 'rtl="1"'), ("right to left.html", "dir=rtl"), ("vertical.docx", 'w:val="tbRl"'),
        ("vertical.xlsx", 'textRotation="255"'), ("vertical.pptx", 'vert="eaVert"'), ("merged.docx", "w:gridSpan"),
        ("merged.xlsx", 'ref="A2:B3"'), ("merged.pptx", 'gridSpan="2"'),
    ):  # fmt: skip
        held = every_string((hard / name).read_bytes())
        assert (held.count("<w:comment ") >= stays) if isinstance(stays, int) else (stays in held), name
    sheet = openpyxl.load_workbook(hard / "formulas.xlsx").active
    assert [sheet["A2"].value, sheet["A3"].value] == ['="[PERSON] "&B2', '="[PERSON]"']
