"""Words a second and memory of each method of README's table, on the example records.

    python benchmarks/methods.py FOLDER             # measures what FOLDER does not hold yet, and shows the table
    python benchmarks/methods.py FOLDER --record    # the same, and writes it into docs/benchmarks.md
    python benchmarks/methods.py FOLDER --again dp-mlm

Each method has a process of its own, after a run on two records that fills the cache. What was measured is kept in
FOLDER after each method, so that a stopped run resumes. Delete FOLDER to measure everything again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from recording import SFUMATO, run, table, written

EXAMPLES = Path(__file__).parents[1] / "examples" / "records.jsonl"
EVALUATE = "evaluate"
IDLE = 1.3
"""The mean load that the method measured before leaves on a machine on which nothing else runs."""


@dataclass(frozen=True)
class Row:
    """A method, its options, and how many records it gets: the example records, over and over."""

    method: str
    records: int
    epsilon: float | None = None
    detect: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    says: str = ""


ROWS = {
    "policy clinical": Row("clinical", 240, says="dates, places, ages, codes and names"),
    "clusant": Row("clusant", 48_000, 5.0, "given", {"k": 4.0}, "given spans"),
    "santext": Row("santext", 48_000, 12.0, "words", says="every word"),
    "custext": Row("custext", 48_000, 6.0, "words", says="every word"),
    "dp-mlm": Row("dp-mlm", 120, 12.0, says="every word"),
    "redaction": Row("redaction", 240, says="identifiers"),
    "distortion": Row("distortion", 24, says="names of four kinds"),
}


def write(path: Path, records: int) -> int:
    """Write so many records to ``path``, and return how many words they have."""
    rows = [json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines()]
    words = 0
    with path.open("w", encoding="utf-8") as file:
        for number in range(records):
            row = rows[number % len(rows)]
            words += len(row["text"].split())
            file.write(json.dumps({**row, "id": f"{number}"}, ensure_ascii=False) + "\n")
    return words


def sanitize(name: str, source: Path, output: Path) -> dict[str, float]:
    """Sanitize in this process; return the seconds until it was ready, and those of the records."""
    import sfumato

    row, started = ROWS[name], time.perf_counter()
    given: dict[str, Any] = {"id_field": "id", "keep": ("kind", "urgent"), "overwrite": True}
    if name.startswith("policy "):
        done = sfumato.sanitize_file(sfumato.Policy.load(row.method), source, output, **given)
    else:
        options = dict(row.options) if row.detect is None else {**row.options, "detect": row.detect}
        done = sfumato.sanitize_file(row.method, source, output, row.epsilon, **options, **given)
    assert done.summary is not None
    seconds = done.summary.seconds
    return {"seconds": seconds, "ready": time.perf_counter() - started - seconds}


def measured(name: str) -> dict[str, Any]:
    """Return what was measured of the method ``name``."""
    row = ROWS[name]
    with tempfile.TemporaryDirectory() as folder:
        few, source, result = (Path(folder) / each for each in ("few.jsonl", "in.jsonl", "result.json"))
        write(few, 2)
        words = write(source, row.records)
        child = (sys.executable, __file__, folder, "--child", name)
        run(*child, "--source", few)
        load = os.getloadavg()[0]
        made = run(*child, "--source", source)
        told = json.loads(result.read_text())
    return {**told, "words": words, "peak": made.peak_mb, "load": load, "date": date.today().isoformat()}


def evaluated() -> dict[str, Any]:
    """Return what was measured of an evaluation of the redacted example records."""
    with tempfile.TemporaryDirectory() as folder:
        source, release = Path(folder) / "in.jsonl", Path(folder) / "out.jsonl"
        words = write(source, 240)
        sanitize("redaction", source, release)
        load = os.getloadavg()[0]
        given = ("--id-field", "id", "--label", "kind", "--task", "urgent")
        made = run(SFUMATO, "evaluate", source, release, *given, "-o", Path(folder) / "report")
    return {
        "seconds": made.seconds, "ready": None, "words": words, "peak": made.peak_mb, "load": load,
        "date": date.today().isoformat(),
    }  # fmt: skip


def text_of(results: dict[str, dict[str, Any]]) -> str:
    """Return the table of ``results``."""
    rows: list[list[object]] = []
    for name in [*ROWS, EVALUATE]:
        if name not in results:
            continue
        made, said = results[name], ROWS[name].says if name in ROWS else "all attacks and measures, whole run"
        ready = "" if made["ready"] is None else f"{made['ready']:.0f} s"
        speed = made["words"] / made["seconds"]
        rows.append([
            name, said, f"{made['words']:,}", ready, f"{speed:,.0f}" if speed >= 10 else f"{speed:.1f}",
            f"{made['peak']:,.0f} MB", f"{made['load']:.1f}",
        ])  # fmt: skip
    heads = ["method", "what it treats", "words", "ready after", "words a second", "peak memory", "load before"]
    busy = max(made["load"] for made in results.values()) > IDLE
    text = table(heads, rows) + "\n\nOne process. "
    if busy:
        text += f"**Other work shared the machine** where the load was above {IDLE:g}; an idle one is quicker."
    return text.rstrip()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--again", nargs="*", default=[])
    parser.add_argument("--child")
    parser.add_argument("--source", type=Path)
    given = parser.parse_args()
    if given.child:
        told = sanitize(given.child, given.source, given.folder / "out.jsonl")
        (given.folder / "result.json").write_text(json.dumps(told))
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    place = given.folder / "methods.json"
    results: dict[str, dict[str, Any]] = json.loads(place.read_text()) if place.exists() else {}
    for name in [*ROWS, EVALUATE]:
        if name in results and name not in given.again:
            continue
        print(f"{name} ...", flush=True)
        results[name] = evaluated() if name == EVALUATE else measured(name)
        place.write_text(json.dumps(results, indent=1))
    written("methods", text_of(results), given.record)


if __name__ == "__main__":
    main()
