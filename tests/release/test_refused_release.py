"""A release that is refused when its files are written: nothing private stays beside it, and its draws stay paid."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato
from ledger_runs import begin
from sfumato.documents import plain
from sfumato.documents.slot import Slot
from sfumato.errors import OutputError, RefusedReleaseError
from sfumato.ledger import Ledger
from sfumato.ledger.showing import shown
from sfumato.policy import Policy

NAME = "ZEBRAFINCH"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an input of two documents."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text("Born on 3 May 1990.")
    (tmp_path / "in" / "b.md").write_text(f"{NAME} was born on 5 June 1980.")
    return tmp_path


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play a format that leaves a name of b.md where no text is."""

    def walk(file: Any, _visit: Any, target: Any) -> Iterator[Slot]:
        slot = Slot(content := file.read().decode(), "text")
        yield slot
        if target is not None:
            target.write(f"{slot.new}\n{NAME if NAME in content else ''}".encode())

    monkeypatch.setattr(plain, "walk", walk)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play a format that cannot write what it has read."""

    def walk(file: Any, _visit: Any, target: Any) -> Iterator[Slot]:
        yield Slot(file.read().decode(), "text")
        if target is not None:
            raise ValueError(f"{NAME} is a secret")

    monkeypatch.setattr(plain, "walk", walk)


def release(folder: Path, ledger: Ledger | None = None, resume: bool = False) -> Any:
    """Release the folder, of which each document is a chunk: dates are drawn, and people are labels."""
    (listed := folder / "names.txt").write_text(f"PERSON\t{NAME}\nDATE\t3 May 1990\nDATE\t5 June 1980\n")
    policy = Policy.of({
        "find": {"detect": [f"list:{listed}"]},
        "treat": [{"kinds": ["DATE"], "mechanism": "geometric", "epsilon": 0.1}],
        "treat_others": {"method": "label"},
    })  # fmt: skip
    return sfumato.sanitize_file(policy, folder / "in", folder / "out", ledger=ledger, resume=resume, chunk_records=1)


def beside(folder: Path) -> list[str]:
    """Return what lies beside the output, or in its place."""
    return [path.name for path in folder.iterdir() if "out" in path.name]


def spent(ledger: Ledger) -> str:
    """Return what a record has spent at most."""
    [row] = [row for row in shown(ledger)["accounts"] if row["account"] == "record"]
    return str(row["spent_at_most"])


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("resume", [False, True])
def test_after_a_refused_proof_nothing_private_is_left(folder: Path, resume: bool) -> None:
    with pytest.raises(RefusedReleaseError, match=r"b\.md: a marked value would still be at text") as error:
        release(folder, resume=resume)
    assert isinstance(error.value, OutputError)
    assert NAME not in str(error.value)
    assert beside(folder) == []
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.name for path in files if NAME.encode() in path.read_bytes()} == {"b.md", "names.txt"}


@pytest.mark.usefixtures("failing")
def test_a_file_that_cannot_be_written_is_a_refused_release_too(folder: Path) -> None:
    with pytest.raises(RefusedReleaseError, match=r"a\.md: it cannot be read as markdown") as error:
        release(folder)
    assert NAME not in str(error.value)
    assert beside(folder) == []


@pytest.mark.usefixtures("forgetful")
def test_the_charge_of_a_refused_release_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its draws were made: a second run pays again, and does not give the first one its cost back."""
    with begin(folder, record={"*": 100}) as ledger:
        for runs in (1, 2):
            with pytest.raises(RefusedReleaseError):
                release(folder, ledger, resume=runs == 2)
            assert spent(ledger) == f"0.{runs}"
            assert beside(folder) == []
        monkeypatch.undo()
        release(folder, ledger)
        assert spent(ledger) == "0.3"
