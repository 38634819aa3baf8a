"""From the example records to a signed release that was checked: clock seconds of the two commands, warm caches.

Usage: protecting.py [--policy clinical] [--repeats 3] [--record]

A run before the measured ones fills the cache. Each measured run makes a release of its own, so that no study of an
earlier one is taken over, and the shares under the limits are those of the last run.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from statistics import median

from recording import SFUMATO, run, table, written

RECORDS = Path(__file__).parents[1] / "examples" / "records.jsonl"


def once(policy: str, folder: Path) -> tuple[float, float, float]:
    """Seconds of protect, of verify, and the peak memory in MB."""
    name = folder / "notes"
    made = run(
        SFUMATO, "protect", RECORDS, "-o", name, "--policy", policy, "--id-field", "id", "--keep-field", "kind",
        "--key", folder / "signing.key", "--quiet",
    )  # fmt: skip
    checked = run(SFUMATO, "verify", f"{name}.release", "--key", folder / "signing.key.pub")
    return made.seconds, checked.seconds, made.peak_mb


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", default="clinical")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    runs = []
    for number in range(asked.repeats + 1):
        with tempfile.TemporaryDirectory() as folder:
            seconds = once(asked.policy, Path(folder))
            stated = json.loads((Path(folder) / "notes.release" / "data.jsonl.privacy.json").read_text())
            if number:
                runs.append(seconds)
    made, checked, memory = (median(figures) for figures in zip(*runs, strict=True))
    rows: list[list[object]] = [
        ["`protect`, from the records to the signed release", f"{made:.0f} s", "300 s"],
        ["`verify`", f"{checked:.2f} s", ""],
        ["peak memory of `protect`", f"{memory:,.0f} MB", ""],
    ]
    limits = [[limit["sentence"]] for limit in stated["accepted"]["limits"]]
    text = "\n\n".join(
        [
            f"240 records under the policy `{asked.policy}`, medians of {asked.repeats} runs, caches warm:",
            table(["work", "seen", "asked"], rows),
            table(["limits of the policy, in the last run"], limits),
        ]
    )
    written("protecting", text, asked.record)


if __name__ == "__main__":
    main()
