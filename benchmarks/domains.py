"""Time until the domains of each shipped policy are made and certified, and records a second under a policy.

Usage: domains.py [--copies 20] [--policy NAME ...] [--record]

Each policy begins with a cache folder of its own that is empty, in a process of its own. "Again" is a second process
with the same folder. Records a second are those between one copy of the example records and several. So the start of
a process does not count.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from recording import SFUMATO, run, table, written

from sfumato.policy.tables import shipped_names

RECORDS = Path(__file__).parents[1] / "examples" / "records.jsonl"
PREPARE = "import sys, sfumato; sfumato.build_policy(sys.argv[1]).prepare()"
CASES = {
    "`--policy support`": ("--policy", "support"),
    "`-m clusant -e 5 --set k=4 --detect identifiers`": (
        "-m", "clusant", "-e", "5", "--set", "k=4", "--detect", "identifiers", "--keep-field", "kind",
    ),
}  # fmt: skip


class Taken(NamedTuple):
    """Seconds on the clock, and of the processor."""

    clock: float
    processor: float

    def __str__(self) -> str:
        return f"{self.clock:.1f} s ({self.processor:.1f} s)"


def taken(*command: str | Path) -> Taken:
    """Return what a command takes in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = run(*command).seconds
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Taken(clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def prepared(policy: str) -> list[object]:
    """Return the row of one policy."""
    kept = os.environ.get("SFUMATO_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SFUMATO_CACHE"] = folder
        try:
            row = [policy, *(taken(sys.executable, "-c", PREPARE, policy) for _ in range(2))]
        finally:
            os.environ.pop("SFUMATO_CACHE")
            if kept is not None:
                os.environ["SFUMATO_CACHE"] = kept
    print(*row, flush=True)
    return row


def throughput(copies: int, folder: Path) -> list[list[object]]:
    """Return records a second of each case, by the clock and by the processor."""
    lines = RECORDS.read_text(encoding="utf-8").splitlines()
    for count in (1, copies):
        text = "\n".join(line for _ in range(count) for line in lines)
        (folder / f"{count}.jsonl").write_text(text + "\n", encoding="utf-8")
    rows: list[list[object]] = []
    for name, options in CASES.items():
        command = (SFUMATO, "sanitize", *options, "--force", "-o", folder / "released.jsonl")
        taken(*command, folder / "1.jsonl")  # fills the cache
        once, often = (taken(*command, folder / f"{count}.jsonl") for count in (1, copies))
        more = len(lines) * (copies - 1)
        rates = [f"{more / (last - first):,.0f}" for first, last in zip(once, often, strict=True)]
        rows.append([name, *rates])
        print(*rows[-1], flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=20)
    parser.add_argument("--policy", action="append")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    rows = [prepared(policy) for policy in given.policy or [name for name in shipped_names() if name != "synthetic"]]
    with tempfile.TemporaryDirectory() as folder:
        rates = throughput(given.copies, Path(folder))
    about = [
        table(["policy", "empty cache (of the processor)", "again (of the processor)"], rows),
        table(["example records", "records a second", "records a processor second"], rates),
        f"The load average was {load:.1f} at the beginning.",
    ]
    written("domains", "\n\n".join(about), given.record)


if __name__ == "__main__":
    main()
