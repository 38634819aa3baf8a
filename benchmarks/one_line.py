"""Commands of one line from their start to their end, everything cached: clock seconds and processor seconds.

Usage: one_line.py [--source NAME=FOLDER ...] [--program PYTHON] [--repeats N] [--busy N] [--record]

FOLDER is the `src` of a checkout, so that one before a change and one after it can be compared; the runs take turns.
A run before the measured ones fills the cache. PYTHON is the interpreter, by default this one: with one where only
the default extra is installed, packages such as torch cannot be imported by accident. N busy loops run beside.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from recording import table, written

LINE = "Anna Larsen of 14 Mill Lane phoned the surgery on Friday because her knee had swollen again after the fall.\n"
SPIN = [sys.executable, "-c", "while True: pass"]
ASK = "import sys; from sfumato.cli import main; sys.argv[0] = 'sfumato'; main()"
SANITIZE = ["sanitize", "GIVEN", "-o", "TAKEN", "--quiet"]
WORKS = {
    "`--version`": ["--version"],
    "`--help`": ["--help"],
    "`sanitize --help`": ["sanitize", "--help"],
    "a line: santext": [*SANITIZE, "-m", "santext", "-e", "12"],
    "a line: clusant, entities": [*SANITIZE, "-m", "clusant", "-e", "5", "--set", "k=4", "--detect", "entities"],
    "a line: dp-mlm": [*SANITIZE, "-m", "dp-mlm", "-e", "25"],
    "a line: redaction": [*SANITIZE, "-m", "redaction"],
    "a line: policy support": [*SANITIZE, "--policy", "support"],
    "a line: policy clinical": [*SANITIZE, "--policy", "clinical"],
}


def timed(python: str, source: Path, work: list[str], busy: int) -> tuple[float, float]:
    """Clock and processor seconds of one run beside ``busy`` loops."""
    with tempfile.TemporaryDirectory() as folder:
        given, taken = Path(folder, "line.txt"), Path(folder, "out.txt")
        given.write_text(LINE, encoding="utf-8")
        command = [python, "-c", ASK, *({"GIVEN": str(given), "TAKEN": str(taken)}.get(part, part) for part in work)]
        left_out = ("_NUM_THREADS", "PYTHONDONTWRITEBYTECODE")
        environment = {name: value for name, value in os.environ.items() if not name.endswith(left_out)}
        loops = [subprocess.Popen(SPIN) for _ in range(busy)]
        try:
            started = time.perf_counter()
            process = subprocess.Popen(
                command, env={**environment, "PYTHONPATH": str(source)}, stdout=subprocess.DEVNULL
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()
        if process.returncode:
            raise SystemExit("The run failed.")
        return time.perf_counter() - started, usage.ru_utime + usage.ru_stime


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", action="append", default=[], help="NAME=FOLDER")
    parser.add_argument("--program", default=sys.executable)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    sources = dict(one.split("=", 1) for one in asked.source or [f"now={Path(__file__).parents[1] / 'src'}"])
    load, rows = os.getloadavg()[0], list[list[object]]()
    for name, work in WORKS.items():
        seen: dict[str, list[tuple[float, float]]] = {source: [] for source in sources}
        for turn in range(asked.repeats + 1):
            for source, folder in sources.items():
                run = timed(asked.program, Path(folder).resolve(), work, asked.busy)
                if turn:
                    seen[source].append(run)
        figures = [f"{median(column):.2f}" for runs in seen.values() for column in zip(*runs, strict=True)]
        print(name, *figures, flush=True)
        rows.append([name, *figures])
    header = [f"{source}: {unit} s" for source in sources for unit in ("clock", "processor")]
    about = f"Medians of {asked.repeats} runs, {asked.busy} busy loops beside; load {load:.1f} before."
    written("one-line", f"{table(['command', *header], rows)}\n\n{about}", asked.record)


if __name__ == "__main__":
    main()
