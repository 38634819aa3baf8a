"""New records beside treated ones: what the policy `synthetic` costs in usefulness, next to `clinical`.

Usage: new_records.py FOLDER [--record]

`sfumato protect` makes a release of the example records by each policy and judges it. A classifier then learns the
field `kind` from each release and is tried on the originals. FOLDER keeps releases, so that a stopped run resumes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recording import SFUMATO

RECORDS = Path(__file__).parents[1] / "examples" / "records.jsonl"
POLICIES: Mapping[str, tuple[str, ...]] = {
    "clinical": ("--keep-field", "kind"),
    "synthetic": ("--set", "synthesize.units=240", "--set", "synthesize.codes.kind=clinic,support,court"),
}


def protected(policy: str, folder: Path) -> dict[str, Any]:
    """What `protect` says of a release by ``policy``, and its minutes on the clock; kept."""
    path = folder / f"{policy}.json"
    if not path.exists():
        started = time.monotonic()
        command = [
            SFUMATO, "protect", RECORDS, "-o", folder / policy, "--policy", policy, "--id-field", "id",
            *POLICIES[policy], "--key", folder / "signing.key", "--json", "--no-trials", "--force",
        ]  # fmt: skip
        process = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
        if process.returncode not in (0, 4):
            raise SystemExit(f"protect failed: {process.stderr}")
        told = {**json.loads(process.stdout), "minutes": (time.monotonic() - started) / 60}
        path.write_text(json.dumps(told), encoding="utf-8")
    return dict(json.loads(path.read_text(encoding="utf-8")))


def utility(policy: str, folder: Path) -> list[dict[str, Any]]:
    """The figures of a classifier of `kind` and of likeness, for a release that was accepted."""
    report = folder / f"report-{policy}"
    if not report.exists():
        release = folder / f"{policy}.release" / "data.jsonl"
        command = [
            SFUMATO, "evaluate", RECORDS, release, "--attacks", "attributes", "--metrics", "utility",
            "--task", "kind", "-o", report, "-q", *(("--id-field", "id") if policy == "clinical" else ()),
        ]  # fmt: skip
        subprocess.run([str(part) for part in command], check=True)
    content = json.loads((report / "results.json").read_text(encoding="utf-8"))
    return [figure for study in content["studies"] for figure in study.get("figures", [])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where releases are kept, so that a stopped run resumes")
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for policy in POLICIES:
        told = protected(policy, given.folder)
        print(json.dumps(told, indent=1)[:6000])
        if told.get("accepted"):
            print(json.dumps(utility(policy, given.folder), indent=1)[:6000])


if __name__ == "__main__":
    main()
