"""The demonstration behind ``make demo``: five ways to sanitize the shipped records, one of the releases attacked.

It may be stopped at any time: what is done stays, and a second run goes on from there.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import sfumato as sf
from sfumato.methods import Detecting

RECORDS = Path(__file__).with_name("records.jsonl")
OUTPUT = Path("demo-output")
SHOWN = ("clinic-002", "clinic-004", "support-001", "support-003", "court-001", "court-004")
Told = Callable[[float], None]


@dataclass(frozen=True)
class Way:
    """One way to sanitize; ``seconds`` is a rough estimate for two idle cores and an empty cache, for the bar."""

    name: str
    method: Detecting | None
    about: str
    seconds: float


WAYS = (
    Way("redaction", sf.Redaction(detect="given"), "the marked spans, by pseudonyms", 3.0),
    Way("clinical", None, "a policy: each kind of value in its own way", 60.0),
    Way("santext", sf.SanText(epsilon=9.0, detect="words"), "every single word", 60.0),
    Way(
        "clusant", sf.CluSanT(epsilon=5.0, detect="given", k=4.0), "the marked spans, by phrases of the same kind",
        50.0,
    ),
    Way(
        "dp-mlm", sf.DPMLM(epsilon=8.0, detect="given"),
        "the marked spans, by words that a masked language model finds likely there", 75.0,
    ),
)  # fmt: skip
ATTACKED, ATTACK = "clusant", 60.0


def main() -> int:
    """Sanitize the example file in five ways and show what came of it."""
    console, started = Console(), time.perf_counter()
    OUTPUT.mkdir(exist_ok=True)
    done = Done(OUTPUT / ".unfinished.json")
    whole = sum(way.seconds for way in WAYS) + ATTACK
    console.print(
        f"{len(WAYS)} ways to sanitize {RECORDS.name}, one after the other, then an attack on one release: about "
        f"{whole / 60:.0f} minutes on two idle cores, less the second time. Stop it with Ctrl-C whenever you like.",
        highlight=False,
    )
    try:
        with bar(console, whole) as told:
            for way in WAYS:
                done.once(way.name, told(way.name, way.seconds), partial(released, way))
                show(console, way)
                if way is WAYS[0]:
                    console.print(f"The first release took {time.perf_counter() - started:.0f} s.", highlight=False)
            done.once("report", told(f"attacking {ATTACKED}", ATTACK), attacked)
    except KeyboardInterrupt:
        console.print(stopped(done))
        return 130
    compared(console)
    done.forget()
    console.print(
        f"{len(rows(RECORDS))} records, {len(WAYS)} releases, {time.perf_counter() - started:.0f} s. Files:"
    )
    for file in files(done):
        console.print(f"  {file}", highlight=False)
    console.print("Each .privacy.json says what is promised, what it cost, and what anybody can still see.")
    report = OUTPUT / "report" / "report.html"
    console.print(f"[bold]Open {report} in a browser[/]: what attackers still find in the {ATTACKED} release.")
    return 0


def released(way: Way, told: Told) -> None:
    """Sanitize the records in one way: vectors, certificate, release."""
    import sfumato

    def building(share: float) -> None:
        told(0.4 * share)

    sanitizer: sf.Sanitizer
    if way.method is None:
        sanitizer = sf.build_policy(way.name, progress=building)
    else:
        sanitizer = sf.build(way.method, progress=building)
    sanitizer.prepare(lambda share: told(0.4 + 0.4 * share))
    given, keep = "spans" if way.method and way.method.detect == "given" else None, ("kind", "topic", "urgent")
    sfumato.sanitize_file(
        sanitizer,
        RECORDS,
        OUTPUT / f"{way.name}.jsonl",
        overwrite=True,
        progress=lambda stage, share: told(0.8 + 0.2 * share) if stage == "Sanitizing" else None,
        id_field="id",
        spans_field=given,
        keep=keep,
        chunk_records=80,
    )


def attacked(told: Told) -> None:
    """Attack one of the releases and write the report."""
    from sfumato.evaluation.plan import Plan
    from sfumato.evaluation.studies.files import evaluate_pairs, read_files, remembering
    from sfumato.report.page import page

    plan = Plan(id_field="id", labels=("kind",), tasks=("urgent",), sample=200)
    studies: list[str] = []

    def study(name: str) -> Told:
        studies.append(name)
        before = 1.0 - 0.7 ** (len(studies) - 1)  # how many there are is known at the end only
        return lambda share: told(before + 0.3 * (1.0 - before) * share)

    release = OUTPUT / f"{ATTACKED}.jsonl"
    pairs = read_files(RECORDS, release, plan)
    results = evaluate_pairs(pairs, OUTPUT / "report", remembering(plan, release), study)
    (OUTPUT / "report" / "report.html").write_text(page(results.studies, results.facts), encoding="utf-8")


class Done:
    """What a demonstration that was stopped has done, in a file that a finished one takes away."""

    def __init__(self, path: Path) -> None:
        self._path = path
        facts = [RECORDS.read_bytes(), Path(__file__).read_bytes()]
        self._key = hashlib.sha256(b"".join(facts)).hexdigest()
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            kept = {}
        self.steps: list[str] = kept["steps"] if kept.get("key") == self._key else []

    def once(self, step: str, told: Told, work: Callable[[Told], None]) -> None:
        """Do ``work`` unless it was done before."""
        if step not in self.steps:
            work(told)
            self.steps.append(step)
            self._path.write_text(json.dumps({"key": self._key, "steps": self.steps}), encoding="utf-8")
        told(1.0)

    def forget(self) -> None:
        """Begin anew the next time."""
        self._path.unlink(missing_ok=True)


@contextmanager
def bar(console: Console, whole: float) -> Iterator[Callable[[str, float], Told]]:
    """Open a bar over ``whole`` seconds of work; what it yields makes one for each step, which says its share."""
    begun, done = time.monotonic(), 0.0
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[left]}")
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=whole, left="")

        def step(name: str, seconds: float) -> Told:
            nonlocal done
            before, done = done, done + seconds
            first = time.monotonic() - begun
            if not console.is_terminal:
                console.print(f"{name}: takes about {seconds:.0f} s")

            def told(share: float) -> None:
                there = before + seconds * min(1.0, share)
                gone, worked = time.monotonic() - begun - first, seconds * min(1.0, share)
                pace = max(1.0, gone / worked) if worked > 5.0 else 1.0  # of a machine that is slower or busy
                left = f"about {max(1, round(pace * (whole - there) / 60))} min left"
                progress.update(task, description=name, completed=there, left=left)

            told(0.0)
            return told

        yield step


def show(console: Console, way: Way) -> None:
    """Say what one release promises, and show a record of it."""
    statement = json.loads((OUTPUT / f"{way.name}.jsonl.privacy.json").read_text(encoding="utf-8"))
    console.print(f"[bold]{way.name}[/] ({way.about}): {promised(statement)}", highlight=False)
    shown, after = SHOWN[0], rows(OUTPUT / f"{way.name}.jsonl")
    console.print(side_by_side(shown, rows(RECORDS)[shown], {way.name: after[shown]}))


def promised(statement: Mapping[str, Any]) -> str:
    """Say what a release promises; of a policy, how each kind is treated."""
    treatments = statement.get("treatments")
    if not treatments:
        return str(statement["summary"])
    told = []
    for treatment in treatments:
        kinds, epsilon = ", ".join(treatment["kinds"]), treatment.get("epsilon_per_draw")
        per = f" per {treatment['per']}" if treatment.get("per") else ""
        told.append(f"{kinds}: {treatment['method']}" + ("" if epsilon is None else f", epsilon {epsilon:.3g}{per}"))
    return "; ".join(told) + "."


def compared(console: Console) -> None:
    """Show the other records, before and after all ways."""
    before = rows(RECORDS)
    after = {way.name: rows(OUTPUT / f"{way.name}.jsonl") for way in WAYS}
    for shown in SHOWN[1:]:
        console.print(side_by_side(shown, before[shown], {name: texts[shown] for name, texts in after.items()}))


def files(done: Done) -> list[Path]:
    """The files that are there: releases with their statements."""
    releases = [OUTPUT / f"{way.name}.jsonl" for way in WAYS if way.name in done.steps]
    return [path for release in releases for path in (release, release.with_name(f"{release.name}.privacy.json"))]


def stopped(done: Done) -> str:
    """Say what is there, and how to go on."""
    there = ", ".join(str(file) for file in files(done)) or "nothing yet"
    return f"Stopped. Finished and in place: {there}. Type make demo to go on from there."


def rows(path: Path) -> dict[str, str]:
    """The texts of a JSON-lines file by their ids."""
    records = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {record["id"]: record["text"] for record in records}


def side_by_side(title: str, before: str, after: dict[str, str]) -> Table:
    """One record, before and after."""
    table = Table(title=title, show_lines=True, show_header=False)
    for name, text in {"before": before, **after}.items():
        table.add_row(name, text.replace("\r\n", "\n"))
    return table


if __name__ == "__main__":
    sys.exit(main())
