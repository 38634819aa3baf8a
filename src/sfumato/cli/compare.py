"""``sfumato compare``: mechanisms by epsilons and seeds on one input; privacy against utility on one page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sfumato.cli import choices
from sfumato.cli.choices import progress_bar
from sfumato.errors import ConfigurationError
from sfumato.evaluation.compare import compare as compared
from sfumato.evaluation.comparison_plan import Comparison, read_comparison
from sfumato.evaluation.comparison_runs import Runs
from sfumato.evaluation.frontier import Frontier, frontier
from sfumato.evaluation.results import as_text
from sfumato.evaluation.run import write
from sfumato.report.frontier import frontier_page


def compare(
    plan: Annotated[Path, typer.Argument(help="A .toml file: input, methods, epsilons, seeds.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for everything; else the plan's name.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the runs, and which are there already.")] = False,
    as_json: choices.Json = False,
) -> None:
    """Compare mechanisms: each is run, attacked and measured in the same way, beside finished files of other tools.

    OUTPUT/frontier.html opens without a network; frontier.json holds its figures. Every run is kept, so that a
    stopped comparison goes on and a longer plan makes only what is new. The releases are seeded: never share them.
    """
    asked = read_comparison(plan)
    folder = output or Path(f"{plan.stem}-comparison")
    if dry_run:
        _list(asked, folder, as_json)
        return
    with progress_bar("Comparing", as_json) as told:
        outcomes = compared(asked, folder, told)
    found = frontier(asked, outcomes)
    text = as_text(found.as_json())
    write(folder / "frontier.json", text)
    write(folder / "frontier.html", frontier_page(found))
    reasons = [one.reason for one in outcomes if one.reason is not None]
    if len(reasons) == len(outcomes):
        raise ConfigurationError(f"None of the {len(outcomes)} runs could be made; the first: {reasons[0]}")
    if as_json:
        typer.echo(text)
    else:
        _close(found, folder)


def _list(asked: Comparison, folder: Path, as_json: bool) -> None:
    """Every run and whether it is there, "to make", "to evaluate" or "missing"."""
    runs = Runs(asked, folder)
    states = [(run, runs.state(run)) for run in runs]
    if as_json:
        rows = [{"run": run.title, "name": run.name, "state": state} for run, state in states]
        typer.echo(json.dumps({"runs": rows}, ensure_ascii=False))
        return
    table = Table("run", "state")
    for run, state in states:
        table.add_row(run.title, state)
    Console(highlight=False, markup=False).print(table)
    typer.echo(f"{len(states)} runs, {sum(state == 'there' for _, state in states)} of them in {folder}.")


def _close(found: Frontier, folder: Path) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    shown = found.measures[:6]  # that fit on a terminal
    table = Table("method", "epsilon", *(one.name for one in shown))
    for point in found.points:
        values = [point.values.get(one.name) for one in shown]
        budget = "–" if point.budget is None else f"{point.budget:g}"
        table.add_row(point.method, budget, *("–" if one is None else f"{one.value:.3f}" for one in values))
    console.print(table)
    for one in found.outcomes:
        if one.reason is not None:
            console.print(f"Failed: {one.run.title}: {one.reason}")
    new = sum(one.anew and one.reason is None for one in found.outcomes)
    console.print(f"{len(found.outcomes)} runs, {new} of them new. The releases are seeded: never share them.")
    console.print(f"Open {folder / 'frontier.html'} in a browser; its figures are in {folder / 'frontier.json'}.")
