"""Seconds in which two processes redact 7 MB of text with the default detector.

Usage: redaction_speed.py [--megabytes 7] [--long 0] [--record]

The text is that of the Text Anonymization Benchmark, over and over. --long 100 also redacts 100 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from itertools import cycle
from pathlib import Path

from recording import DATA, SFUMATO, run, table, written

ASKED = 25


def write(path: Path, megabytes: float) -> int:
    """Documents to ``path``, so many megabytes of text; how many there are."""
    lines = (DATA / "tab" / "annotated.jsonl").read_text(encoding="utf-8").splitlines()
    size = count = 0
    with path.open("w", encoding="utf-8") as file:
        for line in cycle(lines):
            text = json.loads(line)["text"]
            file.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
            size, count = size + len(text), count + 1
            if size >= megabytes * 1e6:
                return count
    return count


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=float, default=7)
    parser.add_argument("--long", type=float, default=0)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for megabytes in filter(None, (given.megabytes, given.long)):
            source = Path(folder) / "in.jsonl"
            count = write(source, megabytes)
            made = run(
                SFUMATO, "sanitize", source, "-o", Path(folder) / "out.jsonl", "-m", "redaction", "--workers", "2",
                "--quiet", "--force",
            )  # fmt: skip
            load = f"{os.getloadavg()[1]:.1f}"
            rows.append([f"{megabytes:g} MB", f"{count:,}", f"{made.seconds:.0f} s", load])
    heads = ["text", "documents", f"on the clock (target for 7 MB: {ASKED} s)",
             "load of the machine, five minutes' mean"]  # fmt: skip
    text = (
        table(heads, rows)
        + "\n\nTwo processes on two cores. If the load is above 2, other work shared the cores, and the wall-clock "
        "time exceeds that of an idle machine."
    )
    written("redaction-speed", text, given.record)


if __name__ == "__main__":
    main()
