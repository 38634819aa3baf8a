"""Work over processes: in order, the same as here, and nothing lost where a process fails."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sfumato.attacks import claims
from sfumato.attacks.claims import ClauseSplitter
from sfumato.runtime import spread


def worker(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> str:
    lines = ["import json, sys", "json.loads(sys.stdin.readline())", body]
    (folder / "a_worker.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return "a_worker"


READY = "print(json.dumps('ready'), flush=True)"
SQUARES = f"{READY}\nfor line in sys.stdin: print(json.dumps(['there', json.loads(line) ** 2]), flush=True)"


def test_order_is_kept_and_every_process_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    started, begun = tmp_path / "started", tmp_path / "begun"  # neither side begins without the other

    def here(piece: int) -> list[object]:
        begun.touch()
        for _ in range(600):  # until the process is there: how long it takes depends on the machine
            if started.exists():
                break
            time.sleep(0.1)
        time.sleep(0.05)
        return ["here", piece**2]

    told: list[float] = []
    wait = f"import os, time\nwhile not os.path.exists({str(begun)!r}): time.sleep(0.01)"
    body = f"open({str(started)!r}, 'w').close()\n{READY}\n{wait}\n{SQUARES.partition(chr(10))[2]}"
    found = spread(range(2000), here, worker(tmp_path, body, monkeypatch), [], 2, told.append)
    assert [square for _, square in found] == [n**2 for n in range(2000)]
    assert {place for place, _ in found} == {"here", "there"}
    assert told == sorted(told)


@pytest.mark.parametrize(
    "body",
    [
        "sys.exit(1)",
        "print('nonsense', flush=True)",
        f"{READY}\nsys.stdin.readline(); sys.exit(3)",
        f"{READY}\nfor line in sys.stdin: print('[', flush=True)",
        "import no_such_module_at_all",
    ],
)
def test_what_a_process_does_not_answer_is_done_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    found = spread(range(20), lambda piece: piece + 1, worker(tmp_path, body, monkeypatch), [], 2)
    assert found == list(range(1, 21))


def test_an_error_here_ends_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(piece: int) -> int:
        raise ValueError("one")

    with pytest.raises(ValueError, match="one"):
        spread(range(9), fails, worker(tmp_path, SQUARES, monkeypatch), [], 1)


def test_no_interpreter_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert spread([1, 2], lambda piece: -piece, "a_worker", [], 2) == [-1, -2]


@pytest.mark.models
def test_claims_are_the_same_by_two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy")
    monkeypatch.setattr(claims, "_PIECE", 60)
    texts = [f"Anna number {n} lives in Oslo and has a dog, which barks. \ud83d Nobody else came." for n in range(40)]
    texts = [text.encode("utf-8", "replace").decode() for text in ["", *texts, "…"]]
    alone, shared = ClauseSplitter(processes=1).split(texts), ClauseSplitter(processes=2).split(texts)
    assert shared == alone
    assert all(isinstance(own, tuple) for own in shared)
