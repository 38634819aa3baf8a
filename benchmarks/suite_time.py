"""How long the whole test suite takes, and which folders of tests take most of it.

Usage: suite_time.py [--workers N] [--record]

The suite runs as `make unit` runs it. A folder's seconds are those of its tests, which N processes run side by side.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from recording import table, written

ROOT = Path(__file__).parents[1]
_SHOWN = 12


def seconds_by_folder(cases: Iterable[ElementTree.Element]) -> Counter[str]:
    """Seconds of all tests, by the folder of `tests` that they lie in, or by their file."""
    seconds: Counter[str] = Counter()
    for case in cases:
        place = [part for part in case.get("classname", "").split(".") if not part.startswith("Test")]
        seconds["/".join(place[:2])] += float(case.get("time", 0.0))
    return seconds


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    load, started = os.getloadavg()[0], time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-n", str(asked.workers), "--dist", "loadfile"]
        ran = subprocess.run([*command, f"--junitxml={report}"], cwd=ROOT, check=False)
        took = time.perf_counter() - started
        if ran.returncode:
            raise SystemExit("A test failed; nothing is recorded.")
        cases = list(ElementTree.parse(report).iter("testcase"))
    seconds = seconds_by_folder(cases)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    rows: list[list[object]] = [[name, f"{spent:.0f}"] for name, spent in seconds.most_common(_SHOWN)]
    rest = sum(seconds.values()) - sum(spent for _, spent in seconds.most_common(_SHOWN))
    rows.append(["all others", f"{rest:.0f}"])
    about = (
        f"{len(cases):,} tests by {asked.workers} processes: {took:.0f} s on the clock, "
        f"{usage.ru_utime + usage.ru_stime:.0f} s of a processor; load {load:.1f} before."
    )
    written("suite-time", f"{table(['tests', 'seconds'], rows)}\n\n{about}", asked.record)


if __name__ == "__main__":
    main()
