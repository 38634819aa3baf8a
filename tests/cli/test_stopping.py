"""What an interrupted command advises: what suits it, after Ctrl-C and after a signal to end alike."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import call, write_jsonl
from sfumato.protection import protecting
from sfumato.synthesis import run as synthesizing
from tiny_causal import llama, saved

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
ENDS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def told_after(number: signal.Signals, *arguments: object) -> str:
    told = call(*arguments)
    assert told.code == 128 + number, told.err
    return told.err.splitlines()[-1]


def ending(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, number: signal.Signals) -> None:
    monkeypatch.setattr(module, name, lambda *_, **__: signal.raise_signal(number))


@pytest.mark.parametrize("number", ENDS)
def test_a_command_that_pays_nothing_is_typed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    path = write_jsonl(tmp_path / "in.jsonl", [{"text": "Anna came."}])
    for name in ("evaluate", "find"):
        importlib.import_module(f"sfumato.cli.{name}")
    ending(monkeypatch, sys.modules["sfumato.cli.evaluate"], "evaluate_plan", number)
    said = told_after(number, "evaluate", path, path, "-o", tmp_path / "out")
    assert said == "Error: Interrupted; what was finished is kept: type the same again."
    ending(monkeypatch, sys.modules["sfumato.cli.find"], "find_file", number)
    said = told_after(number, "find", path, "--detect", "identifiers")
    assert said == "Error: Interrupted; type the same again."


@pytest.mark.models
@pytest.mark.parametrize("number", ENDS)
def test_a_synthesis_that_has_paid_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """What is typed again without --resume is refused, and with --force it pays again."""
    rows = [{"text": f"Anna says {n} again"} for n in range(60)]
    path, model = write_jsonl(tmp_path / "in.jsonl", rows), saved(llama(), tmp_path / "model")
    own = ("-m", "finetune", "--set", f"model={model}", "--set", "steps=2", "--set", "length=12", "--set", "rank=2")
    asked = ("synthesize", path, "-o", tmp_path / "out.jsonl", *own, "--units", 60, "--records", 2, "-e", 6)
    with monkeypatch.context() as before:
        ending(before, synthesizing, "read_units", number)
        assert told_after(number, *asked).endswith("nothing of it is kept: type the same again.")
    with monkeypatch.context() as after:
        ending(after, synthesizing, "published", number)
        assert told_after(number, *asked).endswith("type the same again with --resume, which pays nothing again.")
    assert call(*asked).code == 2
    again = call(*asked, "--resume")
    assert again.code == 0, again.err


@pytest.mark.models
@pytest.mark.parametrize("number", ENDS)
def test_a_protection_that_has_paid_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short_lists: None, number: signal.Signals
) -> None:
    """What was typed again paid for another attempt."""
    records = (Path(__file__).parents[2] / "examples" / "records.jsonl").read_text(encoding="utf-8")
    (tmp_path / "notes.jsonl").write_text("".join(records.splitlines(keepends=True)[:8]), encoding="utf-8")
    treat = '[[treat]]\nkinds = ["AGE"]\nmechanism = "geometric"\nepsilon = 0.2\n[treat_others]\nmethod = "label"\n'
    (tmp_path / "p.toml").write_text(f'[find]\ndetect = ["given"]\n{treat}[accept]\nidentifiers_left_upper = 0.4\n')
    monkeypatch.chdir(tmp_path)
    own = ("--policy", "p.toml", "--id-field", "id", "--key", "own.key", "--sample", 6, "--no-trials")
    with monkeypatch.context() as unpaid:
        ending(unpaid, protecting, "attacked", number)
        said = told_after(number, "protect", "notes.jsonl", "-o", "notes", *own)
        assert said.endswith("nothing of it is kept: type the same again.")
    call("ledger", "init", "spent.sqlite", "--dataset", "notes", "--cap", "record:*=9")
    asked = ("protect", "notes.jsonl", "-o", "notes", *own, "--ledger", "spent.sqlite")
    with monkeypatch.context() as paid:
        ending(paid, protecting, "attacked", number)
        said = told_after(number, *asked)
        assert said.endswith("type the same again with --resume, which pays nothing again.")
    again = call(*asked)
    assert again.code == 2
    assert "--resume" in again.err
    assert call(*asked, "--resume").code == 0
    assert call("ledger", "show", "spent.sqlite", "--json").json["reservations"] == {"published": 1}
