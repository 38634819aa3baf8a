"""The demonstration shows a release before it begins the next step, and goes on where it was stopped."""

from __future__ import annotations

import importlib.util
import io
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from rich.console import Console

import sfumato

DEMO = Path(__file__).parents[1] / "examples" / "demo.py"


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The demonstration as it is."""
    spec = importlib.util.spec_from_file_location("demo_under_test", DEMO)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def demo(shipped: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The demonstration in an empty folder, with one way, which needs no model."""
    (tmp_path / "names.txt").write_text("PERSON\tDesmond Achebe\n", encoding="utf-8")
    method = sfumato.Redaction(detect=f"list:{tmp_path / 'names.txt'}")
    monkeypatch.setattr(shipped, "WAYS", (shipped.Way("redaction", method, "a name", 1.0),))
    monkeypatch.chdir(tmp_path)
    return shipped


def ran(demo: ModuleType, monkeypatch: pytest.MonkeyPatch, attack: Callable[[str], object]) -> tuple[int, str]:
    """Exit code and all that was printed. ``attack``, told what was printed before, stands in for minutes of work."""
    shown = io.StringIO()
    monkeypatch.setattr(demo, "Console", lambda: Console(file=shown, width=200))
    monkeypatch.setattr(demo, "attacked", lambda told: attack(shown.getvalue()))
    return demo.main(), shown.getvalue()


def test_the_cheapest_way_is_first(shipped: ModuleType) -> None:
    assert shipped.WAYS[0].seconds == min(way.seconds for way in shipped.WAYS)
    assert shipped.ATTACKED in {way.name for way in shipped.WAYS}


def test_a_demonstration_that_is_stopped_says_what_is_there_and_goes_on(
    demo: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code, shown = ran(demo, monkeypatch, lambda _: signal.raise_signal(signal.SIGINT))
    assert code == 130
    assert "PERSON_1" in shown
    assert "Stopped." in shown
    assert "demo-output/redaction.jsonl.privacy.json" in shown
    assert "make demo" in shown
    release = tmp_path / "demo-output" / "redaction.jsonl"
    made = release.stat().st_mtime_ns

    code, shown = ran(demo, monkeypatch, lambda before: before.index("PERSON_1"))
    assert code == 0
    assert release.stat().st_mtime_ns == made
    assert not list(release.parent.glob(".*"))

    ran(demo, monkeypatch, lambda _: None)
    assert release.stat().st_mtime_ns > made  # a finished one begins anew


def test_what_was_done_with_other_records_is_not_taken_up(
    demo: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran(demo, monkeypatch, lambda _: signal.raise_signal(signal.SIGINT))
    release = tmp_path / "demo-output" / "redaction.jsonl"
    made = release.stat().st_mtime_ns
    other = tmp_path / "other.jsonl"
    other.write_text(demo.RECORDS.read_text("utf-8").replace("Achebe", "Adeyemi"), "utf-8")
    monkeypatch.setattr(demo, "RECORDS", other)
    code, _ = ran(demo, monkeypatch, lambda _: None)
    assert code == 0
    assert release.stat().st_mtime_ns > made


def test_the_time_left_follows_a_slow_machine(demo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 0.0, 0.0, 60.0])
    monkeypatch.setattr(demo.time, "monotonic", lambda: next(now))
    seen: list[str] = []
    monkeypatch.setattr(demo.Progress, "update", lambda self, task, **facts: seen.append(facts["left"]))
    with demo.bar(Console(file=io.StringIO()), 120.0) as step:
        step("first", 60.0)(0.5)  # 30 of 60 seconds took 60
    assert seen == ["about 2 min left", "about 3 min left"]
