"""Do the tests notice a mistake in the privacy code? Usage: mutants.py [NAME ...] [--all-tests] [--record]

Each mutant of mutants_list.py is put into a copy of src, and the tests that it names run over the copy; --all-tests
runs the whole suite instead. A mutant is killed where a test fails. First all named tests must pass over a copy
without a mistake.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from mutants_list import MUTANTS, Mutant
from recording import table, written

ROOT = Path(__file__).parents[1]
_DEFINED = re.compile(r"^\s*(?:async )?def (test_\w+)\(", re.MULTILINE)
_PATIENCE = 300.0  # seconds for the tests of a mutant
_PATIENCE_WITH_ALL = 3600.0  # on busy cores the whole suite takes a quarter of an hour
_PASSED, _FAILED, _STOPPED = 0, 1, 2  # exit statuses of pytest; all others say that it could not do its work

Fate = Literal["killed", "killed (too slow)", "survived"]


class Verdict(NamedTuple):
    """What became of a mutant, the first test that failed, and the seconds it took."""

    mutant: Mutant
    fate: Fate
    killer: str
    seconds: float


def source_files(source: Path) -> list[Path]:
    """Return every Python file below ``source``."""
    return sorted(source.rglob("*.py"))


def place_of(mutant: Mutant, source: Path) -> Path:
    """Return the one file below ``source`` that holds the text of ``mutant``. Raises SystemExit unless one does."""
    counts = {path: path.read_text(encoding="utf-8").count(mutant.search) for path in source_files(source)}
    if sum(counts.values()) != 1:
        raise SystemExit(f"{mutant.name}: its text occurs {sum(counts.values())} times; correct mutants_list.py.")
    return max(counts, key=counts.__getitem__)


def tests_by_name(folder: Path) -> dict[str, list[str]]:
    """Return for the name of every test function where pytest finds it."""
    places: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        for name in _DEFINED.findall(path.read_text(encoding="utf-8")):
            places.setdefault(name, []).append(f"{path}::{name}")
    return places


def ids_of(mutants: Iterable[Mutant]) -> dict[str, list[str]]:
    """Return what to run for each mutant, by its name. Raises SystemExit for a test that does not exist."""
    known = tests_by_name(ROOT / "tests")
    for mutant in mutants:
        for test in mutant.tests:
            if test not in known:
                raise SystemExit(f"{mutant.name}: no test is called {test}; correct mutants_list.py.")
    return {mutant.name: [id for test in mutant.tests for id in known[test]] for mutant in mutants}


def copied(folder: Path) -> Path:
    """Copy src into ``folder`` with what is compiled of it: the times of files are kept, so that it stays valid."""
    return Path(shutil.copytree(ROOT / "src", folder / "src"))


def pytest(source: Path, ids: Sequence[str], workers: int) -> subprocess.CompletedProcess[str]:
    """Run the tests ``ids`` (all, where there are none) over ``source`` up to the first failure."""
    environment = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--tb=no", "-p", "no:cacheprovider", f"-n{workers}"]
    return subprocess.run(
        [*command, *ids],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=_PATIENCE if ids else _PATIENCE_WITH_ALL,
    )


def check_honest(ids: Sequence[str], workers: int) -> None:
    """Raise SystemExit unless all tests pass over a copy without a mistake, which is read in place of src."""
    with tempfile.TemporaryDirectory() as folder:
        source = copied(Path(folder))
        command = [sys.executable, "-c", "import sfumato; print(sfumato.__file__)"]
        where = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": str(source)}, capture_output=True, text=True, check=True
        )
        if not where.stdout.startswith(str(source)):
            raise SystemExit("The copy of src is not what Python imports; nothing would be measured.")
        ran = pytest(source, ids, workers)
    if ran.returncode != _PASSED:
        raise SystemExit(f"The tests fail without a mutant.\n{ran.stdout}{ran.stderr}")


def verdict_on(mutant: Mutant, ids: Sequence[str], workers: int) -> Verdict:
    """Run the tests ``ids`` over a copy of src that holds the mutant."""
    with tempfile.TemporaryDirectory() as folder:
        source = copied(Path(folder))
        path = place_of(mutant, source)
        path.write_text(path.read_text(encoding="utf-8").replace(mutant.search, mutant.replace), encoding="utf-8")
        started = time.perf_counter()
        try:
            ran = pytest(source, ids, workers)
        except subprocess.TimeoutExpired:
            return Verdict(mutant, "killed (too slow)", "", time.perf_counter() - started)
        seconds = time.perf_counter() - started
    killer = killer_in(ran, mutant.name)
    return Verdict(mutant, "survived" if killer is None else "killed", killer or "", seconds)


def killer_in(ran: subprocess.CompletedProcess[str], name: str) -> str | None:
    """Return the first test that failed ("" if pytest does not name it), or None if all passed.

    Raise SystemExit if pytest could not run them. With workers of its own it ends as interrupted after a failure.
    """
    failed = re.search(r"^FAILED \S+?::(\w+)", ran.stdout, re.MULTILINE)
    if ran.returncode == _FAILED or (ran.returncode == _STOPPED and failed is not None):
        return failed.group(1) if failed else ""
    if ran.returncode != _PASSED:
        raise SystemExit(f"{name}: its tests cannot run.\n{ran.stdout}{ran.stderr}")
    return None


def report(verdicts: Sequence[Verdict], about: str) -> str:
    """Return the verdicts as a table, with their sum."""
    rows: list[list[object]] = [
        [
            verdict.mutant.name,
            verdict.mutant.breaks,
            verdict.fate,
            f"`{verdict.killer}`" if verdict.killer else "",
            f"{verdict.seconds:.0f}",
        ]
        for verdict in verdicts
    ]
    killed = sum(verdict.fate != "survived" for verdict in verdicts)
    header = ["mutant", "the promise it breaks", "fate", "first test that failed", "seconds"]
    return f"{table(header, rows)}\n\n{killed} of {len(verdicts)} mutants killed by {about}."


def main() -> None:
    """Try the mutants that are named, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all-tests", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--workers", type=int, default=0)
    options = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS if not options.names or mutant.name in options.names]
    if len(chosen) < len(options.names):
        raise SystemExit(f"The mutants are: {', '.join(mutant.name for mutant in MUTANTS)}.")
    for mutant in chosen:
        place_of(mutant, ROOT / "src")
    ids = {mutant.name: list[str]() for mutant in chosen} if options.all_tests else ids_of(chosen)
    check_honest(sorted({id for some in ids.values() for id in some}), options.workers)
    verdicts: list[Verdict] = []
    for mutant in chosen:
        verdicts.append(verdict_on(mutant, ids[mutant.name], options.workers))
        print(f"{mutant.name}: {verdicts[-1].fate} in {verdicts[-1].seconds:.0f} s {verdicts[-1].killer}", flush=True)
    about = "the whole suite" if options.all_tests else "the tests that they name"
    written("mutants", report(verdicts, about), options.record)


if __name__ == "__main__":
    main()
