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

from recording import SFUMATO, models, table, written

from sfumato.attacks.attribute_inference import BEFORE, TRANSFERRED
from sfumato.evaluation.studies._extraction import LOST

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
            "--task", "kind", "-o", report, "-q",
            *(("--id-field", "id") if policy == "clinical" else ("--synthetic",)),
        ]  # fmt: skip
        subprocess.run([str(part) for part in command], check=True)
    content = json.loads((report / "results.json").read_text(encoding="utf-8"))
    return [figure for study in content["studies"] for figure in study.get("figures", [])]


def points(figure: dict[str, Any]) -> str:
    """A figure and its interval, in points of a hundred."""
    value, low, high = (100 * figure[name] for name in ("value", "low", "high"))
    return f"{value:.1f} ({low:.1f} to {high:.1f})"


def told(policy: str, folder: Path) -> list[object]:
    """A line of the table."""
    verdict = protected(policy, folder)
    left = [limit["limit"] for limit in verdict["limits"] if not limit["holds"]]
    limits = {limit["limit"]: limit["measured"] for limit in verdict["limits"]}
    against = [
        "not measured" if limits.get(name) is None else f"at most {limits[name]['high']:.0%}"
        for name in ("outsiders", "acquaintances", "insiders")
    ]
    said = "accepted" if verdict["accepted"] else "not accepted"
    minutes = f"{verdict['minutes']:.0f} minutes"
    if not verdict["accepted"]:
        return [policy, f"{said}: {', '.join(left)}", minutes, *against, "–", "–", "–"]
    figures = utility(policy, folder)
    after = [figure for figure in figures if figure["setting"].get("classifier") == "embeddings"]
    learned = [
        next(figure for figure in after if figure["name"] == "accuracy" and figure["setting"]["attacker"] == attacker)
        for attacker in (BEFORE, TRANSFERRED)
    ]
    lost = next(figure for figure in after if figure["name"] == LOST)
    gap = f", with a gap: {', '.join(left)}" if left else ""
    return [policy, f"{said}{gap}", minutes, *against, *map(points, learned), points(lost)]


TEXT = """{table}

`python benchmarks/new_records.py FOLDER`: `protect` on the 240 example records, and a regression on sentence
embeddings that learns the field `kind` (three kinds) and is tried on originals that it has not seen; accuracy in per
cent, points lost in F1, each with its 95 % interval. People found are ends of 95 % intervals. **"Found" has another
meaning under each policy**: of treated records it is whose record is linked; of new records, how many more of the
people who took part than of people held out an attacker learns half of the unknown facts of.

{sentences}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where releases are kept, so that a stopped run resumes")
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    rows = [told(policy, given.folder) for policy in POLICIES]
    header = ["policy", "verdict", "time", *(f"found by {who}" for who in ("outsiders", "acquaintances", "insiders"))]
    header += ["learned from originals", "learned from the release", "points lost"]
    limits = protected("synthetic", given.folder)["limits"]
    sentences = "\n".join(f"- {limit['sentence']}" for limit in limits)
    shown = TEXT.format(table=table(header, rows), sentences=f"The limits of `synthetic`:\n\n{sentences}")
    written("new-records", shown, given.record, used=models("encoder", "causal", "detector"))


if __name__ == "__main__":
    main()
