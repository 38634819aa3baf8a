"""Where benchmark scripts put what they saw: their own section of a page in docs/, never typed by hand."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[1] / "docs"
DATA = Path(__file__).parents[2] / "shared" / "data"
SFUMATO = Path(sys.executable).with_name("sfumato")


class Run(NamedTuple):
    """One finished process: seconds on the clock, peak memory in MB."""

    seconds: float
    peak_mb: float


def machine() -> str:
    """The machine in a few words."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "?")
    return f"{os.cpu_count()} cores ({model}), Python {platform.python_version()}, {date.today().isoformat()}"


def run(*command: str | Path) -> Run:
    """Run a command to its end; its output is thrown away, a failure is an error."""
    started = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    complaint = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[1]} failed: {complaint}")
    return Run(time.perf_counter() - started, usage.ru_maxrss / 1000)


def table(header: list[str], rows: list[list[object]]) -> str:
    """A markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def record(section: str, text: str, page: str = "benchmarks.md") -> None:
    """Replace the part of docs/``page`` between the marks of ``section`` and show it."""
    begin, end = f"<!-- begin {section} -->", f"<!-- end {section} -->"
    place = DOCS / page
    head, _, rest = place.read_text(encoding="utf-8").partition(begin)
    _, found, tail = rest.partition(end)
    if not found:
        raise SystemExit(f"docs/{page} has no marks for {section}.")
    body = f"{text}\n\nMeasured on {machine()}."
    place.write_text(f"{head}{begin}\n{body}\n{end}{tail}", encoding="utf-8")
    print(body)


def written(section: str, text: str, recorded: bool, page: str = "benchmarks.md") -> None:
    """Show ``text``; where ``recorded``, write it down as well."""
    if recorded:
        record(section, text, page)
    else:
        print(text)
