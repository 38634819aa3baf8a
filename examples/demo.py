"""The demonstration behind ``make demo``: five ways to sanitize the shipped records, one of the releases attacked."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import sfumato
from sfumato.evaluation.files import evaluate_files
from sfumato.evaluation.plan import Plan
from sfumato.files import FileOptions
from sfumato.releasing import release_file
from sfumato.report.page import page
from sfumato.run import RunOptions

RECORDS = Path(__file__).with_name("records.jsonl")
OUTPUT = Path("demo-output")
PLANS: list[tuple[str, float | None, dict[str, float], str, str]] = [
    ("clusant", 5.0, {"k": 4.0}, "given", "the marked spans, by phrases of the same kind"),
    ("custext", 3.0, {}, "entities", "what spaCy finds, inside sets of 20 similar phrases"),
    ("santext", 9.0, {}, "words", "every single word"),
    ("dp-mlm", 25.0, {}, "given", "the marked spans, by words that a masked language model finds likely there"),
    ("redaction", None, {}, "identifiers", "what may tell who it is, by pseudonyms"),
]
ATTACKED = "clusant"
SHOWN = ("clinic-002", "support-003", "court-004")


def main() -> None:
    """Sanitize the example file in five ways and show what came of it."""
    console, started = Console(), time.perf_counter()
    OUTPUT.mkdir(exist_ok=True)
    console.print("The first time, what is public is read and certified: that takes a few minutes.")
    before = {row["id"]: row["text"] for row in rows(RECORDS)}
    after, written = {}, []
    for mechanism, epsilon, options, detect, about in PLANS:
        with Progress(console=console, transient=True) as bar:
            task = bar.add_task(f"{mechanism}: reading what is public, certifying", total=2.0)
            told = partial(bar.update, task)
            sanitizer = sfumato.build(
                mechanism, epsilon, detect=detect, progress=lambda share, told=told: told(completed=share), **options
            )
            sanitizer.prepare(lambda share, told=told: told(completed=1.0 + share))
        options = FileOptions(id_field="id", spans_field="spans" if detect == "given" else None)
        released = release_file(
            sanitizer, RECORDS, OUTPUT / f"{mechanism}.jsonl", RunOptions(options, overwrite=True)
        )
        after[mechanism] = {row["id"]: row["text"] for row in rows(released.output)}
        written += [released.output, released.statement_path]
        console.print(f"[bold]{mechanism}[/] ({about}): {released.statement['summary']}", highlight=False)
    for shown in SHOWN:
        console.print(side_by_side(shown, before[shown], {name: texts[shown] for name, texts in after.items()}))
    report = attacked(console, OUTPUT / f"{ATTACKED}.jsonl")
    console.print(f"{len(before)} records, {len(PLANS)} releases, {time.perf_counter() - started:.0f} s. Files:")
    for file in written:
        console.print(f"  {file}", highlight=False)
    console.print("Each .privacy.json says what is promised, what it cost, and what anybody can still see.")
    console.print(f"[bold]Open {report} in a browser[/]: what attackers still find in the {ATTACKED} release.")


def attacked(console: Console, release: Path) -> Path:
    """Attack one of the releases and write the report."""
    plan = Plan(id_field="id", labels=("kind",), tasks=("urgent",), sample=200)
    folder = OUTPUT / "report"
    with Progress(console=console, transient=True) as bar:

        def told(name: str) -> Callable[[float], None]:
            task = bar.add_task(f"attacking {release.name}: {name}", total=1.0)
            return lambda share: bar.update(task, completed=share)

        results = evaluate_files(RECORDS, release, folder, plan, told)
    report = folder / "report.html"
    report.write_text(page(results.studies, results.facts), encoding="utf-8")
    return report


def rows(path: Path) -> list[dict[str, str]]:
    """The records of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def side_by_side(title: str, before: str, after: dict[str, str]) -> Table:
    """One record, before and after."""
    table = Table(title=title, show_lines=True, show_header=False)
    for name, text in {"before": before, **after}.items():
        table.add_row(name, text.replace("\r\n", "\n"))
    return table


if __name__ == "__main__":
    main()
