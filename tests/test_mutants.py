"""The list of mutants fits the code: a change that leaves one behind is noticed at once, not when they next run."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
LIST = ROOT / "benchmarks" / "mutants_list.py"
_DEFINED = re.compile(r"^\s*(?:async )?def (test_\w+)\(", re.MULTILINE)


@pytest.fixture(scope="module")
def mutants() -> list[Any]:
    return list(runpy.run_path(str(LIST))["MUTANTS"])


def texts(folder: Path) -> Iterator[str]:
    return (path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))


def misfits(mutants: list[Any], sources: list[str], tests: set[str]) -> list[str]:
    wrong = []
    for mutant in mutants:
        if sum(source.count(mutant.search) for source in sources) != 1:
            wrong.append(f"{mutant.name}: its text is not in the code, or more than once")
        wrong += [f"{mutant.name}: no test is called {test}" for test in mutant.tests if test not in tests]
    return wrong


def test_every_mutant_has_its_place_and_its_tests(mutants: list[Any]) -> None:
    sources = list(texts(ROOT / "src"))
    tests = {name for text in texts(ROOT / "tests") for name in _DEFINED.findall(text)}
    assert len({mutant.name for mutant in mutants}) == len(mutants) > 100
    assert misfits(mutants, sources, tests) == []
    assert len(misfits(mutants[:1], [], tests)) == 1
    assert misfits(mutants[:1], sources, set())


@pytest.mark.parametrize("workers", [0, 1])
def test_a_test_that_fails_kills_whoever_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """With workers of its own, pytest ends as interrupted behind the first failure: that was "tests cannot run"."""
    monkeypatch.syspath_prepend(str(LIST.parent))
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:langsmith_plugin -p no:faker -p no:anyio")  # a second of every start
    benchmark = runpy.run_path(str(LIST.with_name("mutants.py")))
    path = tmp_path / "test_of_one.py"
    for body, killer in (("assert False", "test_it"), ("assert True", None), ("import nothing_of_this_name", "none")):
        indented = body if killer == "none" else f"def test_it():\n    {body}"
        path.write_text(indented + "\n", encoding="utf-8")
        ran = benchmark["pytest"](ROOT / "src", [str(path)], workers)
        if killer == "none":
            with pytest.raises(SystemExit, match="cannot run"):
                benchmark["killer_in"](ran, "name")
        else:
            assert benchmark["killer_in"](ran, "name") == killer
