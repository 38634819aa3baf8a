"""One line through dp-mlm, from start to end of the command: processor and clock seconds, alone and beside others.

Usage: one_line.py [--source NAME=FOLDER ...] [--repeats N] [--record]

Where a core is shared, threads that split small products wait for each other. FOLDER is the `src` of a checkout, so
that one before a change and one after it can be compared; the runs take turns. Threads are as many as torch takes.
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


def timed(source: Path, busy: int) -> tuple[float, float]:
    """Clock and processor seconds of one run beside ``busy`` loops."""
    with tempfile.TemporaryDirectory() as folder:
        given, taken = Path(folder, "line.txt"), Path(folder, "out.txt")
        given.write_text(LINE, encoding="utf-8")
        command = [sys.executable, "-c", ASK, "sanitize", str(given), "-o", str(taken), "-m", "dp-mlm", "-e", "25"]
        environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
        loops = [subprocess.Popen(SPIN) for _ in range(busy)]
        try:
            started = time.perf_counter()
            process = subprocess.Popen(
                [*command, "--quiet"], env={**environment, "PYTHONPATH": str(source)}, stdout=subprocess.DEVNULL
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
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    here = f"now={Path(__file__).parents[1] / 'src'}"
    sources = dict(one.split("=", 1) for one in asked.source or [here])
    cores = len(os.sched_getaffinity(0))
    seen: dict[tuple[str, int], list[tuple[float, float]]] = {}
    load = os.getloadavg()[0]
    for _ in range(asked.repeats):
        for busy in (0, cores):
            for name, folder in sources.items():
                seen.setdefault((name, busy), []).append(timed(Path(folder).resolve(), busy))
                print(name, busy, seen[name, busy][-1], flush=True)
    rows: list[list[object]] = []
    for (name, busy), runs in sorted(seen.items(), key=lambda item: item[0][1]):
        wall, processor = (f"{median(column):.1f}" for column in zip(*runs, strict=True))
        rows.append([name, f"{busy} busy loops" if busy else "nothing of ours", wall, processor])
    text = table(["program", "beside", "clock s", "processor s"], rows)
    about = f"Median of {asked.repeats} runs on {cores} cores; load {load:.1f} before."
    written("one-line", f"{text}\n\n{about}", asked.record)


if __name__ == "__main__":
    main()
